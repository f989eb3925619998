"""Vectorisable elementary functions: exp, log, log1p, tanh, erf and pow for f32 and f64.

Numba calls the C library for these, one element at a time, which makes a fused kernel slower than
NumPy. Here each is straight-line code over ``Lanes``: reduce the argument, evaluate a polynomial,
repair the special cases with selects. Measured errors are in docs/kernels.md and in the tests: at
most 2 units in the last place, signed zeros, infinities, NaN and denormals included.

For f64, erf and pow do call the C library (correct, not vectorised). Sine and cosine: ``angles``.

The coefficients are Chebyshev fits made for this file on the reduced intervals; the reductions are
the classical ones (Cody and Waite 1980; Muller, Elementary Functions, 3rd edition, chapter 11).
"""

from __future__ import annotations

import math
from typing import Any, Final

from fusionlab.kernels.lanes import F32, F64, Lanes

_EXP: Final = {
    F32: (
        0.5,
        0.16666576266288757,
        0.041666556149721146,
        0.008363203145563602,
        0.0013926213141530752,
    ),
    F64: (
        0.5,
        0.1666666666666667,
        0.04166666666666667,
        0.008333333333326112,
        0.001388888888888373,
        0.0001984126987490126,
        2.4801587325605324e-05,
        2.7557255297969643e-06,
        2.755727357010214e-07,
        2.5105259538448494e-08,
        2.0914717341716378e-09,
    ),
}
"""(e^r - 1 - r) / r^2 on |r| <= ln(2) / 2."""
_EXP_RANGE: Final = {F32: (-104.0, 89.0), F64: (-746.0, 710.0)}
_LOG: Final = {
    F32: (0.6666666865348816, 0.4000012278556824, 0.28550735116004944, 0.23332762718200684),
    F64: (
        0.666666666666667,
        0.3999999999989827,
        0.2857142862653362,
        0.22222211043776857,
        0.18182895750119193,
        0.1533150161114533,
        0.1461916613488797,
    ),
}
"""(atanh(s) 2 / s - 2) / s^2 as a polynomial in s^2, on |s| <= 0.1716."""
_SQRT_HALF_BITS: Final = {F32: 0x3F3504F3, F64: 0x3FE6A09E667F3BCD}
_SMALLEST_NORMAL: Final = {F32: 1.1754943508222875e-38, F64: 2.2250738585072014e-308}
_TANH_ONE_FROM: Final = {F32: 10.0, F64: 22.0}
_TANH: Final = {
    F32: (-0.333333283662796, 0.13332532346248627, -0.05371512100100517, 0.01926804520189762),
    F64: (
        -0.3333333333333333,
        0.13333333333329464,
        -0.05396825396178988,
        0.02186948811976278,
        -0.008863222061310261,
        0.0035918824420581286,
        -0.0014531879554384325,
        0.0005732117073728595,
        -0.00017983670332957593,
    ),
}
"""(tanh(x) / x - 1) / x^2 as a polynomial in x^2, on |x| <= 0.4."""
_ERF_SMALL: Final = (
    0.12837916612625122,
    -0.3761262595653534,
    0.11283594369888306,
    -0.02685421146452427,
    0.005189087241888046,
    -0.000801686430349946,
    7.875874871388078e-05,
)
"""erf(x) / x - 1 as a polynomial in x^2, on |x| <= 1."""
_ERF_LARGE: Final = (
    -0.0003214710159227252,
    1.1302392482757568,
    0.6318156719207764,
    0.11009019613265991,
    -0.026427043601870537,
    0.004761717282235622,
    -0.0005972644430585206,
    4.611291296896525e-05,
    -1.6399379774156841e-06,
)
"""-log(1 - erf(x)) on 0.98 <= x <= 4."""


def _reduced_exp(v: Lanes, x: Any) -> tuple[Any, Any]:
    """e^r - 1 and n with x = r + n ln 2."""
    n, exponent = v.split_whole(v.b.fmul(x, v.const(1 / math.log(2))))
    r = v.fma(n, v.const(-v.f.ln2_high), x)
    r = v.fma(n, v.const(-v.f.ln2_low), r)
    return v.fma(v.b.fmul(r, r), v.polynomial(r, _EXP[v.f]), r), exponent


def exp(v: Lanes, x: Any) -> Any:
    """e^x."""
    low, high = (v.const(bound) for bound in _EXP_RANGE[v.f])
    x = v.select(v.compare("<", x, low), low, x)
    x = v.select(v.compare(">", x, high), high, x)
    part, exponent = _reduced_exp(v, x)
    return v.scale(v.b.fadd(part, v.const(1.0)), exponent)


def log(v: Lanes, x: Any) -> Any:
    """The natural logarithm."""
    tiny = v.compare("<", x, v.const(_SMALLEST_NORMAL[v.f]))
    lifted = v.b.fmul(x, v.const(2.0**v.f.fraction_bits))
    bits = v.to_bits(v.select(tiny, lifted, x))
    offset = v.whole(_SQRT_HALF_BITS[v.f])
    shifted = v.b.sub(bits, offset)
    exponent = v.b.ashr(shifted, v.whole(v.f.fraction_bits))
    fraction = v.b.and_(shifted, v.whole((1 << v.f.fraction_bits) - 1))
    part = v.b.fsub(v.from_bits(v.b.add(fraction, offset)), v.const(1.0))
    exponent = v.b.sub(exponent, v.select(tiny, v.whole(v.f.fraction_bits), v.whole(0)))
    value = _log_of(v, part, v.b.sitofp(exponent, v.f.type))
    return _log_specials(v, x, value)


