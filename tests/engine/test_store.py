"""The plan store: append-only, numbered in order, triggers without repeats."""

from notation import ops

from fusionlab.engine.store import ExecutionPlanStore
from fusionlab.events import facts as f
from fusionlab.events.log import EventLog, NullRecorder
from fusionlab.plan import (
    Always,
    BlockOptimization,
    ExecutionPlan,
    OnOperations,
    OnSync,
    Operations,
    PlanId,
)

A, B = ops("Exp(t0 → t1); Log(!t1 → t2)")
OPTIMIZATION = BlockOptimization(Operations((0, 1)), (0, 1))


def plan(*operations) -> ExecutionPlan:
    return ExecutionPlan(operations, [OnSync()], OPTIMIZATION)


def test_plans_are_numbered_in_the_order_they_are_stored() -> None:
    store = ExecutionPlanStore()
    first, second = plan(A, B), plan(B)
    assert [store.add(each, NullRecorder()) for each in (first, second)] == [0, 1]
    assert store[PlanId(0)] is first
    assert store[PlanId(1)] is second


def test_a_stored_plan_can_be_found_by_its_ops() -> None:
    store = ExecutionPlanStore()
    store.add(plan(A, B), NullRecorder())
    assert store.root.step(A).step(B).complete == [0]


def test_a_trigger_is_kept_once() -> None:
    store = ExecutionPlanStore()
    log = EventLog()
    store.add(plan(A), NullRecorder())
    for trigger in (OnSync(), Always(), OnOperations((B,)), OnOperations((B,)), Always()):
        store.add_trigger(PlanId(0), trigger, log)
    assert store.plans[0].triggers == [OnSync(), Always(), OnOperations((B,))]
    assert [event.fact for event in log.events] == [
        f.TriggerAdded(PlanId(0), Always()),
        f.TriggerAdded(PlanId(0), OnOperations((B,))),
    ]


def test_a_new_plan_is_told_with_its_first_trigger() -> None:
    log = EventLog()
    ExecutionPlanStore().add(plan(A, B), log)
    (told,) = (event.fact for event in log.events)
    assert told == f.PlanStored(PlanId(0), (A, B), OnSync(), Operations((0, 1)), (0, 1))
