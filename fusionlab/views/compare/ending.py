"""How each side ends: what its last execution ran, and whether that is the same.

In: the requests of both sides from the parting on. Out: units with their ops, and the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fusionlab.events import facts as f
from fusionlab.events.state import StreamState
from fusionlab.plan import PlanId, leaves
from fusionlab.views import words
from fusionlab.views.compare.requests import Request
from fusionlab.views.compare.totals import Totals
from fusionlab.views.said import Line, line


@dataclass(frozen=True, slots=True)
class RanUnit:
    """A part of an execution. ``block`` numbers the block that found it (0: a stored plan)."""

    fuser: str | None
    score: int
    ops: tuple[str, ...]
    block: int = 0

    @property
    def key(self) -> tuple[str | None, int, tuple[str, ...]]:
        """What makes two units the same kernel."""
        return self.fuser, self.score, self.ops


@dataclass(frozen=True, slots=True)
class Ending:
    """The last execution of a side that ran more than a lone op, else its last one at all."""

    plan: PlanId | None
    units: tuple[RanUnit, ...]


def ending(requests: Sequence[Request]) -> Ending | None:
    """The ending of a side; ``None`` when nothing ran."""
    found = None
    for request in requests:
        hit = any(isinstance(e.fact, f.PlanReused) for e in request.events)
        for event in request.events:
            if isinstance(event.fact, f.ExecutionStarted):
                here = _of(request, event, event.fact, hit=hit)
                if found is None or _size(here) > 1 or _size(found) <= 1:
                    found = here
    return found


def _size(end: Ending) -> int:
    return sum(len(unit.ops) for unit in end.units)


def _of(request: Request, event: f.Event, fact: f.ExecutionStarted, *, hit: bool) -> Ending:
    stream = None if hit else request.run.states[event.step].stream(event.stream)
    orderings = [leaf.ordering for leaf in leaves(fact.strategy)]
    units = [
        RanUnit(
            block.fuser,
            block.score,
            tuple(words.short(op.kind) for op in block.operations),
            _block_number(stream, ordering),
        )
        for block, ordering in zip(fact.blocks, _padded(orderings, len(fact.blocks)), strict=True)
    ]
    return Ending(fact.plan, tuple(units))


def _padded(orderings: Sequence[tuple[int, ...]], count: int) -> list[tuple[int, ...]]:
    """An unfit plan runs as one unit whatever its strategy was."""
    return [*orderings[:count], *[()] * (count - len(orderings))]


def _block_number(stream: StreamState | None, ordering: tuple[int, ...]) -> int:
    blocks = () if stream is None else stream.visible_blocks
    return next((b.number for b in blocks if set(ordering) <= set(b.positions)), 0)


def verdict(
    one: Ending | None, two: Ending | None, totals: tuple[Totals, Totals]
) -> tuple[Line, Line] | None:
    """The closing sentence: a finding, and what it means. ``None`` when a side ran nothing."""
    if one is None or two is None:
        return None
    same = [unit.key for unit in one.units] == [unit.key for unit in two.units]
    if not same:
        found = line("compare.end.differ", a=_units(one), b=_units(two))
        return found, _price(totals)
    fused = [unit for unit in one.units if unit.fuser is not None]
    if not fused:
        return line("compare.end.unfused", n=_size(one)), _searches(totals)
    key = "compare.end.same" if len(one.units) == 1 else "compare.end.same_parts"
    return line(key, units=_units(one)), _searches(totals)


def _units(end: Ending) -> list[Line]:
    return [
        line("compare.end.unit", fuser=unit.fuser, score=unit.score, n=len(unit.ops))
        if unit.fuser is not None
        else line("compare.end.loose", n=len(unit.ops))
        for unit in end.units
    ]


def _searches(totals: tuple[Totals, Totals]) -> Line:
    a, b = totals[0].searches, totals[1].searches
    if a == b:
        return line("compare.end.alike" if a else "compare.end.none", n=a)
    key = "compare.end.b_paid" if b > a else "compare.end.a_paid"
    return line(key, n=abs(a - b))


def _price(totals: tuple[Totals, Totals]) -> Line:
    a, b = totals
    if not (a.launches or b.launches):
        return line("compare.end.searches", a=a.searches, b=b.searches)
    return line(
        "compare.end.price",
        a_launches=a.launches,
        b_launches=b.launches,
        a_accesses=a.accesses,
        b_accesses=b.accesses,
    )
