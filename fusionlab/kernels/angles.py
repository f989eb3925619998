"""Vectorisable sine and cosine for f32, with exact reduction of the argument over the whole range.

An angle is split into quarter turns and a rest of at most an eighth of a turn; two polynomials give
sine and cosine of the rest, and the number of quarter turns says which of them, with which sign.

Source: Payne and Hanek 1983 for large arguments, Cody and Waite 1980 for the others.
"""

from __future__ import annotations

import math
from typing import Any, Final

from llvmlite import ir

from fusionlab.kernels.lanes import F64, Lanes

_SIN: Final = (-0.1666666716337204, 0.008333331905305386, -0.00019840084132738411, 2.724962e-06)
"""(sin(r) / r - 1) / r^2 as a polynomial in r^2, on |r| <= pi / 4."""
_COS: Final = (0.0416666679084301, -0.00138888880610466, 2.4800598112051375e-05, -2.7300703e-07)
"""(cos(r) - 1 + r^2 / 2) / r^4 as a polynomial in r^2, on |r| <= pi / 4."""
_HALF_PI_HIGH: Final = float.fromhex("0x1.921fb54p+0")
"""The first 28 bits of pi / 2."""
_HALF_PI_LOW: Final = float.fromhex("0x1.10b4611a62633p-30")
_TWO_OVER_PI: Final = (
    0xA2F9836E,
    0x4E441529,
    0xFC2757D1,
    0xF534DDC0,
    0xDB629599,
    0x3C439041,
    0xFE5163AB,
)
"""The first 224 bits of 2 / pi."""


def _quarter_turns(v: Lanes, x: Any) -> tuple[Any, Any]:
    """The rest r in [-pi/4, pi/4] and the quarter turns n (mod 4) of x = r + n pi / 2 >= 0."""
    small = v.compare("<", x, v.const(2.0**25))
    near, near_turns = _turns_of_small(v, x)
    far, far_turns = _turns_of_large(v, x)
    return v.select(small, near, far), v.select(small, near_turns, far_turns)


def _turns_of_small(v: Lanes, x: Any) -> tuple[Any, Any]:
    """Below 2^25: in f64 the product of n and the first 28 bits of pi/2 is exact."""
    wide = Lanes(v.b, F64)
    value = v.b.fpext(x, F64.type)
    whole, turns = wide.split_whole(v.b.fmul(value, wide.const(2 / math.pi)))
    rest = wide.fma(whole, wide.const(-_HALF_PI_HIGH), value)
    rest = wide.fma(whole, wide.const(-_HALF_PI_LOW), rest)
    return v.b.fptrunc(rest, v.f.type), v.b.trunc(turns, v.f.bits)


def _turns_of_large(v: Lanes, x: Any) -> tuple[Any, Any]:
    """From 2^25: the significand times 96 bits of 2/pi.

    With x = m 2^e the bits of 2/pi before the (e - 2)nd make whole turns, so the window starts
    there; the product modulo 2^64 is then x 2/pi modulo 4 in units of 2^-62.
    """
    b, long = v.b, ir.IntType(64)
    bits = v.to_bits(x)
    significand = b.or_(b.and_(bits, v.whole(0x7FFFFF)), v.whole(0x800000))
    start = b.sub(b.lshr(bits, v.whole(23)), v.whole(152))
    first, shift = b.lshr(start, v.whole(5)), b.and_(start, v.whole(31))
    words = [_word_from(v, first, offset) for offset in range(4)]
    high, middle, low = (_window(v, words[i], words[i + 1], shift) for i in range(3))
    upper = b.shl(b.zext(b.mul(significand, high), long), ir.Constant(long, 32))
    wide = b.zext(significand, long)
    lower = b.lshr(b.mul(wide, b.zext(low, long)), ir.Constant(long, 32))
    turned = b.add(b.add(upper, b.mul(wide, b.zext(middle, long))), lower)
    turns = b.lshr(b.add(turned, ir.Constant(long, 1 << 61)), ir.Constant(long, 62))
    rest = b.sitofp(b.sub(turned, b.shl(turns, ir.Constant(long, 62))), F64.type)
    rest = b.fmul(rest, ir.Constant(F64.type, math.pi / 2 * 2.0**-62))
    return b.fptrunc(rest, v.f.type), b.trunc(turns, v.f.bits)


def _word_from(v: Lanes, first: Any, offset: int) -> Any:
    """The word of 2/pi with the number ``first + offset``, for ``first`` from 0 to 3."""
    w0, w1, w2, w3 = (v.whole(word) for word in _TWO_OVER_PI[offset : offset + 4])
    odd = v.b.icmp_signed("!=", v.b.and_(first, v.whole(1)), v.whole(0))
    upper = v.b.icmp_signed("!=", v.b.and_(first, v.whole(2)), v.whole(0))
    return v.select(upper, v.select(odd, w3, w2), v.select(odd, w1, w0))


def _window(v: Lanes, left: Any, right: Any, shift: Any) -> Any:
    """32 bits out of two words, ``shift`` bits from the left."""
    kind = ir.FunctionType(v.f.bits, [v.f.bits] * 3)
    function = v.b.module.declare_intrinsic("llvm.fshl", [v.f.bits], kind)
    return v.b.call(function, [left, right, shift])


def _wave(v: Lanes, x: Any, shift: int) -> Any:
    """sin(x + shift quarter turns)."""
    size = v.size(x)
    r, quarter = _quarter_turns(v, size)
    square = v.b.fmul(r, r)
    sine = v.fma(v.b.fmul(r, square), v.polynomial(square, _SIN), r)
    near_one = v.fma(square, v.const(-0.5), v.const(1.0))
    cosine = v.fma(v.b.fmul(square, square), v.polynomial(square, _COS), near_one)
    quarter = v.b.add(quarter, v.whole(shift))
    odd = v.b.icmp_signed("!=", v.b.and_(quarter, v.whole(1)), v.whole(0))
    value = v.select(odd, cosine, sine)
    lower = v.b.icmp_signed("!=", v.b.and_(quarter, v.whole(2)), v.whole(0))
    value = v.select(lower, v.b.fneg(value), value)
    return v.select(v.compare("<", size, v.const(math.inf)), value, v.const(math.nan))


def sin32(v: Lanes, x: Any) -> Any:
    """The sine; tiny arguments are their own sine, signed zero included."""
    value = _wave(v, x, 0)
    signed = v.select(v.compare("<", x, v.const(0.0)), v.b.fneg(value), value)
    tiny = v.compare("<", v.size(x), v.const(2.0**-12))
    return v.select(tiny, x, signed)


def cos32(v: Lanes, x: Any) -> Any:
    """The cosine."""
    tiny = v.compare("<", v.size(x), v.const(2.0**-13))
    return v.select(tiny, v.const(1.0), _wave(v, x, 1))
