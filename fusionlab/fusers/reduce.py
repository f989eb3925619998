"""Reduce: element-wise ops, one reduction over a dimension, element-wise ops on its result.

The reduction itself counts neither as an op nor as reads or writes of the score, but the write
of its result does when the result survives.

Source: burn-cubecl-fusion, optim/reduce/fuser.rs (settings ``Always``). Deviation: burn panics when
a tensor that the kernel reads by index is reduced in it, or when the result is quantised; we close.
"""

from __future__ import annotations

from typing import Self

from fusionlab.fusers.base import (
    FuserAnswer,
    FuserStatus,
    Refusal,
    RefusalCode,
)
from fusionlab.fusers.fuse_trace import (
    ELEMENTWISE_SETTINGS,
    Fused,
    FuseSettings,
    FuseTrace,
    empty_trace,
)
from fusionlab.fusers.fused import (
    Fusion,
    TraceFuser,
    closings_of,
    highest_shape_id,
    refuse,
    try_both,
)
from fusionlab.fusers.recipes import RefusedError
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import OPSET

REDUCES = frozenset(
    [
        OPSET[f"{category}::{variant}"]
        for category in ("NumericFloat", "NumericInt")
        for variant in ("SumDim MeanDim ProdDim ArgMax ArgMin MinDim MaxDim MaxAbsDim".split())
    ]
    + [
        OPSET[f"{category}::{variant}"]
        for category in ("BaseFloat", "BaseInt", "BaseBool")
        for variant in ("AnyDim", "AllDim")
    ]
)
"""The reductions that a kernel can hold."""

_READ_SETTINGS = FuseSettings(broadcast=False, shape_updates=True)
WRITE_SETTINGS = FuseSettings(broadcast=False, shape_updates=False)
_CLOSED = refuse(Refusal(RefusalCode.CLOSED))


class ReduceFuser(TraceFuser):
    """A trace in two blocks (before and after), and traces for running both on their own."""

    __slots__ = ("read_fallback", "reduce", "write_fallback")
    name = "Reduce"

    def reset(self) -> None:
        """Start over."""
        self.trace = empty_trace(_READ_SETTINGS, self.max_bindings)
        self.read_fallback = empty_trace(ELEMENTWISE_SETTINGS, self.max_bindings)
        self.write_fallback = empty_trace(ELEMENTWISE_SETTINGS, self.max_bindings)
        self.reduce: OperationIr | None = None

    def fuse(self, op: OperationIr) -> FuserAnswer:
        """Offer one relative op: what comes before, the reduction, or what comes after."""
        if self.trace.closed:
            return _CLOSED
        if self.reduce is None and op.spec in REDUCES:
            return self._on_reduce(op)
        before = self.reduce is None
        fallback = self.read_fallback if before else self.write_fallback
        tried = try_both(self.trace, fallback, op)
        if isinstance(tried, Fused):
            self._close(before=before)
            return FuserAnswer(tried.refusal, FuserStatus.CLOSED, closings_of(tried))
        self.trace = tried[0].trace
        if before:
            self.read_fallback = tried[1].trace
        else:
            self.write_fallback = tried[1].trace
        return FuserAnswer(None, self.status)

    def _on_reduce(self, op: OperationIr) -> FuserAnswer:
        """Take the reduction when it reduces exactly what was fused so far."""
        source = op.inputs[0]
        if self.trace.shape != source.shape:
            self._close(before=True)
            return refuse(Refusal(RefusalCode.REDUCE_INPUT, (("tensor", source.id),)))
        try:
            trace = self.trace.next_block(WRITE_SETTINGS, (source,))
            trace.write_unhandled(op.outputs[0])
        except RefusedError:
            # Burn panics here (an indexed tensor reduced in the same kernel): close instead.
            self._close(before=True)
            return refuse(Refusal(RefusalCode.REDUCE_INDEXED, (("tensor", source.id),)))
        self.trace, self.reduce = trace, op
        self.read_fallback = self.read_fallback.close()
        return FuserAnswer(None, self.status)

    def _close(self, *, before: bool) -> None:
        self.trace = self.trace.close()
        if before:
            self.read_fallback = self.read_fallback.close()
        else:
            self.write_fallback = self.write_fallback.close()

    @property
    def is_ready(self) -> bool:
        """Without a reduction there is nothing to do for this fuser."""
        return self.reduce is not None

    def __len__(self) -> int:
        """Both sides and the reduction."""
        return self.trace.num_ops + (self.reduce is not None)

    def traces(self) -> tuple[FuseTrace, ...]:
        """The kernel's trace and both fallbacks."""
        return self.trace, self.read_fallback, self.write_fallback

    def finish(self, operations: tuple[OperationIr, ...]) -> Fusion:
        """One kernel: read, reduce, write."""
        return Fusion(self.name, operations, highest_shape_id(self.traces()))

    def clone(self) -> Self:
        """A copy: the traces are immutable."""
        new = object.__new__(type(self))
        new.max_bindings, new.reduce = self.max_bindings, self.reduce
        new.trace, new.read_fallback, new.write_fallback = self.traces()
        return new
