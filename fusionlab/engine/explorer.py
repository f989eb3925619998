"""Station 5, explorer: feeds waiting ops to the search and says when it has a result.

In: the segment. Out: Continue (wait for more), Completed (a strategy), or Unfused (past the cap).
Lazy waits while any fuser is open; a drain never waits.

Source: burn-fusion, stream/execution/explorer.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fusionlab.engine.optimizer import StreamOptimizer
from fusionlab.events.facts import (
    DeferredLeft,
    ExplorationCapped,
    ExplorationStarted,
    SearchSettled,
)
from fusionlab.events.log import Recorder
from fusionlab.ir.operation import OperationIr
from fusionlab.plan import BlockOptimization, Composed, ExecutionMode, Operations


@dataclass(frozen=True, slots=True)
class Continue:
    """More ops may still help."""


@dataclass(frozen=True, slots=True)
class Completed:
    """The search has its result."""

    optimization: BlockOptimization


@dataclass(frozen=True, slots=True)
class Unfused:
    """The cap is reached: run the segment op by op and store nothing."""

    optimization: BlockOptimization


Exploration = Continue | Completed | Unfused


class Explorer:
    """One stream's searches. The count of explorations lives as long as the stream."""

    __slots__ = (
        "is_still_optimizing", "max_explorations", "num_deferred", "num_explorations",
        "num_explored", "optimizer", "recorder",
    )  # fmt: skip

    def __init__(
        self, optimizer: StreamOptimizer, max_explorations: int | None, recorder: Recorder
    ) -> None:
        """An explorer that has seen nothing; ``max_explorations`` is ``None`` for no cap."""
        self.optimizer = optimizer
        self.max_explorations = max_explorations
        self.recorder = recorder
        self.num_deferred = 0
        self.num_explored = 0
        self.num_explorations = 0
        self.is_still_optimizing = True

    def reset(self, queued: int) -> None:
        """Start a segment of which ``queued`` ops already wait."""
        self.optimizer.reset()
        self.num_explored = 0
        self.num_deferred = queued
        self.is_still_optimizing = True

    def on_new_operation(self) -> None:
        """An op joined the segment; it is fed when the policy next says Explore."""
        self.num_deferred += 1

    @property
    def is_up_to_date(self) -> bool:
        """Whether no op waits to be fed."""
        return self.num_deferred == 0

    def explore(self, operations: Sequence[OperationIr], mode: ExecutionMode) -> Exploration:
        """Feed what waits, and settle unless waiting is allowed and may help."""
        recorder = self.recorder
        if recorder.on:
            recorder.emit(ExplorationStarted(mode, self.num_deferred, len(operations)))
        if self.max_explorations is not None and self.num_explorations >= self.max_explorations:
            return self._capped(len(operations))
        self._feed(operations)
        if mode is ExecutionMode.LAZY and self.is_still_optimizing:
            return Continue()
        optimization = self.optimizer.optimize(operations)
        self.num_explorations += 1
        if mode is ExecutionMode.SYNC:
            optimization = include_trailing(optimization, len(operations))
        return Completed(optimization)

    def _capped(self, queued: int) -> Unfused:
        self.num_deferred = 0
        self.is_still_optimizing = False
        if self.recorder.on:
            self.recorder.emit(ExplorationCapped(self.num_explorations, queued))
        ordering = tuple(range(queued))
        return Unfused(BlockOptimization(Operations(ordering), ordering))

    def _feed(self, operations: Sequence[OperationIr]) -> None:
        first = len(operations) - self.num_deferred
        for index in range(first, len(operations)):
            if not self.is_still_optimizing:
                if self.recorder.on:
                    self.recorder.emit(DeferredLeft(index - first, len(operations) - index))
                break
            op = operations[index]
            self.optimizer.register(op)
            self.num_explored += 1
            self.is_still_optimizing = self.optimizer.is_still_optimizing
            if not self.is_still_optimizing and self.recorder.on:
                self.recorder.emit(SearchSettled(op.kind, self.num_explored))
        self.num_deferred = 0


def include_trailing(optimization: BlockOptimization, total: int) -> BlockOptimization:
    """The same strategy with the uncovered tail run un-fused behind it (a drain runs it all)."""
    covered = len(optimization.ordering)
    if covered >= total:
        return optimization
    tail = tuple(range(covered, total))
    strategy = optimization.strategy
    items = strategy.items if isinstance(strategy, Composed) else (strategy,)
    return BlockOptimization(Composed((*items, Operations(tail))), (*optimization.ordering, *tail))