def _log_of(v: Lanes, part: Any, exponent: Any) -> Any:
    """log(1 + part) + exponent ln 2, for 1 + part between sqrt(1/2) and sqrt(2)."""
    s = v.b.fdiv(part, v.b.fadd(part, v.const(2.0)))
    z = v.b.fmul(s, s)
    half_square = v.b.fmul(v.b.fmul(part, part), v.const(0.5))
    rest = v.fma(z, v.polynomial(z, _LOG[v.f]), half_square)
    tail = v.fma(s, rest, v.b.fmul(exponent, v.const(v.f.ln2_low)))
    return v.fma(exponent, v.const(v.f.ln2_high), v.b.fsub(part, v.b.fsub(half_square, tail)))


def _log_specials(v: Lanes, x: Any, value: Any) -> Any:
    infinity, zero = v.const(math.inf), v.const(0.0)
    value = v.select(v.compare("==", x, infinity), infinity, value)
    value = v.select(v.compare("==", x, zero), v.const(-math.inf), value)
    invalid = v.b.or_(v.compare("<", x, zero), v.is_nan(x))
    return v.select(invalid, v.const(math.nan), value)


def log1p(v: Lanes, x: Any) -> Any:
    """log(1 + x), exact for small x: the rounding error of 1 + x is added back."""
    one = v.const(1.0)
    total = v.b.fadd(x, one)
    # Which operand lost bits depends on which is larger.
    lost_of_x = v.b.fsub(x, v.b.fsub(total, one))
    lost_of_one = v.b.fsub(one, v.b.fsub(total, x))
    lost = v.select(v.compare(">", x, one), lost_of_one, lost_of_x)
    value = v.b.fadd(log(v, total), v.b.fdiv(lost, total))
    value = v.select(v.compare("==", total, one), x, value)
    edge = v.b.or_(v.compare("==", x, v.const(math.inf)), v.compare("==", total, v.const(0.0)))
    return v.select(edge, log(v, total), value)


def tanh(v: Lanes, x: Any) -> Any:
    """The hyperbolic tangent: a polynomial near zero, (e^2|x| - 1) / (e^2|x| + 1) elsewhere."""
    limit = v.const(_TANH_ONE_FROM[v.f])
    size = v.size(x)
    size = v.select(v.compare(">", size, limit), limit, size)
    part, exponent = _reduced_exp(v, v.b.fadd(size, size))
    scale = v.power_of_two(exponent)
    above_one = v.fma(scale, part, v.b.fsub(scale, v.const(1.0)))
    value = v.b.fdiv(above_one, v.b.fadd(above_one, v.const(2.0)))
    square = v.b.fmul(x, x)
    small = v.fma(v.b.fmul(x, square), v.polynomial(square, _TANH[v.f]), x)
    return v.with_sign(v.select(v.compare("<", size, v.const(0.4)), small, value), x)


def erf32(v: Lanes, x: Any) -> Any:
    """The error function: a polynomial near zero, 1 - e^(-polynomial) elsewhere."""
    size = v.size(x)
    square = v.b.fmul(x, x)
    small = v.fma(x, v.polynomial(square, _ERF_SMALL), x)
    bounded = v.select(v.compare(">", size, v.const(4.0)), v.const(4.0), size)
    power = v.polynomial(bounded, _ERF_LARGE)
    large = v.b.fsub(v.const(1.0), exp(v, v.b.fneg(power)))
    return v.select(v.compare("<", size, v.const(1.0)), small, v.with_sign(large, x))


def power32(v: Lanes, x: Any, y: Any) -> Any:
    """x^y, computed in f64 as e^(y log |x|), with C's special cases."""
    wide = Lanes(v.b, F64)
    base = v.b.fpext(v.size(x), F64.type)
    exponent = v.b.fpext(y, F64.type)
    product = v.b.fmul(exponent, log(wide, base))
    value = v.b.fptrunc(exp(wide, product), v.f.type)
    whole, odd = _whole_and_odd(v, y)
    negative = v.b.icmp_signed("<", v.to_bits(x), v.whole(0))
    value = v.select(v.b.and_(negative, odd), v.b.fneg(value), value)
    # A finite negative base has a real power only for whole exponents.
    finite = v.compare("<", v.size(x), v.const(math.inf))
    below = v.b.and_(v.compare("<", x, v.const(0.0)), finite)
    value = v.select(v.b.and_(below, v.b.not_(whole)), v.const(math.nan), value)
    is_one = v.compare("==", x, v.const(1.0))
    is_minus_one = v.compare("==", x, v.const(-1.0))
    endless = v.compare("==", v.size(y), v.const(math.inf))
    one = v.b.or_(
        v.b.or_(is_one, v.b.and_(is_minus_one, endless)), v.compare("==", y, v.const(0.0))
    )
    return v.select(one, v.const(1.0), value)


def _whole_and_odd(v: Lanes, y: Any) -> tuple[Any, Any]:
    """Whether y is a whole number (infinities are), and whether it is an odd one."""
    whole = v.compare("==", v.call("llvm.trunc", y), y)
    half = v.b.fmul(y, v.const(0.5))
    even = v.compare("==", v.call("llvm.trunc", half), half)
    return whole, v.b.and_(whole, v.b.not_(even))
