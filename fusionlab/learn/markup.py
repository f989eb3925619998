"""The little Markdown of lessons as plain data: paragraphs, lists, code, and marked words.

In: a part of a lesson's text. Out: blocks of spans. Only what the lessons use is known: anything
else is text, so nothing that a text says can become markup of a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from fusionlab.learn.prose import LINK

Span = dict[str, Any]
Block = dict[str, Any]

_FENCE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_ITEM = re.compile(r"(?m)^(?:\*|\d+\.) ")
_MARK = re.compile(r"\*\*([^*]+)\*\*|`([^`\n]+)`")


def blocks(text: str, place: Callable[[str], list[int]]) -> list[Block]:
    """The blocks of a text; ``place`` says where a pin leads, by the name of its claim."""
    found: list[Block] = []
    position = 0
    for fence in _FENCE.finditer(text):
        found += _plain(text[position : fence.start()], place)
        found.append({"code": fence[1].rstrip("\n")})
        position = fence.end()
    return found + _plain(text[position:], place)


def _plain(text: str, place: Callable[[str], list[int]]) -> list[Block]:
    found: list[Block] = []
    for piece in re.split(r"\n\s*\n", text.strip()):
        if not piece:
            continue
        if _ITEM.match(piece):
            items = [item.strip() for item in _ITEM.split(piece) if item.strip()]
            found.append({"items": [list(_spans(item, place)) for item in items]})
        else:
            found.append({"text": list(_spans(piece, place))})
    return found


def _spans(text: str, place: Callable[[str], list[int]]) -> Iterator[Span]:
    text = text.replace("\n", " ")
    position = 0
    for link in LINK.finditer(text):
        yield from _marked(text[position : link.start()])
        shown, sort, name = link.groups()
        if sort == "is":
            yield {"claim": shown.strip("`")}
        else:
            yield {"pin": list(_marked(shown)), "to": place(name)}
        position = link.end()
    yield from _marked(text[position:])


def _marked(text: str) -> Iterator[Span]:
    position = 0
    for mark in _MARK.finditer(text):
        if mark.start() > position:
            yield {"plain": text[position : mark.start()]}
        bold, code = mark.groups()
        if bold is None:
            yield {"mono": code}
        else:
            yield {"bold": list(_marked(bold))}
        position = mark.end()
    if position < len(text):
        yield {"plain": text[position:]}
