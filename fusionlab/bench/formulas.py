"""The workloads' formulas for the contenders: plain, into given buffers, and as text for numexpr.

``plain`` is written once over a module that is ``numpy``, ``jax.numpy`` or ``torch``: they share
these names. Where torch has the whole formula as one function, ``torch_own`` uses it, as its users
would. All take the inputs in order and return a tuple of results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fusionlab.kernels.dtypes import Array

Formula = Callable[..., tuple[Any, ...]]
Buffers = dict[str, Array]
InPlace = Callable[[Sequence[Array], Buffers], tuple[Array, ...]]

_EPSILON = 0.00001


def _w1(xp: Any, a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    return (xp.exp(a * b + c * 2.0),)


def _chain(xp: Any, x: Any, y: Any) -> Any:
    return xp.abs(((x * y + x) * 0.5 - y) * x + 1.0) * y


def _chain8(xp: Any, x: Any, y: Any) -> tuple[Any, ...]:
    return (_chain(xp, x, y),)


def _chain40(xp: Any, *inputs: Any) -> tuple[Any, ...]:
    pairs = zip(inputs[::2], inputs[1::2], strict=True)
    return tuple([_chain(xp, x, y) for x, y in pairs])


def _softmax_bare(xp: Any, x: Any) -> tuple[Any, ...]:
    e = xp.exp(x - xp.amax(x, 1)[:, None])
    return (e / e.sum(1)[:, None],)


def _softmax(xp: Any, x: Any) -> tuple[Any, ...]:
    return _softmax_bare(xp, x * 0.125)


def _layernorm(xp: Any, x: Any, g: Any, b: Any) -> tuple[Any, ...]:
    x = x * 0.5
    x = x - x.mean(1)[:, None]
    return (x / xp.sqrt((x * x).mean(1)[:, None] + _EPSILON) * g + b,)


def _matmul(xp: Any, x: Any, w: Any, b: Any) -> tuple[Any, ...]:
    return (xp.clip(x @ w + b, 0.0, None),)


def _sum_last(xp: Any, x: Any, y: Any) -> tuple[Any, ...]:
    return (_chain(xp, x, y).sum(1)[:, None] * 0.5,)


def _sum_first(xp: Any, x: Any, y: Any) -> tuple[Any, ...]:
    return (_chain(xp, x, y).sum(0)[None, :] * 0.5,)


def _broadcast(_: Any, x: Any, y: Any) -> tuple[Any, ...]:
    return ((x + y) * 2.0,)


PLAIN: dict[str, Formula] = {
    "w1": _w1,
    "chain8": _chain8,
    "chain40": _chain40,
    "chain40_5x8": _chain40,
    "softmax": _softmax,
    "layernorm": _layernorm,
    "matmul_bias_relu": _matmul,
    "chain8_sum_last": _sum_last,
    "chain8_sum_first": _sum_first,
    "broadcast_add": _broadcast,
    "softmax_bare": _softmax_bare,
}


def torch_own(torch: Any, name: str) -> Formula | None:
    """Torch's own function for a workload, if it has one."""
    f = torch.nn.functional
    own: dict[str, Formula] = {
        "softmax": lambda x: (f.softmax(x * 0.125, 1),),
        "softmax_bare": lambda x: (f.softmax(x, 1),),
        "layernorm": lambda x, g, b: (f.layer_norm(x * 0.5, x.shape[1:], g[0], b[0], _EPSILON),),
        "matmul_bias_relu": lambda x, w, b: (torch.addmm(b, x, w).relu_(),),
    }
    return own.get(name)


# --- NumPy without new memory ------------------------------------------------------------------


def _buffer(buffers: Buffers, name: str, shape: tuple[int, ...]) -> Array:
    """A buffer that is made at the first call and used again at every later one."""
    if name not in buffers:
        buffers[name] = np.empty(shape, np.float32)
    return buffers[name]


def _w1_out(inputs: Sequence[Array], buffers: Buffers) -> tuple[Array, ...]:
    a, b, c = inputs
    out, other = (_buffer(buffers, name, a.shape) for name in ("out", "other"))
    np.multiply(a, b, out=out)
    np.multiply(c, np.float32(2.0), out=other)
    np.add(out, other, out=out)
    return (np.exp(out, out=out),)


def _chain_out(x: Array, y: Array, out: Array) -> Array:
    np.multiply(x, y, out=out)
    np.add(out, x, out=out)
    np.multiply(out, np.float32(0.5), out=out)
    np.subtract(out, y, out=out)
    np.multiply(out, x, out=out)
    np.add(out, np.float32(1.0), out=out)
    np.abs(out, out=out)
    return np.multiply(out, y, out=out)


