"""NHWCRelayout: element-wise ops that write their result channels-last for a pooling op.

Source: burn-cubecl-fusion, optim/nhwc_relayout/fuser.rs.
"""

from __future__ import annotations

from typing import Self

from fusionlab.fusers.base import (
    FuserAnswer,
    FuserProperties,
    FuserStatus,
    Refusal,
    RefusalCode,
)
from fusionlab.fusers.fuse_trace import ELEMENTWISE_SETTINGS, empty_trace
from fusionlab.fusers.fused import Fusion, TraceFuser, answer_of, refuse
from fusionlab.fusers.scoring import evaluate
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import OPSET
from fusionlab.ir.tensor import TensorStatus

POOLS = frozenset(
    OPSET[f"Module::{variant}"]
    for variant in (
        "AvgPool1d AvgPool2d AdaptiveAvgPool1d AdaptiveAvgPool2d MaxPool1d MaxPool2d "
        "MaxPool1dWithIndices MaxPool2dWithIndices Interpolate"
    ).split()
)
"""The ops that prefer channels-last input."""

RELAYOUT_BONUS = 100
"""Points for sparing the pooling op its own relayout."""

_CLOSED = refuse(Refusal(RefusalCode.CLOSED))


class NHWCRelayoutFuser(TraceFuser):
    """An element-wise trace and the pooling op that ends it."""

    __slots__ = ("closed", "pool")
    name = "NHWCRelayout"

    def reset(self) -> None:
        """Start over."""
        self.trace = empty_trace(ELEMENTWISE_SETTINGS, self.max_bindings)
        self.pool: OperationIr | None = None
        self.closed = False

    def fuse(self, op: OperationIr) -> FuserAnswer:
        """Offer one relative op; a pooling op that is its input's last reader ends the kernel."""
        if self.closed:
            return _CLOSED
        if op.spec in POOLS and op.inputs[0].status is TensorStatus.READ_WRITE:
            self.pool = op
            self.closed = True
            return FuserAnswer(None, FuserStatus.CLOSED)
        fused = self.trace.fuse(op)
        self.trace = fused.trace
        self.closed = self.trace.closed
        return answer_of(fused, self.status)

    @property
    def is_open(self) -> bool:
        """Whether neither the pooling op nor the trace has closed the kernel."""
        return not self.closed

    @property
    def is_ready(self) -> bool:
        """Both an element-wise part and a pooling op are needed."""
        return self.trace.num_ops > 0 and self.pool is not None

    def properties(self) -> FuserProperties:
        """The element-wise score, and a bonus for the pooling op."""
        terms = self.trace.terms(RELAYOUT_BONUS if self.pool is not None else 0)
        return FuserProperties(self.is_ready, evaluate(terms), (terms,))

    def __len__(self) -> int:
        """The element-wise part and the pooling op."""
        return self.trace.num_ops + (self.pool is not None)

    def finish(self, operations: tuple[OperationIr, ...]) -> Fusion:
        """An element-wise kernel that writes channels-last, then the pooling op."""
        return Fusion(self.name, operations, self.trace.max_shape_id())

    def clone(self) -> Self:
        """A copy: the trace is immutable."""
        new = object.__new__(type(self))
        new.max_bindings, new.trace = self.max_bindings, self.trace
        new.pool, new.closed = self.pool, self.closed
        return new
