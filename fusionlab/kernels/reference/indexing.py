"""Reading and writing by index: gather, select, scatter and their n-dimensional forms.

An index outside its dimension is an error; burn has no negative indices. Where several values meet
at one place they are combined in order of appearance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fusionlab.errors import ExecutionError, UnsupportedError
from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.reference.registry import Call, meaning


def checked(call: Call, indices: Array, extent: int) -> Array:
    """The indices as int64.

    Raises:
        ExecutionError: One of them lies outside 0..extent.
    """
    if indices.size and (indices.min() < 0 or indices.max() >= extent):
        bad = indices.min() if indices.min() < 0 else indices.max()
        raise ExecutionError("index_outside", op=call.op.kind, index=int(bad), extent=extent)
    return indices.astype(np.int64)


def _positions(call: Call, indices: Array, dim: int, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """Full coordinates of the elements that ``indices`` names along ``dim``."""
    grid: list[Array] = list(np.indices(indices.shape, sparse=True))
    grid[dim] = checked(call, indices, shape[dim])
    return tuple(grid)


@meaning("Base*::Gather", stored=True)
def _gather(call: Call) -> Array:
    tensor, indices = call.inputs
    return tensor[_positions(call, indices, call.integer("dim"), tensor.shape)]


@meaning("Base*::Select", stored=True)
def _select(call: Call) -> Array:
    tensor, indices = call.inputs
    dim = call.integer("dim")
    return np.take(tensor, checked(call, indices, tensor.shape[dim]), axis=dim)


@meaning("Base*::Scatter")
def _scatter(call: Call) -> Array:
    tensor, indices, value = call.inputs
    where = _positions(call, indices, call.integer("dim"), tensor.shape)
    window = tuple(slice(extent) for extent in indices.shape)
    return _update(call, tensor, where, value[window], "update")


@meaning("Base*::SelectAssign")
def _select_assign(call: Call) -> Array:
    tensor, indices, value = call.inputs
    dim = call.integer("dim")
    where = (slice(None),) * dim + (checked(call, indices, tensor.shape[dim]),)
    return _update(call, tensor, where, value, "update")


@meaning("Base*::ScatterNd")
def _scatter_nd(call: Call) -> Array:
    data, indices, values = call.inputs
    return _update(call, data, _coordinates(call, data, indices), values, "reduction")


@meaning("Base*::GatherNd", stored=True)
def _gather_nd(call: Call) -> Array:
    data, indices = call.inputs
    return data[_coordinates(call, data, indices)]


def _coordinates(call: Call, data: Array, indices: Array) -> tuple[Array, ...]:
    """The last axis of ``indices`` holds one coordinate for each leading dimension of ``data``."""
    return tuple(
        checked(call, indices[..., axis], data.shape[axis]) for axis in range(indices.shape[-1])
    )


def _update(
    call: Call, tensor: Array, where: tuple[Any, ...], value: Array, argument: str
) -> Array:
    """A copy of ``tensor`` with ``value`` combined into the places ``where``."""
    kind = call.optional(argument, "Add")
    result = tensor.copy()
    if kind == "Assign":
        result[where] = value
        return result
    names = {"Add": np.add, "Mul": np.multiply, "Min": np.minimum, "Max": np.maximum}
    if not isinstance(kind, str) or kind not in names:
        raise UnsupportedError("index_update", op=call.op.kind, update=repr(kind))
    combine = np.logical_or if tensor.dtype == np.bool_ and kind == "Add" else names[kind]
    combine.at(result, where, value)
    return result
