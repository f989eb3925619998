"""Station 9, the plan store: every decision so far, for all streams of a device.

In: new plans and triggers. Out: plans by id, and the tree in which a segment looks for them. Plans
are never removed.

Source: burn-fusion, stream/store/base.rs. Deviation: our relative ops hash and compare by value
(Rust's hold floats, so burn hashes by hand and compares again).
"""

from __future__ import annotations

from fusionlab.engine.index import PlanNode
from fusionlab.events.facts import PlanStored, TriggerAdded
from fusionlab.events.log import Recorder
from fusionlab.plan import ExecutionPlan, ExecutionTrigger, PlanId


class ExecutionPlanStore:
    """Plans in insertion order; ``root`` is where every segment starts to look."""

    __slots__ = ("plans", "root")

    def __init__(self) -> None:
        """No plans."""
        self.plans: list[ExecutionPlan] = []
        self.root = PlanNode()

    def __getitem__(self, plan: PlanId) -> ExecutionPlan:
        """The plan with this id."""
        return self.plans[plan]

    def add(self, plan: ExecutionPlan, recorder: Recorder) -> PlanId:
        """Store a plan under the next id."""
        plan_id = PlanId(len(self.plans))
        self.plans.append(plan)
        self.root.add(plan_id, plan.operations)
        if recorder.on:
            optimization = plan.optimization
            recorder.emit(
                PlanStored(
                    plan_id,
                    plan.operations,
                    plan.triggers[0],
                    optimization.strategy,
                    optimization.ordering,
                )
            )
        return plan_id

    def add_trigger(self, plan: PlanId, trigger: ExecutionTrigger, recorder: Recorder) -> None:
        """Let the plan run on one more occasion, unless it already does."""
        triggers = self.plans[plan].triggers
        if trigger not in triggers:
            triggers.append(trigger)
            if recorder.on:
                recorder.emit(TriggerAdded(plan, trigger))
