"""Laws of the engine on random programs: nothing lost, nothing early, the same again every time."""

import json

import pytest
from conformance.corpus import recorded
from hypothesis import given
from hypothesis import strategies as st
from playing import Json, decisions, play, queued, ran, registered, requests, server_for
from strategies import programs

from fusionlab.config import FusionConfig
from fusionlab.conformance import _perform, run_program
from fusionlab.engine.dag import order_is_valid
from fusionlab.engine.dry import HandlesOnly
from fusionlab.engine.relative import OperationConverter
from fusionlab.engine.server import FusionServer
from fusionlab.engine.snapshot import snapshot
from fusionlab.engine.store import ExecutionPlanStore
from fusionlab.events import facts as f
from fusionlab.events.codec import dump_events
from fusionlab.events.log import EventLog, NullRecorder
from fusionlab.events.replay import replay
from fusionlab.fusers.base import ScoreTerms
from fusionlab.ir.event_form import operation_from_event
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP
from fusionlab.ir.tensor import StreamId, TensorIr, TensorStatus
from fusionlab.plan import Operations, Optimization

# --- nothing lost, nothing early -----------------------------------------------------------------


@given(programs())
def test_every_queued_op_runs_exactly_once(text) -> None:
    log = EventLog()
    play(requests(text), log)
    assert sorted(map(hash, ran(log))) == sorted(map(hash, queued(log)))


@given(programs())
def test_no_op_reads_what_is_not_made_yet_or_already_freed(text) -> None:
    """Produce, then read, then free: whatever the blocks, merges, heads and holes were."""
    log = EventLog()
    play(requests(text), log)
    assert order_is_valid(ran(log))


@given(programs())
def test_a_drain_leaves_nothing_in_its_queue(text) -> None:
    program = requests(text)
    for event, result in zip(program["events"], run_program(program)["events"], strict=True):
        if event["kind"] == "sync":
            assert result["queued"] == 0


@given(programs())
def test_a_strategy_covers_a_prefix_of_the_segment_each_position_once(text) -> None:
    server = play(requests(text), NullRecorder())
    for plan in server.store.plans:
        ordering = plan.optimization.ordering
        assert sorted(ordering) == list(range(len(plan.operations)))
        assert [p for unit in plan.optimization.units for p in unit.ordering] == list(ordering)


@given(programs())
def test_a_fused_unit_holds_exactly_the_ops_at_its_positions(text) -> None:
    for plan in play(requests(text), NullRecorder()).store.plans:
        for unit in plan.optimization.units:
            if isinstance(unit, Optimization):
                assert len(unit.fused.operations) == len(unit.ordering)
                kinds = [plan.operations[position].spec for position in unit.ordering]
                assert [op.spec for op in unit.fused.operations] == kinds
            else:
                assert isinstance(unit, Operations)


# --- the same again ------------------------------------------------------------------------------


@given(programs())
def test_the_same_program_gives_the_same_bytes(text) -> None:
    program = requests(text)
    one, two = (json.dumps(run_program(program)) for _ in range(2))
    assert one == two
    logs = (EventLog(), EventLog())
    for log in logs:
        play(program, log)
    assert list(dump_events(logs[0].events)) == list(dump_events(logs[1].events))


@given(programs())
def test_nobody_listening_changes_no_decision(text) -> None:
    program = requests(text)
    heard, unheard = (play(program, recorder) for recorder in (EventLog(), NullRecorder()))
    assert decisions(heard.store) == decisions(unheard.store)
    for stream, home in heard.streams.items():
        silent = unheard.streams[stream]
        assert home.queue.variables == silent.queue.variables
        assert (
            home.processor.explorer.num_explorations == silent.processor.explorer.num_explorations
        )


@given(programs(), st.permutations(range(3, 12)))
def test_renaming_tensors_and_extents_never_changes_the_relative_form(text, names) -> None:
    ops = [op for op in registered(requests(text)) if op.spec is not DROP]
    extents = {1: 1} | dict(zip([0, 2, 3, 4, 8, 6, 12, 16, 24], names, strict=True))

    def renamed(tensor: TensorIr) -> TensorIr:
        shape = tuple(extents.get(extent, extent + 1000) for extent in tensor.shape)
        return tensor._replace(id=tensor.id * 7 + 100, shape=shape)

    def all_renamed(op: OperationIr) -> OperationIr:
        return op._replace(
            inputs=tuple(map(renamed, op.inputs)), outputs=tuple(map(renamed, op.outputs))
        )

    one, two = OperationConverter(), OperationConverter()
    for op in ops:
        assert one.convert(op) == two.convert(all_renamed(op))


@given(programs())
def test_relative_form_keeps_which_tensors_and_extents_are_equal(text) -> None:
    converter = OperationConverter()
    ids: dict[int, int] = {}
    extents: dict[int, int] = {1: 0}
    for op in registered(requests(text)):
        for true, relative in zip(op.nodes, converter.convert(op).nodes, strict=True):
            assert ids.setdefault(true.id, relative.id) == relative.id
            for extent, number in zip(true.shape, relative.shape, strict=True):
                assert extents.setdefault(extent, number) == number
    assert len(set(ids.values())) == len(ids)
    assert len(set(extents.values())) == len(extents)


# --- the record ----------------------------------------------------------------------------------


