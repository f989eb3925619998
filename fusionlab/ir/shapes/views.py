"""Shape rules of ops that rearrange, cut, repeat or join elements.

Source: burn-std, shape.rs and slice.rs; burn-tensor, api/base.rs.
"""

from __future__ import annotations

from math import prod
from typing import Final

from fusionlab.errors import ProgramError
from fusionlab.ir.operation import ArgValue, Slice
from fusionlab.ir.shapes.request import (
    Described,
    Request,
    Rule,
    bad_argument,
    checked_dim,
    need_rank,
    need_same_dtype,
    need_shape,
    positive,
    replaced,
    stated,
    written,
)
from fusionlab.ir.tensor import Shape


def _target(request: Request) -> Shape:
    shape, _ = stated(Request(request.spec, (), request.args, request.shape, request.input_dtype()))
    return shape


def _reshape(request: Request) -> tuple[Described, ...]:
    shape, dtype = request.inputs[0]
    target = _target(request)
    if prod(shape) != prod(target):
        raise ProgramError(
            "reshape_size",
            shape=written(shape),
            size=prod(shape),
            target=written(target),
            target_size=prod(target),
        )
    return ((target, dtype),)


def _expand(request: Request) -> tuple[Described, ...]:
    shape, dtype = request.inputs[0]
    target = _target(request)
    padded = (1,) * (len(target) - len(shape)) + shape
    fits = len(padded) == len(target) and all(
        extent in {1, wanted} for extent, wanted in zip(padded, target, strict=True)
    )
    if not fits:
        raise ProgramError("expand_mismatch", shape=written(shape), target=written(target))
    return ((target, dtype),)


def _swap_dims(request: Request) -> tuple[Described, ...]:
    shape, dtype = request.inputs[0]
    order = list(range(len(shape)))
    first, second = request.dim("dim1"), request.dim("dim2")
    order[first], order[second] = second, first
    return ((tuple(shape[dim] for dim in order), dtype),)


def _axes(request: Request) -> tuple[int, ...]:
    shape = request.input_shape()
    axes = request.integers("axes")
    for axis in axes:
        checked_dim(request.spec, axis, shape)
    if len(set(axes)) != len(axes):
        raise bad_argument(request.spec, "axes", list(axes), "each dimension once")
    return axes


def _permute(request: Request) -> tuple[Described, ...]:
    shape, dtype = request.inputs[0]
    axes = _axes(request)
    if len(axes) != len(shape):
        raise bad_argument(request.spec, "axes", list(axes), f"{len(shape)} × int")
    return ((tuple(shape[axis] for axis in axes), dtype),)


def _flip(request: Request) -> tuple[Described, ...]:
    _axes(request)
    return (request.inputs[0],)


def _unfold(request: Request) -> tuple[Described, ...]:
    shape, dtype = request.inputs[0]
    dim, size, step = request.dim("dim"), request.integer("size"), request.integer("step")
    positive(request.spec, "size", (size,))
    positive(request.spec, "step", (step,))
    windows = max(0, (shape[dim] - size) // step + 1)
    return (((*replaced(shape, dim, windows), size), dtype),)


def slice_length(spec_size: int, piece: Slice) -> int:
    """How many elements a range keeps of a dimension with ``spec_size`` elements."""
    end = spec_size if piece.end is None else piece.end
    return max(0, -((piece.start - end) // abs(piece.step)))


def _pieces(request: Request) -> tuple[Slice, ...]:
    shape = request.input_shape()
    value: ArgValue = request.args["ranges"]
    if not isinstance(value, tuple) or len(value) > len(shape):
        raise bad_argument(request.spec, "ranges", value, f"≤ {len(shape)} × range")
    pieces = [piece for piece in value if isinstance(piece, Slice)]
    pieces += [Slice(0, extent, 1) for extent in shape[len(pieces) :]]
    for dim, (piece, extent) in enumerate(zip(pieces, shape, strict=True)):
        _check_piece(dim, piece, extent)
    return tuple(pieces)


def _check_piece(dim: int, piece: Slice, extent: int) -> None:
    end = extent if piece.end is None else piece.end
    if not 0 <= piece.start <= end <= extent or piece.step == 0:
        raise ProgramError(
            "slice_out_of_range", dim=dim, start=piece.start, end=end, step=piece.step, size=extent
        )


def _sliced(request: Request) -> Shape:
    shape = request.input_shape()
    return tuple(
        slice_length(extent, piece) for extent, piece in zip(shape, _pieces(request), strict=True)
    )


def _slice(request: Request) -> tuple[Described, ...]:
    return ((_sliced(request), request.input_dtype()),)


def _slice_assign(request: Request) -> tuple[Described, ...]:
    (_, dtype), (value, value_dtype) = request.inputs
    need_same_dtype(request.spec, dtype, value_dtype)
    need_shape(request.spec, "value", value, _sliced(request))
    return (request.inputs[0],)


def _repeat_dim(request: Request) -> tuple[Described, ...]:
    shape, dtype = request.inputs[0]
    dim, times = request.dim("dim"), request.integer("times")
    positive(request.spec, "times", (times,), least=0)
    return ((replaced(shape, dim, shape[dim] * times), dtype),)


def _cat(request: Request) -> tuple[Described, ...]:
    if not request.inputs:
        raise bad_argument(request.spec, "tensors", "[]", "≥ 1")
    first, dtype = request.inputs[0]
    dim = request.dim("dim")
    for shape, other in request.inputs[1:]:
        need_same_dtype(request.spec, dtype, other)
        need_rank(request.spec, "tensors", shape, len(first))
        need_shape(request.spec, "tensors", shape, replaced(first, dim, shape[dim]))
    return ((replaced(first, dim, sum(shape[dim] for shape, _ in request.inputs)), dtype),)


RULES: Final[dict[str, Rule]] = {
    "Reshape": _reshape,
    "Expand": _expand,
    "SwapDims": _swap_dims,
    "Permute": _permute,
    "Flip": _flip,
    "Unfold": _unfold,
    "Slice": _slice,
    "SliceAssign": _slice_assign,
    "RepeatDim": _repeat_dim,
    "Cat": _cat,
}
