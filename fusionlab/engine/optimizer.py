"""Station 6, the search: ops become blocks, blocks become a strategy.

In: relative ops, one at a time. Out: whether more ops could help, and at the end a strategy with
the positions that it covers. Fully incremental: settling works on copies.

Source: burn-fusion, search/optimization/stream.rs (``StreamOptimizer``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fusionlab.engine.block import Block, Fusers
from fusionlab.engine.dag import Reachability, topological_order
from fusionlab.engine.merging import Fail, Full, Partial, merge_blocks
from fusionlab.engine.repair import repair_order
from fusionlab.engine.settling import settle_blocks
from fusionlab.events.facts import (
    BlockOpened,
    HolesFound,
    OpAccepted,
    OpDropped,
    OpForced,
    OptimizerStopped,
    StopCause,
)
from fusionlab.events.log import Recorder
from fusionlab.ir.operation import OperationIr
from fusionlab.plan import (
    BlockId,
    BlockOptimization,
    Composed,
    ExecutionStrategy,
    Operations,
    Optimization,
)


class _Merged(NamedTuple):
    """What a merge step did: nothing to do, everything, or not (all of) it."""

    needed: bool
    complete: bool


class StreamOptimizer:
    """The blocks of one search. Positions index the ops in the order of registration."""

    __slots__ = (
        "_next_id", "block", "blocks", "length", "max_blocks", "recorder", "stopped", "templates",
    )  # fmt: skip

    def __init__(
        self,
        templates: Fusers,
        max_blocks: int | None,
        recorder: Recorder,
        block: type[Block] = Block,
    ) -> None:
        """A search over fresh fusers; ``templates`` are cloned and never fed."""
        self.block = block
        self.templates = templates
        self.max_blocks = max_blocks
        self.recorder = recorder
        self.reset()

    def reset(self) -> None:
        """Start over."""
        self.blocks: list[Block] = []
        self.length = 0
        self.stopped = False
        self._next_id = 0

    @property
    def is_still_optimizing(self) -> bool:
        """Whether another op could change the result."""
        if self.stopped:
            return False
        return not self.blocks or any(block.is_still_optimizing for block in self.blocks)

    # --- registering ---------------------------------------------------------------------------

    def register(self, op: OperationIr) -> None:
        """Place one op."""
        if self.stopped:
            if self.recorder.on:
                self.recorder.emit(OpDropped(self.length, op.kind))
            return
        if not self.blocks:
            self._open_block(op)
        else:
            merged = self._merge(op)
            if merged.needed and not merged.complete:
                self._open_dependent_block(op)
            elif self.max_blocks == 1:
                self._force(op)
            elif not self._feed(op):
                self._place_apart(op)
        if not self.stopped:
            self.length += 1

    def _place_apart(self, op: OperationIr) -> None:
        """An op that no block holds: open a block, making room for it when the set is full."""
        if self._is_full():
            self._merge(None)
            if self._is_full():
                self._stop(StopCause.MAX_BLOCKS, op)
                return
        self._open_block(op)

    def _is_full(self) -> bool:
        return self.max_blocks is not None and len(self.blocks) >= self.max_blocks

    def _feed(self, op: OperationIr) -> bool:
        """Give the op to every block that holds one of its tensors."""
        takers = self._takers(op)
        for block in takers:
            block.register(op, self.length)
        if takers and self.recorder.on:
            ids = tuple(block.id for block in takers)
            self.recorder.emit(OpAccepted(ids, self.length, op.kind, len(self.blocks)))
        return bool(takers)

    def _touched_by(self, op: OperationIr) -> list[Block]:
        """The blocks that hold one of the op's tensors."""
        tensors = [tensor.id for tensor in op.nodes]
        return [block for block in self.blocks if block.contains_any(tensors)]

    def _takers(self, op: OperationIr) -> list[Block]:
        return self._touched_by(op)

    def _force(self, op: OperationIr) -> None:
        """``max_blocks`` is 1: the only block takes everything, silently."""
        for block in self.blocks:
            block.register(op, self.length)
        if self.recorder.on:
            self.recorder.emit(OpForced(self.blocks[0].id, self.length, op.kind))

    def _new_block(self, op: OperationIr) -> Block:
        block = self.block(BlockId(self._next_id), self.templates, self.recorder)
        self._next_id += 1
        block.register(op, self.length)
        self.blocks.append(block)
        return block

    def _open_block(self, op: OperationIr) -> None:
        block = self._new_block(op)
        if self.recorder.on:
            total = len(self.blocks)
            self.recorder.emit(BlockOpened(block.id, self.length, op.kind, total))

    def _open_dependent_block(self, op: OperationIr) -> None:
        """The op needs several blocks that cannot become one: it gets a block behind them."""
        if self._is_full():
            self._merge(None)
            if self._is_full():
                self._stop(StopCause.MAX_BLOCKS_ON_DEPENDENCY, op)
                return
        needs = tuple(block.id for block in self._touched_by(op))
        block = self._new_block(op)
        if topological_order(self.blocks) is None:
            self.blocks.pop()
            self._stop(StopCause.CYCLE, op)
        elif self.recorder.on:
            total = len(self.blocks)
            self.recorder.emit(BlockOpened(block.id, self.length, op.kind, total, needs))

    def _stop(self, cause: StopCause, op: OperationIr) -> None:
        self.stopped = True
        if self.recorder.on:
            self.recorder.emit(OptimizerStopped(cause, self.length, op.kind, self.max_blocks))

    def _merge(self, op: OperationIr | None) -> _Merged:
        """Merge the blocks that the op touches (``None``: all blocks)."""
        blocks = self.blocks
        candidates = list(blocks) if op is None else self._touched_by(op)
        if len(candidates) <= 1:
            return _Merged(needed=False, complete=False)
        for index, block in enumerate(blocks):
            block.constituents = {index}
        kept = [block for block in blocks if block not in candidates]
        match merge_blocks(candidates, Reachability(blocks)):
            case Full(block):
                self.blocks = sorted([*kept, block], key=_start)
                return _Merged(needed=True, complete=True)
            case Partial(merged, failed):
                self.blocks = sorted([*kept, *merged, *failed], key=_start)
            case Fail():
                pass
        return _Merged(needed=True, complete=False)

    # --- settling ------------------------------------------------------------------------------

    def optimize(self, operations: Sequence[OperationIr]) -> BlockOptimization:
        """The strategy for the registered ops. Changes nothing, so the search may go on.

        ``operations`` are the ops of the segment; positions index them.
        """
        settled = settle_blocks(
            [block.clone() for block in self.blocks], self.templates, self.recorder
        )
        ordering = list(settled.ordering)
        if settled.holes:
            strategy = self._fill_holes(settled.strategies, ordering, settled.holes, operations)
        elif len(settled.strategies) > 1:
            strategy = Composed(tuple(settled.strategies))
        else:
            strategy = settled.strategies[0]
        optimization = BlockOptimization(strategy, tuple(ordering))
        return repair_order(optimization, operations, self.recorder)

    def _fill_holes(
        self,
        strategies: list[ExecutionStrategy],
        ordering: list[int],
        holes: list[int],
        operations: Sequence[OperationIr],
    ) -> ExecutionStrategy:
        """Search the positions that no block claimed, again and again until none is left."""
        while holes:
            with self.recorder.span(HolesFound(tuple(holes))):
                nested = type(self)(self.templates, self.max_blocks, self.recorder, self.block)
                hole_operations = [operations[position] for position in holes]
                for op in hole_operations:
                    nested.register(op)
                found = nested.optimize(hole_operations)
            strategies.append(_at(found.strategy, holes))
            ordering += [holes[index] for index in found.ordering]
            holes = holes[len(found.ordering) :]
        return Composed(tuple(strategies))


def _start(block: Block) -> int:
    return block.start


def _at(strategy: ExecutionStrategy, positions: Sequence[int]) -> ExecutionStrategy:
    """The strategy with each index replaced by ``positions[index]``."""
    match strategy:
        case Optimization(fused, ordering, score):
            return Optimization(fused, tuple(positions[i] for i in ordering), score)
        case Operations(ordering):
            return Operations(tuple(positions[i] for i in ordering))
        case Composed(items):
            return Composed(tuple(_at(item, positions) for item in items))
