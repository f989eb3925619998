"""A block: ops that share tensors, and the fusers that compete for them.

In: relative ops with their positions. Out: a strategy for them. Every op is offered to every
fuser; the winner is the ready fuser with the strictly highest score above 0.

Source: burn-fusion, search/block.rs, with the head rule of #5622. Deviation: blocks have ids, so
that a merge can be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from fusionlab.engine.dag import order_is_valid
from fusionlab.events.facts import FuserAnswered, FuserScored, FuserWon, HeadSettled
from fusionlab.events.log import Recorder
from fusionlab.fusers.base import FuserStatus, OperationFuser
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorStatus
from fusionlab.plan import BlockId, BlockOptimization, Operations, Optimization

Fusers = Sequence[OperationFuser]


class Block:
    """Ops in registration order with their positions, and one clone of each fuser."""

    __slots__ = (
        "closed_at", "constituents", "end", "freed", "fusers", "id", "ids", "operations",
        "positions", "produced", "read", "recorder", "start",
    )  # fmt: skip

    def __init__(self, block_id: BlockId, templates: Fusers, recorder: Recorder) -> None:
        """An empty block with fresh fusers."""
        self.id = block_id
        self.recorder = recorder
        self.fusers = [fuser.clone() for fuser in templates]
        self.operations: list[OperationIr] = []
        self.positions: list[int] = []
        self.ids: set[int] = set()
        self.produced: set[int] = set()
        self.read: set[int] = set()
        self.freed: set[int] = set()
        self.constituents: set[int] = set()
        """Indices of the blocks that became part of this one, within one merge pass."""
        self.closed_at: list[int | None] = [None] * len(self.fusers)
        """For each fuser the index of the op (in this block) that closed it."""
        self.start = 1 << 62
        self.end = 0

    def clone(self) -> Self:
        """An independent copy under the same id."""
        new = object.__new__(type(self))
        new.id, new.recorder, new.start, new.end = self.id, self.recorder, self.start, self.end
        new.fusers = [fuser.clone() for fuser in self.fusers]
        new.operations, new.positions = self.operations.copy(), self.positions.copy()
        new.ids, new.produced = self.ids.copy(), self.produced.copy()
        new.read, new.freed = self.read.copy(), self.freed.copy()
        new.constituents, new.closed_at = self.constituents.copy(), self.closed_at.copy()
        return new

    # --- growing -------------------------------------------------------------------------------

    def contains_any(self, tensors: Sequence[int]) -> bool:
        """Whether one of the block's ops mentions one of the tensors."""
        return not self.ids.isdisjoint(tensors)

    def register(self, op: OperationIr, position: int) -> None:
        """Take an op and offer it to every fuser that is still open."""
        self.operations.append(op)
        self.positions.append(position)
        self.start = min(self.start, position)
        self.end = max(self.end, position + 1)
        self._offer(op, position)
        for tensor in op.inputs:
            self.ids.add(tensor.id)
            if tensor.id not in self.produced:
                self.read.add(tensor.id)
            if tensor.status is TensorStatus.READ_WRITE:
                self.freed.add(tensor.id)
        for tensor in op.outputs:
            self.ids.add(tensor.id)
            self.produced.add(tensor.id)
            self.read.discard(tensor.id)

    def _offer(self, op: OperationIr, position: int) -> None:
        recorder = self.recorder
        for index, fuser in enumerate(self.fusers):
            if not fuser.is_open:
                continue
            answer = fuser.fuse(op)
            if answer.status is FuserStatus.CLOSED:
                self.closed_at[index] = len(self.operations) - 1
            if recorder.on:
                recorder.emit(
                    FuserAnswered(self.id, fuser.name, position, op.spec.category, answer)
                )
                self._record_standing(fuser)

    def _record_standing(self, fuser: OperationFuser) -> None:
        state = fuser.properties()
        self.recorder.emit(
            FuserScored(
                self.id, fuser.name, fuser.status, state.ready, state.score, len(fuser), state.terms
            )
        )

    def record_standings(self) -> None:
        """Tell where every fuser stands (after a merge, when the block's number may change)."""
        for fuser in self.fusers:
            self._record_standing(fuser)

    @property
    def is_still_optimizing(self) -> bool:
        """Whether at least one fuser may take another op."""
        return any(fuser.is_open for fuser in self.fusers)

    @property
    def is_ready(self) -> bool:
        """Whether at least one fuser could make a kernel, whatever its score."""
        return any(fuser.is_ready for fuser in self.fusers)

    # --- merging -------------------------------------------------------------------------------

    def may_join(self, other: Block) -> bool:  # noqa: ARG002 -- the misconceptions look at it
        """Whether a merge is worth a try. Burn tries every pair, related or not."""
        return True

    def can_append(self, other: Block) -> bool:
        """Whether the other's ops may run behind all of this block's."""
        return order_is_valid([*self.operations, *other.operations])

    def append(self, other: Block) -> None:
        """Take all of the other's ops, in their order. This block's fusers see them anew."""
        self.constituents |= other.constituents
        for op, position in zip(other.operations, other.positions, strict=True):
            self.register(op, position)

    # --- settling ------------------------------------------------------------------------------

    def optimize(self, fresh: Fusers) -> BlockOptimization:
        """The block's strategy. It may cover only the front of the block; the rest stays over.

        ``fresh`` are pristine fusers: they tell where a new search could start.
        """
        best, best_score = self._winner()
        if best is None:
            optimization = self._settle_head(fresh)
        else:
            ordering = tuple(self.positions[: len(best)])
            fused = best.finish(tuple(self.operations[: len(best)]))
            optimization = BlockOptimization(Optimization(fused, ordering, best_score), ordering)
        if self.recorder.on:
            name = None if best is None else best.name
            self.recorder.emit(FuserWon(self.id, name, best_score, optimization.ordering))
        return optimization

    def _winner(self) -> tuple[OperationFuser | None, int]:
        """The ready fuser with the strictly highest score above 0, and its score."""
        best: OperationFuser | None = None
        best_score = 0
        for fuser in self.fusers:
            if not fuser.is_ready:
                continue
            score = fuser.properties().score
            if score > best_score:
                best, best_score = fuser, score
        return best, best_score

    def _settle_head(self, fresh: Fusers) -> BlockOptimization:
        """Nothing fuses: settle the ops up to where a new search could start (#5622)."""
        total = len(self.operations)
        closed = [total if at is None else at + 1 for at in self.closed_at]
        settled = closed_by_all = max(closed, default=total)
        while settled < total and not self._is_wanted(settled, fresh):
            settled += 1
        if self.recorder.on:
            left = total - settled
            self.recorder.emit(HeadSettled(self.id, closed_by_all - 1, settled, left))
        ordering = tuple(self.positions[:settled])
        return BlockOptimization(Operations(ordering), ordering)

    def _is_wanted(self, index: int, fresh: Fusers) -> bool:
        """Whether a fresh fuser would start with the op at ``index``."""
        op = self.operations[index]
        for template in fresh:
            fuser = template.clone()
            answer = fuser.fuse(op)
            if self.recorder.on:
                self.recorder.emit(
                    FuserAnswered(None, fuser.name, self.positions[index], op.spec.category, answer)
                )
            if fuser.is_open or fuser.is_ready:
                return True
        return False
