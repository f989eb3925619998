"""What every op kind of ``OPSET`` computes, in NumPy: the tests' oracle, and what runs un-fused.

``run_operation`` is pure: it never writes to its inputs, and random ops draw from a generator that
is seeded by (lab seed, id of the output tensor), so a program gives the same numbers each time.

Source: the documented behaviour of burn-tensor's ops and of its test suite (burn-backend-tests);
kernels of burn-cubecl where only they decide (for example the remainder's sign).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fusionlab.errors import ExecutionError, UnsupportedError
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import DType, TensorIr
from fusionlab.kernels.dtypes import Array, convert, storage_dtype, widen
from fusionlab.kernels.quantized import QuantizedArray, dequantize
from fusionlab.kernels.reference import (  # noqa: F401 -- importing them declares their meanings
    activations,
    arithmetic,
    attention,
    convolution,
    creation,
    ctc,
    indexing,
    integers,
    layers,
    movement,
    pooling,
    reductions,
    resizing,
    spectra,
)
from fusionlab.kernels.reference.registry import MEANINGS, Call

__all__ = ["MEANINGS", "run_operation"]


def run_operation(op: OperationIr, inputs: Sequence[Array], seed: int = 0) -> list[Array]:
    """Compute one op.

    Args:
        op: The op in global form: true shapes, scalars and ranges.
        inputs: One array per ``op.inputs``, as stored (f16 as float16, bf16 as rounded float32).
        seed: The lab's seed; only random ops look at it.

    Returns:
        One array per ``op.outputs`` with its shape and stored type. They may be views of inputs.

    Raises:
        UnsupportedError: There is no meaning for this kind of op or for one of its arguments.
        ExecutionError: The values do not allow it, for example an index out of range.
    """
    entry = MEANINGS.get(op.spec.event_name)
    if entry is None:
        raise UnsupportedError("op_without_meaning", op=op.kind)
    values = tuple(inputs) if entry.stored else tuple(_values(array) for array in inputs)
    try:
        with np.errstate(all="ignore"):
            result = entry.run(Call(op, values, seed))
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        raise ExecutionError("op_failed", op=op.kind, reason=str(error)) from error
    # NumPy turns results without dimensions into scalars.
    results = [result] if isinstance(result, np.ndarray | np.generic) else list(result)
    outputs = zip(results, op.outputs, strict=True)
    return [_finish(op, np.asanyarray(array), out) for array, out in outputs]


def _values(array: Array) -> Array:
    return dequantize(array) if isinstance(array, QuantizedArray) else widen(array)


def _finish(op: OperationIr, array: Array, out: TensorIr) -> Array:
    """The result in its declared type; its shape must be the declared one."""
    if array.shape != out.shape:
        raise ExecutionError("wrong_shape", op=op.kind, expected=out.shape, got=array.shape)
    if isinstance(array, QuantizedArray) and out.dtype is DType.QFLOAT:
        return array
    if out.dtype is DType.QFLOAT:
        raise UnsupportedError("quantized_output", op=op.kind)
    moved = MEANINGS[op.spec.event_name].stored and array.dtype == storage_dtype(out.dtype)
    return array if moved else convert(array, out.dtype)
