"""Where two runs of one program part: burn's and that of somebody with one rule wrong.

In: two readings. Out: the first step at which something can be seen (a log line, an execution, a
queue), and in it the first event that differs. What only looks different in the relative form is
not a parting yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fusionlab.events import facts as f
from fusionlab.events.facts import Event, Fact
from fusionlab.learn import answers
from fusionlab.learn.lookups import log_lines
from fusionlab.learn.reading import Reading, Step
from fusionlab.views.burn_log import messages


@dataclass(frozen=True, slots=True)
class Parting:
    """``step`` is the request; ``event`` and ``believed`` the events of either run in it."""

    step: int
    event: int
    believed: int


def parting(truth: Reading, belief: Reading) -> Parting | None:
    """The first visible difference; ``None`` when the runs agree to the end."""
    for one, two in zip(truth.steps, belief.steps, strict=False):
        if _seen(truth, one) != _seen(belief, two):
            event, believed = _first_event(one.events, two.events)
            return Parting(one.index, event, believed)
    return None


def _seen(reading: Reading, step: Step) -> tuple[object, ...]:
    ran = [answers.units(fact.strategy) for fact in step.facts(f.ExecutionStarted)]
    return log_lines(reading, step.index), ran, reading.queued(step)


def _first_event(one: Sequence[Event], two: Sequence[Event]) -> tuple[int, int]:
    ours = [event for event in one if not isinstance(event.fact, f.OpRelativized)]
    theirs = [event for event in two if not isinstance(event.fact, f.OpRelativized)]
    for left, right in zip(ours, theirs, strict=False):
        if _shown(left.fact) != _shown(right.fact):
            return left.step, right.step
    return ours[min(len(ours), len(theirs)) - 1].step, theirs[-1].step


def _shown(fact: Fact) -> tuple[object, ...]:
    """What a reader sees of a fact, without names that only differ in the relative form."""
    match fact:
        case f.ActionChosen(action=action):
            shown: object = action
        case f.FuserScored(score=score, ready=ready):
            shown = score, ready
        case f.FuserWon(fuser=fuser, score=score):
            shown = fuser, score
        case f.ExecutionStarted(strategy=strategy):
            shown = answers.units(strategy)
        case f.MergeJudged(verdict=verdict):
            shown = verdict
        case f.PlanStored(plan=plan, trigger=trigger) | f.TriggerAdded(plan=plan, trigger=trigger):
            shown = plan, answers.trigger(trigger)
        case f.CandidatesFound(plans=plans):
            shown = plans
        case _:
            shown = messages(fact)
    return type(fact).__name__, shown


_BY_THE_KERNELS = (f.KernelBuilt, f.KernelLaunched, f.OpExecuted, f.HandleFreed)


def same_event(one: Sequence[Event], other: Sequence[Event], step: int) -> int:
    """The event of ``other`` that tells what event ``step`` of ``one`` tells.

    Both decide the same program the same way, but one of them may have computed as well: facts of
    the kernels have no counterpart, and stand for the decision in front of them.
    """
    ours, theirs = (
        [e.step for e in events if not isinstance(e.fact, _BY_THE_KERNELS)]
        for events in (one, other)
    )
    before = [number for number, found in enumerate(ours) if found <= step]
    number = before[-1] if before else 0
    return theirs[min(number, len(theirs) - 1)]
