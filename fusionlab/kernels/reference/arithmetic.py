"""Element-wise arithmetic, comparisons and float functions.

Integer division truncates toward zero and a remainder has the sign of the divisor; dividing an
integer by zero gives 0 (a GPU does not trap, and 0 is what every kernel here gives).
Maximum and minimum propagate NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fusionlab.ir.tensor import DType
from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.reference.registry import Call, Meaning, meaning
from fusionlab.kernels.reference.special import erf

Binary = Callable[[Any, Any], Any]
Unary = Callable[[Any], Any]


def divide(left: Array, right: Array) -> Array:
    """Quotient; integers truncate toward zero, x / 0 is 0 and the smallest value / -1 wraps."""
    if left.dtype.kind not in "iu":
        return np.asarray(left / right)
    safe = np.where(right == 0, right.dtype.type(1), right)
    quotient = np.floor_divide(left, safe)
    remainder = left - quotient * safe
    rounded_down = (remainder != 0) & ((left < 0) != (safe < 0))
    quotient = quotient + rounded_down.astype(quotient.dtype)
    return np.asarray(np.where(right == 0, left.dtype.type(0), quotient))


def remainder(left: Array, right: Array) -> Array:
    """``left - right * floor(left / right)``: the sign of the divisor; x % 0 is 0 for integers."""
    if left.dtype.kind not in "iu":
        return np.asarray(left - right * np.floor(left / right))
    safe = np.where(right == 0, right.dtype.type(1), right)
    return np.where(right == 0, left.dtype.type(0), np.remainder(left, safe))


def power(left: Array, right: Array) -> Array:
    """``left ** right``; integer powers with a negative exponent round toward zero."""
    if left.dtype.kind not in "iu":
        return np.asarray(np.power(left, right))
    result = np.power(left, np.maximum(right, 0))
    fraction = np.where(np.abs(left) == 1, np.power(left, np.abs(right)), 0)
    return np.where(right < 0, fraction, result).astype(left.dtype)


def sign(values: Array) -> Array:
    """-1, 0 or 1; NaN gives 0, as comparisons with 0 decide it."""
    return np.asarray((values > 0).astype(values.dtype) - (values < 0).astype(values.dtype))


def clamp(values: Array, low: Array, high: Array) -> Array:
    """``min(max(values, low), high)``; NaN stays NaN."""
    return np.asarray(np.minimum(np.maximum(values, low), high))


_BINARY: dict[str, Binary] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": divide,
    "Rem": remainder,
    "Powi": power,
}
_COMPARE: dict[str, Binary] = {
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "Lower": np.less,
    "LowerEqual": np.less_equal,
}
_EQUAL: dict[str, Binary] = {"Equal": np.equal, "NotEqual": np.not_equal}
_FLOAT_UNARY: dict[str, Unary] = {
    "Exp": np.exp,
    "Log": np.log,
    "Log1p": np.log1p,
    "Erf": erf,
    "Sqrt": np.sqrt,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Tan": np.tan,
    "Tanh": np.tanh,
    "Recip": lambda x: 1 / x,
    "ArcCos": np.arccos,
    "ArcCosh": np.arccosh,
    "ArcSin": np.arcsin,
    "ArcSinh": np.arcsinh,
    "ArcTan": np.arctan,
    "ArcTanh": np.arctanh,
    "Round": np.rint,
    "Floor": np.floor,
    "Ceil": np.ceil,
    "Trunc": np.trunc,
}


def _on_operands(function: Binary) -> Meaning:
    return lambda call: np.asarray(function(*call.operands()))


def _with_scalar(function: Binary) -> Meaning:
    return lambda call: np.asarray(function(call.operands()[0], np.asarray(call.scalar("rhs"))))


def _compared(function: Binary) -> Meaning:
    return lambda call: np.asarray(function(*call.alike()))


def _compared_with_scalar(function: Binary) -> Meaning:
    def run(call: Call) -> Array:
        kind = call.op.inputs[0].dtype
        return np.asarray(function(call.alike()[0], call.scalar("rhs", kind)))

    return run


def _in_float(function: Unary) -> Meaning:
    """A float function computes in floats even when a program declares another output type."""

    def run(call: Call) -> Array:
        kind = call.dtype if call.dtype.is_float else DType.F32
        return np.asarray(function(call.values_as(kind)[0]))

    return run


for _name, _function in _BINARY.items():
    meaning(f"Numeric*::{_name}")(_on_operands(_function))
    meaning(f"Numeric*::{_name}Scalar")(_with_scalar(_function))
for _name, _function in _COMPARE.items():
    meaning(f"Numeric*::{_name}")(_compared(_function))
    meaning(f"Numeric*::{_name}Elem")(_compared_with_scalar(_function))
for _name, _function in _EQUAL.items():
    meaning(f"Base*::{_name}")(_compared(_function))
    meaning(f"Base*::{_name}Elem")(_compared_with_scalar(_function))
for _name, _unary in _FLOAT_UNARY.items():
    meaning(f"Float::{_name}")(_in_float(_unary))

meaning("Numeric*::Abs")(lambda call: np.abs(call.operands()[0]))
meaning("Numeric*::Neg")(lambda call: np.negative(call.operands()[0]))
meaning("Numeric*::Sign")(lambda call: sign(call.operands()[0]))
meaning("Float::ArcTan2")(_on_operands(np.arctan2))
meaning("Float::Powf")(_on_operands(np.power))
meaning("Float::PowfScalar")(_with_scalar(np.power))
meaning("Float::Hypot")(_on_operands(np.hypot))
meaning("Numeric*::ClampMin")(_with_scalar(np.maximum))
meaning("Numeric*::ClampMax")(_with_scalar(np.minimum))


@meaning("Numeric*::Clamp")
def _clamp(call: Call) -> Array:
    return clamp(call.operands()[0], call.scalar("min"), call.scalar("max"))


@meaning("Float::IsNan")
def _is_nan(call: Call) -> Array:
    return np.asarray(np.isnan(call.inputs[0]))


@meaning("Float::IsInf")
def _is_inf(call: Call) -> Array:
    return np.asarray(np.isinf(call.inputs[0]))


@meaning("Float::Cross")
def _cross(call: Call) -> Array:
    left, right = np.broadcast_arrays(*call.operands())
    axis = call.integer("dim")
    return np.cross(left, right, axisa=axis, axisb=axis, axisc=axis)
