"""Station 6, merging: which blocks become one.

In: blocks and the reachability of *all* blocks. Out: what merged and what did not. Two halves are
merged on their own first, then the left-overs are tried against what merged.

Source: burn-fusion, search/merging.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fusionlab.engine.block import Block
from fusionlab.engine.dag import Reachability
from fusionlab.events.facts import BlocksMerged, MergeJudged, MergeTried, MergeVerdict


@dataclass(frozen=True, slots=True)
class Full:
    """Everything became one block."""

    block: Block


@dataclass(frozen=True, slots=True)
class Partial:
    """Some blocks merged; ``failed`` holds those that nothing took."""

    merged: list[Block]
    failed: list[Block]


@dataclass(frozen=True, slots=True)
class Fail:
    """Nothing merged."""


MergeResult = Full | Partial | Fail


def merge_blocks(blocks: Sequence[Block], guard: Reachability) -> MergeResult:
    """Merge as much of ``blocks`` as possible. The blocks given are never changed."""
    if not blocks:
        return Fail()
    if len(blocks) == 1:
        return Full(blocks[0].clone())
    if len(blocks) == 2:
        merged = merge_two(blocks[0], blocks[1], guard)
        return Fail() if merged is None else Full(merged)
    return _merge_many(blocks, guard)


@dataclass(slots=True)
class _Pools:
    """Step 2's working lists: fully merged chunks, partly merged ones, and what failed."""

    full: list[Block] = field(default_factory=list)
    partial: list[Block] = field(default_factory=list)
    failed: list[Block] = field(default_factory=list)

    def accumulate(self, blocks: list[Block], guard: Reachability) -> list[Block]:
        """Merge into the first block what it takes; the rest fails. Nothing taken: unchanged."""
        match _accumulate(blocks, guard):
            case Full(block):
                return [block]
            case Partial(merged, failed):
                self.failed += failed
                return merged
            case Fail():
                return blocks


def _merge_many(blocks: Sequence[Block], guard: Reachability) -> MergeResult:
    pools = _Pools()
    step = len(blocks) // 2
    for start in range(0, len(blocks), step):
        chunk = blocks[start : start + step]
        match merge_blocks(chunk, guard):
            case Full(block):
                pools.full.append(block)
            case Partial(merged, failed):
                pools.partial += merged
                pools.failed += failed
            case Fail():
                pools.failed += [block.clone() for block in chunk]
    _combine(pools, guard)
    if not pools.full:
        return Fail()
    if not pools.failed and len(pools.full) == 1:
        return Full(pools.full[0])
    return Partial(pools.full, pools.failed)


def _combine(pools: _Pools, guard: Reachability) -> None:
    """Step 2: merge within each pool, then each pool with what failed before it."""
    if len(pools.partial) > 1:
        pools.partial = pools.accumulate(pools.partial, guard)
    if pools.failed:
        candidates, pools.failed = pools.partial + pools.failed, []
        pools.partial = pools.accumulate(candidates, guard)
    if len(pools.full) > 1:
        pools.full = pools.accumulate(pools.full, guard)
    if pools.full:
        candidates, pools.failed = pools.full + pools.failed, []
        pools.full = pools.accumulate(candidates, guard)
    if pools.full or pools.partial:
        candidates, pools.partial = pools.full + pools.partial, []
        pools.full = pools.accumulate(candidates, guard)


def _accumulate(blocks: Sequence[Block], guard: Reachability) -> MergeResult:
    base = blocks[0].clone()
    failed: list[Block] = []
    for block in blocks[1:]:
        merged = merge_two(base, block, guard)
        if merged is None:
            failed.append(block.clone())
        else:
            base = merged
    if len(failed) == len(blocks) - 1:
        return Fail()
    return Partial([base], failed) if failed else Full(base)


def merge_two(one: Block, two: Block, guard: Reachability) -> Block | None:
    """The two blocks as one (the first's ops first, else the second's), or ``None``."""
    if not one.may_join(two):
        return None
    if not guard.can_contract(one.constituents, two.constituents):
        _judge(one, two, MergeVerdict.REFUSED_BETWEEN)
        return None
    possible = False
    for base, other in ((one, two), (two, one)):
        if base.can_append(other):
            possible = True
            merged = _try_merge(base, other)
            if merged is not None:
                return merged
    if not possible:
        _judge(one, two, MergeVerdict.REFUSED_ORDER)
    return None


def _try_merge(base: Block, other: Block) -> Block | None:
    recorder = base.recorder
    if not recorder.on:
        merged, verdict = _replay(base, other)
        return merged if verdict in _KEPT else None
    with recorder.span(MergeTried(base.id, other.id)):
        merged, verdict = _replay(base, other)
        _judge(base, other, verdict)
    if verdict not in _KEPT:
        return None
    absorbed = max(base.id, other.id)
    recorder.emit(BlocksMerged(merged.id, (absorbed,), tuple(merged.positions)))
    merged.record_standings()
    return merged


_KEPT = (MergeVerdict.KEPT_OPEN, MergeVerdict.KEPT_NEWLY_READY)


def _replay(base: Block, other: Block) -> tuple[Block, MergeVerdict]:
    """The other's ops behind the base's on a copy, and whether that is worth keeping."""
    was_ready = base.is_ready or other.is_ready
    merged = base.clone()
    merged.append(other)
    merged.id = min(base.id, other.id)
    if merged.is_still_optimizing:
        return merged, MergeVerdict.KEPT_OPEN
    if not was_ready and merged.is_ready:
        return merged, MergeVerdict.KEPT_NEWLY_READY
    return merged, MergeVerdict.REFUSED_CLOSED


def _judge(into: Block, other: Block, verdict: MergeVerdict) -> None:
    if into.recorder.on:
        into.recorder.emit(MergeJudged(into.id, other.id, verdict))
