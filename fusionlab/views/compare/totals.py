"""How much a side did: hits, searches, new plans, deferrals, launches, memory accesses.

In: requests. Out: counts of facts, nothing estimated.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fusionlab.events import facts as f
from fusionlab.plan import Defer
from fusionlab.views.compare.requests import Request


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts over some requests. ``accesses`` are tensors read from or written to memory."""

    hits: int
    searches: int
    new_plans: int
    defers: int
    launches: int
    accesses: int


def totals(requests: Iterable[Request]) -> Totals:
    """The counts of these requests."""
    facts = [event.fact for request in requests for event in request.events]
    launches = [fact for fact in facts if isinstance(fact, f.KernelLaunched)]
    deferred = [x for x in facts if isinstance(x, f.ActionChosen) and isinstance(x.action, Defer)]
    return Totals(
        hits=sum(isinstance(fact, f.PlanReused) for fact in facts),
        searches=sum(isinstance(fact, f.ExplorationCompleted) for fact in facts),
        new_plans=sum(isinstance(fact, f.PlanStored) for fact in facts),
        defers=len(deferred),
        launches=len(launches),
        accesses=sum(len(launch.reads) + len(launch.writes) for launch in launches),
    )
