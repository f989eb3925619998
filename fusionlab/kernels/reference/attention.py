"""Scaled dot-product attention.

softmax(q k^T scale) v over [batch, heads, length, width]: soft cap, then the mask (true hides),
then the causal mask (aligned at the bottom right), then the additive bias. A row with everything
hidden is NaN, as in burn's fallback.
"""

from __future__ import annotations

import numpy as np

from fusionlab.ir.operation import ArgValue, Scalar
from fusionlab.ir.tensor import DType
from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.reference.activations import softmax
from fusionlab.kernels.reference.registry import Call, meaning


def _number(value: ArgValue, default: float) -> float:
    value = value.value if isinstance(value, Scalar) else value
    return float(value) if isinstance(value, int | float) else default


def _extras(call: Call) -> tuple[Array | None, Array | None]:
    """The optional mask and bias: a lone extra input is a mask when it holds truth values."""
    extras = call.inputs[3:]
    if len(extras) == 2:
        return extras[0], extras[1]
    if not extras:
        return None, None
    is_mask = call.op.inputs[3].dtype is DType.BOOL or call.op.inputs[3].dtype.is_bool
    return (extras[0], None) if is_mask else (None, extras[0])


@meaning("Module::Attention")
def _attention(call: Call) -> Array:
    query, key, value = call.operands()[:3]
    scale = _number(call.option("scale"), 1 / np.sqrt(query.shape[-1]))
    scores = np.matmul(query, np.swapaxes(key, -1, -2)) * query.dtype.type(scale)
    scores = _masked(call, _capped(call, scores))
    return np.asarray(np.matmul(softmax(scores, -1), value))


def _capped(call: Call, scores: Array) -> Array:
    cap = _number(call.option("softcap"), 0.0)
    return scores.dtype.type(cap) * np.tanh(scores / scores.dtype.type(cap)) if cap else scores


def _masked(call: Call, scores: Array) -> Array:
    mask, bias = _extras(call)
    if mask is not None:
        scores = np.where(np.not_equal(mask, 0), scores.dtype.type(-np.inf), scores)
    if call.option("is_causal", default=False):
        rows, columns = scores.shape[-2:]
        future = np.triu(np.ones((rows, columns), bool), k=1 + columns - rows)
        scores = np.where(future, scores.dtype.type(-np.inf), scores)
    return scores if bias is None else scores + bias.astype(scores.dtype)
