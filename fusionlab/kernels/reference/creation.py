"""Ops that make tensors: constants, random numbers, and the two that queue nothing to compute.

Random numbers come from PCG64 seeded by (lab seed, output tensor id): a tensor of a program has the
same values in every run, and no other op's draws shift them.
"""

from __future__ import annotations

import numpy as np

from fusionlab.errors import UnsupportedError
from fusionlab.ir.operation import ArgValue, Options, Scalar
from fusionlab.kernels.dtypes import Array, compute_dtype
from fusionlab.kernels.reference.registry import Call, meaning

_DISTRIBUTIONS = ("Default", "Bernoulli", "Uniform", "Normal")


@meaning("Base*::Zeros", "Base*::Empty", "Init")
def _zeros(call: Call) -> Array:
    return np.zeros(call.shape, compute_dtype(call.dtype))


@meaning("Base*::Ones")
def _ones(call: Call) -> Array:
    return np.ones(call.shape, compute_dtype(call.dtype))


@meaning("Numeric*::Full")
def _full(call: Call) -> Array:
    return np.full(call.shape, call.scalar("value"), compute_dtype(call.dtype))


@meaning("Float::Random", "Numeric*::IntRandom")
def _random(call: Call) -> Array:
    generator = np.random.Generator(np.random.PCG64([call.seed, call.op.outputs[0].id]))
    name, numbers = distribution(call.optional("distribution", "Default"))
    values = _draw(generator, name, numbers, call.shape, whole=not call.dtype.is_float)
    return values.astype(compute_dtype(call.dtype))


def distribution(value: ArgValue) -> tuple[str, tuple[float, ...]]:
    """The name and parameters of a distribution argument.

    ``"Default"``, or a record with one field such as ``{"Uniform": [0.0, 1.0]}``.

    Raises:
        UnsupportedError: It is none of burn's four distributions.
    """
    name, parameters = value, None
    if isinstance(value, Options) and len(value.items) == 1:
        name, parameters = value.items[0]
    if not isinstance(name, str) or name not in _DISTRIBUTIONS:
        raise UnsupportedError("distribution", value=repr(value))
    items = parameters if isinstance(parameters, tuple) else (parameters,)
    if isinstance(parameters, Scalar):
        items = (parameters,)
    numbers = tuple(_number(item) for item in items if item is not None)
    return name, numbers


def _number(value: ArgValue) -> float:
    value = value.value if isinstance(value, Scalar) else value
    if not isinstance(value, bool | int | float):
        raise UnsupportedError("distribution", value=repr(value))
    return float(value)


def _draw(
    generator: np.random.Generator,
    name: str,
    numbers: tuple[float, ...],
    shape: tuple[int, ...],
    *,
    whole: bool,
) -> Array:
    """Values of one distribution. Integers of ``Default`` lie in 0..255, as burn draws them."""
    if name == "Normal":
        mean, deviation = numbers or (0.0, 1.0)
        return generator.normal(mean, deviation, shape)
    if name == "Bernoulli":
        return np.asarray(generator.random(shape) < (numbers[0] if numbers else 0.5))
    low, high = numbers or ((0.0, 255.0) if whole else (0.0, 1.0))
    return (
        np.floor(generator.uniform(low, high, shape))
        if whole
        else generator.uniform(low, high, shape)
    )


@meaning("Drop", "Distributed::SyncCollective")
def _nothing(_call: Call) -> list[Array]:
    return []


@meaning("Distributed::AllReduce", stored=True)
def _all_reduce(call: Call) -> Array:
    return call.inputs[0].copy()


@meaning("Custom", stored=True)
def _custom(call: Call) -> list[Array]:
    """An op that no fuser takes: every output is the first input, in the output's shape."""
    if not call.inputs:
        return [np.zeros(out.shape, compute_dtype(out.dtype)) for out in call.op.outputs]
    return [call.inputs[0].reshape(out.shape).copy() for out in call.op.outputs]
