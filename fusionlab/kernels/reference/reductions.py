"""Reductions, running totals, sorting and matrix products.

Sums of narrow floats are accumulated in f32 and rounded once. Maximum and minimum propagate NaN;
the index of an extreme value is the first one of a tie (and the first NaN, if there is one).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fusionlab.errors import ExecutionError
from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.reference.arithmetic import divide
from fusionlab.kernels.reference.registry import Call, Meaning, meaning

Reduce = Callable[..., Any]


def total(values: Array, axis: int | None, *, keepdims: bool) -> Array:
    """Sum in the type of the values: integers wrap."""
    return np.asarray(np.sum(values, axis=axis, keepdims=keepdims, dtype=values.dtype))


def product(values: Array, axis: int | None, *, keepdims: bool) -> Array:
    """Product in the type of the values: integers wrap."""
    return np.asarray(np.prod(values, axis=axis, keepdims=keepdims, dtype=values.dtype))


def mean(values: Array, axis: int | None, *, keepdims: bool) -> Array:
    """Sum divided by the number of elements; integers truncate toward zero."""
    count = values.size if axis is None else values.shape[axis]
    summed = total(values, axis, keepdims=keepdims)
    return divide(summed, np.asarray(count).astype(values.dtype))


def largest_size(values: Array, axis: int | None, *, keepdims: bool) -> Array:
    """The largest absolute value."""
    return np.asarray(np.max(np.abs(values), axis=axis, keepdims=keepdims))


_REDUCTIONS: dict[str, Reduce] = {
    "Sum": total,
    "Prod": product,
    "Mean": mean,
    "Max": np.max,
    "Min": np.min,
    "MaxAbs": largest_size,
}


def _nothing_to_pick(call: Call) -> ExecutionError:
    return ExecutionError("empty_reduction", op=call.op.kind)


def _of_all(function: Reduce) -> Meaning:
    def run(call: Call) -> Array:
        values = call.operands()[0]
        return np.asarray(function(values, axis=None, keepdims=False)).reshape(call.shape)

    return run


def _of_dim(function: Reduce) -> Meaning:
    def run(call: Call) -> Array:
        values = call.operands()[0]
        return np.asarray(function(values, axis=call.integer("axis"), keepdims=True))

    return run


for _name, _function in _REDUCTIONS.items():
    meaning(f"Numeric*::{_name}")(_of_all(_function))
    meaning(f"Numeric*::{_name}Dim")(_of_dim(_function))


@meaning("Base*::All")
def _all(call: Call) -> Array:
    return np.asarray(np.all(call.inputs[0])).reshape(call.shape)


@meaning("Base*::Any")
def _any(call: Call) -> Array:
    return np.asarray(np.any(call.inputs[0])).reshape(call.shape)


@meaning("Base*::AllDim")
def _all_dim(call: Call) -> Array:
    return np.asarray(np.all(call.inputs[0], axis=call.integer("axis"), keepdims=True))


@meaning("Base*::AnyDim")
def _any_dim(call: Call) -> Array:
    return np.asarray(np.any(call.inputs[0], axis=call.integer("axis"), keepdims=True))


@meaning("Numeric*::ArgMax")
def _arg_max(call: Call) -> Array:
    return np.asarray(np.argmax(call.inputs[0], axis=call.integer("axis"), keepdims=True))


@meaning("Numeric*::ArgMin")
def _arg_min(call: Call) -> Array:
    return np.asarray(np.argmin(call.inputs[0], axis=call.integer("axis"), keepdims=True))


@meaning("Numeric*::MaxDimWithIndices")
def _max_with_indices(call: Call) -> list[Array]:
    return _picked(call, np.argmax)


@meaning("Numeric*::MinDimWithIndices")
def _min_with_indices(call: Call) -> list[Array]:
    return _picked(call, np.argmin)


def _picked(call: Call, pick: Reduce) -> list[Array]:
    values, dim = call.inputs[0], call.integer("dim")
    if values.shape[dim] == 0:
        raise _nothing_to_pick(call)
    indices = pick(values, axis=dim, keepdims=True)
    return [np.take_along_axis(values, indices, dim), indices]


def _order(values: Array, axis: int, *, descending: bool) -> Array:
    """Indices that sort ``values``; equal elements keep their order, NaN counts as largest."""
    if not descending:
        return np.argsort(values, axis=axis, kind="stable")
    back = np.argsort(np.flip(values, axis), axis=axis, kind="stable")
    return np.flip(values.shape[axis] - 1 - back, axis)


def _top(values: Array, axis: int, count: int) -> list[Array]:
    indices = np.take(_order(values, axis, descending=True), np.arange(count), axis=axis)
    return [np.take_along_axis(values, indices, axis), indices]


@meaning("Numeric*::TopK")
def _top_k(call: Call) -> Array:
    axis = call.integer("axis")
    return _top(call.inputs[0], axis, call.shape[axis])[0]


@meaning("Numeric*::ArgTopK")
def _arg_top_k(call: Call) -> Array:
    axis = call.integer("axis")
    return _top(call.inputs[0], axis, call.shape[axis])[1]


@meaning("Numeric*::TopKWithIndices")
def _top_k_with_indices(call: Call) -> list[Array]:
    return _top(call.inputs[0], call.integer("dim"), call.integer("k", 1))


@meaning("Numeric*::Sort")
def _sort(call: Call) -> Array:
    return _sorted(call)[0]


@meaning("Numeric*::ArgSort")
def _arg_sort(call: Call) -> Array:
    return _sorted(call)[1]


@meaning("Numeric*::SortWithIndices")
def _sort_with_indices(call: Call) -> list[Array]:
    return _sorted(call)


def _sorted(call: Call) -> list[Array]:
    values, dim = call.inputs[0], call.integer("dim")
    indices = _order(values, dim, descending=call.flag("descending"))
    return [np.take_along_axis(values, indices, dim), indices]


def _running(function: np.ufunc) -> Meaning:
    def run(call: Call) -> Array:
        values = call.operands()[0]
        return np.asarray(
            function.accumulate(values, axis=call.integer("axis"), dtype=values.dtype)
        )

    return run


meaning("Numeric*::CumSum")(_running(np.add))
meaning("Numeric*::CumProd")(_running(np.multiply))
meaning("Numeric*::CumMin")(_running(np.minimum))
meaning("Numeric*::CumMax")(_running(np.maximum))


@meaning("Float::Matmul", "Int::Matmul")
def _matmul(call: Call) -> Array:
    left, right = call.operands()
    return np.asarray(np.matmul(left, right))
