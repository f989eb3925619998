"""The facts: every decision of the engine as a frozen value.

A fact says what happened, in ids and frozen values, never how to show it. Facts form a tree
(``Event.parent``): roots are requests (an op, a drain), then decisions, then single answers.

Facts below a ``MergeTried`` speak about a trial copy of a block; facts below a ``HolesFound``
speak about the nested search for the holes. Positions index the segment of the event's stream
(below ``HolesFound``: the list of holes).
"""

from __future__ import annotations

from dataclasses import dataclass

from fusionlab.events.facts.execution import (
    ExecutedBlock,
    ExecutionStarted,
    HandleFreed,
    KernelBuilt,
    KernelLaunched,
    OpExecuted,
    PlanReused,
    PlanStored,
    PlanUnfit,
    QueueDrained,
    RunFailed,
    TriggerAdded,
)
from fusionlab.events.facts.fusers import (
    FuserAnswered,
    FuserScored,
    FuserWon,
)
from fusionlab.events.facts.policy import (
    ActionChosen,
    CandidateAdvanced,
    CandidateDropped,
    CandidateMatched,
    CandidatesFound,
    TriggerChecked,
    TriggerState,
)
from fusionlab.events.facts.requests import (
    OpQueued,
    OpRelativized,
    StreamCreated,
    StreamDeleted,
    SyncRequested,
    TensorRead,
)
from fusionlab.events.facts.search import (
    BlockOpened,
    BlocksMerged,
    DeferredLeft,
    ExplorationCapped,
    ExplorationCompleted,
    ExplorationStarted,
    HeadSettled,
    HolesFound,
    MergeJudged,
    MergeTried,
    MergeVerdict,
    OpAccepted,
    OpDropped,
    OpForced,
    OptimizerStopped,
    OrderRepaired,
    RepairOutcome,
    SearchSettled,
    SettlingStarted,
    StopCause,
    StrategySelected,
)
from fusionlab.ir.tensor import StreamId

Fact = (
    OpQueued
    | SyncRequested
    | TensorRead
    | StreamCreated
    | StreamDeleted
    | OpRelativized
    | CandidatesFound
    | CandidateDropped
    | CandidateAdvanced
    | CandidateMatched
    | TriggerChecked
    | ActionChosen
    | ExplorationStarted
    | ExplorationCapped
    | SearchSettled
    | DeferredLeft
    | ExplorationCompleted
    | BlockOpened
    | OpAccepted
    | OpForced
    | OpDropped
    | OptimizerStopped
    | MergeTried
    | MergeJudged
    | BlocksMerged
    | SettlingStarted
    | HeadSettled
    | StrategySelected
    | HolesFound
    | OrderRepaired
    | FuserAnswered
    | FuserScored
    | FuserWon
    | PlanStored
    | TriggerAdded
    | PlanReused
    | PlanUnfit
    | ExecutionStarted
    | KernelBuilt
    | KernelLaunched
    | OpExecuted
    | HandleFreed
    | QueueDrained
    | RunFailed
)


@dataclass(frozen=True, slots=True)
class Event:
    """A fact in its place: ``parent`` is the step of the fact that caused it."""

    step: int
    parent: int | None
    stream: StreamId
    fact: Fact


__all__ = [
    "ActionChosen",
    "BlockOpened",
    "BlocksMerged",
    "CandidateAdvanced",
    "CandidateDropped",
    "CandidateMatched",
    "CandidatesFound",
    "DeferredLeft",
    "Event",
    "ExecutedBlock",
    "ExecutionStarted",
    "ExplorationCapped",
    "ExplorationCompleted",
    "ExplorationStarted",
    "Fact",
    "FuserAnswered",
    "FuserScored",
    "FuserWon",
    "HandleFreed",
    "HeadSettled",
    "HolesFound",
    "KernelBuilt",
    "KernelLaunched",
    "MergeJudged",
    "MergeTried",
    "MergeVerdict",
    "OpAccepted",
    "OpDropped",
    "OpExecuted",
    "OpForced",
    "OpQueued",
    "OpRelativized",
    "OptimizerStopped",
    "OrderRepaired",
    "PlanReused",
    "PlanStored",
    "PlanUnfit",
    "QueueDrained",
    "RepairOutcome",
    "RunFailed",
    "SearchSettled",
    "SettlingStarted",
    "StopCause",
    "StrategySelected",
    "StreamCreated",
    "StreamDeleted",
    "SyncRequested",
    "TensorRead",
    "TriggerAdded",
    "TriggerChecked",
    "TriggerState",
]
