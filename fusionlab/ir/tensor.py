"""Tensor descriptions: what an op says about each tensor that it touches.

A description is a named tuple because it is built and hashed for every registered op
(ADR 8). In *relative* form the same type holds a relative id and shape ids.

Source: burn-ir, tensor.rs (``TensorIr``, ``TensorStatus``); burn-std, tensor/dtype.rs.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, NewType

TensorId = NewType("TensorId", int)
StreamId = NewType("StreamId", int)

Shape = tuple[int, ...]


class TensorStatus(StrEnum):
    """How an op uses a tensor; the values are burn's own spelling."""

    READ_ONLY = "ReadOnly"
    """An input that other users still need."""
    READ_WRITE = "ReadWrite"
    """The last use: the consumer may free or reuse the buffer."""
    NOT_INIT = "NotInit"
    """An output: no buffer yet."""


class DType(StrEnum):
    """Element types; the values are the spelling of the event form."""

    F64 = "f64"
    F32 = "f32"
    FLEX32 = "flex32"
    F16 = "f16"
    BF16 = "bf16"
    I64 = "i64"
    I32 = "i32"
    I16 = "i16"
    I8 = "i8"
    U64 = "u64"
    U32 = "u32"
    U16 = "u16"
    U8 = "u8"
    BOOL = "bool"
    BOOL_U8 = "bool(u8)"
    BOOL_U32 = "bool(u32)"
    QFLOAT = "qfloat"

    @property
    def is_float(self) -> bool:
        """Whether values are floating point (quantised tensors are not)."""
        return self in _FLOATS

    @property
    def is_bool(self) -> bool:
        """Whether values are truth values, however they are stored."""
        return self in _BOOLS

    @property
    def is_int(self) -> bool:
        """Whether values are integers (truth values are not)."""
        return not (self.is_float or self.is_bool or self is DType.QFLOAT)


_FLOATS = frozenset({DType.F64, DType.F32, DType.FLEX32, DType.F16, DType.BF16})
_BOOLS = frozenset({DType.BOOL, DType.BOOL_U8, DType.BOOL_U32})


class TensorIr(NamedTuple):
    """One tensor as one op sees it.

    ``shape`` holds extents in elements (global form) or shape ids (relative form).
    """

    id: int
    shape: Shape
    status: TensorStatus
    dtype: DType
