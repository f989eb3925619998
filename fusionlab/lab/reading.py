"""What a program reads: previews for the screen, and the check against plain NumPy.

In: arrays as the server returned them. Out: ``ReadValue`` records.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from fusionlab.engine.client import FusionClient
from fusionlab.errors import FusionLabError
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP, INIT
from fusionlab.ir.tensor import DType, StreamId, TensorId, TensorIr, TensorStatus
from fusionlab.kernels.dtypes import Array, convert
from fusionlab.kernels.reference import run_operation
from fusionlab.program import Program, execute

PREVIEW_LENGTH: Final = 8
"""How many values a preview shows."""

_TOLERANCE: Final = {DType.F64: 1e-9, DType.F16: 4e-3, DType.BF16: 3e-2}
"""Relative; what is not listed has 2e-5. A fused kernel rounds at other places than NumPy."""


def first_values(array: Array) -> tuple[float | int | bool, ...]:
    """The first values in row-major order, as Python numbers."""
    return tuple(value.item() for value in array.ravel()[:PREVIEW_LENGTH])


def agree(array: Array, expected: Array, dtype: DType) -> bool:
    """Whether two results are the same within what rounding may change (NaN equals NaN)."""
    if array.shape != expected.shape:
        return False
    if not dtype.is_float:
        return bool(np.array_equal(array, expected))
    tolerance = _TOLERANCE.get(dtype, 2e-5)
    with np.errstate(all="ignore"):
        finite = np.abs(expected[np.isfinite(expected)])
        scale = float(finite.max()) if finite.size else 1.0
        return bool(
            np.allclose(array, expected, rtol=tolerance, atol=tolerance * scale, equal_nan=True)
        )


class Expected:
    """The values that op-by-op NumPy reads, in the order of the program's reads."""

    def __init__(self, program: Program, seed: int) -> None:
        """Compute the whole program once, nothing queued and nothing fused."""
        self._values: list[Array] = []
        self._next = 0
        try:
            execute(program, FusionClient(_EagerServer(seed)), self._keep)
        except FusionLabError:
            # The run proper fails at the same op and says so; what was read before is kept.
            return

    def _keep(self, _: int, array: Array | None) -> None:
        if array is not None:
            self._values.append(array)

    def agrees(self, array: Array, dtype: DType) -> bool:
        """Whether the next read agrees."""
        if self._next >= len(self._values):
            return False
        expected = self._values[self._next]
        self._next += 1
        return agree(array, expected, dtype)


class _EagerServer:
    """Runs each op at once, as NumPy means it."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._arrays: dict[int, Array] = {}

    def register(self, stream: StreamId, operation: OperationIr) -> None:  # noqa: ARG002
        if operation.spec is not INIT and operation.spec is not DROP:
            inputs = [self._arrays[tensor.id] for tensor in operation.inputs]
            outputs = run_operation(operation, inputs, self._seed)
            for tensor, array in zip(operation.outputs, outputs, strict=True):
                self._arrays[tensor.id] = array
        for tensor in operation.inputs:
            if tensor.status is TensorStatus.READ_WRITE:
                self._arrays.pop(tensor.id, None)

    def drain(self, stream: StreamId) -> None:
        """Nothing waits."""

    def upload(self, tensor: TensorIr, data: Array) -> None:
        self._arrays[tensor.id] = convert(data, tensor.dtype)

    def read(self, stream: StreamId, tensor: TensorIr) -> Array:  # noqa: ARG002
        return self._arrays[tensor.id]

    def share_view(self, source_stream: StreamId, source: TensorId, view: TensorId) -> None:  # noqa: ARG002
        self._arrays[view] = self._arrays[source]

    def foreign_drop(self, stream: StreamId, tensor: TensorIr) -> None:  # noqa: ARG002
        self._arrays.pop(tensor.id, None)
