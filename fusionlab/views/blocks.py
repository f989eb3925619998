"""The blocks of the search: one lane each, with its leading fuser.

In: a moment of a run, a language. Out: lanes with what crosses their borders.
"""

from __future__ import annotations

from dataclasses import dataclass

from fusionlab.events.state import BlockState
from fusionlab.i18n import Texts
from fusionlab.views import words
from fusionlab.views.fusers import leader
from fusionlab.views.moment import Moment
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
