"""The loop of one stream: ask the policy, obey, ask again.

In: "an op was registered" (Lazy) or "drain" (Sync). Out: executions of prefixes of the queue.

Source: burn-fusion, stream/execution/processor.rs.
"""

from __future__ import annotations

from collections.abc import Callable

from fusionlab.engine.explorer import Completed, Continue, Explorer, Unfused
from fusionlab.engine.policy import Policy
from fusionlab.engine.queue import OperationQueue
from fusionlab.engine.store import ExecutionPlanStore
from fusionlab.errors import InvariantError
from fusionlab.events.facts import ExplorationCompleted, PlanReused
from fusionlab.events.log import Recorder
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
    PlanId,
)

_ON_SYNC = OnSync()

Run = Callable[[PlanId | None, BlockOptimization], None]
"""Runs a stored plan, or (with ``None``) a strategy that is not stored, and shortens the queue."""


class Processor:
    """Policy and explorer of one stream."""

    __slots__ = ("explorer", "policy", "queue", "recorder", "run", "store")

    def __init__(
        self,
        queue: OperationQueue,
        store: ExecutionPlanStore,
        explorer: Explorer,
        run: Run,
        recorder: Recorder,
        *,
        policy: Policy | None = None,
    ) -> None:
        """The loop over ``queue``; ``run`` executes a decision and drops the ops that ran."""
        self.queue = queue
        self.store = store
        self.explorer = explorer
        self.policy = policy or Policy(store, recorder)
        self.run = run
        self.recorder = recorder

    def process(self, mode: ExecutionMode) -> None:
        """Take notice of the last op (Lazy) or empty the queue (Sync)."""
        queue = self.queue
        if mode is ExecutionMode.LAZY:
            self.policy.update(queue.relative[-1])
            self.explorer.on_new_operation()
        while queue.operations:
            match self.policy.action(len(queue.operations), mode):
                case Explore():
                    self._explore(mode)
                    if self.explorer.is_up_to_date:
                        return
                case Defer():
                    self._check_may_wait(mode)
                    return
                case Execute(plan):
                    self._reuse(plan, mode)

    def _check_may_wait(self, mode: ExecutionMode) -> None:
        if mode is ExecutionMode.SYNC:
            raise InvariantError("deferred_in_sync", queued=len(self.queue))

    def _reuse(self, plan: PlanId, mode: ExecutionMode) -> None:
        if self.recorder.on:
            self.recorder.emit(PlanReused(plan, mode, len(self.queue)))
        if mode is ExecutionMode.SYNC:
            self.store.add_trigger(plan, _ON_SYNC, self.recorder)
        self._execute(plan, self.store[plan].optimization)

    def _execute(self, plan: PlanId | None, optimization: BlockOptimization) -> None:
        self.run(plan, optimization)
        self.explorer.reset(len(self.queue))
        self.policy.reset()
        for op in self.queue.relative:
            self.policy.update(op)

    def _explore(self, mode: ExecutionMode) -> None:
        match self.explorer.explore(self.queue.relative, mode):
            case Continue():
                pass
            case Unfused(optimization):
                self._execute(None, optimization)
            case Completed(optimization):
                plan = self._store_or_trigger(optimization, mode)
                self._execute(plan, self.store[plan].optimization)

    def _store_or_trigger(self, optimization: BlockOptimization, mode: ExecutionMode) -> PlanId:
        """Store the result, or let an equal plan run on this occasion too."""
        operations = tuple(self.queue.relative)
        covered = len(optimization.ordering)
        if self.recorder.on:
            self.recorder.emit(
                ExplorationCompleted(mode, covered, len(operations), optimization.strategy)
            )
        trigger = self._trigger(operations[covered:], mode)
        existing = self.policy.existing(covered)
        if existing is not None:
            self.store.add_trigger(existing, trigger, self.recorder)
            return existing
        plan = ExecutionPlan(operations[:covered], [trigger], optimization)
        return self.store.add(plan, self.recorder)

    def _trigger(self, behind: tuple[OperationIr, ...], mode: ExecutionMode) -> ExecutionTrigger:
        """When a plan found in ``mode`` with these ops queued behind it should run again."""
        if mode is ExecutionMode.SYNC:
            return _ON_SYNC
        return OnOperations(behind) if behind else Always()
