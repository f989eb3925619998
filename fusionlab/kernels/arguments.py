"""How each parameter of a kernel gets its value at a launch.

Every parameter becomes a small function of (arrays by relative id, global ops). They are made once
for a kernel, because collecting arguments is most of what a small launch costs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from fusionlab.ir.operation import OperationIr, Scalar
from fusionlab.ir.tensor import DType, TensorIr
from fusionlab.kernels.codegen.params import ArrayParam, ExtentParam, Param, ScalarParam, ScaleParam
from fusionlab.kernels.dtypes import Array, scalar_value
from fusionlab.kernels.reference import run_operation

Operations = Sequence[OperationIr]
Arrays = Mapping[int, Array]
Maker = Callable[[Arrays, Operations], Any]

_AS_THEY_ARE = frozenset({DType.F32, DType.F64, DType.FLEX32})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tensor is described: which op of the fused operation, which of its nodes."""

    position: int
    output: bool
    index: int

    def find(self, operations: Operations) -> TensorIr:
        """The tensor's description in these (global) ops."""
        op = operations[self.position]
        return (op.outputs if self.output else op.inputs)[self.index]


def maker(
    param: Param, operations: Operations, places: Mapping[int, Place], in_memory: Collection[int]
) -> Maker:
    """The function that makes one argument.

    Args:
        param: What the kernel wants.
        operations: The relative ops.
        places: Where the tensors are described.
        in_memory: The tensors that have an array at the launch.
    """
    match param:
        case ArrayParam():
            return _array_maker(param)
        case ExtentParam():
            if param.tensor in in_memory:
                return _extent_of_array(param, len(places[param.tensor].find(operations).shape))
            return _extent_maker(param, places[param.tensor])
        case ScalarParam():
            return _scalar_maker(param, operations[param.position])
        case ScaleParam():
            return lambda arrays, _: getattr(arrays[param.tensor], "scale", 1.0)


def _array_maker(param: ArrayParam) -> Maker:
    tensor, shaped = param.tensor, _shaper(param)
    if param.view is not None:
        position = param.view
        # A view only moves elements, so its NumPy meaning is a view as well.
        return lambda arrays, ops: shaped(run_operation(ops[position], [arrays[tensor]])[0])
    return lambda arrays, _: shaped(arrays[tensor])


def _shaper(param: ArrayParam) -> Callable[[Array], Array]:
    """The array as the kernel sees it: collapsed dimensions, f16 as bits, codes without scale."""
    reshaped = _reshaper(param.groups)
    if param.dtype is DType.F16:
        return lambda array: reshaped(array.view(np.uint16))
    if param.dtype is DType.QFLOAT:
        return lambda array: reshaped(array.view(np.ndarray))
    return reshaped


def _reshaper(groups: tuple[tuple[int, ...], ...] | None) -> Callable[[Array], Array]:
    if groups is None:
        return lambda array: array
    if len(groups) < 2:
        return lambda array: array.reshape(-1)
    return lambda array: array.reshape([prod([array.shape[d] for d in dims]) for dims in groups])


def _extent_of_array(param: ExtentParam, rank: int) -> Maker:
    tensor, dims = param.tensor, param.dims
    if len(dims) == rank:
        return lambda arrays, _: arrays[tensor].size
    if len(dims) == 1:
        (dim,) = dims
        return lambda arrays, _: arrays[tensor].shape[dim]
    return lambda arrays, _: prod([arrays[tensor].shape[dim] for dim in dims])


def _extent_maker(param: ExtentParam, place: Place) -> Maker:
    """From the description of a tensor that never touches memory."""
    dims = param.dims

    def product(_: Arrays, ops: Operations) -> int:
        shape = place.find(ops).shape
        return prod([shape[dim] for dim in dims])

    return product


def _scalar_maker(param: ScalarParam, op: OperationIr) -> Maker:
    position, dtype = param.position, param.dtype
    index = [name for name, _ in op.args].index(param.argument)
    plain = dtype in _AS_THEY_ARE

    def value(_: Arrays, ops: Operations) -> Any:
        scalar = ops[position].args[index][1]
        if plain and isinstance(scalar, Scalar) and type(scalar.value) is float:
            return scalar.value
        return scalar_value(scalar, dtype)

    return value
