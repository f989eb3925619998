"""Activation ops. Burn's Fusion decorator decomposes them, so they only run when queued by hand.

Backward ops take (lhs, gradient): for relu and sigmoid lhs is the *output* of the forward op, for
gelu and log-sigmoid its input.
"""

from __future__ import annotations

import numpy as np

from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.reference.registry import Call, meaning
from fusionlab.kernels.reference.special import erf

_ROOT_TWO = np.sqrt(2.0)


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)), without overflow on either side."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def log_sigmoid(x: Array) -> Array:
    """log(sigmoid(x)), without overflow on either side."""
    return np.asarray(np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))))


def softmax(x: Array, axis: int) -> Array:
    """exp(x - max) over its sum along ``axis``."""
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return np.asarray(powers / np.sum(powers, axis=axis, keepdims=True))


@meaning("Activation::Relu")
def _relu(call: Call) -> Array:
    (x,) = call.operands()
    return np.where(x <= 0, np.zeros_like(x), x)


@meaning("Activation::ReluBackward")
def _relu_backward(call: Call) -> Array:
    output, grad = call.operands()
    return np.where(output <= 0, np.zeros_like(grad), grad)


@meaning("Activation::LeakyRelu")
def _leaky_relu(call: Call) -> Array:
    (x,) = call.operands()
    return np.where(x < 0, x * call.scalar("rhs"), x)


@meaning("Activation::PRelu")
def _prelu(call: Call) -> Array:
    """A slope for each channel (dimension 1), or one for all."""
    x, slope = call.operands()
    if slope.size > 1 and x.ndim > 1 and slope.ndim == 1:
        slope = slope.reshape((1, -1) + (1,) * (x.ndim - 2))
    return np.where(x < 0, x * slope, x)


@meaning("Activation::Gelu")
def _gelu(call: Call) -> Array:
    (x,) = call.operands()
    return np.asarray(x * (1 + erf(x / _ROOT_TWO)) / 2)


@meaning("Activation::GeluBackward")
def _gelu_backward(call: Call) -> Array:
    x, grad = call.operands()
    density = np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    return np.asarray(grad * ((1 + erf(x / _ROOT_TWO)) / 2 + x * density))


@meaning("Activation::Sigmoid")
def _sigmoid(call: Call) -> Array:
    return sigmoid(call.operands()[0])


@meaning("Activation::SigmoidBackward")
def _sigmoid_backward(call: Call) -> Array:
    output, grad = call.operands()
    return np.asarray(grad * output * (1 - output))


@meaning("Activation::LogSigmoid")
def _log_sigmoid(call: Call) -> Array:
    return log_sigmoid(call.operands()[0])


@meaning("Activation::LogSigmoidBackward")
def _log_sigmoid_backward(call: Call) -> Array:
    x, grad = call.operands()
    return np.asarray(grad * sigmoid(-x))


@meaning("Activation::HardSigmoid")
def _hard_sigmoid(call: Call) -> Array:
    (x,) = call.operands()
    return np.asarray(np.clip(x * call.scalar("alpha") + call.scalar("beta"), 0, 1))


@meaning("Activation::Softmax")
def _softmax(call: Call) -> Array:
    return softmax(call.operands()[0], call.integer("axis"))


@meaning("Activation::Softmin")
def _softmin(call: Call) -> Array:
    return softmax(-call.operands()[0], call.integer("axis"))


@meaning("Activation::LogSoftmax")
def _log_softmax(call: Call) -> Array:
    (x,) = call.operands()
    axis = call.integer("axis")
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return np.asarray(shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True)))
