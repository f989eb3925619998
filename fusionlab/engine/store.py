"""Station 9, the plan store: every decision so far, for all streams of a device.

In: new plans and triggers. Out: plans by id, and the plans that start with a given op. Plans are
never removed.

Source: burn-fusion, stream/store/{base,index}.rs. Deviation: the index is a plain dict, because
our relative ops hash and compare by value (Rust's hold floats, so burn hashes by hand).
"""

from __future__ import annotations

from fusionlab.events.facts import PlanStored, TriggerAdded
from fusionlab.events.log import Recorder
from fusionlab.ir.operation import OperationIr
from fusionlab.plan import ExecutionPlan, ExecutionTrigger, PlanId


class ExecutionPlanStore:
    """Plans in insertion order, indexed by their first relative op."""

    __slots__ = ("_index", "plans")

    def __init__(self) -> None:
        """No plans."""
        self.plans: list[ExecutionPlan] = []
        self._index: dict[OperationIr, list[PlanId]] = {}

    def __getitem__(self, plan: PlanId) -> ExecutionPlan:
        """The plan with this id."""
        return self.plans[plan]

    def find(self, first: OperationIr) -> tuple[PlanId, ...]:
        """The plans that start with this relative op, oldest first."""
        return tuple(self._index.get(first, ()))

    def add(self, plan: ExecutionPlan, recorder: Recorder) -> PlanId:
        """Store a plan under the next id."""
        plan_id = PlanId(len(self.plans))
        self.plans.append(plan)
        self._index.setdefault(plan.operations[0], []).append(plan_id)
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
