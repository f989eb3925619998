"""The contract of the five competitors, and the typed answers that they give.

A fuser is offered one relative op at a time and either takes it or closes for good. It never
logs: its answer carries its reason, and every closing line that burn would have printed while
finding it (burn prints one from each trial clone too), in order.

Source: burn-fusion, backend.rs (``OperationFuser``, ``FuserStatus``, ``FuserProperties``).
Deviation: burn's ``fuse`` returns nothing and logs; here it returns its answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol, Self

from fusionlab.ir.operation import OperationIr
from fusionlab.plan import FusedOperation


class FuserStatus(Enum):
    """Whether a fuser can still take ops."""

    OPEN = "open"
    CLOSED = "closed"


class RefusalCode(Enum):
    """Why a fuser did not take an op; the value is the key of the sentence in the catalog."""

    KIND = "kind"
    """This fuser has no rule for the op kind."""
    EMPTY_DROP = "empty_drop"
    """A Drop as the first op."""
    RANK = "rank"
    """The output's rank differs from the trace's."""
    SHAPE = "shape"
    """The output's shape does not fit the trace's."""
    TOO_MANY_OPS = "too_many_ops"
    TOO_MANY_BINDINGS = "too_many_bindings"
    VIEW_SOURCE = "view_source"
    """A view of a tensor that this kernel makes, or that it has not read yet."""
    VIEW_RANK = "view_rank"
    """A reshape to a lower rank."""
    READ_OF_INDEXED = "read_of_indexed"
    """A tensor that is read by index elsewhere in the kernel."""
    INDEX_OF_READ = "index_of_read"
    """Reading by index what the kernel reads or makes element by element."""
    QUANTIZED = "quantized"
    QUANTIZATION_SCHEME = "quantization_scheme"
    NOT_MATMUL = "not_matmul"
    """The matmul fuser starts with a matmul only."""
    REDUCE_INPUT = "reduce_input"
    """The reduce's input does not have the shape of what was fused so far (or nothing was)."""
    REDUCE_INDEXED = "reduce_indexed"
    """The reduce's input is read by index in the same kernel."""
    NO_REDUCE_YET = "no_reduce_yet"
    """A second part may only follow a reduce."""
    VIEWS_BEFORE_REDUCE = "views_before_reduce"
    """A part that holds a view cannot hand its reduce on to another part."""
    NEW_PART = "new_part"
    """Neither the current part nor a fresh one takes the op."""
    INCONSISTENT = "inconsistent"
    """All parts together do not fit one kernel."""
    REDUCE_AXIS = "reduce_axis"
    """Only reductions over the last dimension can be broadcast back."""
    RELAYOUT_DONE = "relayout_done"
    """A pooling op ends the kernel."""
    CLOSED = "closed"
    """The fuser closed at an earlier op."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason with the numbers that its sentence needs, as (name, value) pairs."""

    code: RefusalCode
    detail: tuple[tuple[str, int | str], ...] = ()


class ClosingReason(Enum):
    """The words of burn's ``[fuser] closed on`` line."""

    DROP = "drop on empty fuser"
    BASE = "base fuse rejected"
    FLOAT = "float fuse rejected"
    INT = "int fuse rejected"
    NUMERIC = "numeric fuse rejected"
    UNSUPPORTED = "unsupported op variant"


@dataclass(frozen=True, slots=True)
class Closing:
    """One closing line: what closed a trace and how full it was at that moment."""

    category: str
    reason: ClosingReason
    num_ops: int
    bindings: int
    max_bindings: int


@dataclass(frozen=True, slots=True)
class FuserAnswer:
    """What a fuser says to one op. ``refusal`` is ``None`` when it took the op.

    ``status`` is the fuser's status after the op: a fuser may take an op and close with it.
    """

    refusal: Refusal | None
    status: FuserStatus
    closings: tuple[Closing, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreTerms:
    """The counts behind a score. Reads and writes count tensors, not bytes.

    ``score = max(0, io x 100 + launches x 10 - views x 50)`` with
    ``io = max(0, reads + writes - fused_reads - fused_writes)`` and ``launches = max(0, ops - 1)``;
    ``bonus`` is added on top (relayouts only).
    """

    reads: int = 0
    writes: int = 0
    ops: int = 0
    fused_reads: int = 0
    fused_writes: int = 0
    views: int = 0
    bonus: int = 0


@dataclass(frozen=True, slots=True)
class FuserProperties:
    """What a fuser promises: can it make a kernel now, and how much does that save.

    ``terms`` has one entry a part: several for reduce-broadcasted, whose score is their sum.
    """

    ready: bool
    score: int
    terms: tuple[ScoreTerms, ...]


class OperationFuser(Protocol):
    """One competitor. Instances are cheap to clone: their traces are immutable values."""

    name: str
    """Burn's display name."""

    def fuse(self, op: OperationIr) -> FuserAnswer:
        """Offer one relative op."""

    @property
    def status(self) -> FuserStatus:
        """Open while the fuser may still take ops."""

    @property
    def is_open(self) -> bool:
        """``status is OPEN``, without building anything."""

    @property
    def is_ready(self) -> bool:
        """``properties().ready``, without computing the score."""

    def properties(self) -> FuserProperties:
        """Ready and score, with the counts behind it."""

    def __len__(self) -> int:
        """How many of the offered ops the fused operation would cover."""

    def finish(self, operations: tuple[OperationIr, ...]) -> FusedOperation:
        """The fused operation over ``operations``, the first ``len(self)`` ops of the block."""

    def reset(self) -> None:
        """Forget everything: afterwards the fuser behaves as a new one."""

    def clone(self) -> Self:
        """An independent copy."""
