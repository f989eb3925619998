"""Two runs side by side: aligned request by request, with the first parting and its reason.

In: two runs. Out: rows (what each side asked for and did), totals from the parting on, the parting
and the ending in sentences that have no language yet. What is equal in front of the parting is
counted, not repeated.
"""

from __future__ import annotations

from dataclasses import dataclass

from fusionlab.events.run import Run
from fusionlab.views.compare.align import aligned
from fusionlab.views.compare.divergence import differ, reasons
from fusionlab.views.compare.ending import Ending, ending, verdict
from fusionlab.views.compare.requests import Request, requests_of
from fusionlab.views.compare.sides import Mark, marks_of
from fusionlab.views.compare.totals import Totals, totals
from fusionlab.views.said import Line

__all__ = ["Comparison", "Mark", "Request", "Row", "Totals", "compare"]


@dataclass(frozen=True, slots=True)
class Row:
    """One request on both sides; ``None`` where a side has no such request."""

    one: Request | None
    two: Request | None
    differs: bool

    def marks(self, side: int) -> tuple[Mark, ...]:
        """What side 0 or 1 did."""
        request = (self.one, self.two)[side]
        return () if request is None else marks_of(request)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, A and B.

    ``parting`` is the row at which they first differ (``None``: they decide alike throughout),
    ``start`` the first row of its round: totals and endings count from there.
    """

    runs: tuple[Run, Run]
    rows: tuple[Row, ...]
    parting: int | None
    start: int
    why: tuple[Line, ...]
    totals: tuple[Totals, Totals]
    endings: tuple[Ending | None, Ending | None]
    verdict: tuple[Line, Line] | None

    @property
    def differing(self) -> int:
        """How many rows differ."""
        return sum(row.differs for row in self.rows)


def compare(one: Run, two: Run) -> Comparison:
    """Align two runs and find out where and why they part."""
    left, right = requests_of(one), requests_of(two)
    pairs = aligned([request.token for request in left], [request.token for request in right])
    rows = tuple(
        _row(None if a is None else left[a], None if b is None else right[b]) for a, b in pairs
    )
    parting = next((n for n, row in enumerate(rows) if row.differs), None)
    start = _round_start(rows, parting)
    tails = _side(rows[start:], 0), _side(rows[start:], 1)
    counted = totals(tails[0]), totals(tails[1])
    ends = ending(tails[0]), ending(tails[1])
    return Comparison(
        runs=(one, two),
        rows=rows,
        parting=parting,
        start=start,
        why=() if parting is None else reasons(rows[parting].one, rows[parting].two),
        totals=counted,
        endings=ends,
        verdict=verdict(*ends, counted),
    )


def _row(one: Request | None, two: Request | None) -> Row:
    return Row(one, two, differ(one, two))


def _side(rows: tuple[Row, ...], side: int) -> list[Request]:
    found = [(row.one, row.two)[side] for row in rows]
    return [request for request in found if request is not None]


def _round_start(rows: tuple[Row, ...], parting: int | None) -> int:
    """The row behind the last drain in front of the parting."""
    start = parting or 0
    while start > 0 and not _is_drain(rows[start - 1]):
        start -= 1
    return start


def _is_drain(row: Row) -> bool:
    request = row.one or row.two
    return request is not None and request.operation is None
