"""A small vocabulary for writing vectorisable math straight into LLVM.

A ``Lanes`` object holds an IR builder and a float format; its methods add one instruction each.
Nothing here branches: LLVM turns a loop over such code into vector instructions, which it cannot do
with calls into the C library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from llvmlite import ir
from llvmlite.binding import get_host_cpu_features

HAS_SCALE_INSTRUCTION: Final = get_host_cpu_features().get("avx512f", False)
"""Whether the processor multiplies by a power of two in one vector instruction."""


@dataclass(frozen=True, slots=True)
class Format:
    """An IEEE float format and the constants that depend on it only."""

    type: Any
    bits: Any
    fraction_bits: int
    bias: int
    round_magic: float
    """Adding it puts the nearest whole number into the lowest fraction bits."""
    ln2_high: float
    """ln 2 to few enough bits that its product with an exponent is exact."""
    ln2_low: float


F32: Final = Format(
    type=ir.FloatType(),
    bits=ir.IntType(32),
    fraction_bits=23,
    bias=127,
    round_magic=12582912.0,
    ln2_high=0.693359375,
    ln2_low=-2.1219444005469057e-04,
)
F64: Final = Format(
    type=ir.DoubleType(),
    bits=ir.IntType(64),
    fraction_bits=52,
    bias=1023,
    round_magic=6755399441055744.0,
    ln2_high=0.6931471803691238,
    ln2_low=1.9082149292705877e-10,
)


class Lanes:
    """Adds instructions on values of one float format."""

    __slots__ = ("b", "f")

    def __init__(self, builder: Any, format_: Format) -> None:
        self.b = builder
        self.f = format_

    def const(self, value: float) -> Any:
        """A float constant."""
        return ir.Constant(self.f.type, value)

    def whole(self, value: int) -> Any:
        """An integer constant as wide as a float."""
        return ir.Constant(self.f.bits, value)

    def call(self, name: str, *args: Any) -> Any:
        """A float intrinsic, such as ``llvm.fma``."""
        kind = ir.FunctionType(self.f.type, [self.f.type] * len(args))
        function = self.b.module.declare_intrinsic(name, [self.f.type], kind)
        return self.b.call(function, args)

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        """Product a b plus c, rounded once."""
        return self.call("llvm.fma", a, b, c)

    def polynomial(self, x: Any, coefficients: tuple[float, ...]) -> Any:
        """c0 + c1 x + c2 x^2 + ... by Horner's rule."""
        value = self.const(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            value = self.fma(value, x, self.const(coefficient))
        return value

    def select(self, condition: Any, yes: Any, no: Any) -> Any:
        """One of two values."""
        return self.b.select(condition, yes, no)

    def compare(self, sign: str, a: Any, b: Any) -> Any:
        """An ordered comparison: false when a NaN takes part."""
        return self.b.fcmp_ordered(sign, a, b)

    def is_nan(self, x: Any) -> Any:
        """Whether x is not a number."""
        return self.b.fcmp_unordered("uno", x, x)

    def to_bits(self, x: Any) -> Any:
        """The float's bits as an integer."""
        return self.b.bitcast(x, self.f.bits)

    def from_bits(self, x: Any) -> Any:
        """The float with these bits."""
        return self.b.bitcast(x, self.f.type)

    def size(self, x: Any) -> Any:
        """The absolute value."""
        return self.call("llvm.fabs", x)

    def with_sign(self, size: Any, sign: Any) -> Any:
        """``size`` with the sign of ``sign``."""
        return self.call("llvm.copysign", size, sign)

    def split_whole(self, x: Any) -> tuple[Any, Any]:
        """The nearest whole number as float and as integer; NaN gives no trap, only garbage."""
        magic = self.const(self.f.round_magic)
        shifted = self.b.fadd(x, magic)
        number = self.b.sub(self.to_bits(shifted), self.to_bits(magic))
        return self.b.fsub(shifted, magic), number

    def power_of_two(self, exponent: Any) -> Any:
        """2^exponent for exponents of normal numbers."""
        biased = self.b.add(exponent, self.whole(self.f.bias))
        return self.from_bits(self.b.shl(biased, self.whole(self.f.fraction_bits)))

    def scale(self, x: Any, exponent: Any) -> Any:
        """Times 2^exponent; results may be denormal or overflow."""
        if HAS_SCALE_INSTRUCTION:
            return self._scale_at_once(x, exponent)
        half = self.b.ashr(exponent, self.whole(1))
        rest = self.b.sub(exponent, half)
        return self.b.fmul(self.b.fmul(x, self.power_of_two(half)), self.power_of_two(rest))

    def _scale_at_once(self, x: Any, exponent: Any) -> Any:
        """One instruction on AVX-512; elsewhere LLVM would call a function for each element."""
        number = exponent if self.f is F32 else self.b.trunc(exponent, ir.IntType(32))
        kind = ir.FunctionType(self.f.type, [self.f.type, number.type])
        types = [self.f.type, number.type]
        return self.b.call(self.b.module.declare_intrinsic("llvm.ldexp", types, kind), [x, number])
