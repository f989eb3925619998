"""What a request decided, so that two requests can be held side by side.

In: the events of one request. Out: one plain tuple for each decision, the same for the same
decision in another run. Single answers of fusers are not decisions, nor are measurements, names of
buffers, and whatever a trial copy of a block went through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fusionlab.events import facts as f
from fusionlab.plan import ExecutionStrategy, Optimization, leaves

Essence = tuple[object, ...]


def units(strategy: ExecutionStrategy) -> tuple[Essence, ...]:
    """The parts of a strategy in values that compare: fuser, positions, score."""
    return tuple(
        (leaf.fused.fuser, leaf.ordering, leaf.score)
        if isinstance(leaf, Optimization)
        else (None, leaf.ordering, 0)
        for leaf in leaves(strategy)
    )


def decisions(events: Sequence[f.Event]) -> Iterator[tuple[int, Essence]]:
    """Step and essence of each decision of one request."""
    for event in events:
        essence = _essence(event.fact)
        if essence is not None:
            yield event.step, (type(event.fact).__name__, *essence)


def _essence(fact: f.Fact) -> Essence | None:
    match fact:
        case f.ActionChosen(action=action, mode=mode):
            return (action, mode)
        case f.CandidatesFound(plans=plans):
            return (plans,)
        case f.CandidateDropped(plan=plan, position=position, field=field):
            return (plan, position, field)
        case f.CandidateMatched(plan=plan):
            return (plan,)
        case f.ExplorationStarted(mode=mode, deferred=deferred, queued=queued):
            return (mode, deferred, queued)
        case f.ExplorationCapped(queued=queued):
            return (queued,)
        case f.DeferredLeft(fed=fed, left=left):
            return (fed, left)
        case f.ExplorationCompleted(covered=covered, queued=queued):
            return (covered, queued)
        case _:
            return _of_search(fact)


def _of_search(fact: f.Fact) -> Essence | None:
    match fact:
        case f.BlockOpened(position=position, total=total, depends_on=needs):
            return (position, total, needs is None)
        case f.OpAccepted(position=position, total=total, blocks=blocks):
            return (position, total, len(blocks))
        case f.OpForced(position=position) | f.OpDropped(position=position):
            return (position,)
        case f.OptimizerStopped(cause=cause, position=position):
            return (cause, position)
        case f.MergeJudged(verdict=verdict):
            return (verdict,)
        case f.BlocksMerged(positions=positions):
            return (positions,)
        case f.HeadSettled(settled=settled, left=left):
            return (settled, left)
        case f.StrategySelected(blocks=count):
            return (count,)
        case f.HolesFound(positions=positions):
            return (positions,)
        case f.OrderRepaired(outcome=outcome, ordering=ordering):
            return (outcome, ordering)
        case f.FuserWon(fuser=fuser, score=score, ordering=ordering):
            return (fuser, score, ordering)
        case _:
            return _of_store(fact)


def _of_store(fact: f.Fact) -> Essence | None:
    match fact:
        case f.PlanStored(plan=plan, operations=operations, trigger=trigger, strategy=strategy):
            return (plan, operations, trigger, units(strategy))
        case f.TriggerAdded(plan=plan, trigger=trigger):
            return (plan, trigger)
        case f.PlanReused(plan=plan, mode=mode, queued=queued):
            return (plan, mode, queued)
        case f.PlanUnfit(plan=plan, needs=needs, assigned=assigned):
            return (plan, needs, assigned)
        case f.ExecutionStarted(plan=plan, strategy=strategy, fallback=fallback):
            return (plan, units(strategy), fallback)
        case f.QueueDrained(executed=executed, left=left):
            return (executed, left)
        case f.RunFailed(code=code):
            return (code,)
        case _:
            return None
