"""Bit operations, truth values and conversions between element types.

A shift count is taken modulo the width of the type, as the hardware and Rust's ``wrapping_shl`` do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fusionlab.ir.tensor import DType
from fusionlab.kernels.dtypes import Array, convert
from fusionlab.kernels.reference.registry import Call, Meaning, meaning


def shift_left(values: Array, count: Array) -> Array:
    """``values << count`` with the count taken modulo the width."""
    return np.asarray(np.left_shift(values, _masked(values, count)))


def shift_right(values: Array, count: Array) -> Array:
    """``values >> count`` (keeping the sign) with the count taken modulo the width."""
    return np.asarray(np.right_shift(values, _masked(values, count)))


def _masked(values: Array, count: Array) -> Array:
    return np.asarray(count & values.dtype.type(values.dtype.itemsize * 8 - 1))


_BITS: dict[str, Callable[[Any, Any], Any]] = {
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
    "BitwiseLeftShift": shift_left,
    "BitwiseRightShift": shift_right,
}


def _between(function: Callable[[Any, Any], Any]) -> Meaning:
    return lambda call: np.asarray(function(*call.operands()))


def _with_scalar(function: Callable[[Any, Any], Any]) -> Meaning:
    return lambda call: np.asarray(function(call.operands()[0], call.scalar("rhs")))


for _name, _function in _BITS.items():
    meaning(f"Int::{_name}")(_between(_function))
    meaning(f"Int::{_name}Scalar")(_with_scalar(_function))


@meaning("Int::BitwiseNot")
def _bitwise_not(call: Call) -> Array:
    return np.asarray(np.invert(call.operands()[0]))


def _truths(call: Call) -> list[Array]:
    return [convert(array, DType.BOOL) for array in call.inputs]


meaning("Bool::And")(lambda call: np.logical_and(*_truths(call)))
meaning("Bool::Or")(lambda call: np.logical_or(*_truths(call)))
meaning("Bool::Xor")(lambda call: np.logical_xor(*_truths(call)))
meaning("Bool::Not")(lambda call: np.logical_not(_truths(call)[0]))


@meaning("Base*::Cast", "Float::IntoInt", "Int::IntoFloat", "Bool::IntoInt", "Bool::IntoFloat")
def _cast(call: Call) -> Array:
    return call.inputs[0]
