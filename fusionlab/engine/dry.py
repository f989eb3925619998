"""A backend that computes nothing: decisions only, for conformance and for measuring the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr
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
