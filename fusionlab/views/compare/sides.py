"""What one side did in a request: marks that stand side by side with those of the other run.

In: a request. Out: marks in the order in which things happened, without a language.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fusionlab.events import facts as f
from fusionlab.plan import Defer
from fusionlab.views.compare.requests import Request
from fusionlab.views.moment import Moment
from fusionlab.views.said import Line, line


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark: a badge with a ``tone`` (hit, miss, defer, explore, execute), or plain words."""

    text: Line
    tone: str = ""
    icon: str = ""


def badge(tone: str, text: Line) -> Mark:
    """A mark with the icon of its tone."""
    return Mark(text, tone, {"explore": "ask"}.get(tone, tone))


def marks_of(request: Request) -> tuple[Mark, ...]:
    """Everything worth a mark; the same twice in a row is told once."""
    inner = _inside_copies(request)
    marks: list[Mark] = []
    for event in request.events:
        if event.step not in inner:
            marks += [mark for mark in _marks(request, event) if mark not in marks[-1:]]
    return tuple(_shortened([*marks, *_launches(request)]))


def _shortened(marks: list[Mark]) -> Iterator[Mark]:
    """A merge is told with the acceptance it made possible; the block of a lone op is not told."""
    alone = any(mark.text.key == "compare.mark.stored_alone" for mark in marks)
    merged = False
    for mark in marks:
        key = mark.text.key
        if alone and key in {"compare.mark.new", "compare.mark.accepted"}:
            continue
        if merged and key == "compare.mark.accepted":
            yield Mark(line("compare.mark.merged", **mark.text.values))
            merged = False
            continue
        if merged:
            yield Mark(line("compare.mark.merge"))
        merged = key == "compare.mark.merge"
        if not merged:
            yield mark
    if merged:
        yield Mark(line("compare.mark.merge"))


def _inside_copies(request: Request) -> set[int]:
    """Steps that speak about copies of blocks or about a nested search."""
    inner: set[int] = set()
    for event in request.events:
        opens = isinstance(event.fact, f.MergeTried | f.SettlingStarted | f.HolesFound)
        if opens or event.parent in inner:
            inner.add(event.step)
    return inner


def _marks(request: Request, event: f.Event) -> Iterator[Mark]:
    fact = event.fact
    match fact:
        case f.ActionChosen(action=Defer()):
            yield badge("defer", _deferral(request, event))
        case f.CandidatesFound(plans=()):
            yield badge("miss", line("compare.mark.no_candidate"))
        case f.CandidateDropped(plan=plan):
            yield badge("miss", line("compare.mark.dropped", plan=plan))
        case f.ExplorationStarted():
            yield badge("explore", line("compare.mark.explore"))
        case f.PlanReused(plan=plan):
            yield badge("hit", line("compare.mark.hit", plan=plan))
        case f.PlanStored(plan=plan, operations=(_,)):
            yield Mark(line("compare.mark.stored_alone", plan=plan))
        case f.PlanStored(plan=plan):
            yield Mark(line("compare.mark.stored", plan=plan))
        case f.TriggerAdded(plan=plan):
            yield Mark(line("compare.mark.trigger", plan=plan))
        case f.PlanUnfit(plan=plan):
            yield badge("miss", line("compare.mark.unfit", plan=plan))
        case f.RunFailed():
            yield badge("miss", line("compare.mark.failed"))
        case _:
            yield from _of_search(fact)


def _of_search(fact: f.Fact) -> Iterator[Mark]:
    match fact:
        case f.BlockOpened(total=total, depends_on=None):
            yield Mark(line("compare.mark.new", total=total))
        case f.BlockOpened(total=total):
            yield Mark(line("compare.mark.dependent", total=total))
        case f.BlocksMerged():
            yield Mark(line("compare.mark.merge"))
        case f.OpAccepted(blocks=blocks, total=total):
            yield Mark(line("compare.mark.accepted", taken=len(blocks), total=total))
        case f.OpForced():
            yield Mark(line("compare.mark.forced"))
        case f.OptimizerStopped():
            yield badge("miss", line("compare.mark.stopped"))
        case f.ExplorationCapped():
            yield badge("miss", line("compare.mark.capped"))


def _deferral(request: Request, event: f.Event) -> Line:
    """How far the plan has come for which the policy waits."""
    moment = Moment(request.run, event.step)
    stream, plans = moment.stream, moment.after.plans
    if stream.candidates:
        nearest = max(stream.candidates, key=lambda c: c.matched)
        size = len(plans[nearest.plan].operations)
        return line("compare.mark.defer", matched=nearest.matched, size=size)
    if not stream.availables:
        return line("compare.mark.waits")
    waiting = stream.availables[0]
    follows = any(t.state is f.TriggerState.VALIDATING for t in waiting.triggers)
    key = "compare.mark.defer_ops" if follows else "compare.mark.defer_full"
    return line(key, size=waiting.size)


def _launches(request: Request) -> Iterator[Mark]:
    """Launches are told where a queue ran: a lone op that runs at once needs no word."""
    ran = [e.fact for e in request.events if isinstance(e.fact, f.QueueDrained)]
    count = sum(isinstance(e.fact, f.KernelLaunched) for e in request.events)
    if count and (request.operation is None or sum(fact.executed for fact in ran) > 1):
        yield badge("execute", line("compare.mark.launches", n=count))
