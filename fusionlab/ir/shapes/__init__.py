"""The shape and element type of what an op makes, from what it is given.

In: a row of ``OPSET``, the inputs, the op's arguments, and what the output itself must state
(``shape`` for reshapes and new tensors, ``dtype`` for casts and new tensors). Out: one
(shape, dtype) pair an output. The rules are a table by variant name; what does not fit raises
``ProgramError`` with a code and the shapes involved.

Source: burn-ir, builder.rs (what each op's ``create`` computes); burn-tensor, api/check.rs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from fusionlab.errors import ProgramError
from fusionlab.ir.operation import Args, ArgValue
from fusionlab.ir.opset import OpSpec
from fusionlab.ir.shapes import (
    elementwise,
    indexing,
    products,
    reductions,
    signals,
    views,
    windows,
)
from fusionlab.ir.shapes.request import Described, Request, Rule, written
from fusionlab.ir.tensor import DType, Shape, TensorIr

__all__ = ["SHAPE_RULES", "Described", "infer", "written"]

SHAPE_RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    elementwise.RULES
    | views.RULES
    | reductions.RULES
    | indexing.RULES
    | products.RULES
    | windows.RULES
    | signals.RULES
)
"""The rules by variant name (``OpSpec.variant``): families share the rule of a variant."""

_FAMILY_KINDS: Final = {
    "BaseFloat": "float",
    "NumericFloat": "float",
    "Float": "float",
    "Activation": "float",
    "BaseInt": "int",
    "NumericInt": "int",
    "Int": "int",
    "BaseBool": "bool",
    "Bool": "bool",
}

# Burn registers these under a family that their tensors need not belong to.
_ANY_KIND: Final = {"BaseInt::Permute", "BaseInt::Flip", "Float::Matmul", "Float::Dequantize"}


def infer(
    spec: OpSpec,
    inputs: Sequence[TensorIr | Described],
    args: Args | Mapping[str, ArgValue] = (),
    *,
    shape: Shape | None = None,
    dtype: DType | None = None,
) -> tuple[Described, ...]:
    """Say what an op makes.

    Args:
        spec: The op's row.
        inputs: The tensors that it reads, in the row's order (absent optional ones left out).
        args: Its arguments, complete.
        shape: The output's extents, where nothing else says them.
        dtype: The output's element type, where nothing else says it.

    Returns:
        Shape and element type of each output.

    Raises:
        ProgramError: The inputs do not fit; the code says how, the parameters name the shapes.
    """
    described = tuple(_described(tensor) for tensor in inputs)
    _check_count(spec, len(described))
    _check_kind(spec, described)
    arguments = args if isinstance(args, Mapping) else dict(args)
    rule = SHAPE_RULES[spec.variant]
    return rule(Request(spec, described, arguments, shape, dtype))


def _described(tensor: TensorIr | Described) -> Described:
    return (tensor.shape, tensor.dtype) if isinstance(tensor, TensorIr) else tensor


def _check_count(spec: OpSpec, count: int) -> None:
    names = spec.inputs
    if any(name.endswith("*") for name in names):
        return
    least = sum(not name.startswith("[") for name in names)
    if not least <= count <= len(names):
        raise ProgramError(
            "input_count", op=spec.variant, expected=" ".join(names) or "–", got=count
        )


def _check_kind(spec: OpSpec, inputs: tuple[Described, ...]) -> None:
    kind = _FAMILY_KINDS.get(spec.category)
    if kind is None or not inputs or spec.name in _ANY_KIND:
        return
    dtype = inputs[0][1]
    fits = {"float": dtype.is_float, "int": dtype.is_int, "bool": dtype.is_bool}[kind]
    if not fits:
        raise ProgramError(
            "dtype_kind", op=spec.variant, name=spec.inputs[0], expected=kind, got=dtype.value
        )
