"""What a caption is made of, before it has a language.

In: keys of the catalog with the values that fill them. Out: sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fusionlab.i18n import Texts


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence or a part of one: a key and its values, which may be lines or lists of lines.

    ``otherwise`` is said when the catalog does not know the key.
    """

    key: str
    values: Mapping[str, object]
    otherwise: Line | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """The kind of a step, what happened, and up to two sentences why."""

    kind: str
    what: Line
    why: tuple[Line, ...] = ()


def line(key: str, /, **values: object) -> Line:
    """A line of the catalog."""
    return Line(key, values)


def told(texts: Texts, said: object) -> str:
    """The text of a value: a line in the reader's language, several as an enumeration."""
    match said:
        case Line(key=key, otherwise=Line() as otherwise) if key not in texts:
            return told(texts, otherwise)
        case Line(key=key, values=values):
            return texts(key, **{n: _value(texts, v) for n, v in values.items()})
        case list() | tuple():
            return texts.listed(told(texts, item) for item in said)
        case _:
            return str(said)


def _value(texts: Texts, value: object) -> object:
    return told(texts, value) if isinstance(value, Line | list | tuple) else value
