"""A fused operation made ready to run: its group, its kernels, and how arguments are collected.

Everything that does not change from launch to launch is worked out once per fused operation; what
the moment decides (which inputs are contiguous, which buffers can be reused) picks a variant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import DType, TensorIr
from fusionlab.kernels.codegen import KernelSource, Variant, generate
from fusionlab.kernels.codegen.params import ArrayParam, ExtentParam, Param, ScalarParam, ScaleParam
from fusionlab.kernels.dtypes import Array, scalar_value
from fusionlab.kernels.group import Group, analyse
from fusionlab.kernels.reference import run_operation
from fusionlab.kernels.reuse import ReuseChance, reuse_chances
from fusionlab.plan import FusedOperation


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tensor is described: which op of the fused operation, which of its nodes."""

    position: int
    output: bool
    index: int

    def find(self, operations: Sequence[OperationIr]) -> TensorIr:
        """The tensor's description in these (global) ops."""
        op = operations[self.position]
        return (op.outputs if self.output else op.inputs)[self.index]


@dataclass(slots=True)
class PreparedFusion:
    """A fused operation with everything that its launches share."""

    fused: FusedOperation
    group: Group
    places: dict[int, Place]
    chances: tuple[ReuseChance, ...]
    sources: dict[Variant, KernelSource] = field(default_factory=dict)

    def source(self, variant: Variant) -> KernelSource:
        """The kernel for this variant, generated on its first use."""
        if variant not in self.sources:
            self.sources[variant] = generate(self.group, variant)
        return self.sources[variant]


def prepare(fused: FusedOperation) -> PreparedFusion:
    """Analyse a fused operation."""
    group = analyse(fused.fuser, fused.operations)
    places: dict[int, Place] = {}
    for position, op in enumerate(fused.operations):
        for index, tensor in enumerate(op.inputs):
            places.setdefault(tensor.id, Place(position, False, index))
        for index, tensor in enumerate(op.outputs):
            places.setdefault(tensor.id, Place(position, True, index))
    return PreparedFusion(fused, group, places, reuse_chances(group))


@dataclass(frozen=True, slots=True)
class Situation:
    """One launch: the global ops and the arrays at hand, by relative id."""

    operations: Sequence[OperationIr]
    places: Mapping[int, Place]
    arrays: Mapping[int, Array]

    def tensor(self, relative: int) -> TensorIr:
        """The global description of a tensor."""
        return self.places[relative].find(self.operations)


def argument(param: Param, now: Situation) -> Any:
    """The value to pass for one parameter of a kernel."""
    match param:
        case ArrayParam():
            return _array_argument(param, now)
        case ExtentParam():
            shape = now.tensor(param.tensor).shape
            return math.prod(shape[dim] for dim in param.dims)
        case ScalarParam():
            return scalar_value(now.operations[param.position].arg(param.argument), param.dtype)
        case ScaleParam():
            return getattr(now.arrays[param.tensor], "scale", 1.0)


def _array_argument(param: ArrayParam, now: Situation) -> Array:
    array = now.arrays[param.tensor]
    if param.view is not None:
        # A view only moves elements, so its NumPy meaning is a view as well.
        array = run_operation(now.operations[param.view], [array])[0]
    if param.dtype is DType.F16:
        array = array.view(np.uint16)
    elif param.dtype is DType.QFLOAT:
        array = array.view(np.ndarray)
    if param.groups is None:
        return array
    shape = array.shape
    sizes = tuple(math.prod(shape[dim] for dim in dims) for dims in param.groups) or (1,)
    return array if sizes == shape else array.reshape(sizes)
