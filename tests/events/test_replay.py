"""The replay puts every fact in its place, and facts about copies nowhere."""

from dataclasses import replace
from time import perf_counter

from recorded import RELATIVE, answer, global_ops, op, place, relativized, score, two_rounds

from fusionlab.events import facts as f
from fusionlab.events.log import EventLog
from fusionlab.events.replay import replay, step
from fusionlab.events.state import Candidate, LabState, ScopeKind, StreamState
from fusionlab.ir.tensor import StreamId
from fusionlab.plan import BlockId, ExecutionMode, OnOperations, OnSync, PlanId

EVENTS = two_rounds()
STATES = replay(EVENTS)


def stream_of(state: LabState) -> StreamState:
    stream = state.stream(StreamId(0))
    assert stream is not None
    return stream


def after(fact: type, nth: int = 0) -> StreamState:
    """The stream after the nth fact of a kind."""
    steps = [event.step for event in EVENTS if isinstance(event.fact, fact)]
    return stream_of(STATES[steps[nth]])


def test_there_is_one_state_for_each_event():
    assert len(STATES) == len(EVENTS)


def test_an_op_waits_in_global_and_relative_form():
    queue = after(f.OpRelativized, 1).queue
    assert queue.operations == global_ops(1, 2.0)[:2]
    assert queue.relative == RELATIVE[:2]
    assert queue.tensors == (1, 2, 4, 3, 5)
    assert queue.extents == (1, 64)
    assert queue.scalars == (2.0,)


def test_each_op_without_common_tensors_opens_a_block():
    assert [b.positions for b in after(f.BlockOpened, 1).blocks] == [(0,), (1,)]


def test_a_merged_block_takes_the_place_of_both():
    (block,) = after(f.BlocksMerged).blocks
    assert block.block == 1
    assert block.positions == (0, 1)


def test_a_merged_block_remembers_why_fusers_refused_on_the_copy():
    refusal = after(f.BlocksMerged).blocks[0].refusal("Matmul")
    assert refusal is not None
    assert refusal.position == 1


def test_blocks_take_the_lowest_free_number_so_a_lane_is_used_again():
    log = EventLog()
    for position in range(3):
        log.emit(f.BlockOpened(BlockId(position), position, "Float::Exp", position + 1))
    log.emit(f.BlocksMerged(BlockId(0), (BlockId(1),), (0, 1)))
    log.emit(f.BlockOpened(BlockId(3), 3, "Float::Exp", 3))
    blocks = stream_of(replay(log.events)[-1]).blocks
    assert [(b.block, b.number) for b in blocks] == [(0, 1), (2, 3), (3, 2)]


def test_a_merge_that_is_only_tried_changes_no_block():
    before, during = after(f.BlockOpened, 1), after(f.MergeJudged)
    assert during.blocks == before.blocks
    (scope,) = during.scopes
    assert scope.kind is ScopeKind.MERGE
    assert scope.blocks[0].positions == (0, 1)


def test_a_block_keeps_the_last_standing_of_every_fuser():
    (block,) = after(f.OpAccepted, 1).blocks
    assert [(s.fuser, s.ready, s.score) for s in block.fusers] == [
        ("ElementWise", True, 630),
        ("Matmul", False, 0),
    ]


def test_the_first_refusal_of_a_closed_fuser_is_the_one_that_is_kept():
    log = EventLog()
    answer(log, 1, 0)
    closed = replace(log.events[1].fact.answer, refusal=None)
    log.emit(replace(log.events[1].fact, position=1, answer=closed))
    refusal = stream_of(replay(log.events)[-1]).blocks[0].refusal("Matmul")
    assert refusal is not None
    assert refusal.position == 0


def test_a_settling_works_on_copies_and_leaves_them_to_look_at():
    settling = after(f.FuserWon)
    assert settling.blocks[0].winner is None
    assert settling.visible_blocks[0].winner.fuser == "ElementWise"
    later = after(f.ExplorationCompleted)
    assert later.scopes == ()
    assert later.visible_blocks[0].winner.score == 630


def test_the_counters_of_the_explorer_follow_each_op():
    counted = [
        (s.explorer.num_deferred, s.explorer.num_explored)
        for s in (after(f.OpQueued, 0), after(f.BlockOpened, 0), after(f.OpAccepted, 1))
    ]
    assert counted == [(1, 0), (0, 1), (0, 4)]
    assert after(f.ExplorationCompleted).explorer.num_explorations == 1


def test_a_drained_queue_starts_afresh_but_remembers_how_often_it_explored():
    stream = after(f.QueueDrained)
    assert stream == StreamState(StreamId(0), explorer=replace(stream.explorer))
    assert stream.explorer.num_explorations == 1


