"""The steps of a run at three levels.

Level 0: one stop a request (an op is registered, a drain, a read). Level 1: every decision.
Level 2: every single answer. A stop of one level is a stop of all finer ones.

In: a run. Out: a level for each event.
"""

from __future__ import annotations

from itertools import pairwise

from fusionlab.events.facts import OpQueued, RunFailed, SyncRequested, TensorRead
from fusionlab.events.run import Run
from fusionlab.views.kinds import KINDS
from fusionlab.views.moment import Moment
from fusionlab.views.narrate import said_of

LEVELS = ("ops", "decisions", "comparisons")
"""Their names in addresses, from coarse to fine; their numbers are indexes."""


def levels_of(run: Run) -> tuple[int, ...]:
    """The coarsest level at which each event is a stop.

    The last decision of each request stands for the whole request.
    """
    levels = [KINDS[said_of(Moment(run, step)).kind].level for step in range(len(run.events))]
    for first, last in _requests(run):
        decisions = [step for step in range(first, last + 1) if levels[step] <= 1]
        levels[decisions[-1] if decisions else last] = 0
    return tuple(levels)


def _requests(run: Run) -> list[tuple[int, int]]:
    """First and last step of each request. A stream that begins or ends is none."""
    starts = [
        event.step
        for event in run.events
        if event.parent is None
        and isinstance(event.fact, OpQueued | SyncRequested | TensorRead | RunFailed)
    ]
    roots = [event.step for event in run.events if event.parent is None]
    ends = {start: end - 1 for start, end in pairwise([*roots, len(run.events)])}
    return [(start, ends[start]) for start in starts]
