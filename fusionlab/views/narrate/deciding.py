"""Captions of stations 4, 5 and 9: the policy compares, the explorer searches, the store keeps."""

from __future__ import annotations

from typing import assert_never

from fusionlab.events import facts as f
from fusionlab.events.state import PlanState, StreamState
from fusionlab.plan import (
    Always,
    Defer,
    Execute,
    ExecutionMode,
    ExecutionTrigger,
    Explore,
    OnOperations,
    OnSync,
    leaves,
)
from fusionlab.views import words
from fusionlab.views.differences import difference
from fusionlab.views.miss import first_miss
from fusionlab.views.moment import Moment
from fusionlab.views.said import Line, Said, line

PolicyFact = (
    f.CandidatesFound
    | f.CandidateDropped
    | f.CandidateAdvanced
    | f.CandidateMatched
    | f.TriggerChecked
)
ExplorerFact = (
    f.ExplorationStarted
    | f.ExplorationCapped
    | f.SearchSettled
    | f.DeferredLeft
    | f.ExplorationCompleted
)
StoreFact = f.PlanStored | f.TriggerAdded | f.PlanReused | f.PlanUnfit


def comparison(moment: Moment, fact: PolicyFact) -> Said:
    """One comparison with a stored plan."""
    match fact:
        case f.CandidatesFound(plans=()):
            stored = len(moment.after.plans)
            variant = "none" if stored else "empty"
            return Said(
                "none",
                line(f"fact.CandidatesFound.{variant}", op=_op_at(moment, 0), stored=stored),
                (line("fact.CandidatesFound.why"),) if stored else (),
            )
        case f.CandidatesFound(plans=plans):
            return Said(
                "candidates",
                line("fact.CandidatesFound.what", plans=_numbers(plans), n=len(plans)),
                (line("fact.CandidatesFound.why"),),
            )
        case f.CandidateDropped(plan=plan, position=position, field=field):
            what = line(
                "fact.CandidateDropped.what",
                plan=plan,
                position=position,
                difference=difference(field, fact.expected, fact.got),
            )
            return Said("lost", what, (line("fact.CandidateDropped.why"),))
        case f.CandidateAdvanced(plan=plan, position=position, size=size):
            what = line(
                "fact.CandidateAdvanced.what",
                op=_op_at(moment, position),
                plan=plan,
                position=position,
                matched=position + 1,
                size=size,
            )
            return Said("compared", what, (line("fact.CandidateAdvanced.why"),))
        case f.CandidateMatched(plan=plan, size=size):
            triggers = [trigger_line(t) for t in moment.after.plans[plan].triggers]
            return Said(
                "matched",
                line("fact.CandidateMatched.what", plan=plan, size=size),
                (line("fact.CandidateMatched.why", triggers=triggers, n=len(triggers)),),
            )
        case f.TriggerChecked():
            return _trigger(moment, fact)
        case _:
            assert_never(fact)


def _op_at(moment: Moment, position: int) -> str:
    op = moment.operation(position)
    return "" if op is None else words.short(op.kind)


def _numbers(plans: tuple[int, ...]) -> list[str]:
    return [f"#{plan}" for plan in plans]


def trigger_line(trigger: ExecutionTrigger) -> Line:
    """A trigger in words: ``OnSync``, ``Always``, ``OnOperations(Exp, Add)``."""
    match trigger:
        case OnSync():
            return line("trigger.OnSync")
        case Always():
            return line("trigger.Always")
        case OnOperations(operations=operations):
            names = [words.short(op.kind) for op in operations]
            shown = ", ".join([*names[:3], *("…" for _ in names[3:4])])
            return line("trigger.OnOperations", ops=shown)
        case _:
            assert_never(trigger)


def _trigger(moment: Moment, fact: f.TriggerChecked) -> Said:
    trigger = moment.after.plans[fact.plan].triggers[fact.trigger]
    expected = trigger.operations if isinstance(trigger, OnOperations) else ()
    variant = "started" if fact.checked == 0 else fact.state.value
    what = line(
        f"fact.TriggerChecked.{variant}",
        plan=fact.plan,
        checked=min(fact.checked, len(expected)),
        size=len(expected),
        ops=[words.short(op.kind) for op in expected],
    )
    return Said("triggered", what)


def chosen(moment: Moment, fact: f.ActionChosen) -> Said:
    """The policy's answer."""
    match fact.action:
        case Execute(plan=plan):
            size = len(moment.after.plans[plan].operations)
            return Said("action", line("fact.ActionChosen.execute", plan=plan, size=size))
        case Defer():
            return _deferred(moment)
        case Explore():
            return _explores(moment, fact.mode)
        case _:
            assert_never(fact.action)


def _deferred(moment: Moment) -> Said:
    stream, plans = moment.stream, moment.after.plans
    if stream.candidates:
        nearest = max(stream.candidates, key=lambda c: c.matched)
        return Said(
            "defer",
            line(
                "fact.ActionChosen.defer",
                plan=nearest.plan,
                matched=nearest.matched,
                size=len(plans[nearest.plan].operations),
            ),
            (line("fact.ActionChosen.defer_why"),),
        )
    available = _awaited(stream)
    triggers = [trigger_line(t) for t in plans[available].triggers]
    size = len(plans[available].operations)
    return Said(
        "defer",
        line("fact.ActionChosen.defer_full", plan=available, size=size, triggers=triggers),
        (line("fact.ActionChosen.defer_full_why"),),
    )


