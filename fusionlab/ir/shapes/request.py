"""What a shape rule is asked, and the checks that many rules share.

Every check that fails raises a ``ProgramError`` without a place; the parser adds line and column.
Shapes in error parameters are written as people write them (``64x32`` with a multiplication sign).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fusionlab.errors import ProgramError
from fusionlab.ir.operation import ArgValue, Options
from fusionlab.ir.opset import OpSpec
from fusionlab.ir.tensor import DType, Shape

Described: TypeAlias = tuple[Shape, DType]
"""A tensor without its id and status."""

INDEX_DTYPE = DType.I32
"""What ops return that answer "where?": burn's default integer."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a shape rule.

    ``args`` are the op's own arguments; ``shape`` and ``dtype`` say what the output itself must
    state because no argument does (a reshape's target, the element type of a cast).
    """

    spec: OpSpec
    inputs: tuple[Described, ...]
    args: Mapping[str, ArgValue]
    shape: Shape | None
    dtype: DType | None

    def input_shape(self, index: int = 0) -> Shape:
        """The shape of one input."""
        return self.inputs[index][0]

    def input_dtype(self, index: int = 0) -> DType:
        """The element type of one input."""
        return self.inputs[index][1]

    def integer(self, name: str) -> int:
        """An integer argument."""
        value = self.args[name]
        if not isinstance(value, int):
            raise bad_argument(self.spec, name, value, "int")
        return value

    def integers(self, name: str, count: int | None = None) -> tuple[int, ...]:
        """A list of integers, of ``count`` entries when a count is given."""
        return _integers(self.spec, name, self.args[name], count)

    def flag(self, name: str) -> bool:
        """A truth value."""
        return bool(self.args[name])

    def option(self, name: str, count: int) -> tuple[int, ...]:
        """A list of ``count`` integers inside the ``options`` record."""
        return _integers(self.spec, name, self.record().get(name), count)

    def record(self) -> Options:
        """The ``options`` record."""
        value = self.args["options"]
        if not isinstance(value, Options):
            raise bad_argument(self.spec, "options", value, "options")
        return value

    def dim(self, name: str, index: int = 0) -> int:
        """A dimension argument, checked against the rank of an input."""
        return checked_dim(self.spec, self.integer(name), self.input_shape(index))


Rule: TypeAlias = Callable[[Request], tuple[Described, ...]]


def _integers(spec: OpSpec, name: str, value: ArgValue, count: int | None) -> tuple[int, ...]:
    if not isinstance(value, tuple) or not all(isinstance(item, int) for item in value):
        raise bad_argument(spec, name, value, "int list")
    if count is not None and len(value) != count:
        raise bad_argument(spec, name, value, f"{count} × int")
    return tuple(item for item in value if isinstance(item, int))


def written(shape: Sequence[int]) -> str:
    """A shape as the texts of the lab write it: ``64×32``, ``[64]`` for one dimension."""
    return "×".join(map(str, shape)) if len(shape) > 1 else str(list(shape))


def bad_argument(spec: OpSpec, name: str, got: object, needed: str) -> ProgramError:
    """The error of an argument that has the wrong kind or value."""
    return ProgramError("argument_value", op=spec.variant, name=name, got=str(got), needed=needed)


def checked_dim(spec: OpSpec, dim: int, shape: Shape) -> int:
    """``dim`` when it names a dimension of ``shape``, counted from 0."""
    if not 0 <= dim < len(shape):
        raise ProgramError(
            "dim_out_of_range", op=spec.variant, dim=dim, rank=len(shape), last=len(shape) - 1
        )
    return dim


def need_rank(spec: OpSpec, name: str, shape: Shape, rank: int) -> None:
    """Refuse a tensor of another rank."""
    if len(shape) != rank:
        raise ProgramError(
            "rank_mismatch", op=spec.variant, name=name, expected=rank, shape=written(shape)
        )


def need_shape(spec: OpSpec, name: str, shape: Shape, expected: Shape) -> None:
    """Refuse a tensor of another shape."""
    if shape != expected:
        raise ProgramError(
            "shape_mismatch",
            op=spec.variant,
            name=name,
            expected=written(expected),
            shape=written(shape),
        )


def need_int(spec: OpSpec, name: str, dtype: DType) -> None:
    """Refuse indices that are not integers."""
    if not dtype.is_int:
        raise ProgramError(
            "dtype_kind", op=spec.variant, name=name, expected="int", got=dtype.value
        )


def need_bool(spec: OpSpec, name: str, dtype: DType) -> None:
    """Refuse a mask that does not hold truth values."""
    if not dtype.is_bool:
        raise ProgramError(
            "dtype_kind", op=spec.variant, name=name, expected="bool", got=dtype.value
        )


def need_same_dtype(spec: OpSpec, left: DType, right: DType) -> None:
    """Refuse operands of two element types: burn never converts on its own."""
    if left is not right:
        raise ProgramError("dtype_mismatch", op=spec.variant, left=left.value, right=right.value)


def positive(spec: OpSpec, name: str, values: Sequence[int], least: int = 1) -> None:
    """Refuse sizes, strides and the like that are too small."""
    if any(value < least for value in values):
        raise bad_argument(spec, name, written(values), f"≥ {least}")


def broadcast(spec: OpSpec, left: Shape, right: Shape) -> Shape:
    """The common shape of two operands of equal rank: a 1 stretches to the other extent.

    Burn's ranks are part of the type, so tensors of unequal rank never meet; an extent of 0
    against 1 gives 0.

    Source: burn-std, shape.rs (``Shape::broadcast``).
    """
    if len(left) != len(right):
        raise ProgramError(
            "broadcast_rank", op=spec.variant, left=written(left), right=written(right)
        )
    if any(a not in {b, 1} and b != 1 for a, b in zip(left, right, strict=True)):
        raise ProgramError(
            "broadcast_mismatch", op=spec.variant, left=written(left), right=written(right)
        )
    return tuple(b if a == 1 else a for a, b in zip(left, right, strict=True))


def replaced(shape: Shape, dim: int, extent: int) -> Shape:
    """``shape`` with another extent in one dimension."""
    return (*shape[:dim], extent, *shape[dim + 1 :])


def stated(request: Request) -> Described:
    """Shape and element type from what the output itself states."""
    shape = request.shape
    dtype = request.dtype
    if shape is None or dtype is None:
        missing = "shape" if shape is None else "dtype"
        raise bad_argument(request.spec, missing, None, missing)
    if any(extent < 0 for extent in shape):
        raise ProgramError("negative_extent", op=request.spec.variant, shape=written(shape))
    return shape, dtype
