"""Replay: from facts back to the state of the lab, one state per event.

In: events in order. Out: the ``LabState`` after each of them.
The replay places facts and never decides: what it cannot read off a fact is not in the state.
Facts inside a ``MergeTried``, ``SettlingStarted`` or ``HolesFound`` span work on copies, so they
change the innermost open ``Scope`` and never the stream's own blocks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate
from typing import assert_never

from fusionlab.events import facts as f
from fusionlab.events import place
from fusionlab.events.scopes import left_scopes
from fusionlab.events.state import Execution, LabState, PlanState, StreamState
from fusionlab.ir.opset import INIT
from fusionlab.ir.tensor import StreamId
from fusionlab.plan import PlanId


def replay(events: Iterable[f.Event], initial: LabState | None = None) -> tuple[LabState, ...]:
    """The state after each event, so that ``states[event.step]`` belongs to ``event``.

    Args:
        events: All events of a run, in order.
        initial: What the lab knew before (a lab keeps its plans); ``None``: an empty lab.
    """
    states = accumulate(events, step, initial=initial or LabState())
    next(states)
    return tuple(states)


def step(state: LabState, event: f.Event) -> LabState:
    """The state after one more event; the same object when the fact changes nothing."""
    before = state.stream(event.stream)
    stream = left_scopes(before or StreamState(event.stream), event.parent)
    state = state if stream is before else _put(state, stream)
    fact = event.fact
    match fact:
        case f.FuserAnswered() | f.FuserScored() | f.FuserWon() | f.BlocksMerged():
            return _put(state, place.in_block(stream, fact))
        case f.OpQueued() | f.OpRelativized() | f.QueueDrained():
            return _put(_initialized(state, fact), place.in_queue(stream, fact))
        case (
            f.CandidatesFound()
            | f.CandidateDropped()
            | f.CandidateAdvanced()
            | f.CandidateMatched()
            | f.TriggerChecked()
            | f.ActionChosen()
        ):
            return _put(state, place.in_policy(stream, fact, state.plans))
        case (
            f.ExplorationStarted()
            | f.ExplorationCapped()
            | f.SearchSettled()
            | f.DeferredLeft()
            | f.ExplorationCompleted()
        ):
            return _put(state, place.in_explorer(stream, fact))
        case f.BlockOpened() | f.OpAccepted() | f.OpForced() | f.OpDropped() | f.OptimizerStopped():
            return _put(state, place.in_blocks(stream, fact))
        case f.MergeTried() | f.SettlingStarted() | f.HolesFound():
            return _put(state, place.in_scope(stream, fact, event.step))
        case f.PlanStored() | f.TriggerAdded() | f.PlanReused():
            return _stored(state, fact)
        case f.ExecutionStarted() | f.KernelLaunched() | f.HandleFreed() | f.TensorRead():
            return _executed(state, event, fact)
        case f.StreamCreated() | f.StreamDeleted():
            return _lifetime(state, event.stream, fact)
        case (
            f.SyncRequested()
            | f.MergeJudged()
            | f.HeadSettled()
            | f.StrategySelected()
            | f.OrderRepaired()
            | f.PlanUnfit()
            | f.KernelBuilt()
            | f.OpExecuted()
            | f.RunFailed()
        ):
            return state
        case _:
            assert_never(fact)


def _lifetime(
    state: LabState, stream: StreamId, fact: f.StreamCreated | f.StreamDeleted
) -> LabState:
    others = tuple(s for s in state.streams if s.stream != stream)
    match fact:
        case f.StreamCreated():
            return _put(replace(state, streams=others), StreamState(stream))
        case f.StreamDeleted():
            return replace(state, streams=others)
        case _:
            assert_never(fact)


def _initialized(state: LabState, fact: f.OpQueued | f.OpRelativized | f.QueueDrained) -> LabState:
    """The data of an ``Init`` is there before the op is queued."""
    match fact:
        case f.OpQueued(operation=operation) if operation.spec is INIT:
            return replace(state, live=_with_id(state.live, operation.outputs[0].id))
        case _:
            return state


def _put(state: LabState, stream: StreamState) -> LabState:
    streams = state.streams
    for index, other in enumerate(streams):
        if other is stream:
            return state
        if other.stream == stream.stream:
            return replace(state, streams=(*streams[:index], stream, *streams[index + 1 :]))
    joined = sorted((*streams, stream), key=lambda s: s.stream)
    return replace(state, streams=tuple(joined))


def _stored(state: LabState, fact: f.PlanStored | f.TriggerAdded | f.PlanReused) -> LabState:
    match fact:
        case f.PlanStored(plan=plan):
            new = PlanState(fact.operations, (fact.trigger,), fact.strategy, fact.ordering)
            return _with_plan(state, plan, new)
        case f.TriggerAdded(plan=plan, trigger=trigger):
            old = state.plans[plan]
            return _with_plan(state, plan, replace(old, triggers=(*old.triggers, trigger)))
        case f.PlanReused(plan=plan):
            old = state.plans[plan]
            return _with_plan(state, plan, replace(old, hits=old.hits + 1))
        case _:
            assert_never(fact)


def _with_plan(state: LabState, plan: PlanId, changed: PlanState) -> LabState:
    return replace(state, plans=(*state.plans[:plan], changed, *state.plans[plan + 1 :]))


def _executed(
    state: LabState,
    event: f.Event,
    fact: f.TensorRead | f.HandleFreed | f.KernelLaunched | f.ExecutionStarted,
) -> LabState:
    match fact:
        case f.TensorRead(tensor=tensor, last=last):
            return replace(state, live=_without_id(state.live, tensor.id)) if last else state
        case f.HandleFreed(tensor=freed):
            return replace(state, live=_without_id(state.live, freed))
        case f.ExecutionStarted(plan=plan):
            started = _execution(event.step, event.stream, fact)
            if plan is not None:
                old = state.plans[plan]
                state = _with_plan(state, plan, replace(old, runs=old.runs + 1))
            return replace(state, execution=started)
        case f.KernelLaunched(writes=writes):
            live = state.live
            for tensor_id in writes:
                live = _with_id(live, tensor_id)
            run = state.execution
            if run is not None:
                run = replace(run, launches=(*run.launches, fact))
            return replace(state, live=live, launches=state.launches + 1, execution=run)
        case _:
            assert_never(fact)


def _execution(step: int, stream: StreamId, fact: f.ExecutionStarted) -> Execution:
    return Execution(step, stream, fact.plan, fact.strategy, fact.blocks, fact.fallback)


def _with_id(ids: tuple[int, ...], new: int) -> tuple[int, ...]:
    at = bisect_left(ids, new)
    return ids if at < len(ids) and ids[at] == new else (*ids[:at], new, *ids[at:])


def _without_id(ids: tuple[int, ...], gone: int) -> tuple[int, ...]:
    at = bisect_left(ids, gone)
    return (*ids[:at], *ids[at + 1 :]) if at < len(ids) and ids[at] == gone else ids
