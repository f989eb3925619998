"""Element types in memory: which NumPy type stores each burn type, and how values convert.

NumPy has no bf16, so bf16 values are float32 numbers rounded to bf16 after every op (decision in
docs/kernels.md). flex32 is stored as f32, and every kind of bool as ``np.bool_``. f16 is stored as
such and computed in f32.

Conversions follow Rust's ``as``: float to int truncates and saturates and makes NaN zero, int to
int wraps.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fusionlab.errors import UnsupportedError
from fusionlab.ir.operation import ArgValue, Scalar
from fusionlab.ir.tensor import DType

Array = NDArray[Any]

_STORAGE: Final[dict[DType, np.dtype[Any]]] = {
    DType.F64: np.dtype(np.float64),
    DType.F32: np.dtype(np.float32),
    DType.FLEX32: np.dtype(np.float32),
    DType.F16: np.dtype(np.float16),
    DType.BF16: np.dtype(np.float32),
    DType.I64: np.dtype(np.int64),
    DType.I32: np.dtype(np.int32),
    DType.I16: np.dtype(np.int16),
    DType.I8: np.dtype(np.int8),
    DType.U64: np.dtype(np.uint64),
    DType.U32: np.dtype(np.uint32),
    DType.U16: np.dtype(np.uint16),
    DType.U8: np.dtype(np.uint8),
    DType.BOOL: np.dtype(np.bool_),
    DType.BOOL_U8: np.dtype(np.bool_),
    DType.BOOL_U32: np.dtype(np.bool_),
    DType.QFLOAT: np.dtype(np.int8),
}


def storage_dtype(dtype: DType) -> np.dtype[Any]:
    """The NumPy type that stores a burn type (quantised values: their int8 codes)."""
    return _STORAGE[dtype]


def compute_dtype(dtype: DType) -> np.dtype[Any]:
    """The NumPy type that values of a burn type are computed in: f32 for every narrow float."""
    return np.dtype(np.float32) if dtype is DType.F16 else _STORAGE[dtype]


def round_to_bf16(values: Array) -> Array:
    """Round float32 values to the nearest bf16 value (ties to even), still stored as float32."""
    with np.errstate(all="ignore"):
        bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = (bits + np.uint32(0x7FFF) + odd) & np.uint32(0xFFFF0000)
    # Adding to a NaN's payload could turn it into an infinity.
    result = np.where(np.isnan(values), np.float32(np.nan), rounded.view(np.float32))
    return np.asarray(result, dtype=np.float32).reshape(np.shape(values))


def widen(array: Array) -> Array:
    """Stored values as values to compute with: f16 becomes f32, all else stays as it is."""
    return array.astype(np.float32) if array.dtype == np.float16 else array


def convert(values: Array, dtype: DType) -> Array:
    """Convert values to the storage form of ``dtype`` (a copy only when something changes)."""
    target = _STORAGE[dtype]
    if dtype is DType.BF16:
        return round_to_bf16(values)
    if values.dtype == target:
        return values
    if dtype is DType.F16:
        # Through f32, the type that kernels compute in, so that both round alike.
        with np.errstate(all="ignore"):
            return values.astype(np.float32).astype(np.float16)
    if target == np.bool_:
        return np.not_equal(values, 0)
    if values.dtype.kind == "f" and target.kind in "iu":
        return _saturate(values, target)
    with np.errstate(all="ignore"):
        return values.astype(target)


def _saturate(values: Array, target: np.dtype[Any]) -> Array:
    """Float to int as Rust's ``as``: toward zero, clipped to the range, NaN to 0."""
    info = np.iinfo(target)
    with np.errstate(all="ignore"):
        whole = np.trunc(values.astype(np.float64))
        result = np.where(np.isnan(whole), 0.0, whole).astype(target)
    # The bounds are compared as floats: the largest int64 is not a float, so ``>=`` is needed.
    result = np.where(whole >= float(info.max), target.type(info.max), result)
    return np.where(whole <= float(info.min), target.type(info.min), result)


def scalar_value(scalar: ArgValue, dtype: DType) -> float | int | bool:
    """The value of a scalar argument in an op that computes in ``dtype``, rounded to that type.

    Raises:
        UnsupportedError: The argument is not a scalar.
    """
    value = scalar.value if isinstance(scalar, Scalar) else scalar
    if not isinstance(value, bool | int | float):
        raise UnsupportedError("scalar_argument", value=repr(value))
    kind = compute_dtype(dtype)
    if kind.kind == "f":
        return float(convert(np.asarray(value, dtype=kind), dtype))
    if kind.kind == "b":
        return bool(value)
    return int(_int_scalar(value, kind))


def _int_scalar(value: float, kind: np.dtype[Any]) -> int:
    """A scalar in an integer op: floats saturate, integers wrap, as Rust's ``as`` does."""
    if not isinstance(value, int):
        return int(_saturate(np.asarray(value), kind))
    bits = kind.itemsize * 8
    wrapped = int(value) & ((1 << bits) - 1)
    return wrapped - (1 << bits) if kind.kind == "i" and wrapped >> (bits - 1) else wrapped
