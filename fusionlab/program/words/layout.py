"""Words that rearrange, cut, repeat or join, and those that read or write by index.

Source: burn-tensor, api/base.rs; burn-fusion registers float and bool permutes as
``BaseInt::Permute`` and float flips as ``BaseInt::Flip``.
"""

from __future__ import annotations

from typing import Any, Final

from fusionlab.errors import ProgramError
from fusionlab.ir.operation import Slice
from fusionlab.ir.shapes import written
from fusionlab.program.model import Tensor
from fusionlab.program.trace import Trace
from fusionlab.program.words import helpers
from fusionlab.program.words.core import WordTable, kind_of
from fusionlab.program.words.helpers import axes, axis, base, extents

WORDS: Final = WordTable()


@WORDS.word("reshape", "x:tensor, *shape:any")
def reshape(trace: Trace, x: Tensor, shape: tuple[Any, ...]) -> Tensor:
    """The same elements in another shape; one extent may be -1."""
    return helpers.reshape(trace, x, extents(shape, "reshape"))


@WORDS.word("flatten", "x:tensor")
def flatten(trace: Trace, x: Tensor) -> Tensor:
    """All elements in one dimension."""
    return helpers.reshape(trace, x, (-1,))


@WORDS.word("unsqueeze unsqueeze_dim", "x:tensor, dim:int=0")
def unsqueeze(trace: Trace, x: Tensor, dim: int) -> Tensor:
    """One more dimension, of extent 1, at ``dim``."""
    rank = len(x.shape) + 1
    place = axis(Tensor(0, (1,) * rank, x.dtype), dim, "unsqueeze")
    return helpers.reshape(trace, x, (*x.shape[:place], 1, *x.shape[place:]))


@WORDS.word("squeeze squeeze_dim", "x:tensor, dim:int")
def squeeze(trace: Trace, x: Tensor, dim: int) -> Tensor:
    """Without dimension ``dim``, which must have extent 1."""
    place = axis(x, dim, "squeeze")
    if x.shape[place] != 1 or len(x.shape) == 1:
        raise ProgramError(
            "argument_value", op="squeeze", name="dim", got=dim, needed=f"1 ∈ {list(x.shape)}"
        )
    return helpers.reshape(trace, x, (*x.shape[:place], *x.shape[place + 1 :]))


@WORDS.word("expand broadcast_to", "x:tensor, *shape:any")
def expand(trace: Trace, x: Tensor, shape: tuple[Any, ...]) -> Tensor:
    """Extents of 1 stretched to the given ones."""
    return trace.emit(f"{base(x)}::Expand", x, shape=extents(shape, "expand"))


@WORDS.word("swap_dims swapaxes", "x:tensor, dim1:int, dim2:int")
def swap_dims(trace: Trace, x: Tensor, dim1: int, dim2: int) -> Tensor:
    """Two dimensions in each other's place."""
    first, second = axis(x, dim1, "swap_dims"), axis(x, dim2, "swap_dims")
    return trace.emit(f"{base(x)}::SwapDims", x, dim1=first, dim2=second)


@WORDS.word("transpose t", "x:tensor")
def transpose(trace: Trace, x: Tensor) -> Tensor:
    """The last two dimensions swapped."""
    if len(x.shape) < 2:
        raise ProgramError(
            "rank_mismatch", op="transpose", name="x", expected="≥ 2", shape=written(x.shape)
        )
    return swap_dims(trace, x, -2, -1)


@WORDS.word("permute", "x:tensor, *dims:any")
def permute(trace: Trace, x: Tensor, dims: tuple[Any, ...]) -> Tensor:
    """The dimensions in another order."""
    order = axes(x, extents(dims, "permute"), "permute")
    return trace.emit("BaseInt::Permute", x, axes=order)


