"""Facts of the policy: candidates, triggers, and the action chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fusionlab.ir.operation import OperationIr
from fusionlab.plan import Action, ExecutionMode, PlanId


@dataclass(frozen=True, slots=True)
class CandidatesFound:
    """The segment's first op: these stored plans start with it (none: an empty tuple)."""

    plans: tuple[PlanId, ...]


@dataclass(frozen=True, slots=True)
class CandidateDropped:
    """A candidate's op at ``position`` differs. ``field`` is a path such as ``inputs[0].shape``.

    ``expected`` is the plan's op (``None``: the plan is shorter), ``got`` the segment's.
    """

    plan: PlanId
    position: int
    field: str
    expected: OperationIr | None
    got: OperationIr


@dataclass(frozen=True, slots=True)
class CandidateAdvanced:
    """A candidate's op at ``position`` is equal; ``size`` ops must match in all."""

    plan: PlanId
    position: int
    size: int


@dataclass(frozen=True, slots=True)
class CandidateMatched:
    """All ops of a candidate match: it is available and waits for one of its triggers."""

    plan: PlanId
    size: int


class TriggerState(Enum):
    """How far a trigger of an available plan has come."""

    VALIDATING = "validating"
    INVALIDATED = "invalidated"
    FOUND = "found"


@dataclass(frozen=True, slots=True)
class TriggerChecked:
    """A trigger of an available plan was compared with the op at ``position``."""

    plan: PlanId
    trigger: int
    checked: int
    state: TriggerState


@dataclass(frozen=True, slots=True)
class ActionChosen:
    """The policy's answer to "what now?"."""

    action: Action
    mode: ExecutionMode
