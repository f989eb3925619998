"""What a decision is: data only, shared by the fusers, the engine, the store and the views.

Positions in an ``ordering`` index the *segment*: the ops queued when the decision is used.

Source: burn-fusion, stream/store/base.rs, stream/execution/{policy,explorer}.rs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import NewType, Protocol

from fusionlab.ir.operation import OperationIr

PlanId = NewType("PlanId", int)
BlockId = NewType("BlockId", int)


class ExecutionMode(Enum):
    """Why the processor runs: an op was registered (may wait) or a drain (may not)."""

    LAZY = "lazy"
    SYNC = "sync"


@dataclass(frozen=True, slots=True)
class Execute:
    """Run the stored plan now."""

    plan: PlanId


@dataclass(frozen=True, slots=True)
class Defer:
    """Wait for the next op."""


@dataclass(frozen=True, slots=True)
class Explore:
    """Search for a new plan."""


Action = Execute | Defer | Explore


class FusedOperation(Protocol):
    """What a fuser makes of the ops it took: enough to run them and to check the fit."""

    @property
    def fuser(self) -> str:
        """Display name of the fuser, for example ``ElementWise``."""

    @property
    def operations(self) -> tuple[OperationIr, ...]:
        """The fused ops in relative form, in execution order."""

    @property
    def max_relative_shape_id(self) -> int | None:
        """The highest shape id that the kernel names; ``None`` when it names none."""


@dataclass(frozen=True, slots=True)
class Optimization:
    """One fused unit: the winning fuser's operation, its positions and its score."""

    fused: FusedOperation
    ordering: tuple[int, ...]
    score: int


@dataclass(frozen=True, slots=True)
class Operations:
    """Ops that run one by one."""

    ordering: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Composed:
    """Several strategies, one after the other."""

    items: tuple[ExecutionStrategy, ...]


Unit = Optimization | Operations
ExecutionStrategy = Unit | Composed


def leaves(strategy: ExecutionStrategy) -> Iterator[Unit]:
    """The units of a strategy in execution order, nesting removed."""
    if isinstance(strategy, Composed):
        for item in strategy.items:
            yield from leaves(item)
    else:
        yield strategy


def flat_ordering(strategy: ExecutionStrategy) -> tuple[int, ...]:
    """All positions of a strategy in execution order."""
    return tuple(position for leaf in leaves(strategy) for position in leaf.ordering)


@dataclass(frozen=True, slots=True)
class BlockOptimization:
    """A strategy with the positions it covers, in execution order.

    ``units`` and ``highest_shape_id`` are read off the strategy once, because every execution of
    the plan needs them. ``highest_shape_id`` is ``None`` when no fused operation names one.
    """

    strategy: ExecutionStrategy
    ordering: tuple[int, ...]
    units: tuple[Unit, ...] = field(init=False, compare=False, repr=False)
    highest_shape_id: int | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        units = tuple(leaves(self.strategy))
        named = (u.fused.max_relative_shape_id for u in units if isinstance(u, Optimization))
        object.__setattr__(self, "units", units)
        object.__setattr__(
            self, "highest_shape_id", max((n for n in named if n is not None), default=None)
        )


@dataclass(frozen=True, slots=True)
class OnOperations:
    """The plan runs when exactly these relative ops follow it."""

    operations: tuple[OperationIr, ...]


@dataclass(frozen=True, slots=True)
class OnSync:
    """The plan was found by a drain. (A drain itself never asks for triggers.)"""


@dataclass(frozen=True, slots=True)
class Always:
    """The plan runs as soon as its ops are queued."""


ExecutionTrigger = OnOperations | OnSync | Always


@dataclass(slots=True)
class ExecutionPlan:
    """A stored decision: the relative ops it answers, when it runs, and how.

    ``triggers`` only ever grows; everything else is fixed.
    """

    operations: tuple[OperationIr, ...]
    triggers: list[ExecutionTrigger]
    optimization: BlockOptimization
