"""The score: what one kernel saves over running its ops one by one.

Source: burn-cubecl-fusion, engine/scoring.rs (``Scoring::evaluate``).
"""

from __future__ import annotations

from fusionlab.fusers.base import ScoreTerms

ACCESS_POINTS = 100
"""Points for each tensor read or write that fusion saves."""
LAUNCH_POINTS = 10
"""Points for each kernel launch that fusion saves."""
VIEW_POINTS = 50
"""Points lost for each operand read through a view."""


def evaluate(terms: ScoreTerms) -> int:
    """The score of one trace: saved accesses and launches, less the penalty for views.

    Never negative, except that ``bonus`` is added afterwards.
    """
    unfused = terms.reads + terms.writes
    fused = terms.fused_reads + terms.fused_writes
    accesses = max(0, unfused - fused) * ACCESS_POINTS
    launches = max(0, terms.ops - 1) * LAUNCH_POINTS
    return max(0, accesses + launches - terms.views * VIEW_POINTS) + terms.bonus
