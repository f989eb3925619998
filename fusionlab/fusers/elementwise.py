"""ElementWise: any chain of element-wise ops as one kernel.

Source: burn-cubecl-fusion, optim/elemwise/fuser.rs.
"""

from __future__ import annotations

from typing import Self

from fusionlab.fusers.base import FuserAnswer
from fusionlab.fusers.fuse_trace import ELEMENTWISE_SETTINGS, empty_trace
from fusionlab.fusers.fused import Fusion, TraceFuser, answer_of
from fusionlab.ir.operation import OperationIr


class ElementWiseFuser(TraceFuser):
    """One trace that takes whatever a recipe exists for."""

    __slots__ = ()
    name = "ElementWise"

    def reset(self) -> None:
        """Start over."""
        self.trace = empty_trace(ELEMENTWISE_SETTINGS, self.max_bindings)

    def fuse(self, op: OperationIr) -> FuserAnswer:
        """Offer one relative op."""
        fused = self.trace.fuse(op)
        self.trace = fused.trace
        return answer_of(fused, self.status)

    @property
    def is_ready(self) -> bool:
        """One op is enough, whatever its score."""
        return self.trace.num_ops > 0

    def __len__(self) -> int:
        """Every op taken, views and drops included."""
        return self.trace.num_ops

    def finish(self, operations: tuple[OperationIr, ...]) -> Fusion:
        """One kernel over all of them."""
        return Fusion(self.name, operations, self.trace.max_shape_id())

    def clone(self) -> Self:
        """A copy: the trace is immutable."""
        new = type(self)(self.max_bindings)
        new.trace = self.trace
        return new
