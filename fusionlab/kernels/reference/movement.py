"""Ops that move elements without changing them. Where NumPy can, the result is a view."""

from __future__ import annotations

import numpy as np

from fusionlab.errors import ExecutionError
from fusionlab.ir.operation import ArgValue, Slice
from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.reference.registry import Call, meaning


@meaning("Base*::Reshape", stored=True)
def _reshape(call: Call) -> Array:
    return call.inputs[0].reshape(call.shape)


@meaning("Base*::SwapDims", stored=True)
def _swap_dims(call: Call) -> Array:
    return call.inputs[0].swapaxes(call.integer("dim1"), call.integer("dim2"))


@meaning("Base*::Permute", stored=True)
def _permute(call: Call) -> Array:
    return call.inputs[0].transpose(call.integers("axes"))


@meaning("Base*::Flip", stored=True)
def _flip(call: Call) -> Array:
    return np.ascontiguousarray(np.flip(call.inputs[0], call.integers("axes")))


@meaning("Base*::Expand", stored=True)
def _expand(call: Call) -> Array:
    return np.broadcast_to(call.inputs[0], call.shape, subok=True)


@meaning("Base*::Unfold", stored=True)
def _unfold(call: Call) -> Array:
    dim, size, step = call.integer("dim"), call.integer("size"), call.integer("step")
    array = call.inputs[0]
    if size > array.shape[dim]:
        return np.zeros(call.shape, array.dtype)
    windows = np.lib.stride_tricks.sliding_window_view(array, size, axis=dim)
    return windows[(slice(None),) * dim + (slice(None, None, step),)]


@meaning("Base*::RepeatDim", stored=True)
def _repeat_dim(call: Call) -> Array:
    repeats = [1] * call.inputs[0].ndim
    repeats[call.integer("dim")] = call.integer("times")
    return np.tile(call.inputs[0], repeats)


@meaning("Base*::Cat", stored=True)
def _cat(call: Call) -> Array:
    return np.concatenate(call.inputs, axis=call.integer("dim"))


@meaning("Base*::Slice", stored=True)
def _slice(call: Call) -> Array:
    return call.inputs[0][ranges_of(call)]


@meaning("Base*::SliceAssign", stored=True)
def _slice_assign(call: Call) -> Array:
    result = call.inputs[0].copy()
    result[ranges_of(call)] = call.inputs[1]
    return result


def ranges_of(call: Call) -> tuple[slice, ...]:
    """The op's ranges as Python slices; dimensions without a range are taken whole.

    Raises:
        ExecutionError: A range ends behind its dimension.
    """
    ranges = call.op.arg("ranges")
    items = ranges if isinstance(ranges, tuple) else ()
    shape = call.inputs[0].shape
    return tuple(_python_slice(call, item, shape[dim]) for dim, item in enumerate(items))


def _python_slice(call: Call, item: ArgValue, extent: int) -> slice:
    """One range. A negative step walks the same elements from the last to the first."""
    if not isinstance(item, Slice):
        raise TypeError(f"not a range: {item!r}")
    start = item.start + extent if item.start < 0 else item.start
    end = extent if item.end is None else item.end
    end = end + extent if end < 0 else end
    if not 0 <= start <= end <= extent:
        raise ExecutionError("range_outside", op=call.op.kind, start=start, end=end, extent=extent)
    if item.step > 0 or start == end:
        return slice(start, end, abs(item.step))
    return slice(end - 1, start - 1 if start else None, item.step)


@meaning("Base*::MaskWhere")
def _mask_where(call: Call) -> Array:
    tensor, mask, value = call.inputs
    return np.where(np.not_equal(mask, 0), value, tensor)


@meaning("Base*::MaskFill")
def _mask_fill(call: Call) -> Array:
    tensor, mask = call.operands()[0], call.inputs[1]
    return np.where(np.not_equal(mask, 0), call.scalar("value"), tensor)
