"""Arithmetic on plain numbers: Python's, but whole numbers stay in 64 bits and floats finite."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from fusionlab.errors import ProgramError

MAX_INT: Final = 2**63
"""Whole numbers stay below this, as in a 64-bit register."""

_MAX_SHIFT: Final = 64


def bounded(value: float) -> float:
    """The number itself; raises ``ProgramError`` when it is too large or not finite."""
    if isinstance(value, int):
        if abs(value) >= MAX_INT:
            raise ProgramError("number_too_large")
    elif not math.isfinite(value):
        raise ProgramError("number_not_finite")
    return value


def _power(left: float, right: float) -> float:
    if isinstance(left, int) and isinstance(right, int) and right > _MAX_SHIFT and abs(left) > 1:
        raise ProgramError("number_too_large")
    result = left**right
    if isinstance(result, complex):
        raise ProgramError("number_not_real")
    return float(result) if isinstance(result, float) else int(result)


def _shift(left: int, right: int) -> int:
    if right > _MAX_SHIFT:
        raise ProgramError("number_too_large")
    return left << right


_OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": _power,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": _shift,
    ">>": operator.rshift,
}


def compute(symbol: str, left: float, right: float) -> float:
    """``left symbol right``.

    Raises:
        ProgramError: No such operator for numbers, or the result is no 64-bit or finite number.
    """
    rule = _OPERATORS.get(symbol)
    if rule is None:
        raise ProgramError("needs_two_tensors", word=symbol)
    try:
        result: float = rule(left, right)
    except ZeroDivisionError:
        raise ProgramError("division_by_zero") from None
    except OverflowError:
        raise ProgramError("number_not_finite") from None
    except (TypeError, ValueError):
        # Bits of a float, or a shift by a negative number.
        raise ProgramError("bad_operand", symbol=symbol, got=f"{left}, {right}") from None
    return bounded(result)
