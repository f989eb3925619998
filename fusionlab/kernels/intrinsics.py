"""The words that generated kernels use beyond Python's operators, as Numba intrinsics.

Each is written into LLVM directly, so it costs next to nothing to compile and never blocks
vectorisation. Imported only by ``jit``, because it imports Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from fusionlab.kernels import angles, vmath
from fusionlab.kernels.lanes import F32, F64, Lanes

Emit = Callable[[Any, Any, tuple[Any, ...]], Any]
"""(IR builder, type of the first argument, values) -> value."""

_HALF = ir.HalfType()
_I16, _I32 = ir.IntType(16), ir.IntType(32)


def _define(name: str, arity: int, emit: Emit, result: Any = None) -> Any:
    """An intrinsic whose arguments have one type; ``result`` is that type unless given."""

    def typed(arguments: tuple[Any, ...]) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return emit(builder, arguments[-1], tuple(values))

        return (result or arguments[-1])(*arguments), generate

    def one(typing_context: Any, a: Any) -> Any:  # noqa: ARG001 -- Numba passes its context
        return typed((a,))

    def two(typing_context: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
        return typed((a, b))

    def three(typing_context: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
        return typed((a, b, c))

    definition = (one, two, three)[arity - 1]
    definition.__name__ = definition.__qualname__ = name
    return intrinsic(definition)


def _lanes(builder: Any, kind: Any) -> Lanes:
    return Lanes(builder, F64 if kind is types.float64 else F32)


def _math(function: Callable[..., Any], library: str | None = None) -> Emit:
    """A function of ``vmath``; with ``library`` f64 goes to the C function of that name."""

    def emit(builder: Any, kind: Any, values: tuple[Any, ...]) -> Any:
        if library is None or kind is types.float32:
            return function(_lanes(builder, kind), *values)
        signature = ir.FunctionType(F64.type, [F64.type] * len(values))
        outside: Any = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module, signature, library
        )
        return builder.call(outside, values)

    return emit


def _llvm(name: str) -> Emit:
    return lambda builder, kind, values: _lanes(builder, kind).call(name, *values)


def _absolute(builder: Any, kind: Any, values: tuple[Any, ...]) -> Any:
    (x,) = values
    if isinstance(kind, types.Float):
        return _lanes(builder, kind).size(x)
    if not kind.signed:
        return x
    negative = builder.icmp_signed("<", x, ir.Constant(x.type, 0))
    return builder.select(negative, builder.neg(x), x)


def _extreme(name: str, sign: str) -> Emit:
    """Maximum or minimum; of floats the one that propagates NaN."""

    def emit(builder: Any, kind: Any, values: tuple[Any, ...]) -> Any:
        if isinstance(kind, types.Float):
            return _lanes(builder, kind).call(f"llvm.{name}", *values)
        compare = builder.icmp_signed if kind.signed else builder.icmp_unsigned
        return builder.select(compare(sign, *values), *values)

    return emit


def _in_any_order(float_name: str, int_name: str) -> Emit:
    """An addition or multiplication that LLVM may reorder: accumulators in vector registers."""

    def emit(builder: Any, kind: Any, values: tuple[Any, ...]) -> Any:
        if isinstance(kind, types.Float):
            return getattr(builder, float_name)(*values, flags=("reassoc", "nsz"))
        return getattr(builder, int_name)(*values)

    return emit


def _select(builder: Any, _kind: Any, values: tuple[Any, ...]) -> Any:
    return builder.select(*values)


def _safe_division(builder: Any, kind: Any, values: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """The divisor without the two values that trap, and whether it was 0 or -1."""
    divisor = values[1]
    zero = builder.icmp_signed("==", divisor, ir.Constant(divisor.type, 0))
    minus_one = builder.icmp_signed("==", divisor, ir.Constant(divisor.type, -1))
    if not kind.signed:
        minus_one = ir.Constant(ir.IntType(1), 0)
    trapping = builder.or_(zero, minus_one)
    return builder.select(trapping, ir.Constant(divisor.type, 1), divisor), zero, minus_one


def _int_divide(builder: Any, kind: Any, values: tuple[Any, ...]) -> Any:
    """Toward zero; x / 0 is 0, and the smallest value / -1 wraps to itself."""
    safe, zero, minus_one = _safe_division(builder, kind, values)
    divide = builder.sdiv if kind.signed else builder.udiv
    quotient = builder.select(minus_one, builder.neg(values[0]), divide(values[0], safe))
    return builder.select(zero, ir.Constant(safe.type, 0), quotient)


def _int_remainder(builder: Any, kind: Any, values: tuple[Any, ...]) -> Any:
    """With the sign of the divisor; x % 0 is 0."""
    safe, _, _ = _safe_division(builder, kind, values)
    if not kind.signed:
        return builder.select(
            builder.icmp_unsigned("==", values[1], ir.Constant(safe.type, 0)),
            ir.Constant(safe.type, 0),
            builder.urem(values[0], safe),
        )
    rest, zero = builder.srem(values[0], safe), ir.Constant(safe.type, 0)
    differs = builder.icmp_signed("<", builder.xor(rest, safe), zero)
    wrong = builder.and_(differs, builder.icmp_signed("!=", rest, zero))
    return builder.select(wrong, builder.add(rest, safe), rest)


def _shift(signed_name: str, unsigned_name: str) -> Emit:
    """A shift whose count is taken modulo the width."""

    def emit(builder: Any, kind: Any, values: tuple[Any, ...]) -> Any:
        width = values[0].type.width
        count = builder.and_(values[1], ir.Constant(values[1].type, width - 1))
        name = signed_name if kind.signed else unsigned_name
        return getattr(builder, name)(values[0], count)

    return emit


def _saturating(target: Any) -> Emit:
    """Float to integer: toward zero, clipped, NaN to 0."""

    def emit(builder: Any, _kind: Any, values: tuple[Any, ...]) -> Any:
        integer, source = ir.IntType(target.bitwidth), values[0].type
        name = "llvm.fptosi.sat" if target.signed else "llvm.fptoui.sat"
        kind = ir.FunctionType(integer, [source])
        return builder.call(builder.module.declare_intrinsic(name, [integer, source], kind), values)

    return emit


def _f16_to_f32(builder: Any, _kind: Any, values: tuple[Any, ...]) -> Any:
    return builder.fpext(builder.bitcast(values[0], _HALF), F32.type)


def _f32_to_f16(builder: Any, _kind: Any, values: tuple[Any, ...]) -> Any:
    return builder.bitcast(builder.fptrunc(values[0], _HALF), _I16)


def _round_f16(builder: Any, _kind: Any, values: tuple[Any, ...]) -> Any:
    return builder.fpext(builder.fptrunc(values[0], _HALF), F32.type)


def _round_bf16(builder: Any, _kind: Any, values: tuple[Any, ...]) -> Any:
    """Ties to even on the bits; a NaN keeps its own, or the carry could make it infinite."""
    lanes = Lanes(builder, F32)
    bits = lanes.to_bits(values[0])
    odd = builder.and_(builder.lshr(bits, lanes.whole(16)), lanes.whole(1))
    carried = builder.add(builder.add(bits, lanes.whole(0x7FFF)), odd)
    rounded = lanes.from_bits(builder.and_(carried, lanes.whole(0xFFFF0000)))
    return lanes.select(lanes.is_nan(values[0]), values[0], rounded)


_INTEGERS = (types.int8, types.int16, types.int32, types.int64)
_NATURALS = (types.uint8, types.uint16, types.uint32, types.uint64)

_INTRINSICS: Final[dict[str, Any]] = {
    "exp": _define("exp", 1, _math(vmath.exp)),
    "log": _define("log", 1, _math(vmath.log)),
    "log1p": _define("log1p", 1, _math(vmath.log1p)),
    "tanh": _define("tanh", 1, _math(vmath.tanh)),
    "erf": _define("erf", 1, _math(vmath.erf32, "erf")),
    "sin": _define("sin", 1, _math(angles.sin32, "sin")),
    "cos": _define("cos", 1, _math(angles.cos32, "cos")),
    "power": _define("power", 2, _math(vmath.power32, "pow")),
    "sqrt": _define("sqrt", 1, _llvm("llvm.sqrt")),
    "floor": _define("floor", 1, _llvm("llvm.floor")),
    "absolute": _define("absolute", 1, _absolute),
    "maximum": _define("maximum", 2, _extreme("maximum", ">")),
    "minimum": _define("minimum", 2, _extreme("minimum", "<")),
    "select": _define("select", 3, _select),
    "int_divide": _define("int_divide", 2, _int_divide),
    "int_remainder": _define("int_remainder", 2, _int_remainder),
    "shift_left": _define("shift_left", 2, _shift("shl", "shl")),
    "shift_right": _define("shift_right", 2, _shift("ashr", "lshr")),
    "add_in_any_order": _define("add_in_any_order", 2, _in_any_order("fadd", "add")),
    "multiply_in_any_order": _define("multiply_in_any_order", 2, _in_any_order("fmul", "mul")),
    "f16_to_f32": _define("f16_to_f32", 1, _f16_to_f32, types.float32),
    "f32_to_f16": _define("f32_to_f16", 1, _f32_to_f16, types.uint16),
    "round_f16": _define("round_f16", 1, _round_f16),
    "round_bf16": _define("round_bf16", 1, _round_bf16),
    **{f"to_{t.name}": _define(f"to_{t.name}", 1, _saturating(t), t) for t in _INTEGERS},
    **{f"to_{t.name}": _define(f"to_{t.name}", 1, _saturating(t), t) for t in _NATURALS},
}
_SCALARS: Final = ("float32", "float64", *(t.name for t in (*_INTEGERS, *_NATURALS)))


def _bounds(name: str) -> dict[str, Any]:
    """Where a running maximum and a running minimum of a type start."""
    kind = np.dtype(name).type
    if issubclass(kind, np.floating):
        return {f"smallest_of_{name}": kind(-np.inf), f"largest_of_{name}": kind(np.inf)}
    info = np.iinfo(name)
    return {f"smallest_of_{name}": kind(info.min), f"largest_of_{name}": kind(info.max)}


WORDS: Final[dict[str, Any]] = {
    **_INTRINSICS,
    **{name: getattr(np, name) for name in _SCALARS},
    **{word: value for name in _SCALARS for word, value in _bounds(name).items()},
    "boolean": np.bool_,
    "empty": np.empty,
}
"""Name in kernel source -> what it stands for."""
