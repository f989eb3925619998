"""Pooling in one to three dimensions and its backward forms.

How many windows there are is read off the output's shape, which the shape rule made with
``ceil_mode``; a window may thus end behind the padding. Padding never wins a maximum and counts in
an average only with ``count_include_pad`` (places behind the padding never count).
Indices of a maximum are positions in the flattened spatial dimensions of the input.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.reference.registry import Call, meaning
from fusionlab.kernels.reference.windows import fit, pad_spatial, room_for, taps


@dataclass(frozen=True, slots=True)
class _Pool:
    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]

    def fit(self, x: Array, fill: float) -> Array:
        return fit(
            x,
            self.size,
            self.kernel,
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
            fill=fill,
        )

    def windows(self, padded: Array) -> list[Array]:
        """For each place of the kernel, what all windows see there."""
        places = taps(self.size, self.kernel, self.stride, self.dilation)
        return [padded[window] for _, window in places]


def _pool(call: Call, size: tuple[int, ...]) -> _Pool:
    kernel = call.integers("kernel_size")
    rank = len(kernel)
    dilation = call.integers("dilation") if call.optional("dilation") is not None else (1,) * rank
    return _Pool(size, kernel, call.integers("stride"), call.integers("padding"), dilation)


def _counts(pool: _Pool, extents: tuple[int, ...], *, with_padding: bool) -> Array:
    """How many elements each window averages over."""
    inside = np.ones((1, 1, *extents), np.float32)
    if with_padding:
        inside = pad_spatial(inside, pool.padding, pool.padding, 1)
        pool = _Pool(pool.size, pool.kernel, pool.stride, (0,) * len(extents), pool.dilation)
    return np.asarray(np.sum(pool.windows(pool.fit(inside, 0)), axis=0))


@meaning("Module::AvgPool1d", "Module::AvgPool2d")
def _avg_pool(call: Call) -> Array:
    (x,) = call.operands()
    pool = _pool(call, call.shape[2:])
    counts = _counts(pool, x.shape[2:], with_padding=call.flag("count_include_pad"))
    return np.asarray(np.sum(pool.windows(pool.fit(x, 0)), axis=0) / counts.astype(x.dtype))


@meaning("Module::AvgPool1dBackward", "Module::AvgPool2dBackward")
def _avg_pool_backward(call: Call) -> Array:
    x, grad = call.operands()
    pool = _pool(call, grad.shape[2:])
    counts = _counts(pool, x.shape[2:], with_padding=call.flag("count_include_pad"))
    share = grad / counts.astype(grad.dtype)
    needed = room_for(pool.size, pool.kernel, pool.stride, pool.dilation)
    padded = np.zeros((*x.shape[:2], *needed), x.dtype)
    for _, window in taps(pool.size, pool.kernel, pool.stride, pool.dilation):
        padded[window] += share
    after = [e + p - n for e, p, n in zip(x.shape[2:], pool.padding, needed, strict=True)]
    return pad_spatial(padded, [-p for p in pool.padding], after, 0)


def _max_windows(call: Call) -> list[Array]:
    """The maximum of each window and where it lies (the first of a tie, or of NaNs)."""
    (x,) = call.operands()
    pool = _pool(call, call.shape[2:])
    extents = x.shape[2:]
    seen = np.stack(pool.windows(pool.fit(x, -np.inf)))
    positions = np.arange(int(np.prod(extents)), dtype=np.int64).reshape(1, 1, *extents)
    where = np.stack(pool.windows(pool.fit(positions, -1)))
    # A window over -inf only must still point into the input, not into the padding.
    padding = np.broadcast_to(where < 0, seen.shape)
    ranked = np.where(padding, -np.inf, seen)
    best = np.argmax(ranked, axis=0, keepdims=True)
    lost = np.take_along_axis(padding, best, 0)
    best = np.where(lost, np.argmin(padding, axis=0, keepdims=True), best)
    places = np.take_along_axis(np.broadcast_to(where, seen.shape), best, 0)[0]
    return [np.take_along_axis(seen, best, 0)[0], places]


@meaning("Module::MaxPool1d", "Module::MaxPool2d")
def _max_pool(call: Call) -> Array:
    return _max_windows(call)[0]


@meaning("Module::MaxPool1dWithIndices", "Module::MaxPool2dWithIndices")
def _max_pool_with_indices(call: Call) -> list[Array]:
    return _max_windows(call)


@meaning("Module::MaxPool1dWithIndicesBackward", "Module::MaxPool2dWithIndicesBackward")
def _max_pool_backward(call: Call) -> Array:
    x, indices, grad = call.inputs
    flat = np.zeros((*x.shape[:2], int(np.prod(x.shape[2:]))), x.dtype)
    batch, channel = np.ogrid[: x.shape[0], : x.shape[1]]
    where = indices.reshape(*x.shape[:2], -1).astype(np.int64)
    np.add.at(flat, (batch[..., None], channel[..., None], where), grad.reshape(*x.shape[:2], -1))
    return flat.reshape(x.shape)


def _averaging(extent: int, size: int, dtype: np.dtype[np.generic]) -> Array:
    """[size, extent]: row i averages elements floor(i e / s) .. ceil((i+1) e / s)."""
    matrix = np.zeros((size, extent), dtype)
    for i in range(size):
        start, end = i * extent // size, -(-(i + 1) * extent // size)
        matrix[i, start:end] = 1 / (end - start)
    return matrix


@meaning("Module::AdaptiveAvgPool1d", "Module::AdaptiveAvgPool2d", "Module::AdaptiveAvgPool3d")
def _adaptive_avg_pool(call: Call) -> Array:
    (x,) = call.operands()
    for axis in range(2, x.ndim):
        matrix = _averaging(x.shape[axis], call.shape[axis], x.dtype)
        x = np.moveaxis(np.moveaxis(x, axis, -1) @ matrix.T, -1, axis)
    return x


@meaning(
    "Module::AdaptiveAvgPool1dBackward",
    "Module::AdaptiveAvgPool2dBackward",
    "Module::AdaptiveAvgPool3dBackward",
)
def _adaptive_avg_pool_backward(call: Call) -> Array:
    x, grad = call.operands()
    for axis in range(2, x.ndim):
        matrix = _averaging(x.shape[axis], grad.shape[axis], grad.dtype)
        grad = np.moveaxis(np.moveaxis(grad, axis, -1) @ matrix, -1, axis)
    return grad
