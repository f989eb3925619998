"""The steps of a run at three levels, and the ticks of the scrub bar.

Level 0: one stop a request (an op is registered, a drain, a read). Level 1: every decision.
Level 2: every single answer. A stop of one level is a stop of all finer ones.

In: a run. Out: a level for each event, the steps that are stops, and the icon of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fusionlab.events.facts import OpQueued, RunFailed, SyncRequested, TensorRead
from fusionlab.events.run import Run
from fusionlab.views.kinds import KINDS, Kind
from fusionlab.views.moment import Moment
from fusionlab.views.narrate import said_of

LEVELS = ("ops", "decisions", "comparisons")
"""Their names in addresses, from coarse to fine; their numbers are indexes."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A stop on the scrub bar."""

    step: int
    kind: Kind


def kinds_of(run: Run) -> tuple[Kind, ...]:
    """The kind of each event."""
    return tuple(KINDS[said_of(Moment(run, step)).kind] for step in range(len(run.events)))


def levels_of(run: Run, kinds: Sequence[Kind] | None = None) -> tuple[int, ...]:
    """The coarsest level at which each event is a stop.

    The last decision of each request stands for the whole request.
    """
    kinds = kinds_of(run) if kinds is None else kinds
    levels = [kind.level for kind in kinds]
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


def steps_at(run: Run, level: int) -> tuple[int, ...]:
    """The stops of a level, in order."""
    return tuple(step for step, found in enumerate(levels_of(run)) if found <= level)


def ticks(run: Run, level: int = 1) -> tuple[Tick, ...]:
    """The stops of a level with their kinds."""
    kinds = kinds_of(run)
    return tuple(
        Tick(step, kinds[step])
        for step, found in enumerate(levels_of(run, kinds))
        if found <= level
    )
