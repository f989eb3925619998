"""The blocks of the search: one lane each with its leading fuser, and a table twin.

In: a run, a step, a language. Out: lanes with what crosses their borders, and table rows.
Ops that will still join the segment are rows from the start, so nothing moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fusionlab.events.run import Run
from fusionlab.events.state import BlockState
from fusionlab.i18n import Texts
from fusionlab.views import words
from fusionlab.views.fusers import leader
from fusionlab.views.moment import Moment
from fusionlab.views.segments import segment_operations
from fusionlab.views.traffic import Border, border_of


@dataclass(frozen=True, slots=True)
class Lane:
    """A block. ``fuser`` leads it (or has won it); empty when nobody is ready with a score."""

    number: int
    positions: tuple[int, ...]
    fuser: str
    letter: str
    score: int
    tab: str
    border: Border
    depends_on: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BlockRow:
    """One op in the table twin of the lanes."""

    position: int
    op: str
    block: str
    reads: str
    makes: str
    fuser: str
    score: str


@dataclass(frozen=True, slots=True)
class BlocksView:
    """The lanes at one step and their table twin; ``waiting`` ops are in no block."""

    text: str
    lanes: tuple[Lane, ...]
    waiting: tuple[int, ...]
    rows: tuple[BlockRow, ...]


def blocks_view(run: Run, step: int, texts: Texts) -> BlocksView:
    """The blocks of the step's stream."""
    moment = Moment(run, step)
    lanes = lanes_of(moment, texts)
    placed = {position for lane in lanes for position in lane.positions}
    queued = len(moment.stream.queue)
    waiting = tuple(position for position in range(queued) if position not in placed)
    rows = tuple(_rows(moment, lanes, texts))
    text = texts("blocks.text", n=len(lanes)) if lanes else texts("blocks.none")
    return BlocksView(text, lanes, waiting, rows)


def lanes_of(moment: Moment, texts: Texts) -> tuple[Lane, ...]:
    """The blocks that hold ops, by their number."""
    blocks = [block for block in moment.stream.visible_blocks if block.positions]
    borders = {block.number: _border(moment, block) for block in blocks}
    lanes = [_lane(block, borders, texts) for block in blocks]
    return tuple(sorted(lanes, key=lambda lane: lane.number))


def covered(block: BlockState) -> tuple[int, ...]:
    """The positions that the block's decision covers; all of them while it is undecided."""
    return block.positions if block.winner is None else block.winner.ordering


def _border(moment: Moment, block: BlockState) -> Border:
    ops = ((position, moment.operation(position)) for position in covered(block))
    return border_of([(position, op) for position, op in ops if op is not None])


def _lane(block: BlockState, borders: dict[int, Border], texts: Texts) -> Lane:
    first, border = leader(block), borders[block.number]
    fuser, score = ("", 0) if first is None else (first.fuser, first.score)
    if block.winner is not None:
        fuser, score = block.winner.fuser or "", block.winner.score
    values = {"reads": len(border.reads), "writes": len(border.writes)}
    tab = texts("blocks.tab", score=score, **values) if fuser else texts("blocks.tab_none")
    makers = {tensor: number for number, b in borders.items() for tensor, _ in b.writes}
    needs = {makers[t] for t, _ in border.reads if t in makers} - {block.number}
    return Lane(
        block.number,
        covered(block),
        fuser,
        words.letter(fuser),
        score,
        tab,
        border,
        tuple(sorted(needs)),
    )


def _rows(moment: Moment, lanes: Sequence[Lane], texts: Texts) -> Iterator[BlockRow]:
    where = {position: lane for lane in lanes for position in lane.positions}
    queued = len(moment.stream.queue)
    for position, op in enumerate(segment_operations(moment)):
        lane = where.get(position)
        if lane is not None:
            block = texts("blocks.block", block=lane.number)
        else:
            block = texts("blocks.waiting" if position < queued else "blocks.ghost")
        yield BlockRow(
            position,
            words.short(op.kind),
            block,
            " ".join(words.names(op.inputs)),
            " ".join(words.names(op.outputs)),
            lane.fuser if lane else "",
            str(lane.score) if lane and lane.fuser else "",
        )
