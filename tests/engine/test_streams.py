"""Several streams over one store: reads, shared views, foreign drops, deferred frees, deletion."""

import pytest
from fakes import BreakingBackend, OpenFuser
from harness import Engine
from notation import op, tensor

from fusionlab.engine.server import ReadPlan
from fusionlab.events import facts as f
from fusionlab.ir.tensor import StreamId, TensorId

ONE, TWO = StreamId(1), StreamId(2)


@pytest.fixture
def engine() -> Engine:
    """An engine whose only fuser never closes, so that ops wait until somebody drains."""
    return Engine((OpenFuser(),), backend=BreakingBackend())


def made(engine: Engine, *numbers: int, stream: StreamId = ONE) -> None:
    """Let tensors have a buffer."""
    for number in numbers:
        engine.register(f"Ones( → t{number})", stream)
    engine.sync(stream)


def buffers(engine: Engine, *numbers: int) -> list[bool]:
    return [number in engine.server.backend for number in numbers]


# --- reads ------------------------------------------------------------------------------------


def test_reading_what_is_not_made_yet_drains_its_stream(engine: Engine) -> None:
    engine.register("Ones( → t0); Exp(!t0 → t1)", ONE)
    assert engine.server.read_plan(ONE, tensor("!t1")) is ReadPlan.DRAIN
    engine.server.read(ONE, tensor("!t1"))
    assert engine.queued(ONE) == 0
    assert buffers(engine, 0, 1) == [False, False]


def test_reading_what_is_there_drains_nothing(engine: Engine) -> None:
    made(engine, 0, 5)
    engine.register("Exp(t5 → t6)", ONE)
    assert engine.server.read_plan(ONE, tensor("t0")) is ReadPlan.DIRECT
    assert engine.server.read_plan(ONE, tensor("!t0")) is ReadPlan.DIRECT
    engine.server.read(ONE, tensor("!t0"))
    assert engine.queued(ONE) == 1
    assert buffers(engine, 0) == [False]


def test_a_last_read_of_what_a_queued_op_needs_leaves_the_buffer_until_that_op_has_run(
    engine: Engine,
) -> None:
    made(engine, 0)
    engine.register("Exp(t0 → t1)", ONE)
    assert engine.server.read_plan(ONE, tensor("!t0")) is ReadPlan.DEFER_FREE
    engine.server.read(ONE, tensor("!t0"))
    assert engine.queued(ONE) == 1
    assert buffers(engine, 0, 1) == [True, False]
    engine.sync(ONE)
    assert buffers(engine, 0, 1) == [False, True]
    assert engine.server.read_plan(ONE, tensor("!t1")) is ReadPlan.DIRECT


def test_a_read_that_is_not_the_last_one_leaves_everything(engine: Engine) -> None:
    made(engine, 0)
    engine.server.read(ONE, tensor("t0"))
    assert buffers(engine, 0) == [True]
    assert [fact.last for fact in engine.facts(f.TensorRead)] == [False]


# --- drops from another stream ------------------------------------------------------------------


def test_a_foreign_drop_of_what_is_not_made_yet_drains_and_queues_the_drop(engine: Engine) -> None:
    engine.register("Ones( → t0)", ONE)
    engine.server.foreign_drop(ONE, tensor("!t0"))
    assert engine.server.backend.ran == [0]
    assert engine.queued(ONE) == 1
    assert engine.facts(f.OpQueued)[-1].operation == op("Drop(t0)")


def test_a_foreign_drop_waits_for_the_queued_op_that_mentions_the_tensor(engine: Engine) -> None:
    made(engine, 0)
    engine.register("Exp(t0 → t1)", ONE)
    engine.server.foreign_drop(ONE, tensor("!t0"))
    assert engine.queued(ONE) == 1
    assert buffers(engine, 0) == [True]
    engine.sync(ONE)
    assert buffers(engine, 0) == [False]


