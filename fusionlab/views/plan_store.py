"""The plan store as a page: the index by first op, and everything about each plan.

In: a run, a language. Out: plain JSON: groups of plans that start with the same op, each plan with
its relative ops, triggers, strategy, uses, and where it was compared in vain. Counts are counts of
facts of this run; what an earlier run of the lab did is only in ``runs`` and ``hits``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, assert_never

from fusionlab.events import facts as f
from fusionlab.events.run import Run
from fusionlab.events.state import PlanState
from fusionlab.i18n import Texts
from fusionlab.ir.operation import OperationIr
from fusionlab.plan import Composed, ExecutionStrategy, Operations, Optimization, PlanId
from fusionlab.views import words
from fusionlab.views.differences import difference
from fusionlab.views.miss import ARROW, tokens
from fusionlab.views.narrate.deciding import trigger_line
from fusionlab.views.said import told

Json = dict[str, Any]

MOST_OPS = 40
"""Ops of one plan that are written out; the others are counted."""
MOST_HITS = 8
"""Hits of one plan that are named by their step."""
MOST_DROPS = 4
"""Different reasons for which one plan was dropped that are written out."""


def store_page(run: Run, texts: Texts) -> Json:
    """The whole store after a run.

    Steps are steps of the event log; the page turns them into links.
    """
    plans = run.states[-1].plans if run.states else run.initial.plans
    history = _History(run)
    groups: dict[OperationIr, list[Json]] = defaultdict(list)
    for number, plan in enumerate(plans):
        groups[plan.operations[0]].append(_plan(PlanId(number), plan, history, texts))
    hits = sum(plan.hits for plan in plans)
    return {
        "lang": texts.lang,
        "text": texts("plans.text", plans=len(plans), keys=len(groups), hits=hits),
        "lookup": texts("plans.lookup"),
        "empty": "" if plans else texts("plans.empty"),
        "groups": [_group(first, members, history, texts) for first, members in groups.items()],
        "labels": {
            key: texts(f"plans.{key}")
            for key in ("index", "key", "triggers", "strategy", "dropped", "stored", "hits")
        }
        | {
            # The page fills in the number: it knows which step of the workbench this is.
            "at": texts.catalog["plans.at"],
        },
    }


class _History:
    """What the run did with each plan."""

    def __init__(self, run: Run) -> None:
        self.stored: dict[PlanId, int] = {}
        self.hits: dict[PlanId, list[int]] = defaultdict(list)
        self.drops: dict[PlanId, list[tuple[int, f.CandidateDropped]]] = defaultdict(list)
        self.found: Counter[PlanId] = Counter()
        for event in run.events:
            match event.fact:
                case f.PlanStored(plan=plan):
                    self.stored[plan] = event.step
                case f.PlanReused(plan=plan):
                    self.hits[plan].append(event.step)
                case f.CandidateDropped(plan=plan) as fact:
                    self.drops[plan].append((event.step, fact))
                case f.CandidatesFound(plans=plans):
                    self.found.update(plans)


def _group(first: OperationIr, members: list[Json], history: _History, texts: Texts) -> Json:
    asked = history.found[PlanId(members[0]["plan"])]
    return {
        "key": words.key(first),
        "groups": _cells(first),
        "text": texts("plans.group", plans=len(members), asked=asked),
        "plans": members,
    }


def _plan(number: PlanId, plan: PlanState, history: _History, texts: Texts) -> Json:
    hidden = len(plan.operations) - MOST_OPS
    later = len(history.hits[number]) - MOST_HITS
    return {
        "plan": int(number),
        "id": f"#{number}",
        "ops": [_op(at, op) for at, op in enumerate(plan.operations[:MOST_OPS])],
        "more": texts("plans.more_ops", n=hidden) if hidden > 0 else "",
        "triggers": [told(texts, trigger_line(trigger)) for trigger in plan.triggers],
        "strategy": _tree(plan.strategy, texts),
        "use": texts("plans.runs", runs=plan.runs, hits=plan.hits),
        "hits": history.hits[number][:MOST_HITS],
        "more_hits": texts("plans.more_hits", n=later) if later > 0 else "",
        "stored": history.stored.get(number),
        "stored_text": _stored(number, history, texts),
        "drops": _drops(history.drops[number], texts),
    }


def _stored(number: PlanId, history: _History, texts: Texts) -> str:
    known = number in history.stored
    return texts("plans.stored_here" if known else "plans.stored_before", plan=number)


def _op(at: int, op: OperationIr) -> Json:
    return {"at": at, "groups": _cells(op), "name": words.short(op.kind)}


def _cells(op: OperationIr) -> list[list[str] | str]:
    return [">" if group == ARROW else list(group) for group in tokens(op)]


def _tree(strategy: ExecutionStrategy, texts: Texts) -> Json:
    match strategy:
        case Optimization(fused=fused, ordering=ordering, score=score):
            return {
                "letter": words.letter(fused.fuser),
                "head": f"{fused.fuser} {score}",
                "ops": list(ordering),
            }
        case Operations(ordering=ordering):
            return {"letter": "", "head": texts("strategy.unfused"), "ops": list(ordering)}
        case Composed(items=items):
            head = texts("plans.composed", n=len(items))
            return {"letter": "", "head": head, "items": [_tree(item, texts) for item in items]}
        case _:
            assert_never(strategy)


def _drops(dropped: list[tuple[int, f.CandidateDropped]], texts: Texts) -> list[Json]:
    """Each reason once, with how often it counted and where first."""
    reasons: dict[str, list[int]] = defaultdict(list)
    for step, fact in dropped:
        why = told(texts, difference(fact.field, fact.expected, fact.got))
        reasons[texts("plans.drop", position=fact.position, difference=why)].append(step)
    rows: list[Json] = [
        {"text": text, "times": texts("plans.times", n=len(steps)), "step": steps[0]}
        for text, steps in list(reasons.items())[:MOST_DROPS]
    ]
    hidden = len(reasons) - MOST_DROPS
    if hidden > 0:
        rows.append({"text": texts("plans.more_drops", n=hidden), "times": "", "step": None})
    return rows
