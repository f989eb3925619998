"""The plan store, and how one plan fits the segment op by op.

In: a run, a step, a language. Out: a row a plan (trigger, use, why it is out), and the match of
the plan that matters now.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from fusionlab.events import facts as f
from fusionlab.events.run import Run
from fusionlab.events.state import PlanState, StreamState
from fusionlab.i18n import Texts
from fusionlab.plan import (
    Always,
    Execute,
    ExecutionStrategy,
    OnOperations,
    OnSync,
    Optimization,
    PlanId,
    leaves,
)
from fusionlab.views import words
from fusionlab.views.differences import difference
from fusionlab.views.moment import Moment
from fusionlab.views.narrate.deciding import trigger_line
from fusionlab.views.said import Line, line, told


class PlanMark(Enum):
    """What a plan is to the current segment."""

    ON = "on"
    """A candidate, available, or chosen."""
    OUT = "out"
    """Dropped in this segment."""
    GHOST = "ghost"
    """Not found yet."""
    IDLE = ""
    """Stored, not looked at."""


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One line of the store."""

    plan: PlanId
    key: str
    trigger: str
    sub: str
    mark: PlanMark


@dataclass(frozen=True, slots=True)
class StoreView:
    """The store: rows by id, how many there are, and remarks."""

    text: str
    rows: tuple[PlanRow, ...]
    notes: tuple[str, ...]


def store_view(run: Run, step: int, texts: Texts, limit: int | None = None) -> StoreView:
    """The store after the step.

    ``limit`` keeps the plans that matter now and fills up with the newest; the rest is counted in
    a note.
    """
    moment = Moment(run, step)
    marks = _marks(moment)
    plans = moment.after.plans
    shown = _shown(len(plans), marks, limit)
    rows = [_row(PlanId(i), plans[i], marks.get(PlanId(i)), texts) for i in shown]
    found_by_the_end = run.states[-1].plans
    if len(found_by_the_end) > len(plans):
        key = words.key(found_by_the_end[len(plans)].operations[0])
        ghost = PlanId(len(plans))
        rows.append(PlanRow(ghost, key, "", texts("store.ghost"), PlanMark.GHOST))
    candidates = len(moment.stream.candidates) + len(moment.stream.availables)
    text = texts("store.text", plans=len(plans), candidates=candidates)
    notes = [texts("store.lookup")]
    hidden = len(plans) - len(shown)
    if hidden:
        notes.append(texts("store.hidden", n=hidden))
    return StoreView(text, tuple(rows), tuple(notes))


def _shown(count: int, marks: dict[PlanId, Line], limit: int | None) -> list[int]:
    if limit is None or count <= limit:
        return list(range(count))
    first = [int(plan) for plan in marks][:limit]
    newest = (i for i in range(count - 1, -1, -1) if PlanId(i) not in marks)
    return sorted([*first, *(i for i, _ in zip(newest, range(limit - len(first)), strict=False))])


def _row(plan_id: PlanId, plan: PlanState, mark: Line | None, texts: Texts) -> PlanRow:
    key = words.key(plan.operations[0])
    more = " …" if len(plan.operations) > 1 else ""
    triggers = ", ".join(_trigger_name(trigger) for trigger in plan.triggers)
    if mark is not None:
        state = PlanMark.OUT if mark.key == "store.dropped" else PlanMark.ON
        return PlanRow(plan_id, key + more, triggers, told(texts, mark), state)
    sub = texts(
        "store.idle",
        strategy=strategy_summary(plan.strategy, texts),
        ops=len(plan.operations),
        runs=plan.runs,
    )
    return PlanRow(plan_id, key + more, triggers, sub, PlanMark.IDLE)


def _trigger_name(trigger: OnOperations | OnSync | Always) -> str:
    return type(trigger).__name__


def strategy_summary(strategy: ExecutionStrategy, texts: Texts) -> str:
    """A strategy in a few words: ``ElementWise 630``, or how many of its parts are fused."""
    units = list(leaves(strategy))
    fused = [unit for unit in units if isinstance(unit, Optimization)]
    if not fused:
        return texts("strategy.unfused")
    if len(units) == 1:
        return f"{fused[0].fused.fuser} {fused[0].score}"
    return texts("strategy.parts", fused=len(fused), parts=len(units))