def test_a_foreign_drop_of_what_nobody_mentions_frees_at_once(engine: Engine) -> None:
    made(engine, 0, 1)
    engine.server.foreign_drop(ONE, tensor("!t0"))
    assert buffers(engine, 0, 1) == [False, True]
    assert engine.server.streams[ONE].queue.variables == {1}


def test_a_foreign_drop_may_outlive_the_stream(engine: Engine) -> None:
    made(engine, 0)
    engine.server.share_view(ONE, TensorId(0), TensorId(9))
    engine.server.read(ONE, tensor("!t0"))
    assert ONE not in engine.server.streams
    engine.server.foreign_drop(ONE, tensor("!t9"))
    assert buffers(engine, 9) == [False]


# --- sharing ------------------------------------------------------------------------------------


def test_sharing_what_is_not_made_yet_drains_its_stream_first(engine: Engine) -> None:
    engine.register("Ones( → t0)", ONE)
    engine.server.share_view(ONE, TensorId(0), TensorId(7))
    assert engine.queued(ONE) == 0
    assert buffers(engine, 0, 7) == [True, True]


def test_sharing_again_drains_nothing(engine: Engine) -> None:
    made(engine, 0)
    engine.register("Exp(t0 → t1)", ONE)
    engine.server.share_view(ONE, TensorId(0), TensorId(7))
    engine.server.share_view(ONE, TensorId(0), TensorId(8))
    assert engine.queued(ONE) == 1


def test_streams_wait_and_drain_on_their_own(engine: Engine) -> None:
    engine.register("Ones( → t0)", ONE)
    engine.register("Ones( → t1); Exp(t1 → t2)", TWO)
    assert (engine.queued(ONE), engine.queued(TWO)) == (1, 2)
    engine.sync(TWO)
    assert (engine.queued(ONE), engine.queued(TWO)) == (1, 0)


def test_draining_a_stream_that_never_was_does_nothing(engine: Engine) -> None:
    engine.sync(TWO)
    assert engine.events.events == []


def test_all_streams_find_each_others_plans() -> None:
    engine = Engine()
    engine.register("MulScalar(t0 → t1); Exp(!t1 → t2)", ONE)
    engine.sync(ONE)
    engine.register("MulScalar(t10 → t11); Exp(!t11 → t12)", TWO)
    engine.sync(TWO)
    assert engine.hits() == [0]
    assert engine.explorations == 1


# --- the life of a stream -----------------------------------------------------------------------


def test_a_stream_ends_with_its_last_tensor_and_its_count_of_explorations_with_it() -> None:
    engine = Engine(max_explorations=1, backend=BreakingBackend())
    for shape in ("8", "9,9", "7,7,7"):
        engine.register(f"Ones( → t0[{shape}])")
        engine.server.read(StreamId(0), tensor(f"!t0[{shape}]"))
    assert engine.explorations == 3, "each of the three streams had a first exploration"
    assert len(engine.facts(f.StreamCreated)) == len(engine.facts(f.StreamDeleted)) == 3
    assert len(engine.plans()) == 3


def test_a_stream_that_still_holds_a_tensor_goes_on_and_so_does_its_count() -> None:
    engine = Engine(max_explorations=1, backend=BreakingBackend())
    engine.run("Ones( → t9)", "Ones( → t0[8])")
    engine.server.read(StreamId(0), tensor("!t0[8]"))
    assert engine.explorations == 1
    assert engine.facts(f.StreamDeleted) == []
    assert len(engine.facts(f.ExplorationCapped)) == 1


def test_what_a_foreign_message_finds_does_not_change_what_is_queued(engine: Engine) -> None:
    made(engine, 0, 1)
    engine.register("Exp(t0 → t2); Mul(t0, t1 → t3)", ONE)
    before = list(engine.server.streams[ONE].queue.relative)
    engine.server.foreign_drop(ONE, tensor("!t1"))
    engine.server.read(ONE, tensor("!t0"))
    engine.server.share_view(ONE, TensorId(0), TensorId(50))
    assert engine.server.streams[ONE].queue.relative == before
