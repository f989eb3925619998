"""Interpolation and grid sampling.

Interpolation is separable: each spatial axis is a matrix product with a [new, old] weight matrix,
so the backward form is the product with its transpose. Coordinates of new element i, for old extent
e and new extent n: nearest takes ``floor(i e / n)``; the smooth modes take ``i (e-1) / (n-1)`` with
``align_corners`` and ``(i + 1/2) e / n - 1/2`` without; neighbours outside repeat the edge.

Source: burn's interpolate and grid_sample kernels (bicubic with a = -0.75, Lanczos with 3 lobes).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fusionlab.errors import UnsupportedError
from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.reference.registry import Call, meaning

_CUBIC = -0.75
_LOBES = 3


def _linear(distance: Array) -> Array:
    return np.maximum(0.0, 1.0 - np.abs(distance))


def _cubic(distance: Array) -> Array:
    d = np.abs(distance)
    near = ((_CUBIC + 2) * d - (_CUBIC + 3)) * d * d + 1
    far = ((_CUBIC * d - 5 * _CUBIC) * d + 8 * _CUBIC) * d - 4 * _CUBIC
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def _lanczos(distance: Array) -> Array:
    d = np.abs(distance)
    return np.where(d < _LOBES, np.sinc(d) * np.sinc(d / _LOBES), 0.0)


_SMOOTH: dict[str, tuple[Callable[[Array], Array], int]] = {
    "Bilinear": (_linear, 1),
    "Bicubic": (_cubic, 2),
    "Lanczos3": (_lanczos, _LOBES),
}


def _coordinates(old: int, new: int, *, align_corners: bool) -> Array:
    if align_corners:
        return np.arange(new) * ((old - 1) / max(new - 1, 1))
    return (np.arange(new) + 0.5) * (old / new) - 0.5


def weights(mode: str, old: int, new: int, *, align_corners: bool) -> Array:
    """The [new, old] matrix that resizes one axis.

    Raises:
        UnsupportedError: There is no such mode.
    """
    matrix = np.zeros((new, old))
    rows = np.arange(new)
    if mode.startswith("Nearest"):
        matrix[rows, np.minimum(rows * old // new, old - 1)] = 1.0
        return matrix
    if mode not in _SMOOTH:
        raise UnsupportedError("interpolate_mode", mode=mode)
    kernel, reach = _SMOOTH[mode]
    at = _coordinates(old, new, align_corners=align_corners)
    if mode == "Bilinear":
        at = np.clip(at, 0, old - 1)
    first = np.floor(at).astype(np.int64)
    for offset in range(1 - reach, reach + 1):
        neighbour = first + offset
        np.add.at(matrix, (rows, np.clip(neighbour, 0, old - 1)), kernel(at - neighbour))
    return matrix / matrix.sum(axis=1, keepdims=True) if mode == "Lanczos3" else matrix


def _axis_matrices(call: Call, old: tuple[int, ...], new: tuple[int, ...]) -> list[Array]:
    mode, corners = str(call.option("mode", "Nearest")), bool(call.option("align_corners", True))
    return [weights(mode, o, n, align_corners=corners) for o, n in zip(old, new, strict=True)]


def _apply(x: Array, rows: Array, columns: Array) -> Array:
    return np.asarray(np.einsum("yh,nchw,xw->ncyx", rows, x, columns, optimize=True))


@meaning("Module::Interpolate")
def _interpolate(call: Call) -> Array:
    (x,) = call.operands()
    return _apply(x, *_axis_matrices(call, x.shape[2:], call.shape[2:]))


@meaning("Module::InterpolateBackward")
def _interpolate_backward(call: Call) -> Array:
    x, grad = call.operands()
    rows, columns = _axis_matrices(call, x.shape[2:], grad.shape[2:])
    return _apply(grad, rows.T, columns.T)


def _reflect(at: Array, low: float, high: float) -> Array:
    """Fold coordinates back into [low, high] as between two mirrors."""
    span = high - low
    if span <= 0:
        return np.full_like(at, low)
    inside = np.abs(at - low) % (2 * span)
    return low + span - np.abs(inside - span)


def _pixels(call: Call, at: Array, extent: int) -> Array:
    """Normalised coordinates (-1..1) as pixel positions, with the padding mode applied."""
    corners = bool(call.option("align_corners", default=False))
    padding = call.option("padding_mode", "Zeros")
    at = (at + 1) * (extent - 1) / 2 if corners else (at + 1) * extent / 2 - 0.5
    if padding == "Border":
        return np.clip(at, 0, extent - 1)
    if padding == "Reflection":
        low, high = (0.0, extent - 1.0) if corners else (-0.5, extent - 0.5)
        return np.clip(_reflect(at, low, high), 0, extent - 1)
    if padding != "Zeros":
        raise UnsupportedError("grid_padding", mode=repr(padding))
    return at


@meaning("Float::GridSample2d")
def _grid_sample(call: Call) -> Array:
    """Bilinear samples of [n, c, h, w] at grid [n, y, x, 2] (x first) -> [n, c, y, x]."""
    tensor, grid = call.operands()
    mode = str(call.option("mode", "Bilinear"))
    if mode not in ("Bilinear", "Nearest"):
        raise UnsupportedError("grid_mode", mode=mode)
    x = _pixels(call, grid[..., 0], tensor.shape[3])
    y = _pixels(call, grid[..., 1], tensor.shape[2])
    if mode == "Nearest":
        return _corner(tensor, np.rint(y), np.rint(x))
    left, top = np.floor(x), np.floor(y)
    result = np.zeros(call.shape, tensor.dtype)
    for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
        weight = _linear(y - top - row) * _linear(x - left - column)
        result += _corner(tensor, top + row, left + column) * weight[:, None]
    return result


def _corner(tensor: Array, row: Array, column: Array) -> Array:
    """Elements at whole coordinates; 0 outside."""
    height, width = tensor.shape[2:]
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    rows = np.where(inside, row, 0).astype(np.int64)
    columns = np.where(inside, column, 0).astype(np.int64)
    batch = np.arange(tensor.shape[0])[:, None, None]
    picked = np.moveaxis(tensor[batch, :, rows, columns], -1, 1)
    return np.where(inside[:, None], picked, tensor.dtype.type(0))