def check_replay(program: Json) -> None:
    """After every request, what the facts say is what the engine holds."""
    log = EventLog()
    server = server_for(program, log)
    photographs = []
    for event in program["events"]:
        _perform(server, StreamId(event.get("stream", program.get("stream") or 0)), event)
        photographs.append((len(log.events), snapshot(server)))
    states = replay(log.events)
    for count, photograph in photographs:
        if count:
            assert states[count - 1] == photograph


@given(programs())
def test_the_replay_of_the_facts_is_the_engines_own_state(text) -> None:
    check_replay(requests(text))


@given(programs())
def test_every_fact_comes_behind_the_one_that_caused_it(text) -> None:
    log = EventLog()
    play(requests(text), log)
    for number, event in enumerate(log.events):
        assert event.step == number
        assert event.parent is None or event.parent < number
    roots = [event.fact for event in log.events if event.parent is None]
    assert all(
        isinstance(
            root,
            f.OpQueued | f.SyncRequested | f.TensorRead | f.StreamCreated | f.StreamDeleted,
        )
        for root in roots
    )


# --- several streams -----------------------------------------------------------------------------

BUILT = [TensorIr(10_000 + n, (5, 7), TensorStatus.READ_WRITE, "f32") for n in range(4)]
"""Tensors that have their buffers before the program begins."""


def with_messages(program: Json, messages: dict[int, str]) -> tuple[list, list]:
    """Decisions and relative ops when messages about built tensors land before some requests."""
    log = EventLog()
    server = FusionServer(FusionConfig(), HandlesOnly(), log)
    home = StreamId(0)
    for tensor in BUILT:
        server.register(home, operation_from_event(_ones(tensor)))
    server.drain(home)
    first = len(log.events)
    built = list(BUILT)
    for number, event in enumerate(program["events"]):
        if number in messages and built:
            tensor = built.pop()
            if messages[number] == "drop":
                server.foreign_drop(home, tensor)
            elif messages[number] == "read":
                server.read(home, tensor)
            else:
                server.share_view(home, tensor.id, tensor.id + 500)
        _perform(server, StreamId(event.get("stream", 0)), event)
    relative = [e.fact.operation for e in log.events[first:] if isinstance(e.fact, f.OpRelativized)]
    return decisions(server.store), relative


def _ones(tensor: TensorIr) -> Json:
    shape = list(tensor.shape)
    return {"op": "BaseFloat::Ones", "outputs": [{"id": tensor.id, "shape": shape}]}


@given(
    programs(max_statements=6),
    st.dictionaries(st.integers(0, 12), st.sampled_from(["drop", "read", "share"]), max_size=3),
)
def test_when_a_message_of_another_stream_lands_does_not_matter(text, messages) -> None:
    program = requests(text)
    assert with_messages(program, messages) == with_messages(program, {})


# --- a second run --------------------------------------------------------------------------------


def explorations(program: Json, store: ExecutionPlanStore) -> int:
    log = EventLog()
    play(program, log, store=store)
    return sum(isinstance(event.fact, f.ExplorationCompleted) for event in log.events)


@given(programs())
def test_a_program_that_comes_again_is_found_as_a_whole(text) -> None:
    """Not obvious: stored plans make a second run wait where the first one searched."""
    program, store = requests(text), ExecutionPlanStore()
    assert explorations(program, store) > 0
    assert explorations(program, store) == 0


@pytest.mark.parametrize("corpus", ["curated", "extra"])
def test_recorded_programs_are_found_as_a_whole_too(corpus: str) -> None:
    for row in recorded(corpus):
        if (row.program.get("config") or {}).get("max_explorations") is None:
            store = ExecutionPlanStore()
            explorations(row.program, store)
            assert explorations(row.program, store) == 0, row.label


# --- scores --------------------------------------------------------------------------------------


def brute_force(ops: list[OperationIr]) -> int:
    """What one kernel saves, counted from its ops alone. (A Drop is a read that no kernel does.)"""
    reads = sum(len(op.inputs) for op in ops)
    writes = sum(len(op.outputs) for op in ops)
    made = {tensor.id for op in ops for tensor in op.outputs}
    read = {tensor.id for op in ops if op.spec is not DROP for tensor in op.inputs} - made
    status = {tensor.id: tensor.status for op in ops for tensor in op.nodes}
    alive = {number for number in made if status[number] is not TensorStatus.READ_WRITE}
    saved = reads + writes - len(read) - len(alive)
    return max(0, saved) * 100 + (len(ops) - 1) * 10


@given(programs(groups=frozenset({"unary", "scalar", "binary", "mask"}), loops=False))
def test_the_score_of_an_element_wise_kernel_is_a_count_over_its_ops(text) -> None:
    log = EventLog()
    play(requests(text), log)
    for event in log.events:
        if isinstance(event.fact, f.ExecutionStarted):
            for block in event.fact.blocks:
                if block.fuser == "ElementWise":
                    assert block.score == brute_force(list(block.operations))


@given(programs())
def test_a_score_is_the_sum_of_its_counts(text) -> None:
    log = EventLog()
    play(requests(text), log)
    for event in log.events:
        if isinstance(event.fact, f.FuserScored):
            assert event.fact.score == sum(map(points, event.fact.terms))


def points(terms: ScoreTerms) -> int:
    saved = terms.reads + terms.writes - terms.fused_reads - terms.fused_writes
    worth = max(0, saved) * 100 + max(0, terms.ops - 1) * 10 - terms.views * 50
    return max(0, worth) + terms.bonus
