"""Convolutions in one to three dimensions, their transposes and all backward forms.

One tap of the kernel at a time: the input seen by all windows at that place, times that slice of
the weights. Every form is this walk read forwards, backwards, or summed over the batch.

Shapes: x [batch, in, *spatial]; weight [out, in / groups, *kernel], for transposed convolutions
[in, out / groups, *kernel].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.reference.registry import Call, as_int, as_ints, meaning
from fusionlab.kernels.reference.windows import fit, pad_spatial, room_for, taps


@dataclass(frozen=True, slots=True)
class _Geometry:
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int

    def fit(self, x: Array, size: tuple[int, ...], kernel: tuple[int, ...]) -> Array:
        return fit(
            x,
            size,
            kernel,
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
            fill=0,
        )


def _geometry(call: Call, rank: int) -> _Geometry:
    def sizes(name: str, default: int) -> tuple[int, ...]:
        return as_ints(call.option(name, (default,) * rank))

    groups = as_int(call.option("groups", 1))
    return _Geometry(sizes("stride", 1), sizes("padding", 0), sizes("dilation", 1), groups)


def _grouped(array: Array, axis: int, groups: int) -> Array:
    """Split a channel axis into (groups, channels of a group)."""
    shape = array.shape
    parts = (groups, shape[axis] // groups)
    return array.reshape(shape[:axis] + parts + shape[axis + 1 :])


def _correlate(x: Array, weight: Array, size: tuple[int, ...], g: _Geometry) -> Array:
    """The plain convolution: x and weight -> [batch, out, *size]."""
    kernel = weight.shape[2:]
    padded = _grouped(g.fit(x, size, kernel), 1, g.groups)
    weights = _grouped(weight, 0, g.groups)
    result = np.zeros((x.shape[0], g.groups, weights.shape[1], *size), x.dtype)
    for place, window in taps(size, kernel, g.stride, g.dilation):
        seen = padded[window]
        result += np.einsum("ngc...,goc->ngo...", seen, weights[place])
    return result.reshape(x.shape[0], weight.shape[0], *size)


def _spread(grad: Array, weight: Array, extents: tuple[int, ...], g: _Geometry) -> Array:
    """The transpose of ``_correlate``: [batch, out, *size] and weight -> [batch, in, *extents]."""
    kernel, size = weight.shape[2:], grad.shape[2:]
    needed = room_for(size, kernel, g.stride, g.dilation)
    grads, weights = _grouped(grad, 1, g.groups), _grouped(weight, 0, g.groups)
    padded = np.zeros((grad.shape[0], g.groups, weight.shape[1], *needed), grad.dtype)
    for place, window in taps(size, kernel, g.stride, g.dilation):
        padded[window] += np.einsum("ngo...,goc->ngc...", grads, weights[place])
    flat = padded.reshape(grad.shape[0], -1, *needed)
    after = [e + p - n for e, p, n in zip(extents, g.padding, needed, strict=True)]
    return pad_spatial(flat, [-p for p in g.padding], after, 0)


def _weight_grad(x: Array, weight: Array, grad: Array, g: _Geometry) -> Array:
    """The gradient of ``_correlate`` with respect to the weight."""
    kernel, size = weight.shape[2:], grad.shape[2:]
    padded = _grouped(g.fit(x, size, kernel), 1, g.groups)
    grads = _grouped(grad, 1, g.groups)
    result = np.zeros((g.groups, grads.shape[2], padded.shape[2], *kernel), x.dtype)
    for place, window in taps(size, kernel, g.stride, g.dilation):
        seen = padded[window]
        flat_seen = seen.reshape(*seen.shape[:3], -1)
        flat_grad = grads.reshape(*grads.shape[:3], -1)
        result[place] = np.einsum("ngop,ngcp->goc", flat_grad, flat_seen)
    return result.reshape(weight.shape)


def _with_bias(result: Array, bias: list[Array]) -> Array:
    if not bias:
        return result
    return np.asarray(result + bias[0].reshape((1, -1) + (1,) * (result.ndim - 2)))


def _conv(call: Call) -> Array:
    x, weight, *bias = call.operands()
    return _with_bias(_correlate(x, weight, call.shape[2:], _geometry(call, x.ndim - 2)), bias)


def _conv_x_backward(call: Call) -> Array:
    x, weight, grad = call.operands()
    return _spread(grad, weight, x.shape[2:], _geometry(call, x.ndim - 2))


def _conv_weight_backward(call: Call) -> Array:
    x, weight, grad = call.operands()
    return _weight_grad(x, weight, grad, _geometry(call, x.ndim - 2))


def _bias_backward(call: Call) -> Array:
    grad = call.operands()[2]
    axes = (0, *range(2, grad.ndim))
    return np.asarray(grad.sum(axis=axes)).reshape(call.shape)


def _conv_transpose(call: Call) -> Array:
    """The output extents already hold ``padding_out``: they decide how much is kept."""
    x, weight, *bias = call.operands()
    return _with_bias(_spread(x, weight, call.shape[2:], _geometry(call, x.ndim - 2)), bias)


def _conv_transpose_weight_backward(call: Call) -> Array:
    """The roles swap: the output's gradient is what the windows see."""
    x, weight, grad = call.operands()
    return _weight_grad(grad, weight, x, _geometry(call, x.ndim - 2))


for _n in (1, 2, 3):
    meaning(f"Module::Conv{_n}d")(_conv)
    meaning(f"Module::Conv{_n}dXBackward")(_conv_x_backward)
    meaning(f"Module::Conv{_n}dWeightBackward")(_conv_weight_backward)
    meaning(f"Module::Conv{_n}dBiasBackward")(_bias_backward)
    meaning(f"Module::ConvTranspose{_n}d")(_conv_transpose)
    meaning(f"Module::ConvTranspose{_n}dWeightBackward")(_conv_transpose_weight_backward)
    meaning(f"Module::ConvTranspose{_n}dBiasBackward")(_bias_backward)


@meaning("Module::Unfold4d")
def _unfold4d(call: Call) -> Array:
    """Columns of windows: [batch, channels x kernel, windows]."""
    (x,) = call.operands()
    kernel, g = call.integers("kernel_size"), _geometry(call, 2)
    size = tuple(
        (e + 2 * p - d * (k - 1) - 1) // s + 1
        for e, p, d, k, s in zip(x.shape[2:], g.padding, g.dilation, kernel, g.stride, strict=True)
    )
    padded = g.fit(x, size, kernel)
    columns = [padded[window] for _, window in taps(size, kernel, g.stride, g.dilation)]
    return np.stack(columns, axis=2).reshape(call.shape)