def _awaited(stream: StreamState) -> int:
    """The available plan for which the policy waits: burn's order of looking."""
    queued = len(stream.queue)
    for available in stream.availables:
        waits = any(t.state is f.TriggerState.VALIDATING for t in available.triggers)
        if available.size == queued or waits:
            return available.plan
    return stream.availables[0].plan


def _explores(moment: Moment, mode: ExecutionMode) -> Said:
    stream = moment.stream
    if mode is ExecutionMode.SYNC:
        what = line("fact.ActionChosen.explore_sync", queued=len(stream.queue))
        return Said("action", what)
    if stream.explorer.num_explored:
        op = _op_at(moment, len(stream.queue) - 1)
        return Said("action", line("fact.ActionChosen.explore_on", op=op))
    if not moment.after.plans:
        return Said("explores", line("fact.ActionChosen.explore_empty"))
    return _missed(moment)


def _missed(moment: Moment) -> Said:
    """Nothing stored fits this segment: say what the nearest plan has otherwise."""
    miss = first_miss(moment.run, moment.step)
    if miss is None:
        return Said("miss", line("fact.ActionChosen.miss"), (line("fact.ActionChosen.miss_none"),))
    if miss.extents is not None and miss.dimension is not None:
        what = line(
            "fact.ActionChosen.miss_shape",
            size=words.size(miss.extents),
            dimension=miss.dimension,
            plan=miss.plan,
        )
        return Said("miss", what, (line("fact.ActionChosen.miss_why"),))
    told = line("fact.ActionChosen.miss_nearest", plan=miss.plan, difference=miss.difference)
    return Said("miss", line("fact.ActionChosen.miss"), (told,))


def explored(moment: Moment, fact: ExplorerFact) -> Said:
    """The explorer starts, goes on, or ends."""
    match fact:
        case f.ExplorationStarted(deferred=0, queued=queued):
            return Said("explore", line("fact.ExplorationStarted.none", queued=queued))
        case f.ExplorationStarted(deferred=deferred, queued=queued):
            return Said(
                "explore",
                line("fact.ExplorationStarted.what", deferred=deferred, queued=queued),
            )
        case f.ExplorationCapped(explorations=done, queued=queued):
            return Said(
                "capped",
                line("fact.ExplorationCapped.what", done=done, queued=queued),
                (line("fact.ExplorationCapped.why"),),
            )
        case f.SearchSettled(explored=count):
            variant = "stopped" if moment.stream.stopped else "what"
            what = line(f"fact.SearchSettled.{variant}", explored=count)
            return Said("settled", what, (line("fact.SearchSettled.why"),))
        case f.DeferredLeft(fed=fed, left=left):
            return Said("left", line("fact.DeferredLeft.what", fed=fed, left=left))
        case f.ExplorationCompleted(covered=covered, queued=queued):
            variant = "all" if covered == queued else "some"
            rest = queued - covered
            return Said(
                "completed",
                line(
                    f"fact.ExplorationCompleted.{variant}",
                    covered=covered,
                    queued=queued,
                    rest=rest,
                ),
            )
        case _:
            assert_never(fact)


def stored(moment: Moment, fact: StoreFact) -> Said:
    """The store learns a plan or a trigger, or a stored plan is used."""
    match fact:
        case f.PlanStored(plan=plan, operations=operations, trigger=trigger):
            what = line(
                "fact.PlanStored.what",
                ops=len(operations),
                plan=plan,
                trigger=trigger_line(trigger),
            )
            reason = f"fact.PlanStored.because_{type(trigger).__name__}"
            why = (line(reason, ops=len(operations)), line("fact.PlanStored.why"))
            return Said("store", what, why)
        case f.TriggerAdded(plan=plan, trigger=trigger):
            what = line("fact.TriggerAdded.what", plan=plan, trigger=trigger_line(trigger))
            return Said("trigger", what, (line("fact.TriggerAdded.why"),))
        case f.PlanReused(plan=plan, queued=queued):
            return _hit(moment, moment.after.plans[plan], fact, queued)
        case f.PlanUnfit(plan=plan, needs=needs, assigned=assigned, ops=ops):
            what = line("fact.PlanUnfit.what", plan=plan, needs=needs, assigned=assigned)
            return Said("unfit", what, (line("fact.PlanUnfit.why", ops=ops),))
        case _:
            assert_never(fact)


def _hit(moment: Moment, plan: PlanState, fact: f.PlanReused, queued: int) -> Said:
    size = len(plan.operations)
    variant = "what" if size == queued else "front"
    what = line(f"fact.PlanReused.{variant}", plan=fact.plan, size=size, queued=queued)
    units = sum(1 for _ in leaves(plan.strategy))
    why = line("fact.PlanReused.why", hits=plan.hits, units=units)
    scalars = [str(value) for value in moment.stream.queue.scalars]
    bound = (line("fact.PlanReused.scalars", values=scalars, n=len(scalars)),) if scalars else ()
    return Said("hit", what, (why, *bound))
