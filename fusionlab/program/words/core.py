"""How a word of the lab language is declared and called.

A word has a name, a signature and a function that adds ops to the trace. The signature is text, as
a learner would read it: ``x:tensor, dim:int=None``. Kinds are checked before the function runs, so
a word never sees an argument of the wrong kind.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from fusionlab.errors import ProgramError
from fusionlab.ir.tensor import DType
from fusionlab.program.model import Tensor
from fusionlab.program.trace import Trace

Implementation: TypeAlias = Callable[..., Any]
F = TypeVar("F", bound=Implementation)

_REQUIRED: Final = object()


class Nothing:
    """What a word gives that has no value, such as ``read``."""


NOTHING: Final = Nothing()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a word.

    ``prefix`` is ``*`` when it takes all remaining positional arguments, ``**`` when it takes all
    remaining keywords.
    """

    name: str
    kind: str
    default: object = _REQUIRED
    prefix: str = ""

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return self.default is _REQUIRED and not self.prefix

    def __str__(self) -> str:
        """As the signature writes it."""
        shown = "" if self.default is _REQUIRED else f"={self.default!r}"
        return f"{self.prefix}{self.name}{shown}"


@dataclass(frozen=True, slots=True)
class Word:
    """A function of the lab language."""

    name: str
    parameters: tuple[Parameter, ...]
    function: Implementation
    summary: str

    @property
    def signature(self) -> str:
        """The call as a learner would write it, defaults shown."""
        return f"{self.name}({', '.join(map(str, self.parameters))})"

    def call(self, trace: Trace, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
        """Check the arguments and run the word.

        Raises:
            ProgramError: Wrong arguments, shapes or element types.
        """
        return self.function(trace, *self._bind(args, dict(keywords)))

    def _bind(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Iterable[Any]:
        bound: list[Any] = []
        rest = list(args)
        for parameter in self.parameters:
            if parameter.prefix == "*":
                bound.append(tuple(self._checked(parameter, value) for value in rest))
                rest = []
            elif parameter.prefix == "**":
                bound.append(keywords)
                keywords = {}
            else:
                bound.append(self._taken(parameter, rest, keywords))
        if rest:
            raise ProgramError("too_many_arguments", word=self.name, signature=self.signature)
        if keywords:
            name = next(iter(keywords))
            raise ProgramError(
                "unknown_argument", word=self.name, name=name, signature=self.signature
            )
        return bound

    def _taken(self, parameter: Parameter, rest: list[Any], keywords: dict[str, Any]) -> Any:
        if rest and parameter.name in keywords:
            raise ProgramError(
                "argument_twice", word=self.name, name=parameter.name, signature=self.signature
            )
        if rest:
            return self._checked(parameter, rest.pop(0))
        if parameter.name in keywords:
            return self._checked(parameter, keywords.pop(parameter.name))
        if parameter.default is _REQUIRED:
            raise ProgramError(
                "missing_argument", word=self.name, name=parameter.name, signature=self.signature
            )
        return parameter.default

    def _checked(self, parameter: Parameter, value: Any) -> Any:
        if value is None and parameter.default is None:
            return None
        check, label = KINDS[parameter.kind]
        checked = check(value)
        if checked is _MISFIT:
            raise ProgramError(
                "argument_kind",
                word=self.name,
                name=parameter.name,
                needed=label,
                got=kind_of(value),
            )
        return checked


_MISFIT: Final = object()


def kind_of(value: object) -> str:
    """How messages name the kind of a value."""
    match value:
        case Tensor(shape=shape, dtype=dtype):
            return f"tensor {dtype.value}{list(shape)}"
        case tuple() | range():
            return "tuple"
        case Nothing() | None:
            return "None"
        case str():
            return f'"{value}"'
        case _:
            return f"{type(value).__name__} {value}"


def is_number(value: object) -> bool:
    """Whether the value is a plain number (truth values count, as in Python)."""
    return isinstance(value, int | float)


def _whole(value: object) -> object:
    return value if isinstance(value, int) and not isinstance(value, bool) else _MISFIT


def _whole_list(value: object) -> object:
    items = (value,) if isinstance(value, int) else value
    if isinstance(items, tuple | range) and all(_whole(item) is not _MISFIT for item in items):
        return tuple(items)
    return _MISFIT


def _window(count: int) -> Callable[[object], object]:
    def check(value: object) -> object:
        listed = _whole_list(value)
        if isinstance(listed, tuple) and len(listed) == 1:
            listed *= count
        return listed if isinstance(listed, tuple) and len(listed) == count else _MISFIT

    return check


def _of_type(*types: type) -> Callable[[object], object]:
    return lambda value: value if isinstance(value, types) else _MISFIT


def _tensors(value: object) -> object:
    fits = isinstance(value, tuple) and all(isinstance(item, Tensor) for item in value)
    return value if fits else _MISFIT


_DTYPE_NAMES: Final = {
    **{str(dtype.value): dtype for dtype in DType if dtype is not DType.QFLOAT},
    **{f"float{bits}": DType(f"f{bits}") for bits in (16, 32, 64)},
    **{
        f"{sign}int{bits}": DType(f"{sign or 'i'}{bits}")
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
    "bfloat16": DType.BF16,
    "half": DType.F16,
    "float": DType.F32,
    "int": DType.I32,
}


def _dtype(value: object) -> object:
    return _DTYPE_NAMES.get(value, _MISFIT) if isinstance(value, str) else _MISFIT


KINDS: Final[Mapping[str, tuple[Callable[[object], object], str]]] = {
    "tensor": (_of_type(Tensor), "tensor"),
    "tensors": (_tensors, "[tensor, …]"),
    "number": (lambda value: value if is_number(value) else _MISFIT, "number"),
    "operand": (
        lambda v: v if isinstance(v, Tensor) or is_number(v) else _MISFIT,
        "tensor, number",
    ),
    "int": (_whole, "int"),
    "ints": (_whole_list, "(int, …)"),
    "window1": (_window(1), "int"),
    "window2": (_window(2), "int, (int, int)"),
    "window3": (_window(3), "int, (int, int, int)"),
    "flag": (_of_type(bool), "True, False"),
    "text": (_of_type(str), '"…"'),
    "dtype": (_dtype, '"f32", "f16", "i32", "bool", …'),
    "any": (lambda value: value, "…"),
}
"""Each kind with its check and the words that messages use for it."""


class WordTable(dict[str, Word]):
    """Words of one subject, by name."""

    def word(self, names: str, signature: str) -> Callable[[F], F]:
        """Declare a function as a word under one or more names (blank between them)."""
        parameters = parse_signature(signature)

        def declare(function: F) -> F:
            summary = (function.__doc__ or "").split("\n")[0]
            for name in names.split():
                self.add(Word(name, parameters, function, summary))
            return function

        return declare

    def add(self, word: Word) -> None:
        """Put a word in; two words of one name would be a slip of ours."""
        if word.name in self:
            raise ValueError(f"the word {word.name!r} is declared twice")
        self[word.name] = word


_PARAMETER: Final = re.compile(r"(\*{0,2})(\w+):(\w+)(?:=(.+))?")


def parse_signature(text: str) -> tuple[Parameter, ...]:
    """``*shape:int, dtype:dtype=None`` as parameters."""
    parameters = []
    for part in text.split(", ") if text else []:
        match = _PARAMETER.fullmatch(part)
        if match is None or match[3] not in KINDS:
            raise ValueError(f"not a parameter: {part!r}")
        prefix, name, kind, default = match.groups()
        value = _REQUIRED if default is None else ast.literal_eval(default)
        parameters.append(Parameter(name, kind, value, prefix))
    return tuple(parameters)
