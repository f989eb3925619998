"""ReduceBroadcasted: several reductions over the last dimension and ops that broadcast them back.

The kernel is a row of *parts*: each is a reduce kernel of its own, the last may be purely
element-wise. Every step is simulated first and dropped when all parts together would not fit one
kernel, so burn prints the closing lines of a step twice.

Source: burn-cubecl-fusion, optim/reduce_broadcasted/fuser/{base,block,full,full_analyzer}.rs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Self

from fusionlab.fusers.base import (
    Closing,
    FuserAnswer,
    FuserProperties,
    FuserStatus,
    Refusal,
    RefusalCode,
)
from fusionlab.fusers.full_trace import Part, build_full_trace
from fusionlab.fusers.fused import Fusion, highest_shape_id, refuse, status_of
from fusionlab.fusers.reduce import ReduceFuser
from fusionlab.fusers.scoring import evaluate
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import Shape

_CLOSED = refuse(Refusal(RefusalCode.CLOSED))


class State(Enum):
    """How far the fuser is."""

    STARTING = "starting"
    BROADCASTING = "broadcasting"
    CLOSED = "closed"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class _InnerPart:
    """A part with the fuser that accounts for it. ``fuser`` is never changed once stored."""

    fuser: ReduceFuser
    part: Part

    def taking(self, op: OperationIr, fuser: ReduceFuser) -> _InnerPart:
        """The part after ``fuser`` (a changed copy) took the op."""
        index = self.part.reduce
        if index is None and fuser.reduce is not None:
            index = len(self.part.operations)
        return _InnerPart(fuser, Part((*self.part.operations, op), index))


class ReduceBroadcastedFuser:
    """The parts so far, and the shape that all their reductions share."""

    __slots__ = ("axis", "max_bindings", "num_ops", "parts", "shape", "state")
    name = "ReduceBroadcasted"

    def __init__(self, max_bindings: int) -> None:
        """An empty fuser; ``max_bindings`` is the most buffers that one kernel may bind."""
        self.max_bindings = max_bindings
        self.reset()

    def reset(self) -> None:
        """Start over with one empty part."""
        first = _InnerPart(ReduceFuser(self.max_bindings), Part((), None))
        self.parts: tuple[_InnerPart, ...] = (first,)
        self.state = State.STARTING
        self.shape: Shape = ()
        self.axis = 0
        self.num_ops = 0

    def fuse(self, op: OperationIr) -> FuserAnswer:
        """Offer one relative op."""
        if self.state in (State.CLOSED, State.ABORTED):
            return _CLOSED
        before = self.clone()
        refusal, closings = self._step(op)
        if self.is_ready and self.parts is not before.parts:
            met = self._inconsistency()
            if met is not None:
                self._restore(before)
                self.state = State.CLOSED
                return refuse(Refusal(RefusalCode.INCONSISTENT), (*closings, *met))
        # Burn simulates the step on a copy first, so each of its lines comes twice.
        return FuserAnswer(refusal, self.status, closings * 2)

    def _inconsistency(self) -> tuple[Closing, ...] | None:
        """The closing lines met when all parts do not fit one kernel; ``None`` when they do."""
        full, met = build_full_trace(self._parts(), self.max_bindings)
        covered = sum(len(inner.fuser) for inner in self.parts)
        reduces = sum(part.reduce is not None for part in self._parts())
        return None if full.num_ops + reduces == covered else met

    def _step(self, op: OperationIr) -> tuple[Refusal | None, tuple[Closing, ...]]:
        """Let the last part take the op, or open another part with it."""
        last = self.parts[-1]
        fuser = last.fuser.clone()
        answer = fuser.fuse(op)
        closings = answer.closings
        if len(fuser) > len(last.fuser):
            grown = last.taking(op, fuser)
            self.parts = (*self.parts[:-1], grown)
            self._took(grown)
            return None, closings
        if last.fuser.reduce is None:
            return self._closed(answer.refusal, closings)
        if last.fuser.trace.num_views > 0 and last.fuser.trace.block.local_inputs:
            return self._closed(Refusal(RefusalCode.VIEWS_BEFORE_REDUCE), closings)
        fresh = _InnerPart(ReduceFuser(self.max_bindings), Part((), None))
        answer = fresh.fuser.fuse(op)
        closings += answer.closings
        if len(fresh.fuser) == 0 or not self._continues(fresh.fuser):
            return self._closed(Refusal(RefusalCode.NEW_PART), closings)
        opened = _InnerPart(fresh.fuser, Part((op,), None if fresh.fuser.reduce is None else 0))
        self.parts = (*self.parts, opened)
        self._took(last)
        return None, closings

    def _closed(
        self, refusal: Refusal | None, closings: tuple[Closing, ...]
    ) -> tuple[Refusal, tuple[Closing, ...]]:
        self.state = State.CLOSED
        return refusal or Refusal(RefusalCode.NEW_PART), closings

    def _continues(self, fuser: ReduceFuser) -> bool:
        """Whether a fresh part works on the shape that the reductions share."""
        if fuser.reduce is not None:
            same_axis = fuser.reduce.arg("axis") == self.axis
            return same_axis and fuser.reduce.inputs[0].shape == self.shape
        return fuser.read_fallback.shape == self.shape

    def _took(self, info: _InnerPart) -> None:
        self.num_ops += 1
        reduce = info.fuser.reduce
        if reduce is None:
            return
        source, last = reduce.inputs[0], len(reduce.inputs[0].shape) - 1
        if reduce.arg("axis") != last:
            self.state = State.ABORTED
        else:
            self.state, self.shape, self.axis = State.BROADCASTING, source.shape, last

    def _parts(self) -> tuple[Part, ...]:
        return tuple(inner.part for inner in self.parts)

    @property
    def status(self) -> FuserStatus:
        """Closed by its own state, or because the last part is."""
        return status_of(is_open=self.is_open)

    @property
    def is_open(self) -> bool:
        """Whether another op may be taken."""
        if self.state in (State.CLOSED, State.ABORTED):
            return False
        return self.parts[-1].fuser.is_open

    @property
    def is_ready(self) -> bool:
        """Whether a reduction over the last dimension is part of it."""
        if self.state in (State.STARTING, State.ABORTED):
            return False
        if self.state is State.CLOSED and len(self.parts) == 1:
            return self.parts[0].part.reduce is not None
        return True

    def properties(self) -> FuserProperties:
        """The sum of what each part saves on its own."""
        terms = tuple(inner.fuser.trace.terms() for inner in self.parts)
        return FuserProperties(self.is_ready, sum(map(evaluate, terms)), terms)

    def __len__(self) -> int:
        """Every op taken."""
        return self.num_ops

    def finish(self, operations: tuple[OperationIr, ...]) -> Fusion:
        """One kernel over all parts."""
        full, _ = build_full_trace(self._parts(), self.max_bindings)
        traces = [full, *(trace for inner in self.parts for trace in inner.fuser.traces())]
        return Fusion(self.name, operations, highest_shape_id(traces))

    def clone(self) -> Self:
        """A copy: the parts are immutable."""
        new = object.__new__(type(self))
        new.max_bindings = self.max_bindings
        new._restore(self)
        return new

    def _restore(self, other: Self) -> None:
        """Take over the state of another fuser of the same kind."""
        self.parts, self.state = other.parts, other.state
        self.shape, self.axis, self.num_ops = other.shape, other.axis, other.num_ops
