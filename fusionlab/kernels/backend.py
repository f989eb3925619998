"""The backend of a lab that computes: buffers by tensor id, NumPy ops and generated kernels.

In: what the server asks for. Out: launches and values. One a run, one thread at a time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from fusionlab.errors import ExecutionError
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr, TensorStatus
from fusionlab.kernels.device import KernelMode
from fusionlab.kernels.dtypes import Array, convert
from fusionlab.kernels.executor import KernelExecutor
from fusionlab.kernels.handles import HandleContainer
from fusionlab.kernels.launch import Launch
from fusionlab.plan import FusedOperation


class KernelBackend:
    """An executor with its handles, and a limit on the seconds that it may compute."""

    def __init__(self, seed: int, mode: KernelMode, seconds: float) -> None:
        """No buffers; ``seconds`` bounds the run from now on."""
        self.handles = HandleContainer()
        self._executor = KernelExecutor(self.handles, seed, mode)
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

    @property
    def sources(self) -> Mapping[str, str]:
        """The text of every kernel used so far, by ``source_id``."""
        return self._executor.sources

    def run_operation(self, op: OperationIr) -> Launch:
        """Run one op on its own."""
        self._check_time(op.kind)
        return self._executor.run_operation(op)

    def run_fused(
        self, fused: FusedOperation, operations: Sequence[OperationIr]
    ) -> tuple[Launch, ...]:
        """Run a fused operation over these global ops."""
        self._check_time(fused.fuser)
        return self._executor.run_fused(fused, operations)

    def _check_time(self, op: str) -> None:
        if time.monotonic() > self._deadline:
            raise ExecutionError("too_slow", op=op, limit=self._seconds)

    def upload(self, tensor: TensorIr, data: Array) -> None:
        """Give a new tensor its values."""
        self.handles.register(tensor.id, convert(data, tensor.dtype))

    def fetch(self, tensor: TensorIr) -> Array:
        """A copy of the tensor's values; its last use gives the buffer back."""
        data = self.handles.read(tensor.id)
        if tensor.status is TensorStatus.READ_WRITE:
            self.handles.free(tensor.id)
        return data

    def __contains__(self, tensor: int) -> bool:
        """Whether the tensor has a buffer."""
        return tensor in self.handles

    def free(self, tensor: int) -> None:
        """Give a buffer back."""
        self.handles.free(tensor)

    def share(self, source: int, target: int) -> None:
        """Let ``target`` see the buffer of ``source``."""
        self.handles.register(target, self.handles.get(source))
