"""Words and operators that work element by element.

What burn decomposes before it queues is decomposed here: ``-x`` is MulScalar(-1), ``x != y`` is
Equal and Not, ``x ** 2`` is Mul(x, x), ``2.0 - x`` is MulScalar(-1) and AddScalar(2),
``2.0 / x`` is Recip and MulScalar(2).

Source: burn-tensor, api/numeric.rs (operators), burn-backend, ops/{tensor,int_tensor}.rs
(``float_powf_scalar``, ``float_sign``, ``float_clamp_min`` and their kin).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from fusionlab.errors import ProgramError
from fusionlab.ir.tensor import DType
from fusionlab.program.model import Tensor
from fusionlab.program.trace import Trace
from fusionlab.program.words.core import Word, WordTable, parse_signature
from fusionlab.program.words.helpers import base, need_float, numeric, scalar

Operand: TypeAlias = Tensor | float

WORDS: Final = WordTable()

# --- one tensor --------------------------------------------------------------------------------

_FLOAT_UNARY: Final = {
    **{name: name.capitalize() for name in "exp log log1p erf sqrt tanh sigmoid".split()[:6]},
    **{name: name.capitalize() for name in "cos cosh sin sinh tan round floor ceil trunc".split()},
    "recip": "Recip",
    "reciprocal": "Recip",
    "isnan": "IsNan",
    "is_nan": "IsNan",
    "isinf": "IsInf",
    "is_inf": "IsInf",
    **{f"arc{name}": f"Arc{name.capitalize()}" for name in "cos cosh sin sinh tan tanh".split()},
    **{f"a{name}": f"Arc{name.capitalize()}" for name in "cos cosh sin sinh tan tanh".split()},
}


def _unary(name: str, variant: str) -> Word:
    def apply(trace: Trace, x: Tensor) -> Tensor:
        need_float(x, name)
        return trace.emit(f"Float::{variant}", x)

    return Word(name, parse_signature("x:tensor"), apply, f"{variant} of each element.")


for _name, _variant in _FLOAT_UNARY.items():
    WORDS.add(_unary(_name, _variant))


@WORDS.word("abs", "x:tensor")
def absolute(trace: Trace, x: Tensor) -> Tensor:
    """Absolute value of each element."""
    return trace.emit(f"{numeric(x, 'abs')}::Abs", x)


@WORDS.word("neg negative", "x:tensor")
def negative(trace: Trace, x: Tensor) -> Tensor:
    """Minus each element (MulScalar by -1)."""
    return trace.emit(f"{numeric(x, '-')}::MulScalar", x, rhs=scalar(x, -1))


@WORDS.word("sign", "x:tensor")
def sign(trace: Trace, x: Tensor) -> Tensor:
    """-1, 0 or 1 for each element."""
    family = numeric(x, "sign")
    zeros = trace.emit(f"{base(x)}::Zeros", shape=x.shape, dtype=x.dtype)
    below = trace.emit(f"{family}::LowerElem", x, rhs=scalar(x, 0))
    above = trace.emit(f"{family}::GreaterElem", x, rhs=scalar(x, 0))
    partly = trace.emit(f"{base(x)}::MaskFill", zeros, below, value=scalar(x, -1))
    return trace.emit(f"{base(x)}::MaskFill", partly, above, value=scalar(x, 1))


@WORDS.word("logical_not bool_not bitwise_not", "x:tensor")
def invert(trace: Trace, x: Tensor) -> Tensor:
    """Not, of truth values or of the bits of whole numbers."""
    if x.dtype.is_float:
        raise ProgramError("not_for_float", word="~", got=x.dtype.value)
    return trace.emit("Bool::Not" if x.dtype.is_bool else "Int::BitwiseNot", x)


# --- two operands ------------------------------------------------------------------------------

Binary: TypeAlias = Callable[[Trace, Operand, Operand], Tensor]


def _with_operand(trace: Trace, row: str, ending: str, x: Tensor, y: Operand) -> Tensor:
    """The row for two tensors, or the one for a tensor and a number."""
    if isinstance(y, Tensor):
        return trace.emit(row, x, y)
    return trace.emit(f"{row}{ending}", x, rhs=scalar(x, y))


def _arithmetic(symbol: str, variant: str) -> Binary:
    def apply(trace: Trace, x: Operand, y: Operand) -> Tensor:
        if isinstance(x, Tensor):
            row = f"{numeric(x, symbol)}::{variant}"
            return _with_operand(trace, row, "Scalar", x, y)
        if isinstance(y, Tensor):
            return _scalar_first(trace, symbol, x, y)
        raise ProgramError("needs_a_tensor", word=symbol)

    return apply


def _scalar_first(trace: Trace, symbol: str, x: float, y: Tensor) -> Tensor:
    match symbol:
        case "+" | "*":
            return ARITHMETIC[symbol](trace, y, x)
        case "-":
            return ARITHMETIC["+"](trace, negative(trace, y), x)
        case "/":
            need_float(y, "/")
            flipped = trace.emit("Float::Recip", y)
            return trace.emit("NumericFloat::MulScalar", flipped, rhs=scalar(y, x))
        case _:
            raise ProgramError("scalar_first", word=symbol)


ARITHMETIC: Final[dict[str, Binary]] = {
    symbol: _arithmetic(symbol, variant)
    for symbol, variant in {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "%": "Rem"}.items()
}


def _comparison(symbol: str, variant: str, mirrored: str) -> Binary:
    def apply(trace: Trace, x: Operand, y: Operand) -> Tensor:
        if isinstance(x, Tensor):
            return _with_operand(trace, f"{numeric(x, symbol)}::{variant}", "Elem", x, y)
        if isinstance(y, Tensor):
            return COMPARISONS[mirrored](trace, y, x)
        raise ProgramError("needs_a_tensor", word=symbol)

    return apply


def equal(trace: Trace, x: Operand, y: Operand) -> Tensor:
    """Whether elements are equal."""
    if isinstance(x, Tensor):
        return _with_operand(trace, f"{base(x)}::Equal", "Elem", x, y)
    if isinstance(y, Tensor):
        return equal(trace, y, x)
    raise ProgramError("needs_a_tensor", word="==")


def not_equal(trace: Trace, x: Operand, y: Operand) -> Tensor:
    """Whether elements differ (Equal, then Not)."""
    return trace.emit("Bool::Not", equal(trace, x, y))


COMPARISONS: Final[dict[str, Binary]] = {
    "<": _comparison("<", "Lower", ">"),
    "<=": _comparison("<=", "LowerEqual", ">="),
    ">": _comparison(">", "Greater", "<"),
    ">=": _comparison(">=", "GreaterEqual", "<="),
    "==": equal,
    "!=": not_equal,
}


def _bits(symbol: str, variant: str, logical: str | None) -> Binary:
    def apply(trace: Trace, x: Operand, y: Operand) -> Tensor:
        first = x if isinstance(x, Tensor) else y
        if not isinstance(first, Tensor) or not isinstance(x, Tensor):
            raise ProgramError("scalar_first" if y is first else "needs_a_tensor", word=symbol)
        if x.dtype.is_float or (x.dtype.is_bool and logical is None):
            raise ProgramError("not_for_float", word=symbol, got=x.dtype.value)
        if x.dtype.is_bool:
            if not isinstance(y, Tensor):
                raise ProgramError("needs_two_tensors", word=symbol)
            return trace.emit(f"Bool::{logical}", x, y)
        return _with_operand(trace, f"Int::Bitwise{variant}", "Scalar", x, y)

    return apply


BITS: Final[dict[str, Binary]] = {
    "&": _bits("&", "And", "And"),
    "|": _bits("|", "Or", "Or"),
    "^": _bits("^", "Xor", "Xor"),
    "<<": _bits("<<", "LeftShift", None),
    ">>": _bits(">>", "RightShift", None),
}


# --- powers ------------------------------------------------------------------------------------


def power(trace: Trace, x: Operand, y: Operand) -> Tensor:
    """``x ** y``. Small whole exponents become cheaper ops, as burn does it."""
    if not isinstance(x, Tensor):
        raise ProgramError("scalar_first", word="**")
    numeric(x, "**")
    if isinstance(y, Tensor):
        return _tensor_power(trace, x, y)
    if float(y).is_integer():
        return _whole_power(trace, x, int(y))
    need_float(x, "**")
    return trace.emit("Float::PowfScalar", x, rhs=scalar(x, y))


def _tensor_power(trace: Trace, x: Tensor, y: Tensor) -> Tensor:
    if x.dtype.is_int:
        raised = _tensor_power(trace, _as_float(trace, x), y)
        return trace.emit("Float::IntoInt", raised, dtype=x.dtype)
    exponent = _as_float(trace, y, x.dtype) if y.dtype.is_int else y
    return trace.emit("Float::Powf", x, exponent)


def _as_float(trace: Trace, x: Tensor, dtype: DType = DType.F32) -> Tensor:
    return trace.emit("Int::IntoFloat", x, dtype=dtype)


def _whole_power(trace: Trace, x: Tensor, exponent: int) -> Tensor:
    match exponent:
        case 0:
            ones = trace.emit(f"{base(x)}::Ones", shape=x.shape, dtype=x.dtype)
            trace.drop(x.index)
            return ones
        case 1:
            return x
        case 2:
            return trace.emit(f"{numeric(x, '**')}::Mul", x, x)
    if x.dtype.is_int:
        raised = trace.emit("Float::PowfScalar", _as_float(trace, x), rhs=float(exponent))
        return trace.emit("Float::IntoInt", raised, dtype=x.dtype)
    match exponent:
        case -1:
            return trace.emit("Float::Recip", x)
        case -2:
            return trace.emit("Float::Recip", trace.emit("NumericFloat::Mul", x, x))
    return trace.emit("Float::PowfScalar", x, rhs=scalar(x, exponent))


OPERATORS: Final[dict[str, Binary]] = ARITHMETIC | BITS | {"**": power}
"""What an operator between operands does when one of them is a tensor."""


def _binary_word(name: str, symbol: str, function: Binary) -> Word:
    signature = parse_signature("x:operand, y:operand")
    return Word(name, signature, function, f"x {symbol} y, element by element.")


for _names, _symbol in {
    "add": "+",
    "sub subtract": "-",
    "mul multiply": "*",
    "div divide": "/",
    "rem remainder fmod": "%",
    "pow power powf powi": "**",
    "less lower": "<",
    "less_equal lower_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
    "bitwise_and logical_and bool_and": "&",
    "bitwise_or logical_or bool_or": "|",
    "bitwise_xor logical_xor bool_xor": "^",
    "left_shift bitwise_left_shift": "<<",
    "right_shift bitwise_right_shift": ">>",
}.items():
    for _name in _names.split():
        WORDS.add(_binary_word(_name, _symbol, (OPERATORS | COMPARISONS)[_symbol]))


@WORDS.word("square", "x:tensor")
def square(trace: Trace, x: Tensor) -> Tensor:
    """Each element times itself."""
    return power(trace, x, 2)


@WORDS.word("arctan2 atan2", "x:tensor, y:tensor")
def arctan2(trace: Trace, x: Tensor, y: Tensor) -> Tensor:
    """The angle of the point (y, x)."""
    need_float(x, "arctan2")
    return trace.emit("Float::ArcTan2", x, y)


@WORDS.word("hypot", "x:tensor, y:tensor")
def hypot(trace: Trace, x: Tensor, y: Tensor) -> Tensor:
    """The length of the vector (x, y)."""
    need_float(x, "hypot")
    return trace.emit("Float::Hypot", x, y)
