"""Ordered execution: units in order, a guard against unfit plans, and what a failing op leaves."""

import pytest
from fakes import BreakingBackend, OpenFuser
from harness import Engine
from notation import ops

from fusionlab.errors import ExecutionError
from fusionlab.events import facts as f
from fusionlab.ir.tensor import StreamId
from fusionlab.plan import (
    BlockOptimization,
    Composed,
    FusedOperation,
    Operations,
    Optimization,
    flat_ordering,
    leaves,
)


class Named:
    """A fused operation that names a shape id."""

    def __init__(self, highest: int | None) -> None:
        self.fuser, self.operations, self.max_relative_shape_id = "F", (), highest


def fused(highest: int | None, *ordering: int) -> Optimization:
    operation: FusedOperation = Named(highest)
    return Optimization(operation, ordering, 1)


@pytest.mark.parametrize(
    ("strategy", "highest"),
    [
        (Composed((Operations((0,)), fused(4, 1), fused(7, 2))), 7),
        (Composed((fused(3, 0), Composed((fused(9, 1), fused(None, 2))))), 9),
        (Operations((0,)), None),
        (fused(None, 0), None),
        (fused(0, 0), 0),
    ],
)
def test_a_strategy_names_the_highest_shape_id_of_its_kernels(strategy, highest) -> None:
    optimization = BlockOptimization(strategy, flat_ordering(strategy))
    assert optimization.highest_shape_id == highest
    assert optimization.units == tuple(leaves(strategy))


def test_units_run_in_the_order_of_the_strategy_not_of_the_queue() -> None:
    a1, b1, a2, b2 = ops("Exp(t0 → t1); Log(t2 → t3); Sin(!t1 → t4); Cos(!t3 → t5)")
    backend = BreakingBackend()
    engine = Engine((OpenFuser(),), backend=backend)
    engine.register([a1, b1, a2, b2])
    engine.sync()
    assert engine.executed() == ["U[0, 2, 1, 3]"]
    assert backend.ran == [1, 4, 3, 5]


def test_a_search_without_fusers_settles_with_every_op() -> None:
    engine = Engine(())
    engine.register("Exp(t0 → t1)")
    assert engine.queued() == 0


WIDENED = "MulScalar(t0[8,1] → t1[8,1]); Exp(!t1[8,1] → t2[8,1]); Add(!t2[8,1], t3[8,9] → t4[8,9])"


def test_a_plan_that_names_an_unassigned_shape_id_runs_un_fused_every_time() -> None:
    """The Add widens the trace to [8,9] and is then refused: the kernel of two names extent 9."""
    engine = Engine(max_bindings=3)
    for _ in range(2):
        engine.register(WIDENED)
        engine.sync()
    unfit = engine.facts(f.PlanUnfit)
    assert unfit, engine.plans()
    assert [(u.needs, u.assigned, u.ops) for u in unfit] == [(2, 2, 2)] * 2
    assert engine.executed()[0] == "U[0, 1]"
    assert all(fact.fallback for fact in engine.facts(f.ExecutionStarted) if fact.plan == 0)


def test_the_guard_lets_every_plan_pass_that_names_only_its_own_ids() -> None:
    engine = Engine()
    engine.run(WIDENED)
    assert not engine.facts(f.PlanUnfit)


# --- the life of buffers -----------------------------------------------------------------------


def test_a_last_use_frees_the_buffer_once() -> None:
    backend = BreakingBackend()
    engine = Engine(backend=backend)
    engine.run("Ones( → t0); Ones( → t1); Exp(!t0 → t2); Mul(!t1, !t2 → t3)")
    assert sorted(backend.freed) == [0, 1, 2]
    assert 3 in backend


def test_dropping_frees_the_buffer_when_the_drop_runs_not_before() -> None:
    backend = BreakingBackend()
    engine = Engine(backend=backend)
    engine.run("Ones( → t0)")
    engine.register("Exp(t0 → t1); Drop(t0)")
    assert 0 in backend
    engine.sync()
    assert 0 not in backend


def test_a_stream_may_touch_what_it_mentioned_until_it_is_used_up() -> None:
    engine = Engine()
    engine.run("Ones( → t0); Exp(t0 → t1); Exp(!t1 → t2)")
    assert engine.server.streams[StreamId(0)].queue.variables == {0, 2}


# --- failures -----------------------------------------------------------------------------------


def test_a_failing_op_does_not_stop_the_others_and_is_raised_at_the_end_of_the_drain() -> None:
    backend = BreakingBackend(breaks_on=[11])
    engine = Engine((), backend=backend)
    engine.register("Exp(t0 → t10); Exp(t1 → t11); Exp(!t11 → t12); Exp(!t10 → t13)")
    with pytest.raises(ExecutionError, match="broken"):
        engine.sync()
    assert backend.ran == [10, 13]


def test_the_error_is_raised_once_and_the_stream_goes_on() -> None:
    engine = Engine(backend=BreakingBackend(breaks_on=[1]))
    engine.register("Exp(t0 → t1)")
    with pytest.raises(ExecutionError):
        engine.sync()
    engine.run("Exp(t2 → t3)")
    assert engine.queued() == 0


def test_what_depends_on_a_failed_op_takes_over_its_error() -> None:
    backend = BreakingBackend(breaks_on=[1])
    engine = Engine(backend=backend)
    engine.register("MaxDim(t0 → t1[32,1]); MaxDim(!t1[32,1] → t2[1,1])")
    with pytest.raises(ExecutionError):
        engine.sync()
    with pytest.raises(ExecutionError, match="tensor': 1"):
        engine.server.read(StreamId(0), ops("Drop(t2)")[0].inputs[0])


def test_an_error_ends_with_the_tensor_that_holds_it() -> None:
    engine = Engine(backend=BreakingBackend(breaks_on=[1]))
    engine.register("Exp(t0 → t1); Drop(t1)")
    with pytest.raises(ExecutionError):
        engine.sync()
    assert engine.server.errors == {}


def test_a_failed_kernel_spoils_all_of_its_outputs() -> None:
    backend = BreakingBackend(breaks_on=[2])
    engine = Engine(backend=backend)
    engine.register("MulScalar(t0 → t1); Exp(t1 → t2)")
    with pytest.raises(ExecutionError):
        engine.sync()
    assert set(engine.server.errors) == {1, 2}
    assert backend.ran == []
