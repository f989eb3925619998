"""A backend that computes nothing: decisions only, for conformance and for measuring the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr, TensorStatus
from fusionlab.kernels.launch import Launch
from fusionlab.plan import FusedOperation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class DryBackend:
    """Has no buffers and launches nothing."""

    def run_operation(self, op: OperationIr) -> Launch | None:  # noqa: ARG002 -- protocol
        """Do nothing."""
        return None

    def run_fused(
        self,
        fused: FusedOperation,  # noqa: ARG002 -- protocol
        operations: Sequence[OperationIr],  # noqa: ARG002 -- protocol
    ) -> Sequence[Launch]:
        """Do nothing."""
        return ()

    def __contains__(self, tensor: int) -> bool:
        """No tensor has a buffer."""
        return False

    def upload(self, tensor: TensorIr, data: NDArray[np.generic]) -> None:
        """Nothing is kept."""

    def fetch(self, tensor: TensorIr) -> None:
        """Nothing is kept."""

    def free(self, tensor: int) -> None:
        """Nothing to free."""

    def share(self, source: int, target: int) -> None:
        """Nothing to share."""


class HandlesOnly(DryBackend):
    """Computes nothing, but knows which tensors would have a buffer (reads and sharing ask)."""

    def __init__(self) -> None:
        """No tensor has a buffer."""
        self._alive: set[int] = set()

    def run_operation(self, op: OperationIr) -> Launch | None:
        """Note the buffers that the op would make."""
        self._alive.update(tensor.id for tensor in op.outputs)
        return super().run_operation(op)

    def run_fused(
        self, fused: FusedOperation, operations: Sequence[OperationIr]
    ) -> Sequence[Launch]:
        """Note the buffers that the kernel would make, until their last use frees them."""
        for op in operations:
            self._alive.update(tensor.id for tensor in op.outputs)
        return super().run_fused(fused, operations)

    def upload(self, tensor: TensorIr, data: NDArray[np.generic]) -> None:  # noqa: ARG002
        """Note the buffer."""
        self._alive.add(tensor.id)

    def fetch(self, tensor: TensorIr) -> None:
        """The last use gives the buffer back."""
        if tensor.status is TensorStatus.READ_WRITE:
            self._alive.discard(tensor.id)

    def __contains__(self, tensor: int) -> bool:
        """Whether the tensor would have a buffer."""
        return tensor in self._alive

    def free(self, tensor: int) -> None:
        """Give a buffer back."""
        self._alive.discard(tensor)

    def share(self, source: int, target: int) -> None:
        """Note that another tensor sees the buffer."""
        if source in self._alive:
            self._alive.add(target)
