"""What many words need: the family of an op by element type, scalars, dimensions, shapes."""

from __future__ import annotations

from math import prod
from typing import Final

from fusionlab.errors import ProgramError
from fusionlab.ir.operation import Scalar
from fusionlab.ir.shapes import written
from fusionlab.ir.tensor import DType, Shape
from fusionlab.program.model import Tensor
from fusionlab.program.trace import Trace
from fusionlab.program.words.core import kind_of

UNSIGNED: Final = {DType.U8, DType.U16, DType.U32, DType.U64}


def base(x: Tensor) -> str:
    """The family of ops that exist for every element type."""
    if x.dtype.is_bool:
        return "BaseBool"
    return "BaseInt" if x.dtype.is_int else "BaseFloat"


def numeric(x: Tensor, word: str) -> str:
    """The family of arithmetic ops; truth values have none."""
    if x.dtype.is_bool:
        raise ProgramError("not_for_bool", word=word)
    return "NumericInt" if x.dtype.is_int else "NumericFloat"


def need_float(x: Tensor, word: str) -> None:
    """Refuse what is not floating point: burn does not convert on its own."""
    if not x.dtype.is_float:
        raise ProgramError("need_float", word=word, got=x.dtype.value)


def scalar(x: Tensor, value: float) -> Scalar:
    """A number as the scalar argument of an op on ``x``: it takes the kind of the tensor.

    Source: burn-ir, scalar.rs (``ScalarIr::with_dtype``).
    """
    if x.dtype.is_float:
        return Scalar("Float", float(value))
    if x.dtype.is_bool:
        return Scalar("Bool", bool(value))
    whole = int(value)
    if whole != value:
        raise ProgramError("fraction_for_int", value=value, dtype=x.dtype.value)
    return Scalar("UInt" if x.dtype in UNSIGNED and whole >= 0 else "Int", whole)


def axis(x: Tensor, dim: int, word: str) -> int:
    """A dimension of ``x``; negative ones count from the last."""
    rank = len(x.shape)
    if not -rank <= dim < rank:
        raise ProgramError("dim_out_of_range", op=word, dim=dim, rank=rank, last=rank - 1)
    return dim % rank


def axes(x: Tensor, dims: tuple[int, ...], word: str) -> tuple[int, ...]:
    """Several dimensions of ``x``."""
    return tuple(axis(x, dim, word) for dim in dims)


def extents(values: tuple[object, ...], word: str) -> Shape:
    """A shape given as ``2, 3`` or as ``(2, 3)``.

    Raises:
        ProgramError: Something in it is not a whole number from 0 up, or it is empty.
    """
    parts = values[0] if len(values) == 1 and isinstance(values[0], tuple | range) else values
    shape = []
    for extent in parts:
        if not isinstance(extent, int) or isinstance(extent, bool):
            raise ProgramError(
                "argument_kind", word=word, name="shape", needed="int", got=kind_of(extent)
            )
        shape.append(extent)
    if not shape:
        raise ProgramError("empty_shape", word=word)
    return tuple(shape)


def new_shape(values: tuple[object, ...], word: str) -> Shape:
    """The shape of a new tensor: no extent is below 0."""
    shape = extents(values, word)
    if any(extent < 0 for extent in shape):
        raise ProgramError("negative_extent", op=word, shape=written(shape))
    return shape


def reshape(trace: Trace, x: Tensor, shape: Shape) -> Tensor:
    """``x`` in another shape; the same shape is the same tensor, nothing is queued.

    One extent may be -1: what is left over.
    """
    known = prod(extent for extent in shape if extent != -1)
    if shape.count(-1) == 1 and known > 0 and prod(x.shape) % known == 0:
        shape = tuple(prod(x.shape) // known if extent == -1 else extent for extent in shape)
    if shape == x.shape:
        return x
    return trace.emit(f"{base(x)}::Reshape", x, shape=shape)


def along(x: Tensor, dim: int, extent: int) -> Shape:
    """The shape that puts a vector of ``extent`` along dimension ``dim`` of ``x``: 1 elsewhere."""
    return tuple(extent if index == dim else 1 for index in range(len(x.shape)))
