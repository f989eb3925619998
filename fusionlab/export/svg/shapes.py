"""SVG as text: elements with attributes, and how wide a text will be.

In: names and values. Out: markup in which every value is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import east_asian_width
from xml.sax.saxutils import escape, quoteattr

Markup = str


def element(name: str, /, *children: Markup | Iterable[Markup], **attributes: object) -> Markup:
    """One element; ``None`` and ``False`` leave an attribute out, ``_`` in a name reads ``-``."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(_number(value))}"
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    inner = "".join(child if isinstance(child, str) else "".join(child) for child in children)
    return f"<{name}{written}>{inner}</{name}>" if inner else f"<{name}{written}/>"


def words(text: str) -> Markup:
    """Text content."""
    return escape(_printable(text))


def _printable(text: str) -> str:
    """XML cannot hold control characters, not even escaped."""
    return "".join(c if c >= " " or c in "\t\n" else "�" for c in text)


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return _printable(str(value))


_NARROW = frozenset("ijlt.,:;'|!()[] f·")


def width(text: str, size: float, *, mono: bool = False, bold: bool = False) -> float:
    """How wide a text will be, in pixels, at most: the widest of the usual fonts is assumed."""
    total = 0.0
    for character in text:
        if east_asian_width(character) in "WF":
            total += 1.0
        elif mono:
            total += 0.62
        elif character in _NARROW:
            total += 0.35
        else:
            total += 0.72 if character.isupper() else 0.61
    return total * size * (1.1 if bold else 1.0)


def wrapped(text: str, size: float, room: float, most: int, *, bold: bool = False) -> list[str]:
    """The text in lines that fit; the last one ends with an ellipsis when there is more."""
    lines: list[str] = []
    line = ""
    for word in _pieces(text):
        if line and width(line + word, size, bold=bold) > room:
            lines.append(line.rstrip())
            line = ""
        line += word if line else word.lstrip()
    lines.append(line.rstrip())
    if len(lines) <= most:
        return lines
    kept = lines[:most]
    return [*kept[:-1], f"{kept[-1].rstrip('.,。，')}…"]


def _pieces(text: str) -> list[str]:
    """Where a line may break: at spaces, and between Chinese characters."""
    pieces: list[str] = []
    for character in text:
        wide = east_asian_width(character) in "WF"
        fresh = character == " " or wide or not pieces or east_asian_width(pieces[-1][-1]) in "WF"
        if fresh and not (wide and character in "，。；：、！？」）"):
            pieces.append(character)
        else:
            pieces[-1] += character
    return pieces
