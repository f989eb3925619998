"""Matmul: a matrix product with element-wise ops behind it.

The product itself counts neither as an op nor as reads or writes of the score.

Source: burn-cubecl-fusion, optim/matmul/fuser.rs. Deviation: burn panics when the product is
quantised; we close.
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
from fusionlab.ir.tensor import DType

MATMUL = OPSET["Float::Matmul"]
_SETTINGS = FuseSettings(broadcast=True, shape_updates=False)
_CLOSED = refuse(Refusal(RefusalCode.CLOSED))


class MatmulFuser(TraceFuser):
    """A trace behind the product, and a second one for running the epilogue on its own."""

    __slots__ = ("fallback", "matmul")
    name = "Matmul"

    def reset(self) -> None:
        """Start over."""
        self.trace = empty_trace(_SETTINGS, self.max_bindings)
        self.fallback = empty_trace(ELEMENTWISE_SETTINGS, self.max_bindings)
        self.matmul: OperationIr | None = None

    def fuse(self, op: OperationIr) -> FuserAnswer:
        """Offer one relative op: first the product, then its epilogue."""
        if self.trace.closed:
            return _CLOSED
        if self.matmul is None:
            return self._start(op)
        tried = try_both(self.trace, self.fallback, op)
        if isinstance(tried, Fused):
            self._close()
            return FuserAnswer(tried.refusal, FuserStatus.CLOSED, closings_of(tried))
        self.trace, self.fallback = tried[0].trace, tried[1].trace
        return FuserAnswer(None, self.status)

    def _start(self, op: OperationIr) -> FuserAnswer:
        """Take the product. Burn closes silently on anything else."""
        if op.spec is not MATMUL:
            self._close()
            return refuse(Refusal(RefusalCode.NOT_MATMUL))
        trace = self.trace.copy()
        try:
            for operand in op.inputs:
                if operand.dtype is DType.QFLOAT:
                    trace.read_quantized(operand)
                else:
                    trace.read_unhandled(operand)
            trace.write_unhandled(op.outputs[0])
        except RefusedError as refused:
            self._close()
            return refuse(refused.refusal)
        self.trace, self.matmul = trace, op
        return FuserAnswer(None, self.status)

    def _close(self) -> None:
        self.trace, self.fallback = self.trace.close(), self.fallback.close()

    @property
    def is_ready(self) -> bool:
        """A product on its own is never worth fusing."""
        return self.trace.num_ops > 0

    def __len__(self) -> int:
        """The epilogue and the product (burn counts the product even before it comes)."""
        return self.trace.num_ops + 1

    def finish(self, operations: tuple[OperationIr, ...]) -> Fusion:
        """The product with its epilogue."""
        return Fusion(self.name, operations, highest_shape_id((self.trace, self.fallback)))

    def clone(self) -> Self:
        """A copy: the traces are immutable."""
        new = type(self)(self.max_bindings)
        new.trace, new.fallback, new.matmul = self.trace, self.fallback, self.matmul
        return new