@WORDS.word("flip", "x:tensor, *dims:any")
def flip(trace: Trace, x: Tensor, dims: tuple[Any, ...]) -> Tensor:
    """The elements in reverse order along some dimensions."""
    turned = axes(x, extents(dims, "flip"), "flip")
    family = "BaseBool" if x.dtype.is_bool else "BaseInt"
    return trace.emit(f"{family}::Flip", x, axes=turned)


@WORDS.word("unfold", "x:tensor, dim:int, size:int, step:int=1")
def unfold(trace: Trace, x: Tensor, dim: int, size: int, step: int) -> Tensor:
    """Sliding windows along a dimension, in a new last dimension."""
    place = axis(x, dim, "unfold")
    return trace.emit(f"{base(x)}::Unfold", x, dim=place, size=size, step=step)


@WORDS.word("repeat_dim", "x:tensor, dim:int, times:int")
def repeat_dim(trace: Trace, x: Tensor, dim: int, times: int) -> Tensor:
    """The tensor several times, one behind the other along a dimension."""
    return trace.emit(f"{base(x)}::RepeatDim", x, dim=axis(x, dim, "repeat_dim"), times=times)


@WORDS.word("repeat tile", "x:tensor, *times:any")
def repeat(trace: Trace, x: Tensor, times: tuple[Any, ...]) -> Tensor:
    """The tensor repeated along every dimension (a RepeatDim where it is more than once)."""
    counts = extents(times, "repeat")
    if len(counts) != len(x.shape):
        raise ProgramError(
            "argument_value",
            op="repeat",
            name="times",
            got=list(counts),
            needed=f"{len(x.shape)} × int",
        )
    for dim, count in enumerate(counts):
        x = x if count == 1 else repeat_dim(trace, x, dim, count)
    return x


@WORDS.word("cat concatenate concat", "tensors:tensors, dim:int=0")
def cat(trace: Trace, tensors: tuple[Tensor, ...], dim: int) -> Tensor:
    """Tensors one behind the other along a dimension."""
    if not tensors:
        raise ProgramError("argument_value", op="cat", name="tensors", got="[]", needed="≥ 1")
    place = axis(tensors[0], dim, "cat")
    return trace.emit(f"{base(tensors[0])}::Cat", *tensors, dim=place)


@WORDS.word("stack", "tensors:tensors, dim:int=0")
def stack(trace: Trace, tensors: tuple[Tensor, ...], dim: int) -> Tensor:
    """Tensors one behind the other along a new dimension."""
    return cat(trace, tuple(unsqueeze(trace, x, dim) for x in tensors), dim)


# --- slices ------------------------------------------------------------------------------------


