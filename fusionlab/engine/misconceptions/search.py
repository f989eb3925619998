"""Misconceptions about the search: which block takes an op, what merges, who wins, what is left."""

from __future__ import annotations

from collections.abc import Iterator

from fusionlab.engine.block import Block, Fusers
from fusionlab.engine.execution import Execution
from fusionlab.engine.optimizer import StreamOptimizer
from fusionlab.fusers.base import OperationFuser
from fusionlab.ir.operation import OperationIr
from fusionlab.plan import BlockOptimization, Operations, PlanId

Winner = tuple[OperationFuser | None, int]
Fitting = BlockOptimization


class BlocksNeverMerge(Block):
    """Two blocks stay two."""

    __slots__ = ()

    def may_join(self, other: Block) -> bool:  # noqa: ARG002
        """Never."""
        return False


class UnrelatedNeverMerge(Block):
    """Blocks merge only when they share a tensor."""

    __slots__ = ()

    def may_join(self, other: Block) -> bool:
        """Whether one tensor is known to both."""
        return not self.ids.isdisjoint(other.ids)


class EveryOpItsOwnBlock(StreamOptimizer):
    """No block ever takes a second op (and ``BlocksNeverMerge`` keeps them apart)."""

    __slots__ = ()

    def _touched_by(self, op: OperationIr) -> list[Block]:  # noqa: ARG002
        return []


class ContiguousBlock(Block):
    """Only the block that starts where this one ends may follow it."""

    __slots__ = ()

    def can_append(self, other: Block) -> bool:
        """Whether nothing lies in between (and the order is legal)."""
        return other.start == self.end and super().can_append(other)


class ContiguousOnly(StreamOptimizer):
    """A block takes only the op right behind its last one (with ``ContiguousBlock``)."""

    __slots__ = ()

    def _takers(self, op: OperationIr) -> list[Block]:
        return [block for block in super()._takers(op) if block.end == self.length]


def _ready(block: Block) -> Iterator[tuple[OperationFuser, int]]:
    """The ready fusers of a block with their scores, in the order of the list."""
    for fuser in block.fusers:
        if fuser.is_ready:
            yield fuser, fuser.properties().score


class FirstReadyWins(Block):
    """The first ready fuser of the list wins, whatever it and the others have."""

    __slots__ = ()

    def _winner(self) -> Winner:
        return next(_ready(self), (None, 0))


class LastOfATieWins(Block):
    """An equal score beats the earlier fuser."""

    __slots__ = ()

    def _winner(self) -> Winner:
        best: Winner = (None, 0)
        for fuser, score in _ready(self):
            if score > 0 and score >= best[1]:
                best = (fuser, score)
        return best


class MostOpsWins(Block):
    """The longest fusion wins, not the best."""

    __slots__ = ()

    def _winner(self) -> Winner:
        best: Winner = (None, 0)
        for fuser, score in _ready(self):
            if score > 0 and (best[0] is None or len(fuser) > len(best[0])):
                best = (fuser, score)
        return best


class ZeroScoreWins(Block):
    """A score of 0 is a reason to fuse."""

    __slots__ = ()

    def _winner(self) -> Winner:
        best: Winner = (None, 0)
        for fuser, score in _ready(self):
            if best[0] is None or score > best[1]:
                best = (fuser, score)
        return best


class WholeBlockUnfused(Block):
    """A block without a winner is un-fused as a whole (so it was before #5622)."""

    __slots__ = ()

    def _settle_head(self, fresh: Fusers) -> BlockOptimization:  # noqa: ARG002
        ordering = tuple(self.positions)
        return BlockOptimization(Operations(ordering), ordering)


class NoShapeGuard(Execution):
    """A matched plan runs as it is, whatever size ids it names."""

    __slots__ = ()

    def _fitting(self, plan: PlanId | None, optimization: BlockOptimization) -> Fitting:  # noqa: ARG002
        return super()._fitting(None, optimization)
