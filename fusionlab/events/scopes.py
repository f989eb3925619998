"""Scopes: which copy of the blocks a fact speaks about.

In: a stream's state and the place of the next event. Out: the state with the spans that it has
left closed, and the blocks of the innermost open span changed.
A trial merge leaves nothing behind; a settling leaves its blocks as the outcome of the search;
a nested search over holes adds its blocks to that outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from fusionlab.events.state import BlockState, Scope, ScopeKind, StreamState
from fusionlab.plan import BlockId

Blocks = tuple[BlockState, ...]


def scoped_blocks(stream: StreamState) -> Blocks:
    """The blocks that a fact speaks about now: those of the innermost span, else the stream's."""
    return stream.scopes[-1].blocks if stream.scopes else stream.blocks


def with_blocks(stream: StreamState, blocks: Blocks) -> StreamState:
    """The stream with ``scoped_blocks`` replaced."""
    if not stream.scopes:
        return replace(stream, blocks=blocks)
    *outer, innermost = stream.scopes
    return replace(stream, scopes=(*outer, replace(innermost, blocks=blocks)))


def in_segment(stream: StreamState, positions: Iterable[int]) -> tuple[int, ...]:
    """Positions of the segment behind positions that a fact names."""
    for scope in reversed(stream.scopes):
        if scope.positions is not None:
            where = scope.positions
            return tuple(where[position] for position in positions)
    return tuple(positions)


def enter(stream: StreamState, scope: Scope) -> StreamState:
    """Open a span."""
    return replace(stream, scopes=(*stream.scopes, scope))


def left_scopes(stream: StreamState, parent: int | None) -> StreamState:
    """Close the spans that an event with this parent is no longer inside of."""
    while stream.scopes and (parent is None or parent < stream.scopes[-1].step):
        stream = _leave(stream)
    return stream


def change_block(
    stream: StreamState, block: BlockId, change: Callable[[BlockState], BlockState]
) -> StreamState:
    """Change one block; a block that was not heard of yet joins without ops.

    Fusers answer the op that opens a block before the block is announced, as in burn's log.
    """
    blocks = scoped_blocks(stream)
    for index, found in enumerate(blocks):
        if found.block == block:
            changed = change(found)
            return with_blocks(stream, (*blocks[:index], changed, *blocks[index + 1 :]))
    opened = BlockState(block, (), number=free_number(blocks))
    return with_blocks(stream, (*blocks, change(opened)))


def free_number(blocks: Blocks) -> int:
    """The lowest number from 1 that no block has."""
    taken = {block.number for block in blocks}
    return next(number for number in range(1, len(taken) + 2) if number not in taken)


def _leave(stream: StreamState) -> StreamState:
    *outer, scope = stream.scopes
    stream = replace(stream, scopes=tuple(outer))
    match scope.kind:
        case ScopeKind.MERGE:
            return replace(stream, trial=scope.blocks[0])
        case ScopeKind.SETTLING:
            return _keep(stream, scope.blocks)
        case ScopeKind.HOLES:
            found = _outcome(stream)
            for block in scope.blocks:
                found = (*found, replace(block, number=free_number(found)))
            return _keep(stream, found)


def _outcome(stream: StreamState) -> Blocks:
    return scoped_blocks(stream) if stream.scopes else (stream.settled or ())


def _keep(stream: StreamState, blocks: Blocks) -> StreamState:
    if stream.scopes:
        return with_blocks(stream, blocks)
    return replace(stream, settled=blocks)
