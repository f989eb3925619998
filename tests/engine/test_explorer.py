"""The explorer: feeds what waits, settles when waiting cannot help, stops at its cap."""

from engine.blocks import BURN, scripted
from notation import ops, tree

from fusionlab.engine.explorer import Completed, Continue, Explorer, Unfused, include_trailing
from fusionlab.engine.optimizer import StreamOptimizer
from fusionlab.events import facts as f
from fusionlab.events.log import EventLog
from fusionlab.plan import (
    BlockOptimization,
    Composed,
    ExecutionMode,
    Operations,
)

LAZY, SYNC = ExecutionMode.LAZY, ExecutionMode.SYNC
A1, A2, A3 = ops("Exp(t1 → t2); Log(!t2 → t3); Sin(!t3 → t4)")


def explorer(fusers=BURN, cap: int | None = None) -> tuple[Explorer, EventLog]:
    log = EventLog()
    return Explorer(StreamOptimizer(fusers, 5, log), cap, log), log


def told(log: EventLog, *kinds: type) -> list:
    return [event.fact for event in log.events if isinstance(event.fact, kinds)]


def test_lazy_goes_on_while_a_fuser_is_open_and_sync_never_does() -> None:
    it, _ = explorer()
    it.on_new_operation()
    assert it.explore([A1], LAZY) == Continue()
    assert it.num_explorations == 0
    assert isinstance(it.explore([A1], SYNC), Completed)
    assert it.num_explorations == 1


def test_lazy_settles_once_every_fuser_is_closed() -> None:
    it, log = explorer(scripted([A1, A2]))
    it.on_new_operation()
    assert it.explore([A1], LAZY) == Continue()
    it.on_new_operation()
    result = it.explore([A1, A2], LAZY)
    assert isinstance(result, Completed)
    assert tree(result.optimization.strategy) == "P0(2)[0, 1]"
    assert told(log, f.SearchSettled) == [f.SearchSettled("Float::Log", 2)]


def test_ops_that_waited_are_fed_together() -> None:
    it, log = explorer()
    for _ in range(3):
        it.on_new_operation()
    it.explore([A1, A2, A3], LAZY)
    assert told(log, f.ExplorationStarted) == [f.ExplorationStarted(LAZY, 3, 3)]
    assert it.is_up_to_date
    assert it.num_explored == 3


def test_feeding_ends_when_the_search_settles_and_the_rest_is_counted() -> None:
    it, log = explorer(scripted([A1]))
    for _ in range(3):
        it.on_new_operation()
    result = it.explore([A1, A2, A3], LAZY)
    assert told(log, f.DeferredLeft) == [f.DeferredLeft(fed=1, left=2)]
    assert isinstance(result, Completed)
    assert result.optimization.ordering == (0,)
    assert it.is_up_to_date


def test_a_drain_covers_the_tail_op_by_op() -> None:
    it, _ = explorer(scripted([A1, A2]))
    for _ in range(3):
        it.on_new_operation()
    result = it.explore([A1, A2, A3], SYNC)
    assert isinstance(result, Completed)
    assert tree(result.optimization.strategy) == "C(P0(2)[0, 1]; U[2])"
    assert result.optimization.ordering == (0, 1, 2)


def test_past_the_cap_the_segment_runs_un_fused() -> None:
    it, log = explorer(cap=1)
    it.on_new_operation()
    it.explore([A1], SYNC)
    it.reset(2)
    result = it.explore([A2, A3], LAZY)
    assert isinstance(result, Unfused)
    assert tree(result.optimization.strategy) == "U[0, 1]"
    assert told(log, f.ExplorationCapped) == [f.ExplorationCapped(1, 2)]
    assert it.num_explorations == 1
    assert it.is_up_to_date


def test_a_new_segment_keeps_the_count_of_explorations() -> None:
    it, _ = explorer()
    it.on_new_operation()
    it.explore([A1], SYNC)
    it.reset(4)
    assert (it.num_explorations, it.num_explored, it.num_deferred) == (1, 0, 4)
    assert it.is_still_optimizing


def test_a_covered_segment_needs_no_tail() -> None:
    whole = BlockOptimization(Operations((0, 1)), (0, 1))
    assert include_trailing(whole, 2) is whole


def test_the_tail_joins_a_composed_strategy_as_one_more_unit() -> None:
    items = (Operations((0,)), Operations((1,)))
    composed = include_trailing(BlockOptimization(Composed(items), (0, 1)), 4)
    assert tree(composed.strategy) == "C(U[0]; U[1]; U[2, 3])"
    single = include_trailing(BlockOptimization(Operations((0,)), (0,)), 2)
    assert tree(single.strategy) == "C(U[0]; U[1])"
