"""Layers with parameters: normalisation, embedding, linear; and 8-bit quantisation."""

from __future__ import annotations

import numpy as np

from fusionlab.errors import UnsupportedError
from fusionlab.ir.operation import ArgValue, Options, Scalar
from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.quantized import quantize
from fusionlab.kernels.reference.indexing import checked
from fusionlab.kernels.reference.registry import Call, meaning


def _per_channel(values: Array, rank: int) -> Array:
    return values.reshape((1, -1) + (1,) * (rank - 2))


@meaning("Module::BatchNorm")
def _batch_norm(call: Call) -> Array:
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta, each channel (dimension 1) its own."""
    x, gamma, beta, mean, variance = call.operands()
    gamma, beta, mean, variance = (
        _per_channel(values, x.ndim) for values in (gamma, beta, mean, variance)
    )
    return np.asarray((x - mean) / np.sqrt(variance + call.scalar("epsilon")) * gamma + beta)


@meaning("Module::LayerNorm")
def _layer_norm(call: Call) -> Array:
    """Normalise the last dimension by its mean and (biased) variance, then scale and shift."""
    x, gamma, *beta = call.operands()
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    scaled = centred / np.sqrt(variance + call.scalar("epsilon")) * gamma
    return np.asarray(scaled + beta[0] if beta else scaled)


@meaning("Module::Embedding")
def _embedding(call: Call) -> Array:
    """Rows of ``weights`` [rows, width] for ``indices``: [batch, length, width]."""
    weights, indices = call.inputs
    return weights[checked(call, indices, weights.shape[0])]


@meaning("Module::EmbeddingBackward")
def _embedding_backward(call: Call) -> Array:
    weights, grad, indices = call.inputs
    result = np.zeros_like(weights)
    np.add.at(result, checked(call, indices, weights.shape[0]), grad)
    return result


@meaning("Module::Linear")
def _linear(call: Call) -> Array:
    """``x @ weight + bias`` with ``weight`` [inputs, outputs]."""
    x, weight, *bias = call.operands()
    product = np.matmul(x, weight)
    return np.asarray(product + bias[0] if bias else product)


@meaning("Module::LinearXBackward")
def _linear_x_backward(call: Call) -> Array:
    weight, grad = call.operands()
    return np.asarray(np.matmul(grad, np.swapaxes(weight, -1, -2)))


@meaning("Module::LinearWeightBackward")
def _linear_weight_backward(call: Call) -> Array:
    x, grad = call.operands()
    rows, columns = x.reshape(-1, x.shape[-1]), grad.reshape(-1, grad.shape[-1])
    return np.asarray(rows.T @ columns)


@meaning("Module::LinearBiasBackward")
def _linear_bias_backward(call: Call) -> Array:
    grad = call.operands()[0]
    return np.asarray(grad.reshape(-1, grad.shape[-1]).sum(axis=0))


_DEFAULT_SCHEME = {"value": "Q8S", "level": "Tensor", "mode": "Symmetric"}


@meaning("Float::Quantize")
def _quantize(call: Call) -> Array:
    """Codes of ``tensor`` for the scale that comes with it (one number)."""
    tensor, scales = call.inputs[:2]
    _check_scheme(call.optional("scheme"))
    if len(call.inputs) > 2 or scales.size != 1:
        raise UnsupportedError("quantization_scheme", op=call.op.kind)
    return quantize(tensor, float(scales.reshape(-1)[0]))


def _check_scheme(scheme: ArgValue) -> None:
    """Refuse what is not symmetric, 8 bit, one scale for the tensor."""
    fields = dict(scheme.items) if isinstance(scheme, Options) else {}
    for name, expected in _DEFAULT_SCHEME.items():
        given = fields.get(name, expected)
        given = given.value if isinstance(given, Scalar) else given
        if given != expected:
            raise UnsupportedError("quantization_scheme", field=name, value=repr(given))


@meaning("Float::Dequantize")
def _dequantize(call: Call) -> Array:
    """``run_operation`` has turned the codes into numbers already."""
    return call.inputs[0]
