"""Station 4, policy: does a stored plan fit what is queued now?

In: relative ops, one at a time. Out: Execute, Defer or Explore. Candidates are the plans known at a
segment's first op; each is dropped at its first difference and never comes back before reset.

Source: burn-fusion, stream/execution/{policy,validator}.rs.
"""

from __future__ import annotations

from collections.abc import Sequence

from fusionlab.engine.index import PlanNode
from fusionlab.engine.store import ExecutionPlanStore
from fusionlab.events.facts import (
    ActionChosen,
    CandidateAdvanced,
    CandidateDropped,
    CandidateMatched,
    CandidatesFound,
    TriggerChecked,
    TriggerState,
)
from fusionlab.events.log import Recorder
from fusionlab.ir.difference import first_difference
from fusionlab.ir.operation import OperationIr
from fusionlab.plan import (
    Action,
    Always,
    Defer,
    Execute,
    ExecutionMode,
    ExecutionTrigger,
    Explore,
    OnOperations,
    PlanId,
)

_EXPLORE, _DEFER = Explore(), Defer()


class TriggerValidator:
    """How far the ops behind an available plan match one ``OnOperations`` trigger."""

    __slots__ = ("checked", "index", "operations", "state")

    def __init__(self, index: int, trigger: OnOperations) -> None:
        """Nothing compared yet: not even the plan's own last op, which comes first."""
        self.index = index
        self.operations = trigger.operations
        self.checked: int | None = None
        self.state = TriggerState.VALIDATING

    def update(self, op: OperationIr) -> None:
        """Compare one more op. The first call is about the op that completed the plan itself."""
        if self.checked is None:
            self.checked = 0
            return
        if self.state is TriggerState.VALIDATING:
            position = self.checked
            if position >= len(self.operations) or self.operations[position] != op:
                self.state = TriggerState.INVALIDATED
            elif position + 1 == len(self.operations):
                self.state = TriggerState.FOUND
        self.checked += 1


class AvailablePlan:
    """A plan whose ops all match, with its triggers as they were at that moment."""

    __slots__ = ("always", "plan", "size", "validators")

    def __init__(self, plan: PlanId, size: int, triggers: Sequence[ExecutionTrigger]) -> None:
        """``size`` is the number of ops of the plan."""
        self.plan = plan
        self.size = size
        self.always = False
        self.validators: list[TriggerValidator] = []
        for index, trigger in enumerate(triggers):
            if isinstance(trigger, OnOperations):
                self.validators.append(TriggerValidator(index, trigger))
            elif isinstance(trigger, Always):
                self.always = True

    @property
    def is_triggered(self) -> bool:
        """Whether the plan may run now, in either mode."""
        if self.always or not self.validators:
            return self.always
        return any(v.state is TriggerState.FOUND for v in self.validators)

    @property
    def is_waiting(self) -> bool:
        """Whether a trigger may still come."""
        if not self.validators:
            return False
        return any(v.state is TriggerState.VALIDATING for v in self.validators)


class Policy:
    """The stored plans that may still fit the segment."""

    __slots__ = ("_known", "_node", "availables", "found", "num_operations", "recorder", "store")

    def __init__(self, store: ExecutionPlanStore, recorder: Recorder) -> None:
        """A policy at the start of a segment."""
        self.store = store
        self.recorder = recorder
        self.reset()

    def reset(self) -> None:
        """Forget the segment."""
        self._node: PlanNode | None = None
        """Where the segment stands in the tree of plans; ``None``: no longer plan fits."""
        self._known = 0
        """How many plans there were at the first op: later ones (of other streams) do not count."""
        self.availables: list[AvailablePlan] = []
        self.found: tuple[PlanId, int] | None = None
        self.num_operations = 0

    @property
    def candidates(self) -> list[PlanId]:
        """The plans of which every op so far matches, with more to come."""
        if self._node is None:
            return []
        return [plan for plan in self._node.longer if plan < self._known]

    @property
    def expected(self) -> OperationIr | None:
        """The op with which the segment most likely goes on."""
        node = self._node if self.num_operations else self.store.root
        likely = None if node is None else node.likely
        return None if likely is None else likely.op

    def update(self, op: OperationIr) -> None:
        """Take notice of the segment's next op."""
        node = self._node
        if self.num_operations == 0:
            node, self._known = self.store.root, len(self.store.plans)
        if node is not None:
            after = node.step(op)
            if self.recorder.on:
                self._record_step(op, after)
            if after is not None:
                if after.complete:
                    self._make_available(after)
                if not after.longer or after.longer[0] >= self._known:
                    after = None
            self._node = after
        if self.availables:
            self._advance_triggers(op)
        self.num_operations += 1

    def _make_available(self, node: PlanNode) -> None:
        """All ops of the plans that end at the node match: from now on a trigger decides."""
        for plan_id in node.complete:
            if plan_id < self._known:
                plan = self.store.plans[plan_id]
                available = AvailablePlan(plan_id, len(plan.operations), plan.triggers)
                self.availables.append(available)

    def _record_step(self, op: OperationIr, after: PlanNode | None) -> None:
        """Tell, for every candidate, what the op means to it."""
        position = self.num_operations
        candidates = self.candidates
        if position == 0:
            candidates = [] if after is None else [p for p in after.plans() if p < self._known]
            self.recorder.emit(CandidatesFound(tuple(candidates)))
        alive = set() if after is None else set(after.plans())
        for plan_id in candidates:
            size = len(self.store.plans[plan_id].operations)
            if plan_id not in alive:
                self._record_drop(plan_id, position, op)
                continue
            self.recorder.emit(CandidateAdvanced(plan_id, position, size))
            if size == position + 1:
                self.recorder.emit(CandidateMatched(plan_id, size))

    def _record_drop(self, plan_id: PlanId, position: int, got: OperationIr) -> None:
        expected = self.store.plans[plan_id].operations[position]
        field = first_difference(expected, got)
        self.recorder.emit(CandidateDropped(plan_id, position, field, expected, got))

    def _advance_triggers(self, op: OperationIr) -> None:
        for available in self.availables:
            for validator in available.validators:
                validator.update(op)
                if self.recorder.on:
                    self.recorder.emit(
                        TriggerChecked(
                            available.plan,
                            validator.index,
                            validator.checked or 0,
                            validator.state,
                        )
                    )
        for available in self.availables:
            if available.is_triggered:
                self.found = (available.plan, available.size)
                return

    def action(self, length: int, mode: ExecutionMode) -> Action:
        """What to do with the first ``length`` ops of the segment. Changes nothing."""
        action = self._action(length, mode)
        if self.recorder.on:
            self.recorder.emit(ActionChosen(action, mode))
        return action

    def _action(self, length: int, mode: ExecutionMode) -> Action:
        if self.found is not None and self.found[1] <= length:
            return Execute(self.found[0])
        if mode is ExecutionMode.SYNC:
            fitting = self.fitting(length)
            return _EXPLORE if fitting is None else Execute(fitting)
        if self._node is not None:
            return _DEFER
        for available in self.availables:
            if available.size == length or available.is_waiting:
                return _DEFER
        return _EXPLORE

    def fitting(self, length: int) -> PlanId | None:
        """The first available plan of exactly ``length`` ops: a drain asks for no trigger."""
        for available in self.availables:
            if available.size == length:
                return available.plan
        return None

    def existing(self, length: int) -> PlanId | None:
        """A stored plan for the first ``length`` ops: found with at most, or exactly, that many."""
        if self.found is not None and self.found[1] <= length:
            return self.found[0]
        return self.fitting(length)
