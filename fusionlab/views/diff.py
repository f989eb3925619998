"""What a step changed: the two states side by side, as a list of additions, losses and changes.

In: a run, a step, a language. Out: changes, in the order of the panes.
Neighbouring states share what did not change, so most of this is a comparison of identities.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fusionlab.events.run import Run
from fusionlab.events.state import BlockState, LabState, StreamState
from fusionlab.i18n import Texts
from fusionlab.views import words
from fusionlab.views.moment import Moment
from fusionlab.views.said import Line, line, told


@dataclass(frozen=True, slots=True)
class Change:
    """One change.

    ``area`` is queue, policy, blocks, plans or memory; ``how`` is added, gone or changed.
    """

    area: str
    how: str
    text: str


def changes(run: Run, step: int, texts: Texts) -> tuple[Change, ...]:
    """Everything that the step changed in the lab."""
    moment = Moment(run, step)
    if moment.before is moment.after:
        return ()
    found = [
        *_in_stream(moment.stream_before, moment.stream),
        *_in_lab(moment.before, moment.after),
    ]
    return tuple(Change(area, how, told(texts, said)) for area, how, said in found)


Found = tuple[str, str, Line]


def _in_stream(before: StreamState, after: StreamState) -> Iterator[Found]:
    if before is after:
        return
    if before.queue is not after.queue:
        yield from _in_queue(before, after)
    for area, old, new in (
        ("candidate", before.candidates, after.candidates),
        ("available", before.availables, after.availables),
    ):
        if old is not new:
            one, two = ({c.plan for c in side} for side in (old, new))
            yield from (
                ("policy", "added", line(f"change.{area}", plan=p)) for p in sorted(two - one)
            )
            yield from (
                ("policy", "gone", line(f"change.{area}", plan=p)) for p in sorted(one - two)
            )
    yield from _in_blocks(before.visible_blocks, after.visible_blocks)


def _in_queue(before: StreamState, after: StreamState) -> Iterator[Found]:
    grown = len(after.queue) - len(before.queue)
    if grown > 0:
        for op in after.queue.operations[-grown:]:
            yield "queue", "added", line("change.queued", op=words.short(op.kind))
    elif grown < 0:
        yield "queue", "gone", line("change.left", n=-grown)
    elif len(after.queue.relative) > len(before.queue.relative):
        op = after.queue.relative[-1]
        form = words.tensor_list(op)
        yield "queue", "changed", line("change.relative", op=words.short(op.kind), form=form)


def _in_blocks(before: tuple[BlockState, ...], after: tuple[BlockState, ...]) -> Iterator[Found]:
    if before is after:
        return
    old = {block.number: block for block in before}
    new = {block.number: block for block in after}
    for number in sorted(new.keys() - old.keys()):
        yield "blocks", "added", line("change.block", block=number)
    for number in sorted(old.keys() - new.keys()):
        yield "blocks", "gone", line("change.block", block=number)
    for number in sorted(new.keys() & old.keys()):
        if new[number] is not old[number]:
            yield from _in_block(old[number], new[number])


def _in_block(before: BlockState, after: BlockState) -> Iterator[Found]:
    number = after.number
    grown = len(after.positions) - len(before.positions)
    if grown > 0:
        yield "blocks", "changed", line("change.grown", block=number, n=grown)
    for standing in after.fusers:
        known = before.standing(standing.fuser)
        if known is not None and known.status is not standing.status:
            values = {"fuser": standing.fuser, "block": number}
            yield "blocks", "changed", line("change.closed", **values)
        if known is None or known.score != standing.score:
            old = 0 if known is None else known.score
            values = {"fuser": standing.fuser, "before": old, "after": standing.score}
            if old != standing.score:
                yield "blocks", "changed", line("change.score", **values)
    if after.winner is not None and before.winner is None and after.winner.fuser is not None:
        yield "blocks", "changed", line("change.winner", fuser=after.winner.fuser, block=number)


def _in_lab(before: LabState, after: LabState) -> Iterator[Found]:
    if before.plans is not after.plans:
        for plan in range(len(before.plans), len(after.plans)):
            yield "plans", "added", line("change.plan", plan=plan)
        for plan, (old, new) in enumerate(zip(before.plans, after.plans, strict=False)):
            if len(new.triggers) > len(old.triggers):
                yield "plans", "changed", line("change.trigger", plan=plan)
            if new.runs > old.runs:
                yield "plans", "changed", line("change.runs", plan=plan, runs=new.runs)
    one, two = set(before.live), set(after.live)
    for tensor in sorted(two - one):
        yield "memory", "added", line("change.live", tensor=words.name(tensor))
    for tensor in sorted(one - two):
        yield "memory", "gone", line("change.live", tensor=words.name(tensor))
