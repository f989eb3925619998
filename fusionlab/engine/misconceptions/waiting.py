"""Misconceptions about waiting: when a plan may run, and when a search must end."""

from __future__ import annotations

from collections.abc import Sequence

from fusionlab.engine.explorer import Explorer
from fusionlab.engine.policy import Policy
from fusionlab.engine.processor import Processor, Run
from fusionlab.engine.queue import OperationQueue
from fusionlab.engine.store import ExecutionPlanStore
from fusionlab.events.log import Recorder
from fusionlab.ir.operation import OperationIr
from fusionlab.plan import (
    Action,
    Defer,
    Execute,
    ExecutionMode,
    ExecutionTrigger,
    Explore,
    OnSync,
    PlanId,
)


class LazyDoesNotWait(Explorer):
    """Every search ends with the op that started it, whoever is still open."""

    __slots__ = ()

    def _feed(self, operations: Sequence[OperationIr]) -> None:
        super()._feed(operations)
        self.is_still_optimizing = False


class LazyRunsAtFirstMatch(Policy):
    """Lazy does not wait for a drain: a matched plan that may run at a sync runs now."""

    __slots__ = ()

    def _action(self, length: int, mode: ExecutionMode) -> Action:
        if mode is ExecutionMode.LAZY and self.found is None:
            for available in self.availables:
                if OnSync() in self.store.plans[available.plan].triggers:
                    return Execute(available.plan)
        return super()._action(length, mode)


class SyncMayDefer(Policy):
    """A drain waits too while a stored plan may still match."""

    __slots__ = ()

    def _action(self, length: int, mode: ExecutionMode) -> Action:
        if mode is ExecutionMode.SYNC and self.found is None and self.candidates:
            return Defer()
        return super()._action(length, mode)


class PatientProcessor(Processor):
    """Lets a drain end with ops in the queue."""

    __slots__ = ()

    def _check_may_wait(self, mode: ExecutionMode) -> None:
        """Anybody may."""


class PrefixHitAtSync(Policy):
    """At a drain a plan may be shorter than the queue."""

    __slots__ = ()

    def fitting(self, length: int) -> PlanId | None:
        """The first available plan of at most ``length`` ops."""
        return next((a.plan for a in self.availables if a.size <= length), None)


class SyncChecksTrigger(Policy):
    """At a drain only a plan with ``OnSync`` runs."""

    __slots__ = ()

    def fitting(self, length: int) -> PlanId | None:
        """The plan of exactly ``length`` ops, if a drain found it."""
        plan = super().fitting(length)
        if plan is None or OnSync() not in self.store.plans[plan].triggers:
            return None
        return plan


class NoCache(Policy):
    """Stored plans are never used and never waited for."""

    __slots__ = ()

    def _action(self, length: int, mode: ExecutionMode) -> Action:  # noqa: ARG002
        return Explore()


class TriggerIsAlwaysOnSync(Processor):
    """Every new plan waits for a drain."""

    __slots__ = ()

    def _trigger(
        self,
        behind: tuple[OperationIr, ...],  # noqa: ARG002 -- that is the misconception
        mode: ExecutionMode,  # noqa: ARG002
    ) -> ExecutionTrigger:
        return OnSync()


class _CappedPolicy(Policy):
    """Knows the explorer, to stop hits when the explorations are used up."""

    __slots__ = ("explorer",)

    def __init__(self, store: ExecutionPlanStore, recorder: Recorder, explorer: Explorer) -> None:
        self.explorer = explorer
        super().__init__(store, recorder)

    def _action(self, length: int, mode: ExecutionMode) -> Action:
        action = super()._action(length, mode)
        cap = self.explorer.max_explorations
        if (
            cap is not None
            and self.explorer.num_explorations >= cap
            and isinstance(action, Execute)
        ):
            return Explore()
        return action


class CapAlsoBlocksHits(Processor):
    """At the cap nothing stored is used either."""

    __slots__ = ()

    def __init__(
        self,
        queue: OperationQueue,
        store: ExecutionPlanStore,
        explorer: Explorer,
        run: Run,
        recorder: Recorder,
        *,
        policy: Policy | None = None,  # noqa: ARG002 -- it does not know the explorer
    ) -> None:
        """The loop with a policy that looks at the explorer's count."""
        capped = _CappedPolicy(store, recorder, explorer)
        super().__init__(queue, store, explorer, run, recorder, policy=capped)
