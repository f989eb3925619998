"""What a fuser hands over at the end, and what the fusers share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from fusionlab.fusers.base import Closing, FuserAnswer, FuserProperties, FuserStatus, Refusal
from fusionlab.fusers.fuse_trace import Fused, FuseTrace
from fusionlab.fusers.scoring import evaluate
from fusionlab.ir.operation import OperationIr


@dataclass(frozen=True, slots=True)
class Fusion:
    """A fused operation: which fuser, which relative ops, which shape ids it relies on."""

    fuser: str
    operations: tuple[OperationIr, ...]
    max_relative_shape_id: int | None


class TraceFuser(ABC):
    """What the fusers around one trace have in common: when they are open, and their score."""

    __slots__ = ("max_bindings", "trace")
    trace: FuseTrace

    def __init__(self, max_bindings: int) -> None:
        """An empty fuser; ``max_bindings`` is the most buffers that one kernel may bind."""
        self.max_bindings = max_bindings
        self.reset()

    @abstractmethod
    def reset(self) -> None:
        """Start over."""

    @property
    @abstractmethod
    def is_ready(self) -> bool:
        """Whether a kernel could be made now."""

    @property
    def is_open(self) -> bool:
        """Whether the kernel may still grow."""
        return not self.trace.closed

    @property
    def status(self) -> FuserStatus:
        """The same as burn spells it."""
        return status_of(is_open=self.is_open)

    def properties(self) -> FuserProperties:
        """The score of everything that the trace holds."""
        terms = self.trace.terms()
        return FuserProperties(self.is_ready, evaluate(terms), (terms,))


def highest_shape_id(traces: Iterable[FuseTrace]) -> int | None:
    """The highest shape id that any of the traces names."""
    ids = (trace.max_shape_id() for trace in traces)
    return max((i for i in ids if i is not None), default=None)


def status_of(*, is_open: bool) -> FuserStatus:
    """The status as burn spells it."""
    return FuserStatus.OPEN if is_open else FuserStatus.CLOSED


def closings_of(*answers: Fused) -> tuple[Closing, ...]:
    """The closing lines of several tries, in order."""
    return tuple(answer.closing for answer in answers if answer.closing is not None)


def answer_of(fused: Fused, status: FuserStatus) -> FuserAnswer:
    """The answer of a fuser that offered the op to a single trace."""
    return FuserAnswer(fused.refusal, status, closings_of(fused))


def refuse(refusal: Refusal, closings: tuple[Closing, ...] = ()) -> FuserAnswer:
    """The answer of a fuser that closed at this op."""
    return FuserAnswer(refusal, FuserStatus.CLOSED, closings)


def try_both(first: FuseTrace, second: FuseTrace, op: OperationIr) -> Fused | tuple[Fused, Fused]:
    """Offer an op to a trace and, only if it takes it, to a second one.

    Returns both results when both take the op, else the one refusal.
    """
    one = first.fuse(op)
    if one.refusal is not None:
        return one
    two = second.fuse(op)
    if two.refusal is not None:
        return two
    return one, two
