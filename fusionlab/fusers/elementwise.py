"""ElementWise: any chain of element-wise ops as one kernel.

Source: burn-cubecl-fusion, optim/elemwise/fuser.rs.
"""

from __future__ import annotations

from typing import Self

from fusionlab.fusers.base import FuserAnswer, FuserProperties, FuserStatus
from fusionlab.fusers.fuse_trace import ELEMENTWISE_SETTINGS, FuseTrace, empty_trace
from fusionlab.fusers.fused import Fusion, answer_of, status_of
from fusionlab.fusers.scoring import evaluate
from fusionlab.ir.operation import OperationIr


class ElementWiseFuser:
    """One trace that takes whatever a recipe exists for."""

    __slots__ = ("max_bindings", "trace")
    name = "ElementWise"

    def __init__(self, max_bindings: int, trace: FuseTrace | None = None) -> None:
        """An empty fuser; ``max_bindings`` is the most buffers that one kernel may bind."""
        self.max_bindings = max_bindings
        self.trace = trace or empty_trace(ELEMENTWISE_SETTINGS, max_bindings)

    def fuse(self, op: OperationIr) -> FuserAnswer:
        """Offer one relative op."""
        fused = self.trace.fuse(op)
        self.trace = fused.trace
        return answer_of(fused, self.status)

    @property
    def status(self) -> FuserStatus:
        """Open while the trace takes ops."""
        return status_of(is_open=self.is_open)

    @property
    def is_open(self) -> bool:
        """Whether the trace still takes ops."""
        return not self.trace.closed

    @property
    def is_ready(self) -> bool:
        """One op is enough, whatever its score."""
        return self.trace.num_ops > 0

    def properties(self) -> FuserProperties:
        """The trace's score."""
        terms = self.trace.terms()
        return FuserProperties(self.is_ready, evaluate(terms), (terms,))

    def __len__(self) -> int:
        """Every op taken, views and drops included."""
        return self.trace.num_ops

    def finish(self, operations: tuple[OperationIr, ...]) -> Fusion:
        """One kernel over all of them."""
        return Fusion(self.name, operations, self.trace.max_shape_id())

    def reset(self) -> None:
        """Start over."""
        self.trace = empty_trace(ELEMENTWISE_SETTINGS, self.max_bindings)

    def clone(self) -> Self:
        """A copy: the trace is immutable."""
        return type(self)(self.max_bindings, self.trace)