def cut(x: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Slice:
    """One range over a dimension; negative bounds count from the end, as in Python."""
    size = x.shape[dim]
    first = 0 if start is None else start + size if start < 0 else start
    behind = size if end is None else end + size if end < 0 else end
    if step == 0 or not 0 <= first <= behind <= size:
        raise ProgramError(
            "slice_out_of_range", dim=dim, start=first, end=behind, step=step, size=size
        )
    return Slice(first, behind, step)


def whole(x: Tensor) -> list[Slice]:
    """The ranges that keep everything."""
    return [Slice(0, extent, 1) for extent in x.shape]


@WORDS.word("slice narrow", "x:tensor, dim:int, start:int, end:int, step:int=1")
def slice_along(  # noqa: PLR0917 -- one parameter an argument of the word
    trace: Trace, x: Tensor, dim: int, start: int, end: int, step: int
) -> Tensor:
    """Elements ``start`` up to ``end`` of one dimension; ``x[:, 2:4]`` cuts several."""
    place = axis(x, dim, "slice")
    ranges = whole(x)
    ranges[place] = cut(x, place, start, end, step)
    return sliced(trace, x, ranges)


def sliced(trace: Trace, x: Tensor, ranges: list[Slice]) -> Tensor:
    """A piece of x, one range a dimension."""
    return trace.emit(f"{base(x)}::Slice", x, ranges=tuple(ranges))


def assigned(trace: Trace, x: Tensor, ranges: list[Slice], value: Tensor) -> Tensor:
    """The tensor with a piece replaced."""
    return trace.emit(f"{base(x)}::SliceAssign", x, value, ranges=tuple(ranges))


@WORDS.word("slice_assign", "x:tensor, ranges:any, value:tensor")
def slice_assign(trace: Trace, x: Tensor, ranges: Any, value: Tensor) -> Tensor:
    """The tensor with a piece replaced: ``slice_assign(x, [(1, 4)], v)``, as ``x[1:4] = v``."""
    pieces = whole(x)
    given = ranges if isinstance(ranges, tuple) else ()
    if not given or len(given) > len(pieces):
        raise ProgramError(
            "argument_kind",
            word="slice_assign",
            name="ranges",
            needed="[(start, end), …]",
            got=kind_of(ranges),
        )
    for dim, item in enumerate(given):
        bounds = extents((item,), "slice_assign")
        if len(bounds) not in {2, 3}:
            raise ProgramError(
                "argument_kind",
                word="slice_assign",
                name="ranges",
                needed="(start, end)",
                got=kind_of(item),
            )
        pieces[dim] = cut(x, dim, bounds[0], bounds[1], bounds[2] if len(bounds) == 3 else 1)
    return assigned(trace, x, pieces, value)


# --- indices -----------------------------------------------------------------------------------


@WORDS.word("select index_select", "x:tensor, dim:int, indices:tensor")
def select(trace: Trace, x: Tensor, dim: int, indices: Tensor) -> Tensor:
    """The slices of a dimension that ``indices`` names."""
    return trace.emit(f"{base(x)}::Select", x, indices, dim=axis(x, dim, "select"))


@WORDS.word("select_assign select_add", "x:tensor, dim:int, indices:tensor, values:tensor")
def select_assign(trace: Trace, x: Tensor, dim: int, indices: Tensor, values: Tensor) -> Tensor:
    """The tensor with values added to the slices that ``indices`` names."""
    place = axis(x, dim, "select_assign")
    return trace.emit(f"{base(x)}::SelectAssign", x, indices, values, dim=place)


@WORDS.word("gather", "x:tensor, dim:int, indices:tensor")
def gather(trace: Trace, x: Tensor, dim: int, indices: Tensor) -> Tensor:
    """One element of a dimension for each index."""
    return trace.emit(f"{base(x)}::Gather", x, indices, dim=axis(x, dim, "gather"))


@WORDS.word("scatter scatter_add", "x:tensor, dim:int, indices:tensor, values:tensor")
def scatter(trace: Trace, x: Tensor, dim: int, indices: Tensor, values: Tensor) -> Tensor:
    """The tensor with each value added where its index says."""
    place = axis(x, dim, "scatter")
    return trace.emit(f"{base(x)}::Scatter", x, indices, values, dim=place)


@WORDS.word("gather_nd", "x:tensor, indices:tensor")
def gather_nd(trace: Trace, x: Tensor, indices: Tensor) -> Tensor:
    """Elements or slices by index tuples (the last dimension of ``indices``)."""
    return trace.emit(f"{base(x)}::GatherNd", x, indices)


@WORDS.word("scatter_nd", 'x:tensor, indices:tensor, values:tensor, reduction:text="Add"')
def scatter_nd(trace: Trace, x: Tensor, indices: Tensor, values: Tensor, reduction: str) -> Tensor:
    """The tensor with values combined where index tuples say: Assign, Add, Mul, Min or Max."""
    known = ("Assign", "Add", "Mul", "Min", "Max")
    kind = reduction.capitalize()
    if kind not in known:
        raise ProgramError(
            "argument_value",
            op="scatter_nd",
            name="reduction",
            got=reduction,
            needed=", ".join(known),
        )
    return trace.emit(f"{base(x)}::ScatterNd", x, indices, values, reduction=kind)
