"""Facts of the search: explorations, blocks, merges, settling, holes and repair."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fusionlab.plan import BlockId, ExecutionMode, ExecutionStrategy


@dataclass(frozen=True, slots=True)
class ExplorationStarted:
    """A search step over ``queued`` ops of which ``deferred`` are new to the search."""

    mode: ExecutionMode
    deferred: int
    queued: int


@dataclass(frozen=True, slots=True)
class ExplorationCapped:
    """The stream has used up its ``max_explorations``: the segment runs un-fused."""

    explorations: int
    queued: int


@dataclass(frozen=True, slots=True)
class SearchSettled:
    """More ops cannot improve the result: every fuser is closed, or the search stopped."""

    kind: str
    explored: int


@dataclass(frozen=True, slots=True)
class DeferredLeft:
    """The search settled after ``fed`` new ops; ``left`` deferred ops were not looked at."""

    fed: int
    left: int


@dataclass(frozen=True, slots=True)
class ExplorationCompleted:
    """The search has its result; it covers ``covered`` of ``queued`` ops."""

    mode: ExecutionMode
    covered: int
    queued: int
    optimization: ExecutionStrategy


@dataclass(frozen=True, slots=True)
class BlockOpened:
    """An op opened a block.

    ``depends_on`` is ``None`` for an op that touches no block, else the blocks that it needs and
    that could not be merged.
    """

    block: BlockId
    position: int
    kind: str
    total: int
    depends_on: tuple[BlockId, ...] | None = None


@dataclass(frozen=True, slots=True)
class OpAccepted:
    """Blocks that hold one of the op's tensors took it."""

    blocks: tuple[BlockId, ...]
    position: int
    kind: str
    total: int


@dataclass(frozen=True, slots=True)
class OpForced:
    """``max_blocks`` is 1: the only block takes every op."""

    block: BlockId
    position: int
    kind: str


@dataclass(frozen=True, slots=True)
class OpDropped:
    """The search had stopped before this op."""

    position: int
    kind: str


class StopCause(Enum):
    """Why a search takes no more ops."""

    MAX_BLOCKS = "max_blocks"
    MAX_BLOCKS_ON_DEPENDENCY = "max_blocks_on_dependency"
    CYCLE = "cycle"


@dataclass(frozen=True, slots=True)
class OptimizerStopped:
    """The search stopped at this op, which starts the next segment."""

    cause: StopCause
    position: int
    kind: str
    max_blocks: int | None


@dataclass(frozen=True, slots=True)
class MergeTried:
    """A span: the ops of ``other`` are replayed behind those of ``into`` on a copy."""

    into: BlockId
    other: BlockId


class MergeVerdict(Enum):
    """How a merge try ended."""

    KEPT_OPEN = "kept_open"
    """A fuser is still open: the merged block can still be improved."""
    KEPT_NEWLY_READY = "kept_newly_ready"
    """Every fuser closed, but the merged block is the first that could be fused."""
    REFUSED_CLOSED = "refused_closed"
    """Every fuser closed and fusing apart is possible, or nothing could be fused."""
    REFUSED_ORDER = "refused_order"
    """The ops would read a tensor before it is made, or after it is freed."""
    REFUSED_BETWEEN = "refused_between"
    """Another block lies between the two: it needs one and is needed by the other."""


@dataclass(frozen=True, slots=True)
class MergeJudged:
    """The verdict on two blocks (a child of ``MergeTried`` when the merge was replayed)."""

    into: BlockId
    other: BlockId
    verdict: MergeVerdict


@dataclass(frozen=True, slots=True)
class BlocksMerged:
    """``absorbed`` became part of ``into``; ``positions`` are its ops in their new order."""

    into: BlockId
    absorbed: tuple[BlockId, ...]
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SettlingStarted:
    """A span: the blocks (listed in order) are turned into a strategy, on copies."""

    blocks: tuple[BlockId, ...]


@dataclass(frozen=True, slots=True)
class HeadSettled:
    """No fuser made a plan for the block: only its head runs un-fused, ``left`` ops stay (#5622).

    ``closed_at`` is the index after which the last fuser had closed.
    """

    block: BlockId
    closed_at: int
    settled: int
    left: int


@dataclass(frozen=True, slots=True)
class StrategySelected:
    """The strategy of a (nested) search consists of this many blocks."""

    blocks: int


@dataclass(frozen=True, slots=True)
class HolesFound:
    """A span: no block claimed these positions; they are searched again on their own."""

    positions: tuple[int, ...]


class RepairOutcome(Enum):
    """What order repair had to do."""

    REORDERED = "reordered"
    SPLIT = "split"
    FELL_BACK = "fell_back"


@dataclass(frozen=True, slots=True)
class OrderRepaired:
    """The units could not run as listed: they were moved, split, or given up."""

    outcome: RepairOutcome
    ops: int
    ordering: tuple[int, ...]
