"""One caption for each event: what happened in one sentence, and why in at most two.

In: a run, a step, a language. Out: badge, header, sentence, reason.
Both languages are made from the same fact; nothing here is a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from fusionlab.events import facts as f
from fusionlab.events.run import Run
from fusionlab.i18n import Texts
from fusionlab.views import words
from fusionlab.views.kinds import KINDS, Kind
from fusionlab.views.moment import Moment, positional
from fusionlab.views.narrate.competing import competed
from fusionlab.views.narrate.deciding import StoreFact, chosen, comparison, explored, stored
from fusionlab.views.narrate.executing import ExecutionFact, executed
from fusionlab.views.narrate.queueing import relativized, request
from fusionlab.views.narrate.searching import (
    MergeFact,
    PlacementFact,
    SettlingFact,
    merging,
    placed,
    settled,
)
from fusionlab.views.said import Said, line, told


@dataclass(frozen=True, slots=True)
class Caption:
    """What a reader is told at one step. ``head`` marks the op's name with ``**``."""

    kind: Kind
    badge: str
    head: str
    what: str
    why: str


def caption(run: Run, step: int, texts: Texts) -> Caption:
    """The caption of one step."""
    moment = Moment(run, step)
    said = said_of(moment)
    return Caption(
        kind=KINDS[said.kind],
        badge=texts(f"kind.{said.kind}"),
        head=_head(moment, texts),
        what=told(texts, said.what),
        why=texts("caption.glue").join(told(texts, reason) for reason in said.why[:2]),
    )


def said_of(moment: Moment) -> Said:
    """The caption of a moment, before it has a language."""
    fact = moment.fact
    match fact:
        case f.FuserAnswered() | f.FuserScored() | f.FuserWon():
            return competed(moment, fact)
        case (
            f.OpQueued()
            | f.SyncRequested()
            | f.TensorRead()
            | f.StreamCreated()
            | f.StreamDeleted()
        ):
            return request(moment, fact)
        case f.OpRelativized():
            return relativized(moment, fact)
        case f.ActionChosen():
            return chosen(moment, fact)
        case (
            f.CandidatesFound()
            | f.CandidateDropped()
            | f.CandidateAdvanced()
            | f.CandidateMatched()
            | f.TriggerChecked()
        ):
            return comparison(moment, fact)
        case (
            f.ExplorationStarted()
            | f.ExplorationCapped()
            | f.SearchSettled()
            | f.DeferredLeft()
            | f.ExplorationCompleted()
        ):
            return explored(moment, fact)
        case _:
            return _searched_or_executed(moment, fact)


def _searched_or_executed(
    moment: Moment, fact: PlacementFact | MergeFact | SettlingFact | StoreFact | ExecutionFact
) -> Said:
    match fact:
        case f.BlockOpened() | f.OpAccepted() | f.OpForced() | f.OpDropped() | f.OptimizerStopped():
            return placed(moment, fact)
        case f.MergeTried() | f.MergeJudged() | f.BlocksMerged():
            return merging(moment, fact)
        case (
            f.SettlingStarted()
            | f.HeadSettled()
            | f.StrategySelected()
            | f.HolesFound()
            | f.OrderRepaired()
        ):
            return settled(moment, fact)
        case f.PlanStored() | f.TriggerAdded() | f.PlanReused() | f.PlanUnfit():
            return stored(moment, fact)
        case (
            f.ExecutionStarted()
            | f.KernelBuilt()
            | f.KernelLaunched()
            | f.OpExecuted()
            | f.HandleFreed()
            | f.QueueDrained()
            | f.RunFailed()
        ):
            return executed(moment, fact)
        case _:
            assert_never(fact)


def _head(moment: Moment, texts: Texts) -> str:
    position = positional(moment.fact)
    op = moment.root_operation
    if position is not None:
        position = moment.segment_position(position)
        op = moment.operation(position) or op
    elif isinstance(moment.root.fact, f.OpQueued):
        position = moment.root.fact.position
    if op is not None and position is not None:
        head = line("head.op", position=position, op=words.short(op.kind))
    else:
        head = line(f"head.{request_name(moment)}")
    match moment.root.fact:
        case f.OpQueued():
            return texts("head.mode", head=told(texts, head), mode=texts("mode.lazy"))
        case f.SyncRequested():
            return texts("head.mode", head=told(texts, head), mode=texts("mode.sync"))
        case _:
            return told(texts, head)


def request_name(moment: Moment) -> str:
    """What a request that is no op is called: ``read``, ``drain`` or ``stream``."""
    match moment.root.fact:
        case f.TensorRead():
            return "read"
        case f.SyncRequested():
            return "drain"
        case _:
            return "stream"
