"""The state of a lab as plain values: what the replay builds and the engine can photograph.

``LabState`` is the meeting point of two descriptions of the same thing: ``events.replay`` builds
it from facts, ``engine.snapshot`` reads it off the live engine, and a property test compares the
two after every root fact. So a field that takes part in comparison holds what *both* know.
Fields marked ``compare=False`` are notes for the reader (why, how often, what was tried); the
snapshot leaves them at their defaults.

Everything is frozen and shared between neighbouring states: a step copies only what it changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from fusionlab.events.facts import ExecutedBlock, KernelLaunched, TriggerState
from fusionlab.fusers.base import FuserStatus, Refusal, ScoreTerms
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import StreamId
from fusionlab.plan import BlockId, ExecutionMode, ExecutionStrategy, ExecutionTrigger, PlanId


@dataclass(frozen=True, slots=True)
class QueueState:
    """What waits in one stream, in global and in relative form.

    ``relative`` and ``shapes_assigned`` are one entry shorter than ``operations`` only between
    ``OpQueued`` and ``OpRelativized``. ``tensors[r]`` is the global id behind relative id ``r``;
    ``extents[s]`` the extent behind shape id ``s`` (``extents[0]`` is always 1); ``scalars[n]``
    the value behind placeholder ``n``.
    """

    operations: tuple[OperationIr, ...] = ()
    relative: tuple[OperationIr, ...] = ()
    shapes_assigned: tuple[int, ...] = ()
    tensors: tuple[int, ...] = ()
    extents: tuple[int, ...] = (1,)
    scalars: tuple[float | int | bool, ...] = ()

    def __len__(self) -> int:
        """How many ops wait."""
        return len(self.operations)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stored plan whose first ``matched`` ops equal those of the segment, with more to come."""

    plan: PlanId
    matched: int


@dataclass(frozen=True, slots=True)
class TriggerProgress:
    """How far an ``OnOperations`` trigger of an available plan has come.

    ``trigger`` is its index among the plan's triggers, ``checked`` burn's ``NumChecked``: the ops
    seen behind the plan, whatever the ``state``.
    """

    trigger: int
    checked: int
    state: TriggerState


@dataclass(frozen=True, slots=True)
class Available:
    """A stored plan of ``size`` ops that all match, with its triggers as they were by then.

    ``always``: one of them is ``Always``. ``triggers`` holds the ``OnOperations`` ones.
    """

    plan: PlanId
    size: int
    always: bool
    triggers: tuple[TriggerProgress, ...]


@dataclass(frozen=True, slots=True)
class FuserStanding:
    """Where one fuser stands in one block: what ``FuserScored`` said last."""

    fuser: str
    status: FuserStatus
    ready: bool
    score: int
    length: int
    terms: tuple[ScoreTerms, ...]


@dataclass(frozen=True, slots=True)
class LastRefusal:
    """The op at which a fuser refused, and why."""

    fuser: str
    position: int
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class Winner:
    """How the competition in a block ended: ``fuser`` is ``None`` when nobody had a score."""

    fuser: str | None
    score: int
    ordering: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BlockState:
    """A block of the search.

    ``positions`` are its ops in the block's own order (after a merge: those of the base first);
    ``fusers`` are in registry order. ``number`` is what a learner calls the block: the lowest
    free number from 1 when it opened; a merged block keeps the lower of the two.
    """

    block: BlockId
    positions: tuple[int, ...]
    fusers: tuple[FuserStanding, ...] = ()
    number: int = field(default=0, compare=False)
    depends_on: tuple[BlockId, ...] | None = field(default=None, compare=False)
    refusals: tuple[LastRefusal, ...] = field(default=(), compare=False)
    winner: Winner | None = field(default=None, compare=False)

    def standing(self, fuser: str) -> FuserStanding | None:
        """The standing of one fuser; ``None`` before it was asked."""
        return next((s for s in self.fusers if s.fuser == fuser), None)

    def refusal(self, fuser: str) -> LastRefusal | None:
        """The last refusal of one fuser; ``None`` when it took everything."""
        return next((r for r in self.refusals if r.fuser == fuser), None)