def _chains_out(inputs: Sequence[Array], buffers: Buffers) -> tuple[Array, ...]:
    pairs = zip(inputs[::2], inputs[1::2], strict=True)
    return tuple(
        [_chain_out(x, y, _buffer(buffers, f"out{at}", x.shape)) for at, (x, y) in enumerate(pairs)]
    )


def _softmax_rows(x: Array, out: Array, buffers: Buffers) -> tuple[Array, ...]:
    row = _buffer(buffers, "row", (x.shape[0], 1))
    np.amax(x, axis=1, keepdims=True, out=row)
    np.subtract(x, row, out=out)
    np.exp(out, out=out)
    np.sum(out, axis=1, keepdims=True, out=row)
    return (np.divide(out, row, out=out),)


def _softmax_out(inputs: Sequence[Array], buffers: Buffers) -> tuple[Array, ...]:
    out = _buffer(buffers, "out", inputs[0].shape)
    np.multiply(inputs[0], np.float32(0.125), out=out)
    return _softmax_rows(out, out, buffers)


def _softmax_bare_out(inputs: Sequence[Array], buffers: Buffers) -> tuple[Array, ...]:
    return _softmax_rows(inputs[0], _buffer(buffers, "out", inputs[0].shape), buffers)


def _layernorm_out(inputs: Sequence[Array], buffers: Buffers) -> tuple[Array, ...]:
    x, g, b = inputs
    out, square = (_buffer(buffers, name, x.shape) for name in ("out", "square"))
    row = _buffer(buffers, "row", (x.shape[0], 1))
    np.multiply(x, np.float32(0.5), out=out)
    np.mean(out, axis=1, keepdims=True, out=row)
    np.subtract(out, row, out=out)
    np.multiply(out, out, out=square)
    np.mean(square, axis=1, keepdims=True, out=row)
    np.add(row, np.float32(_EPSILON), out=row)
    np.sqrt(row, out=row)
    np.divide(out, row, out=out)
    np.multiply(out, g, out=out)
    return (np.add(out, b, out=out),)


def _matmul_out(inputs: Sequence[Array], buffers: Buffers) -> tuple[Array, ...]:
    x, w, b = inputs
    out = _buffer(buffers, "out", (x.shape[0], w.shape[1]))
    np.matmul(x, w, out=out)
    np.add(out, b, out=out)
    return (np.maximum(out, np.float32(0.0), out=out),)


def _sum_out(inputs: Sequence[Array], buffers: Buffers, axis: int) -> tuple[Array, ...]:
    x, y = inputs
    chain = _chain_out(x, y, _buffer(buffers, "out", x.shape))
    shape = tuple(1 if dim == axis else extent for dim, extent in enumerate(x.shape))
    total = _buffer(buffers, "total", shape)
    np.sum(chain, axis=axis, keepdims=True, out=total)
    return (np.multiply(total, np.float32(0.5), out=total),)


def _broadcast_out(inputs: Sequence[Array], buffers: Buffers) -> tuple[Array, ...]:
    x, y = inputs
    out = _buffer(buffers, "out", (x.shape[0], y.shape[1]))
    np.add(x, y, out=out)
    return (np.multiply(out, np.float32(2.0), out=out),)


IN_PLACE: dict[str, InPlace] = {
    "w1": _w1_out,
    "chain8": _chains_out,
    "chain40": _chains_out,
    "chain40_5x8": _chains_out,
    "softmax": _softmax_out,
    "layernorm": _layernorm_out,
    "matmul_bias_relu": _matmul_out,
    "chain8_sum_last": lambda inputs, buffers: _sum_out(inputs, buffers, 1),
    "chain8_sum_first": lambda inputs, buffers: _sum_out(inputs, buffers, 0),
    "broadcast_add": _broadcast_out,
    "softmax_bare": _softmax_bare_out,
}

# --- numexpr ----------------------------------------------------------------------------------

_CHAIN_TEXT = "abs(((x * y + x) * half - y) * x + one) * y"

NUMEXPR: dict[str, str] = {
    "w1": "exp(x * y + z * two)",
    "chain8": _CHAIN_TEXT,
    "chain40": _CHAIN_TEXT,
    "chain40_5x8": _CHAIN_TEXT,
    "broadcast_add": "(x + y) * two",
}
"""Constants are float32 variables: numexpr computes in f64 wherever a plain number stands."""

CONSTANTS = {"half": 0.5, "one": 1.0, "two": 2.0}
