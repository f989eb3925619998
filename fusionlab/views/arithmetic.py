"""The arithmetic of a score: what ops cost one by one, what they cost fused, what that is worth.

In: the counts that a fuser gave (``ScoreTerms``). Out: ledger rows and their points.
Nothing is counted here: the rows restate the fuser's own counts and its own rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fusionlab.fusers.base import ScoreTerms
from fusionlab.fusers.scoring import ACCESS_POINTS, LAUNCH_POINTS, VIEW_POINTS, evaluate


@dataclass(frozen=True, slots=True)
class Ledger:
    """A score in parts. Rows are (one by one, fused, saved); counts are tensors and launches."""

    reads: tuple[int, int, int]
    writes: tuple[int, int, int]
    launches: tuple[int, int, int]
    views: int
    bonus: int
    score: int

    @property
    def access_points(self) -> int:
        """Points for saved reads and writes, which count together."""
        return max(0, self.reads[2] + self.writes[2]) * ACCESS_POINTS

    @property
    def launch_points(self) -> int:
        """Points for saved launches."""
        return self.launches[2] * LAUNCH_POINTS

    @property
    def view_points(self) -> int:
        """Points lost to views."""
        return self.views * VIEW_POINTS


def ledger(terms: ScoreTerms) -> Ledger:
    """The ledger of one part of a score."""
    launches = max(0, terms.ops - 1)
    return Ledger(
        reads=(terms.reads, terms.fused_reads, terms.reads - terms.fused_reads),
        writes=(terms.writes, terms.fused_writes, terms.writes - terms.fused_writes),
        launches=(terms.ops, terms.ops - launches, launches),
        views=terms.views,
        bonus=terms.bonus,
        score=evaluate(terms),
    )


def saved(terms: Sequence[ScoreTerms]) -> tuple[int, int]:
    """Memory accesses and launches that all parts of a score save together."""
    ledgers = [ledger(part) for part in terms]
    accesses = sum(max(0, part.reads[2] + part.writes[2]) for part in ledgers)
    return accesses, sum(part.launches[2] for part in ledgers)
