"""What the visitor chose to change: a kind, a place in the program, a value as it was typed.

In: a program and a choice. Out: what stands there now, what else could, and the ``Change`` itself.
A choice has a short text form for links (``shape@41=64x32``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

from fusionlab.config import LEAST, FusionConfig
from fusionlab.errors import ProgramError
from fusionlab.fusers import new_fusers
from fusionlab.ir.tensor import DType, Shape
from fusionlab.program import Program
from fusionlab.program.change import (
    Change,
    DisableFuser,
    InsertRead,
    InsertSync,
    Keep,
    Move,
    Reach,
    Release,
    Remove,
    ReplaceOp,
    SetDtype,
    SetLimit,
    SetScalar,
    SetShape,
)
from fusionlab.program.change.literals import outputs_of, scalars_of
from fusionlab.ui.compare.places import LIMITS, all_places, name_of

KINDS = (
    *("shape", "scalar", "dtype", "op", "keep", "release"),
    *("sync", "read", "remove", "move", *LIMITS, "fuser"),
)
"""The kinds of change, in the order in which the screen offers them."""

FUSER_NAMES = tuple(fuser.name for fuser in new_fusers(FusionConfig().max_bindings))

_DTYPES = frozenset(dtype.value for dtype in DType)
_UNARY = ("exp", "log", "sqrt", "tanh", "abs", "cos", "recip", "relu", "sigmoid", "neg")
_BINARY = ("+", "-", "*", "/", "@", "pow", "hypot")
_REDUCING = ("sum", "mean", "max", "min", "prod")


@dataclass(frozen=True, slots=True)
class Choice:
    """A change as it was chosen. ``at`` is -1 where a kind needs no place."""

    kind: str
    at: int = -1
    value: str = ""
    reach: Reach = Reach.ONE


def current(program: Program, kind: str, at: int) -> str:
    """What stands there now, as it would be typed."""
    if kind in LIMITS:
        value = program.settings.get(kind, getattr(FusionConfig(), kind))
        return "" if value is None else str(value)
    if not 0 <= at < len(program.instructions):
        return ""
    instruction = program.instructions[at]
    made = outputs_of(instruction)
    match kind:
        case "shape" if made:
            return "×".join(map(str, program.values[made[0]].shape))
        case "dtype" if made:
            return program.values[made[0]].dtype.value
        case "scalar":
            return next((f"{value:g}" for value in scalars_of(instruction)), "")
        case "op":
            return name_of(instruction)
    return ""


def suggested(program: Program, kind: str, at: int) -> str:
    """Another value to begin with: one that is worth a look."""
    now = current(program, kind, at)
    match kind:
        case "shape" if now:
            return _other_shape(tuple(int(part) for part in now.split("×")))
        case "scalar":
            return f"{float(now or 0) + 1:g}"
        case "max_blocks":
            return "1"
        case "max_explorations":
            return "1"
        case "max_bindings":
            return "3"
    return ""


def _other_shape(shape: Shape) -> str:
    """A square becomes oblong, anything else becomes square."""
    square = len(set(shape)) == 1 and len(shape) > 1
    other = (*shape[:-1], max(1, shape[-1] // 2)) if square else (shape[0],) * len(shape)
    if other == shape:
        other = (*shape[:-1], shape[-1] * 2)
    return "×".join(map(str, other))


def options(program: Program, kind: str, at: int) -> tuple[str, ...] | None:
    """The values to choose from; ``None`` when the value is typed, empty when there is none."""
    match kind:
        case "shape" | "scalar" | "max_blocks" | "max_explorations" | "max_bindings":
            return None
        case "dtype":
            now = current(program, kind, at)
            offered = (DType.F32, DType.F16, DType.BF16, DType.F64, DType.I32, DType.I64)
            return tuple(dtype.value for dtype in offered if dtype.value != now)
        case "op":
            return _other_words(program, at)
        case "fuser":
            return FUSER_NAMES
        case "move":
            return tuple(str(place.at) for place in all_places(program) if place.at != at)
    return ()


def _other_words(program: Program, at: int) -> tuple[str, ...]:
    if not 0 <= at < len(program.instructions):
        return ()
    instruction = program.instructions[at]
    now = name_of(instruction).removesuffix("Scalar").lower()
    inputs = len(getattr(instruction, "inputs", ()))
    if now.removesuffix("dim") in _REDUCING:
        return tuple(word for word in _REDUCING if word != now.removesuffix("dim"))
    if inputs > 1 or scalars_of(instruction):
        return tuple(word for word in _BINARY if _OPERATOR_NAMES.get(word, word) != now)
    return tuple(word for word in _UNARY if word != now)


_OPERATOR_NAMES = {"+": "add", "-": "sub", "*": "mul", "/": "div", "@": "matmul"}


def change_of(choice: Choice) -> Change:
    """The change that was chosen.

    Raises:
        ProgramError: ``change_value`` when the value cannot be read as what the kind needs.
    """
    at, reach, value = choice.at, choice.reach, choice.value.strip()
    match choice.kind:
        case "shape":
            return SetShape(at, _shape(choice), reach)
        case "scalar":
            return SetScalar(at, _number(choice), 0, reach)
        case "dtype" if value in _DTYPES:
            return SetDtype(at, DType(value), reach)
        case "op" if value:
            return ReplaceOp(at, value, reach)
        case "move" if value.isdecimal():
            return Move(at, int(value), reach)
        case "fuser" if value in FUSER_NAMES:
            return DisableFuser(value)
        case kind if kind in LIMITS:
            return SetLimit(kind, _limit(choice))
        case kind if kind in _WITHOUT_VALUE:
            return _WITHOUT_VALUE[kind](at, reach)
    raise _unreadable(choice)


_WITHOUT_VALUE: dict[str, Callable[[int, Reach], Change]] = {
    "keep": Keep,
    "release": Release,
    "sync": InsertSync,
    "read": InsertRead,
    "remove": Remove,
}


def _unreadable(choice: Choice) -> ProgramError:
    return ProgramError("change_value", kind=choice.kind, value=choice.value.strip() or "–")


def _shape(choice: Choice) -> Shape:
    parts = re.split(r"[\s×x*,]+", choice.value.strip(" ()[]"))
    if not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise _unreadable(choice)
    return tuple(int(part) for part in parts)


def _number(choice: Choice) -> float:
    text = choice.value.strip()
    try:
        value: float = int(text) if re.fullmatch(r"[+-]?\d{1,18}", text) else float(text)
    except ValueError:
        raise _unreadable(choice) from None
    if not isfinite(value):
        raise _unreadable(choice)
    return value


def _limit(choice: Choice) -> int | None:
    text = choice.value.strip()
    if not text and choice.kind == "max_explorations":
        return None
    if not (text.isdecimal() and len(text) < 7 and int(text) >= LEAST[choice.kind]):
        raise _unreadable(choice)
    return int(text)


_WRITTEN = re.compile(r"([a-z_]+)(?:@(\d{1,6})(\*?))?(?:=(.{0,60}))?", re.ASCII)


def written(choice: Choice) -> str:
    """The choice as the address holds it."""
    every = "*" if choice.reach is Reach.EVERY else ""
    where = f"@{choice.at}{every}" if choice.at >= 0 else ""
    value = choice.value.strip().replace("×", "x")
    return f"{choice.kind}{where}={value}" if value else f"{choice.kind}{where}"


def chosen(text: str) -> Choice | None:
    """The choice that an address names; ``None`` when it names none."""
    found = _WRITTEN.fullmatch(text)
    if found is None or found[1] not in KINDS:
        return None
    kind, at, every, value = found.groups()
    reach = Reach.EVERY if every else Reach.ONE
    value = (value or "").replace("x", "×") if kind == "shape" else value or ""
    return Choice(kind, int(at) if at else -1, value, reach)
