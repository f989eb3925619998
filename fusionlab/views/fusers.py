"""The arena: every fuser of one block, its score with the arithmetic, and why it does not lead.

In: a run, a step, a language. Out: one card a fuser, the leader first, nobody left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from fusionlab.events import facts as f
from fusionlab.events.run import Run
from fusionlab.events.state import BlockState, FuserStanding, ScopeKind, StreamState
from fusionlab.fusers import new_fusers
from fusionlab.fusers.base import FuserStatus
from fusionlab.fusers.scoring import ACCESS_POINTS, LAUNCH_POINTS, VIEW_POINTS
from fusionlab.i18n import Texts
from fusionlab.plan import BlockId
from fusionlab.views import words
from fusionlab.views.arithmetic import ledger
from fusionlab.views.moment import Moment
from fusionlab.views.narrate.competing import not_ready_line, refusal_line
from fusionlab.views.said import told


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One line of a score: counts one by one, fused, and saved."""

    label: str
    one_by_one: int
    fused: int
    saved: int


@dataclass(frozen=True, slots=True)
class Card:
    """One fuser. ``points``: first for reads and writes together, then one for each further row."""

    fuser: str
    letter: str
    why: str
    score: int
    leads: bool
    ready: bool
    open: bool
    ledger: tuple[LedgerRow, ...]
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arena:
    """The competition in one block."""

    block: int
    title: str
    text: str
    cards: tuple[Card, ...]


def arena(run: Run, step: int, texts: Texts) -> Arena | None:
    """The fusers of the block that the step is about; ``None`` when no fuser was asked."""
    moment = Moment(run, step)
    block = block_in_focus(moment)
    return None if block is None else arena_of(moment, block, texts)


def block_in_focus(moment: Moment) -> BlockState | None:
    """The block that the step is about, else the one that was touched last in this request."""
    stream = moment.stream
    step: int | None = moment.step
    while step is not None and step >= moment.root.step:
        named = _named(moment.run.events[step].fact)
        found = None if named is None else _look_up(stream, named)
        if found is not None and found.fusers:
            return found
        step -= 1
    blocks = [b for b in stream.visible_blocks if b.fusers]
    return max(blocks, key=_best_score, default=None)


def _named(fact: f.Fact) -> BlockId | None:
    match fact:
        case f.FuserAnswered(block=block) | f.FuserScored(block=block) | f.FuserWon(block=block):
            return block
        case f.BlockOpened(block=block) | f.OpForced(block=block) | f.HeadSettled(block=block):
            return block
        case f.OpAccepted(blocks=(block, *_)):
            return block
        case f.MergeTried(into=block) | f.MergeJudged(into=block) | f.BlocksMerged(into=block):
            return block
        case _:
            return None


def _look_up(stream: StreamState, block: BlockId) -> BlockState | None:
    for scope in reversed(stream.scopes):
        for found in scope.blocks:
            if found.block == block:
                return found
        if scope.kind is ScopeKind.HOLES:
            return None
    return next((b for b in stream.visible_blocks if b.block == block), None)


def _best_score(block: BlockState) -> int:
    return max((s.score for s in block.fusers if s.ready), default=0)


def leader(block: BlockState) -> FuserStanding | None:
    """The ready fuser with the strictly highest score above 0: an equal one comes too late."""
    best: FuserStanding | None = None
    for standing in block.fusers:
        if standing.ready and standing.score > (best.score if best else 0):
            best = standing
    return best


def arena_of(moment: Moment, block: BlockState, texts: Texts) -> Arena:
    """The arena of one block."""
    first = leader(block)
    others = [s for s in block.fusers if s is not first]
    ordered = [first, *others] if first else others
    asked = [_card(moment, block, standing, first, texts) for standing in ordered]
    return Arena(
        block.number,
        texts("arena.title", block=block.number),
        texts("arena.text", ops=len(block.positions)),
        (*asked, *_not_asked(moment, block, texts)),
    )


def _not_asked(moment: Moment, block: BlockState, texts: Texts) -> Iterator[Card]:
    """Fusers whose turn is still to come: they are asked one after the other."""
    for name in competitors(moment.run.config.disabled_fusers):
        if block.standing(name) is None:
            why = texts("arena.not_asked")
            yield Card(
                name, words.letter(name), why, 0, leads=False, ready=False, open=True,
                ledger=(), points=(),
            )  # fmt: skip


@cache
def competitors(disabled: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The names of all fusers that take part, in the order that breaks ties."""
    return tuple(fuser.name for fuser in new_fusers(1, disabled))


def _card(
    moment: Moment,
    block: BlockState,
    standing: FuserStanding,
    first: FuserStanding | None,
    texts: Texts,
) -> Card:
    rows, points = _ledger(standing, texts)
    return Card(
        fuser=standing.fuser,
        letter=words.letter(standing.fuser),
        why=_why(moment, block, standing, first, texts),
        score=standing.score,
        leads=standing is first,
        ready=standing.ready,
        open=standing.status is FuserStatus.OPEN,
        ledger=rows,
        points=points,
    )


def _why(
    moment: Moment,
    block: BlockState,
    standing: FuserStanding,
    first: FuserStanding | None,
    texts: Texts,
) -> str:
    refused = block.refusal(standing.fuser)
    closed = standing.status is FuserStatus.CLOSED
    at = ""
    if closed and refused is not None:
        op = moment.operation(refused.position)
        reason = told(texts, refusal_line(refused.refusal, moment.stream.queue.tensors))
        name = words.short(op.kind) if op else str(refused.position)
        at = texts("arena.closed_at", op=name, reason=reason)
    if standing is first:
        return texts("arena.leads_closed", closed=at) if closed else texts("arena.leads")
    if not standing.ready:
        reason = told(texts, not_ready_line(standing.fuser))
        return at or texts("arena.not_ready", reason=reason)
    if standing.score == 0:
        return texts("arena.zero")
    if first is not None and standing.score == first.score:
        return texts("arena.equal", fuser=first.fuser)
    return texts("arena.lower_closed", closed=at) if at else texts("arena.lower")


def _ledger(standing: FuserStanding, texts: Texts) -> tuple[tuple[LedgerRow, ...], tuple[str, ...]]:
    parts = [ledger(terms) for terms in standing.terms]
    if not parts:
        return (), ()
    sums = {
        name: tuple(sum(getattr(part, name)[i] for part in parts) for i in range(3))
        for name in ("reads", "writes", "launches")
    }
    rows = [LedgerRow(texts(f"arena.{name}"), *counts) for name, counts in sums.items()]
    accesses = " + ".join(f"({p.reads[2]} + {p.writes[2]})" for p in parts)
    points = [
        f"{accesses} × {ACCESS_POINTS} = {sum(p.access_points for p in parts)}",
        f"{sums['launches'][2]} × {LAUNCH_POINTS} = {sum(p.launch_points for p in parts)}",
    ]
    views, bonus = sum(p.views for p in parts), sum(p.bonus for p in parts)
    if views:
        rows.append(LedgerRow(texts("arena.views"), views, views, 0))
        points.append(f"−{views} × {VIEW_POINTS} = −{views * VIEW_POINTS}")
    if bonus:
        rows.append(LedgerRow(texts("arena.bonus"), 0, 0, 1))
        points.append(f"+{bonus}")
    return tuple(rows), tuple(points)
