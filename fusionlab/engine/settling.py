"""Station 6, settling: every block decides for itself, in the order of their dependencies.

In: copies of the blocks. Out: their strategies, the positions they cover in order, and the holes
that none of them claimed.

Source: burn-fusion, search/optimization/blocks.rs (``BlocksOptimizer``).
"""

from __future__ import annotations

from dataclasses import dataclass

from fusionlab.engine.block import Block, Fusers
from fusionlab.engine.dag import Reachability, topological_order
from fusionlab.engine.merging import Fail, Full, Partial, merge_blocks
from fusionlab.events.facts import SettlingStarted, StrategySelected
from fusionlab.events.log import Recorder
from fusionlab.plan import ExecutionStrategy


@dataclass(frozen=True, slots=True)
class Settled:
    """One strategy a block; ``holes`` are unclaimed positions in front of a claimed one."""

    strategies: list[ExecutionStrategy]
    ordering: tuple[int, ...]
    holes: list[int]


def settle_blocks(blocks: list[Block], fresh: Fusers, recorder: Recorder) -> Settled:
    """Merge what can be merged, then let each block choose. Changes the blocks given.

    ``fresh`` are pristine fusers (the head rule of #5622 asks them).
    """
    with recorder.span(SettlingStarted(tuple(block.id for block in blocks))):
        blocks = _merge_all(blocks)
        order = topological_order(blocks)
        if order is not None:
            blocks = [blocks[index] for index in order]
        strategies: list[ExecutionStrategy] = []
        ordering: list[int] = []
        for block in blocks:
            optimization = block.optimize(fresh)
            strategies.append(optimization.strategy)
            ordering += optimization.ordering
        if recorder.on:
            recorder.emit(StrategySelected(len(blocks)))
    claimed = set(ordering)
    holes = [position for position in range(max(claimed, default=-1)) if position not in claimed]
    return Settled(strategies, tuple(ordering), holes)


def _merge_all(blocks: list[Block]) -> list[Block]:
    if len(blocks) < 2:
        return blocks
    blocks = sorted(blocks, key=lambda block: block.start)
    for index, block in enumerate(blocks):
        block.constituents = {index}
    match merge_blocks(blocks, Reachability(blocks)):
        case Full(block):
            return [block]
        case Partial(merged, failed):
            return sorted([*merged, *failed], key=lambda block: block.start)
        case Fail():
            return blocks