class ScopeKind(Enum):
    """What a span works on instead of the stream's own blocks."""

    MERGE = "merge"
    """A trial copy of one block."""
    SETTLING = "settling"
    """Copies of all blocks, on the way to a strategy."""
    HOLES = "holes"
    """A nested search over the ops that no block claimed."""


@dataclass(frozen=True, slots=True)
class Scope:
    """An open span whose facts must not touch the blocks outside it.

    ``step`` is the step of the fact that opened it. Facts inside a nested search count its holes:
    ``positions`` maps such a number to a position of the segment (``None``: they are the same).
    Blocks always hold positions of the segment.
    """

    step: int
    kind: ScopeKind
    blocks: tuple[BlockState, ...]
    positions: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class ExplorerState:
    """The counters of a stream's explorer, under burn's names."""

    num_deferred: int = 0
    num_explored: int = 0
    still: bool = True
    num_explorations: int = 0


@dataclass(frozen=True, slots=True)
class StreamState:
    """One stream: its queue, what the policy compares, and the running search.

    ``blocks`` are sorted by their lowest position; ``stopped`` tells that the optimizer takes no
    more ops. ``scopes`` are the open spans, outermost first; ``settled`` keeps the blocks as the
    last settling left them, until the segment has run; ``trial`` is the last copy that a merge was
    tried on.
    """

    stream: StreamId
    queue: QueueState = QueueState()
    candidates: tuple[Candidate, ...] = ()
    availables: tuple[Available, ...] = ()
    explorer: ExplorerState = ExplorerState()
    blocks: tuple[BlockState, ...] = ()
    stopped: bool = False
    mode: ExecutionMode | None = field(default=None, compare=False)
    scopes: tuple[Scope, ...] = field(default=(), compare=False)
    settled: tuple[BlockState, ...] | None = field(default=None, compare=False)
    trial: BlockState | None = field(default=None, compare=False)

    @property
    def visible_blocks(self) -> tuple[BlockState, ...]:
        """The blocks to look at now: inside a settling its copies, after it their final form."""
        for scope in self.scopes:
            if scope.kind is ScopeKind.SETTLING:
                return scope.blocks
        return self.blocks if self.settled is None else self.settled


@dataclass(frozen=True, slots=True)
class PlanState:
    """A stored plan. ``runs`` counts its executions, ``hits`` those that needed no search."""

    operations: tuple[OperationIr, ...]
    triggers: tuple[ExecutionTrigger, ...]
    strategy: ExecutionStrategy
    ordering: tuple[int, ...]
    runs: int = field(default=0, compare=False)
    hits: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Execution:
    """The last execution: what ran, under which plan, and the launches it has made so far."""

    step: int
    stream: StreamId
    plan: PlanId | None
    strategy: ExecutionStrategy
    blocks: tuple[ExecutedBlock, ...]
    fallback: bool
    launches: tuple[KernelLaunched, ...] = ()


@dataclass(frozen=True, slots=True)
class LabState:
    """Everything at one moment.

    ``streams`` are sorted by id; ``plans[i]`` is the plan with id ``i``. ``live`` are the tensors
    that hold a buffer, sorted: an ``Init`` from the moment it is queued, other tensors from the
    launch that writes them, until their buffer is freed.
    """

    streams: tuple[StreamState, ...] = ()
    plans: tuple[PlanState, ...] = ()
    live: tuple[int, ...] = field(default=(), compare=False)
    launches: int = field(default=0, compare=False)
    execution: Execution | None = field(default=None, compare=False)

    def stream(self, stream: StreamId) -> StreamState | None:
        """The state of one stream; ``None`` while it does not exist."""
        return next((s for s in self.streams if s.stream == stream), None)