def test_ops_left_behind_are_deferred_to_the_next_search():
    log = EventLog()
    operations = global_ops(1, 2.0)
    for position in range(2):
        with log.span(f.OpQueued(position, operations[position], position + 1)):
            log.emit(relativized(position, operations))
    log.emit(f.QueueDrained(executed=1, left=1))
    stream = stream_of(replay(log.events)[-1])
    assert stream.queue.operations == operations[1:2]
    assert stream.queue.relative == ()
    assert stream.explorer.num_deferred == 1


def test_a_candidate_comes_closer_until_it_is_available():
    assert after(f.CandidatesFound, 1).candidates == (Candidate(PlanId(0), 0),)
    assert after(f.CandidateAdvanced, 2).candidates == (Candidate(PlanId(0), 3),)
    matched = after(f.CandidateMatched)
    assert matched.candidates == ()
    assert [(a.plan, a.size) for a in matched.availables] == [(0, 4)]


def test_a_dropped_candidate_is_gone():
    fact = f.CandidateDropped(PlanId(0), 1, "op", RELATIVE[1], RELATIVE[0])
    found = f.Event(0, None, StreamId(0), f.CandidatesFound((PlanId(0), PlanId(1))))
    state = step(step(STATES[-1], found), f.Event(1, None, StreamId(0), fact))
    assert [c.plan for c in stream_of(state).candidates] == [1]


def test_a_trigger_counts_the_ops_that_it_was_compared_with():
    log = EventLog()
    log.emit(f.PlanStored(PlanId(0), RELATIVE[:1], OnOperations(RELATIVE[1:3]), None, (0,)))
    log.emit(f.CandidatesFound((PlanId(0),)))
    log.emit(f.CandidateMatched(PlanId(0), 1))
    log.emit(f.TriggerChecked(PlanId(0), 0, 1, f.TriggerState.VALIDATING))
    (available,) = stream_of(replay(log.events)[-1]).availables
    assert [(t.trigger, t.checked) for t in available.triggers] == [(0, 1)]


def test_the_store_counts_runs_and_hits():
    (plan,) = STATES[-1].plans
    assert (plan.triggers, plan.runs, plan.hits) == ((OnSync(),), 2, 1)


def test_a_tensor_lives_from_the_launch_that_writes_it_to_the_read_that_takes_it():
    launched = [e.step for e in EVENTS if isinstance(e.fact, f.KernelLaunched)]
    assert 7 in STATES[launched[0]].live
    assert STATES[-1].live == ()
    assert STATES[-1].launches == 2


def test_the_last_execution_shows_its_launches():
    execution = STATES[-1].execution
    assert execution is not None
    assert [launch.fuser for launch in execution.launches] == ["ElementWise"]


def test_a_nested_search_over_holes_has_its_own_blocks_at_positions_of_the_segment():
    log = EventLog()
    with log.span(f.SettlingStarted(())):
        log.emit(f.StrategySelected(1))
    with log.span(f.HolesFound((3, 4))):
        answer(log, 7, 0)
        log.emit(f.BlockOpened(BlockId(7), 0, "Float::Exp", 1))
        log.emit(f.OpAccepted((BlockId(7),), 1, "Float::Exp", 1))
    log.emit(f.ExplorationCompleted(ExecutionMode.SYNC, 5, 5, None))
    inside, outside = (stream_of(s) for s in (replay(log.events)[-2], replay(log.events)[-1]))
    assert inside.scopes[-1].blocks[0].positions == (3, 4)
    assert inside.blocks == outside.blocks == ()
    assert inside.explorer.num_explored == 0
    assert outside.visible_blocks[0].positions == (3, 4)


def test_a_block_that_a_cycle_forbids_is_gone_again():
    log = EventLog()
    place(log, 0, "NumericFloat::Mul")
    answer(log, 2, 1)
    score(log, 2, 1)
    log.emit(f.OptimizerStopped(f.StopCause.CYCLE, 1, "NumericFloat::Add", 5))
    stream = stream_of(replay(log.events)[-1])
    assert [b.block for b in stream.blocks] == [1]
    assert stream.stopped


def test_a_deleted_stream_leaves_its_plans():
    state = step(STATES[-1], f.Event(0, None, StreamId(0), f.StreamDeleted()))
    assert state.streams == ()
    assert len(state.plans) == 1


def test_a_state_is_shared_when_a_fact_changes_nothing():
    event = f.Event(0, None, StreamId(0), f.OpExecuted("Drop"))
    assert step(STATES[-1], event) is STATES[-1]


def test_an_init_holds_its_buffer_from_the_start():
    log = EventLog()
    log.emit(f.OpQueued(0, op("Init", ">nt0"), 1))
    assert replay(log.events)[-1].live == (0,)


def test_three_thousand_events_replay_in_less_than_a_blink():
    many = EVENTS * (3_000 // len(EVENTS) + 1)
    renumbered = []
    for number, event in enumerate(many):
        offset = number - event.step
        parent = None if event.parent is None else event.parent + offset
        renumbered.append(f.Event(number, parent, event.stream, event.fact))
    started = perf_counter()
    replay(renumbered)
    assert perf_counter() - started < 0.5
