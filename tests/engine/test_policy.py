"""The policy: which stored plans may still fit, and what to do now."""

from collections.abc import Sequence

import pytest
from notation import ops

from fusionlab.engine.policy import Policy
from fusionlab.engine.store import ExecutionPlanStore
from fusionlab.events import facts as f
from fusionlab.events.log import EventLog, NullRecorder
from fusionlab.ir.operation import OperationIr
from fusionlab.plan import (
    Always,
    BlockOptimization,
    Defer,
    Execute,
    ExecutionMode,
    ExecutionPlan,
    ExecutionTrigger,
    Explore,
    OnOperations,
    OnSync,
    Operations,
    PlanId,
)

LAZY, SYNC = ExecutionMode.LAZY, ExecutionMode.SYNC
A, B, C, D, E, F, G, H = ops("; ".join(f"Log(t{i} → t{i + 1})" for i in range(8)))
P0, P1 = Execute(PlanId(0)), Execute(PlanId(1))
NO_TRIGGER: tuple[ExecutionTrigger, ...] = ()


def on(*operations: OperationIr) -> OnOperations:
    return OnOperations(operations)


def store_of(
    *plans: tuple[Sequence[OperationIr], Sequence[ExecutionTrigger]],
) -> ExecutionPlanStore:
    store = ExecutionPlanStore()
    for operations, triggers in plans:
        ordering = tuple(range(len(operations)))
        optimization = BlockOptimization(Operations(ordering), ordering)
        plan = ExecutionPlan(tuple(operations), list(triggers), optimization)
        store.add(plan, NullRecorder())
    return store


def lazily(store: ExecutionPlanStore, stream: Sequence[OperationIr]) -> list[object]:
    """The Lazy action after each op of a stream."""
    policy = Policy(store, NullRecorder())
    actions = []
    for length, op in enumerate(stream, start=1):
        policy.update(op)
        actions.append(policy.action(length, LAZY))
    return actions


def at_sync(store: ExecutionPlanStore, stream: Sequence[OperationIr]) -> object:
    """The Sync action after a stream."""
    policy = Policy(store, NullRecorder())
    for op in stream:
        policy.update(op)
    return policy.action(len(stream), SYNC)


def test_an_empty_store_has_nothing_to_offer() -> None:
    assert lazily(store_of(), [A, B, C]) == [Explore()] * 3


def test_lazy_waits_for_the_longer_of_two_plans_and_a_drain_takes_the_fitting_one() -> None:
    store = store_of(([A, B], NO_TRIGGER), ([A, B, C], NO_TRIGGER))
    assert lazily(store, [A, B]) == [Defer(), Defer()]
    assert at_sync(store, [A, B]) == P0


def test_a_plan_that_always_runs_is_executed_as_soon_as_it_is_complete() -> None:
    assert lazily(store_of(([A, B, C], [Always()])), [A, B, C]) == [Defer(), Defer(), P0]


@pytest.mark.parametrize("mode", [LAZY, SYNC])
def test_a_found_plan_longer_than_the_ops_asked_about_is_not_executed(mode) -> None:
    policy = Policy(store_of(([A, B, C], [Always()])), NullRecorder())
    for op in (A, B, C):
        policy.update(op)
    assert policy.action(3, mode) == P0
    assert policy.action(1, mode) == Explore()


def test_a_plan_runs_when_its_trigger_follows() -> None:
    store = store_of(([A, B], [on(C)]))
    assert lazily(store, [A, B, C]) == [Defer(), Defer(), P0]
    assert lazily(store, [A, B, D]) == [Defer(), Defer(), Explore()]
    assert at_sync(store, [A, B]) == P0
    assert at_sync(store, [A]) == Explore()
    assert at_sync(store, [A, B, D]) == Explore()


@pytest.mark.parametrize("last", [C, D])
def test_any_of_several_triggers_will_do(last) -> None:
    assert lazily(store_of(([A, B], [on(C), on(D)])), [A, B, last]) == [Defer(), Defer(), P0]


def test_plans_that_begin_alike_are_told_apart_at_their_third_op() -> None:
    store = store_of(([A, B, D], [on(E)]), ([A, B, F], [on(G)]))
    assert lazily(store, [A, B, D, E]) == [Defer(), Defer(), Defer(), P0]
    assert lazily(store, [A, B, F, G]) == [Defer(), Defer(), Defer(), P1]


def test_after_the_first_difference_a_plan_never_comes_back() -> None:
    store = store_of(([A, B, C], [on(D)]))
    assert lazily(store, [A, B, E, D]) == [Defer(), Defer(), Explore(), Explore()]
    assert lazily(store, [E, A, B, C]) == [Explore()] * 4


def test_a_plan_that_only_a_drain_runs_makes_lazy_wait_at_exactly_its_length() -> None:
    store = store_of(([A, B], [OnSync()]))
    assert lazily(store, [A, B, C]) == [Defer(), Defer(), Explore()]
    assert at_sync(store, [A, B]) == P0


