"""Shape rules of ops that work element by element: unary, binary, scalar, comparisons, masks.

Source: burn-backend, ops/{tensor,int_tensor,bool_tensor}.rs.
"""

from __future__ import annotations

from typing import Final

from fusionlab.ir.shapes.request import (
    Described,
    Request,
    Rule,
    broadcast,
    need_bool,
    need_same_dtype,
    stated,
)
from fusionlab.ir.tensor import DType


def same(request: Request) -> tuple[Described, ...]:
    """One output like the first input."""
    return (request.inputs[0],)


def _binary(request: Request) -> tuple[Described, ...]:
    (left, dtype), (right, other) = request.inputs
    need_same_dtype(request.spec, dtype, other)
    return ((broadcast(request.spec, left, right), dtype),)


def _integer_power(request: Request) -> tuple[Described, ...]:
    (left, dtype), (right, _) = request.inputs
    return ((broadcast(request.spec, left, right), dtype),)


def _compared(request: Request) -> tuple[Described, ...]:
    ((shape, _),) = _binary(request)
    return ((shape, DType.BOOL),)


def _tested(request: Request) -> tuple[Described, ...]:
    return ((request.input_shape(), DType.BOOL),)


def _cast(request: Request) -> tuple[Described, ...]:
    return ((request.input_shape(), request.dtype or request.input_dtype()),)


def _into_int(request: Request) -> tuple[Described, ...]:
    return ((request.input_shape(), request.dtype or DType.I32),)


def _into_float(request: Request) -> tuple[Described, ...]:
    return ((request.input_shape(), request.dtype or DType.F32),)


def _quantized(request: Request) -> tuple[Described, ...]:
    return ((request.input_shape(), DType.QFLOAT),)


def _created(request: Request) -> tuple[Described, ...]:
    return (stated(request),)


def _mask_fill(request: Request) -> tuple[Described, ...]:
    (shape, dtype), (mask, mask_dtype) = request.inputs
    need_bool(request.spec, "mask", mask_dtype)
    return ((broadcast(request.spec, shape, mask), dtype),)


def _mask_where(request: Request) -> tuple[Described, ...]:
    (shape, dtype), (mask, mask_dtype), (value, value_dtype) = request.inputs
    need_bool(request.spec, "mask", mask_dtype)
    need_same_dtype(request.spec, dtype, value_dtype)
    masked = broadcast(request.spec, shape, mask)
    return ((broadcast(request.spec, masked, value), dtype),)


def _custom(request: Request) -> tuple[Described, ...]:
    return (request.inputs[0],) if request.inputs else (stated(request),)


def _nothing(_: Request) -> tuple[Described, ...]:
    return ()


def _table(rows: dict[Rule, str]) -> dict[str, Rule]:
    return {variant: rule for rule, variants in rows.items() for variant in variants.split()}


RULES: Final = _table(
    {
        same: """
            AddScalar SubScalar DivScalar RemScalar MulScalar PowiScalar PowfScalar
            ClampMin ClampMax Clamp Abs Neg Sign
            Exp Log Log1p Erf Sqrt Cos Cosh Sin Sinh Tan Tanh Recip
            ArcCos ArcCosh ArcSin ArcSinh ArcTan ArcTanh Round Floor Ceil Trunc
            BitwiseNot BitwiseAndScalar BitwiseOrScalar BitwiseXorScalar
            BitwiseLeftShiftScalar BitwiseRightShiftScalar Not
            Relu Gelu Sigmoid LogSigmoid LeakyRelu HardSigmoid AllReduce
        """,
        _binary: """
            Add Sub Div Rem Mul ArcTan2 Powf Hypot And Or Xor
            BitwiseAnd BitwiseOr BitwiseXor BitwiseLeftShift BitwiseRightShift
            ReluBackward PRelu GeluBackward SigmoidBackward LogSigmoidBackward
        """,
        _integer_power: "Powi",
        _compared: "Equal NotEqual Greater GreaterEqual Lower LowerEqual",
        _tested: """
            EqualElem NotEqualElem GreaterElem GreaterEqualElem LowerElem LowerEqualElem
            IsNan IsInf
        """,
        _cast: "Cast",
        _into_int: "IntoInt",
        _into_float: "IntoFloat Dequantize",
        _quantized: "Quantize",
        _created: "Empty Ones Zeros Full IntRandom Random Init",
        _mask_fill: "MaskFill",
        _mask_where: "MaskWhere",
        _custom: "Custom",
        _nothing: "Drop SyncCollective",
    }
)