def _marks(moment: Moment) -> dict[PlanId, Line]:
    """What each plan that the segment has looked at is to it now."""
    plans, stream = moment.after.plans, moment.stream
    marks: dict[PlanId, Line] = {}
    for fact in segment_facts(moment):
        if isinstance(fact, f.CandidateDropped):
            told_why = difference(fact.field, fact.expected, fact.got)
            at = line("store.dropped", position=fact.position, difference=told_why)
            marks[fact.plan] = at
        elif isinstance(fact, f.PlanReused):
            hits = plans[fact.plan].hits
            marks[fact.plan] = line("store.hit", hits=hits, ops=len(plans[fact.plan].operations))
        elif isinstance(fact, f.PlanStored):
            marks[fact.plan] = line("store.new", ops=len(fact.operations))
    for candidate in stream.candidates:
        size = len(plans[candidate.plan].operations)
        marks[candidate.plan] = line("store.candidate", matched=candidate.matched, size=size)
    for available in stream.availables:
        triggers = [trigger_line(t) for t in plans[available.plan].triggers]
        marks.setdefault(
            available.plan, line("store.available", size=available.size, triggers=triggers)
        )
    return marks


def segment_facts(moment: Moment) -> Iterator[f.Fact]:
    """The facts of the current segment up to this step, oldest first.

    At the step that ends an execution, the segment is the one that has just run.
    """
    events, stream = moment.run.events, moment.event.stream
    start = moment.step
    while start > 0:
        before = events[start - 1]
        if before.stream == stream and isinstance(before.fact, f.QueueDrained):
            break
        start -= 1
    return (e.fact for e in events[start : moment.step + 1] if e.stream == stream)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One op of the plan beside the queue. ``ok`` is ``None`` where nothing is queued yet."""

    position: int
    ok: bool | None
    op: str
    key: str
    right: str


@dataclass(frozen=True, slots=True)
class Match:
    """How a plan fits: its rows, and what the policy makes of it."""

    plan: PlanId
    title: str
    text: str
    rows: tuple[MatchRow, ...]
    last: str
    fits: bool
    notes: tuple[str, ...]


def plan_match(run: Run, step: int, texts: Texts) -> Match | None:
    """The plan that the policy looks at, op by op; ``None`` when there is none."""
    moment = Moment(run, step)
    plan_id = plan_in_focus(moment)
    if plan_id is None:
        return None
    plan = moment.after.plans[plan_id]
    dropped = _drop_of(moment, plan_id)
    rows = tuple(_match_rows(moment.stream, moment.stream_before, plan, dropped))
    fits = dropped is None and all(row.ok for row in rows)
    triggers = told(texts, [trigger_line(trigger) for trigger in plan.triggers])
    return Match(
        plan_id,
        texts("match.title", plan=plan_id),
        texts("match.text"),
        rows,
        _last(rows, dropped, texts),
        fits,
        (texts("match.triggers", plan=plan_id, triggers=triggers),),
    )


def plan_in_focus(moment: Moment) -> PlanId | None:
    """The plan that a policy fact names, else the one that is nearest to being used."""
    fact = moment.fact
    match fact:
        case (
            f.CandidateAdvanced(plan=plan)
            | f.CandidateDropped(plan=plan)
            | f.CandidateMatched(plan=plan)
            | f.TriggerChecked(plan=plan)
            | f.PlanReused(plan=plan)
            | f.ActionChosen(action=Execute(plan=plan))
        ):
            return plan
        case _:
            stream = moment.stream
            if stream.candidates:
                return max(stream.candidates, key=lambda c: c.matched).plan
            if stream.availables:
                return stream.availables[0].plan
            return next(
                (d.plan for d in segment_facts(moment) if isinstance(d, f.CandidateDropped)), None
            )


def _drop_of(moment: Moment, plan: PlanId) -> f.CandidateDropped | None:
    found = None
    for fact in segment_facts(moment):
        if isinstance(fact, f.CandidateDropped) and fact.plan == plan:
            found = fact
    return found


def _match_rows(
    stream: StreamState,
    before: StreamState,
    plan: PlanState,
    dropped: f.CandidateDropped | None,
) -> Iterator[MatchRow]:
    queue = stream.queue if stream.queue.relative else before.queue
    size = len(plan.operations)
    for position, op in enumerate(plan.operations):
        if dropped is not None and position >= dropped.position:
            ok: bool | None = False if position == dropped.position else None
        elif position < len(queue.relative):
            ok = queue.relative[position] == op
        else:
            ok = None
        right = {True: f"{position + 1}/{size}", False: "", None: ""}[ok]
        if ok is False and dropped is not None:
            right = dropped.field
        yield MatchRow(position, ok, words.short(op.kind), words.tensor_list(op), right)


def _last(rows: tuple[MatchRow, ...], dropped: f.CandidateDropped | None, texts: Texts) -> str:
    matched = sum(row.ok is True for row in rows)
    if dropped is not None:
        why = told(texts, difference(dropped.field, dropped.expected, dropped.got))
        return texts("match.dropped", difference=why)
    key = "match.full" if matched == len(rows) else "match.partial"
    return texts(key, matched=matched, size=len(rows))