def test_a_plan_of_one_op_that_always_runs_is_executed_in_both_modes() -> None:
    store = store_of(([A], [Always()]))
    assert lazily(store, [A]) == [P0]
    assert at_sync(store, [A]) == P0


def test_a_trigger_of_two_ops_is_followed_behind_a_longer_plan() -> None:
    store = store_of(([A, B], [on(C, D)]), ([A, B, C], [OnSync()]))
    assert lazily(store, [A, B, C, D]) == [Defer(), Defer(), Defer(), P0]
    assert lazily(store, [A, B, C, E]) == [Defer(), Defer(), Defer(), Explore()]
    assert at_sync(store, [A, B, C]) == P1


def test_a_drain_asks_for_the_exact_length_and_for_no_trigger() -> None:
    assert at_sync(store_of(([A, B], NO_TRIGGER)), [A, B]) == P0
    assert at_sync(store_of(([A, B], [on(H)])), [A, B]) == P0
    assert at_sync(store_of(([A, B], [OnSync()])), [A, B, C]) == Explore()


def test_the_op_that_completes_a_plan_is_not_the_first_of_its_trigger() -> None:
    """A plan [A] with the trigger [A] runs at the second A, not at the first."""
    store = store_of(([A], [on(A)]))
    assert lazily(store, [A, A]) == [Defer(), P0]


def test_a_trigger_that_is_longer_than_what_follows_keeps_lazy_waiting() -> None:
    assert lazily(store_of(([A], [on(B, C)])), [A, B, C]) == [Defer(), Defer(), P0]


def test_an_earlier_plan_whose_trigger_comes_later_takes_over() -> None:
    """The first match stays found while the queue is asked about less than all of it."""
    store = store_of(([A], [on(B, C)]), ([A, B], [Always()]))
    policy = Policy(store, NullRecorder())
    for op in (A, B):
        policy.update(op)
    assert policy.found == (1, 2)
    policy.update(C)
    assert policy.found == (0, 1)


def test_of_two_equal_plans_the_older_one_runs() -> None:
    """Two streams may store the same ops without knowing of each other."""
    store = store_of(([A, B], [OnSync()]), ([A, B], [Always()]))
    assert at_sync(store, [A, B]) == P1, "only the second has a trigger that came"
    assert at_sync(store_of(([A, B], [OnSync()]), ([A, B], [OnSync()])), [A, B]) == P0


def test_triggers_are_those_of_the_moment_of_the_match() -> None:
    store = store_of(([A], [on(H)]))
    policy = Policy(store, NullRecorder())
    policy.update(A)
    store.add_trigger(PlanId(0), on(B), NullRecorder())
    policy.update(B)
    assert policy.action(2, LAZY) == Explore()


def test_plans_stored_meanwhile_by_another_stream_are_not_seen() -> None:
    store = store_of(([A, B], [OnSync()]))
    policy = Policy(store, NullRecorder())
    policy.update(A)
    other = ExecutionPlan((A, B, C), [Always()], store.plans[0].optimization)
    store.add(other, NullRecorder())
    for op in (B, C):
        policy.update(op)
    assert policy.candidates == []
    assert policy.action(3, LAZY) == Explore()
    policy.reset()
    for op in (A, B, C):
        policy.update(op)
    assert policy.action(3, LAZY) == P1


def test_a_new_segment_starts_with_all_plans() -> None:
    policy = Policy(store_of(([A, B], [Always()])), NullRecorder())
    policy.update(E)
    policy.reset()
    policy.update(A)
    assert policy.candidates == [0]
    assert policy.action(1, LAZY) == Defer()


def test_a_candidate_that_drops_out_says_where_and_with_which_field() -> None:
    log = EventLog()
    plan, got = ops("Add(t0, t1 → t2[32,1]); Add(t0, t1 → t2[1,32])")
    policy = Policy(store_of(([A, plan], [OnSync()])), log)
    policy.update(A)
    policy.update(got)
    (dropped,) = (e.fact for e in log.events if isinstance(e.fact, f.CandidateDropped))
    assert dropped == f.CandidateDropped(PlanId(0), 1, "outputs[0].shape", plan, got)


def test_every_candidate_gets_its_own_fact_in_the_order_of_the_store() -> None:
    log = EventLog()
    store = store_of(
        ([A, C], [OnSync()]), ([A], [OnSync()]), ([A, B], [OnSync()]), ([B], [OnSync()])
    )
    policy = Policy(store, log)
    policy.update(A)
    policy.update(B)
    told = [type(e.fact).__name__ + str(getattr(e.fact, "plan", "")) for e in log.events]
    assert told == [
        "CandidatesFound",
        *["CandidateAdvanced0", "CandidateAdvanced1", "CandidateMatched1", "CandidateAdvanced2"],
        *["CandidateDropped0", "CandidateAdvanced2", "CandidateMatched2"],
    ]
