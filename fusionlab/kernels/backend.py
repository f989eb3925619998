"""The backend of a lab that computes: an executor with a limit on the seconds that it may run.

In: what the server asks for. Out: launches and values. One a run, one thread at a time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from fusionlab.errors import ExecutionError
from fusionlab.ir.operation import OperationIr
from fusionlab.kernels.device import KernelMode
from fusionlab.kernels.executor import KernelExecutor
from fusionlab.kernels.handles import HandleContainer
from fusionlab.kernels.launch import Launch
from fusionlab.plan import FusedOperation


class TimedExecutor(KernelExecutor):
    """Starts no unit once its time is up; every later one fails with ``too_slow``."""

    def __init__(self, seed: int, mode: KernelMode, seconds: float) -> None:
        """No buffers; ``seconds`` bounds the run from now on."""
        super().__init__(HandleContainer(), seed, mode)
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

    def run_operation(self, op: OperationIr) -> Launch | None:
        """Run one op on its own."""
        self._check_time(op.kind)
        return super().run_operation(op)

    def run_fused(
        self, fused: FusedOperation, operations: Sequence[OperationIr]
    ) -> tuple[Launch, ...]:
        """Run a fused operation over these global ops."""
        self._check_time(fused.fuser)
        return super().run_fused(fused, operations)

    def _check_time(self, op: str) -> None:
        if time.monotonic() > self._deadline:
            raise ExecutionError("too_slow", op=op, limit=self._seconds)
