"""Where each fact goes in the state of its stream: the hands of the replay.

In: a stream's state and one fact. Out: the state with the fact in its place.
One function per station: queue, policy, explorer, the list of blocks, one block, spans.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from fusionlab.events import facts as f
from fusionlab.events.scopes import (
    change_block,
    enter,
    in_segment,
    scoped_blocks,
    with_blocks,
)
from fusionlab.events.state import (
    Available,
    BlockState,
    Candidate,
    ExplorerState,
    FuserStanding,
    LastRefusal,
    PlanState,
    QueueState,
    Scope,
    ScopeKind,
    StreamState,
    TriggerProgress,
    Winner,
)
from fusionlab.fusers.base import RefusalCode
from fusionlab.plan import Always, BlockId, ExecutionTrigger, OnOperations, PlanId

Placement = f.BlockOpened | f.OpAccepted | f.OpForced | f.OpDropped | f.OptimizerStopped
PolicyFact = (
    f.CandidatesFound
    | f.CandidateDropped
    | f.CandidateAdvanced
    | f.CandidateMatched
    | f.TriggerChecked
    | f.ActionChosen
)
ExplorerFact = (
    f.ExplorationStarted
    | f.ExplorationCapped
    | f.SearchSettled
    | f.DeferredLeft
    | f.ExplorationCompleted
)


def in_queue(
    stream: StreamState, fact: f.OpQueued | f.OpRelativized | f.QueueDrained
) -> StreamState:
    """An op joins, gets its relative form, or leaves. A drain starts a new segment."""
    queue = stream.queue
    match fact:
        case f.OpQueued(operation=operation):
            explorer = stream.explorer
            return replace(
                stream,
                queue=replace(queue, operations=(*queue.operations, operation)),
                explorer=replace(explorer, num_deferred=explorer.num_deferred + 1),
            )
        case f.OpRelativized():
            return replace(stream, queue=_relativized(queue, fact))
        case f.QueueDrained(executed=executed, left=left):
            explored = stream.explorer.num_explorations
            return StreamState(
                stream.stream,
                queue=QueueState(operations=queue.operations[executed:]),
                explorer=ExplorerState(num_deferred=left, num_explorations=explored),
                mode=stream.mode,
            )
        case _:
            assert_never(fact)


def _relativized(queue: QueueState, fact: f.OpRelativized) -> QueueState:
    return replace(
        queue,
        relative=(*queue.relative, fact.operation),
        shapes_assigned=(*queue.shapes_assigned, fact.shapes_assigned),
        tensors=queue.tensors + tuple(global_id for global_id, _ in fact.new_tensors),
        extents=queue.extents + tuple(extent for extent, _ in fact.new_shapes),
        scalars=queue.scalars + fact.scalars,
    )


def in_policy(stream: StreamState, fact: PolicyFact, plans: tuple[PlanState, ...]) -> StreamState:
    """A plan becomes a candidate, comes closer, drops out, or waits for a trigger."""
    match fact:
        case f.CandidatesFound(plans=found):
            return replace(stream, candidates=tuple(Candidate(plan, 0) for plan in found))
        case f.CandidateDropped(plan=plan):
            return replace(stream, candidates=_without(stream.candidates, plan))
        case f.CandidateAdvanced(plan=plan, position=position):
            advanced = (
                Candidate(plan, position + 1) if c.plan == plan else c for c in stream.candidates
            )
            return replace(stream, candidates=tuple(advanced))
        case f.CandidateMatched(plan=plan, size=size):
            available = _available(plan, size, plans[plan].triggers)
            return replace(
                stream,
                candidates=_without(stream.candidates, plan),
                availables=(*stream.availables, available),
            )
        case f.TriggerChecked():
            return replace(stream, availables=_checked(stream.availables, fact))
        case f.ActionChosen(mode=mode):
            return stream if stream.mode is mode else replace(stream, mode=mode)
        case _:
            assert_never(fact)


def _without(candidates: Iterable[Candidate], plan: PlanId) -> tuple[Candidate, ...]:
    return tuple(c for c in candidates if c.plan != plan)


def _available(plan: PlanId, size: int, triggers: tuple[ExecutionTrigger, ...]) -> Available:
    waiting = (i for i, trigger in enumerate(triggers) if isinstance(trigger, OnOperations))
    return Available(
        plan,
        size,
        always=any(isinstance(trigger, Always) for trigger in triggers),
        triggers=tuple(TriggerProgress(i, 0, f.TriggerState.VALIDATING) for i in waiting),
    )


def _checked(availables: Iterable[Available], fact: f.TriggerChecked) -> tuple[Available, ...]:
    progress = TriggerProgress(fact.trigger, fact.checked, fact.state)

    def changed(available: Available) -> Available:
        if available.plan != fact.plan:
            return available
        known = (progress if t.trigger == fact.trigger else t for t in available.triggers)
        return replace(available, triggers=tuple(known))

    return tuple(changed(available) for available in availables)


def in_explorer(stream: StreamState, fact: ExplorerFact) -> StreamState:
    """The counters of the search."""
    explorer = stream.explorer
    match fact:
        case f.ExplorationStarted(mode=mode):
            return stream if stream.mode is mode else replace(stream, mode=mode)
        case f.ExplorationCapped():
            explorer = replace(explorer, num_deferred=0, still=False)
        case f.SearchSettled():
            explorer = replace(explorer, still=False)
        case f.DeferredLeft():
            explorer = replace(explorer, num_deferred=0)
        case f.ExplorationCompleted():
            explorer = replace(explorer, num_explorations=explorer.num_explorations + 1)
        case _:
            assert_never(fact)
    return replace(stream, explorer=explorer)


def in_blocks(stream: StreamState, fact: Placement) -> StreamState:
    """An op is placed in a block, or the search stops in front of it."""
    match fact:
        case f.BlockOpened(block=block, position=position, depends_on=depends_on):
            where = in_segment(stream, (position,))
            stream = change_block(
                stream, block, lambda b: replace(b, positions=where, depends_on=depends_on)
            )
        case f.OpAccepted(blocks=blocks, position=position):
            for block in blocks:
                stream = _appended(stream, block, position)
        case f.OpForced(block=block, position=position):
            stream = _appended(stream, block, position)
        case f.OptimizerStopped():
            stream = _stopped(stream)
        case f.OpDropped():
            pass
        case _:
            assert_never(fact)
    return stream if stream.scopes else _counted(stream)


def _appended(stream: StreamState, block: BlockId, position: int) -> StreamState:
    where = in_segment(stream, (position,))
    return change_block(stream, block, lambda b: replace(b, positions=b.positions + where))


def _stopped(stream: StreamState) -> StreamState:
    """A block that a cycle forbade was asked but never announced: it goes again."""
    stream = with_blocks(stream, tuple(b for b in scoped_blocks(stream) if b.positions))
    return stream if stream.scopes else replace(stream, stopped=True)


def _counted(stream: StreamState) -> StreamState:
    explorer = stream.explorer
    return replace(
        stream,
        explorer=replace(
            explorer,
            num_deferred=explorer.num_deferred - 1,
            num_explored=explorer.num_explored + 1,
        ),
    )


def in_scope(
    stream: StreamState, fact: f.MergeTried | f.SettlingStarted | f.HolesFound, step: int
) -> StreamState:
    """A span opens; what follows inside it speaks about copies."""
    blocks = scoped_blocks(stream)
    match fact:
        case f.MergeTried(into=into, other=other):
            return enter(stream, Scope(step, ScopeKind.MERGE, (_trial(blocks, into, other),)))
        case f.SettlingStarted(blocks=listed):
            copies = tuple(b for block in listed for b in blocks if b.block == block)
            return enter(stream, Scope(step, ScopeKind.SETTLING, copies))
        case f.HolesFound(positions=positions):
            where = in_segment(stream, positions)
            return enter(stream, Scope(step, ScopeKind.HOLES, (), where))
        case _:
            assert_never(fact)


def _trial(blocks: tuple[BlockState, ...], into: BlockId, other: BlockId) -> BlockState:
    by_id = {b.block: b for b in blocks}
    base = by_id.get(into, BlockState(into, ()))
    added = by_id.get(other, BlockState(other, ())).positions
    return replace(base, positions=base.positions + added)


def in_block(
    stream: StreamState, fact: f.BlocksMerged | f.FuserAnswered | f.FuserScored | f.FuserWon
) -> StreamState:
    """One block changes: it absorbs others, or a fuser answers, scores or wins in it."""
    match fact:
        case f.BlocksMerged():
            where = in_segment(stream, fact.positions)
            merged = _merged(scoped_blocks(stream), fact, where, stream.trial)
            return with_blocks(stream, merged)
        case f.FuserAnswered(block=block, answer=answer):
            if block is None or answer.refusal is None:  # a probe of a fresh fuser, or a yes
                return stream
            (position,) = in_segment(stream, (fact.position,))
            refusal = LastRefusal(fact.fuser, position, answer.refusal)
            return change_block(stream, block, lambda b: _refused(b, refusal))
        case f.FuserScored(block=block):
            return change_block(stream, block, lambda b: _scored(b, fact))
        case f.FuserWon(block=block):
            winner = Winner(fact.fuser, fact.score, in_segment(stream, fact.ordering))
            return change_block(stream, block, lambda b: replace(b, winner=winner))
        case _:
            assert_never(fact)


def _merged(
    blocks: tuple[BlockState, ...],
    fact: f.BlocksMerged,
    positions: tuple[int, ...],
    trial: BlockState | None,
) -> tuple[BlockState, ...]:
    """The blocks with one merged, which stands where the copy that was tried stood."""
    parts = [b for b in blocks if b.block == fact.into or b.block in fact.absorbed]
    if not parts:
        return blocks
    base = next((b for b in parts if b.block == fact.into), parts[0])
    merged = replace(
        base if trial is None else trial,
        block=fact.into,
        positions=positions,
        number=min(b.number for b in parts),
    )
    others = (b for b in blocks if b not in parts)
    # Burn sorts the list after every merge; blocks never share a position.
    return tuple(sorted((*others, merged), key=lambda b: min(b.positions, default=0)))


def _refused(block: BlockState, refusal: LastRefusal) -> BlockState:
    """Once closed, a fuser only repeats that it is closed: the first reason is the one to keep."""
    known = block.refusal(refusal.fuser)
    if refusal.refusal.code is RefusalCode.CLOSED and known is not None:
        return block
    others = tuple(r for r in block.refusals if r.fuser != refusal.fuser)
    return replace(block, refusals=(*others, refusal))


def _scored(block: BlockState, fact: f.FuserScored) -> BlockState:
    standing = FuserStanding(
        fact.fuser, fact.status, fact.ready, fact.score, fact.length, fact.terms
    )
    fusers = block.fusers
    for index, known in enumerate(fusers):
        if known.fuser == fact.fuser:
            return replace(block, fusers=(*fusers[:index], standing, *fusers[index + 1 :]))
    return replace(block, fusers=(*fusers, standing))
