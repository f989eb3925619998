"""The text of a lesson: its parts, and the proof that each number in it is a checked claim.

In: Markdown. Out: title and parts. Two sorts of links make a text checkable:

* ``[630](#is-score)``: the text *is* the value of the claim ``score``.
* ``[Request 3](#at-one)``: the place where the claim ``one`` can be seen; the number is its
  request.

Outside such links no number may stand in the prose, except inside code that a program of the lesson
contains, a size such as 64×32 whose numbers do, a plan such as #2 that a claim names, and the name
of a change such as #5622. Counting words are not allowed either: what is counted is a number, and
a number is a claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fusionlab.learn.lessons import Claim

PARTS = ("guess", "worked", "gaps", "more", "own", "small_print")
"""The second-level headings of a lesson, in this order."""

LINK = re.compile(r"\[([^\]]*(?:\[[^\]]*\][^\]]*)*)\]\(#(is|at)-(\w+)\)")
_FENCE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_SIZE = re.compile(r"\d+(?:×\d+)+")
_CHANGE = re.compile(r"#\d{4}\b")
_LISTED = re.compile(r"(?m)^\d+\. ")
_WORDS = {
    "en": re.compile(
        r"\b(two|three|four|five|six|seven|eight|nine|ten|twice|second|third)\b", re.IGNORECASE
    ),
    "zh": re.compile(r"[二三四五六七八九十两]"),
}


@dataclass(frozen=True, slots=True)
class Prose:
    """A lesson's text in one language."""

    lang: str
    title: str
    parts: Mapping[str, str]


@cache
def read_prose(path: Path) -> Prose:
    """Read a text; its first line is the title, its second-level headings begin the parts."""
    text = path.read_text("utf-8")
    title, _, rest = text.partition("\n")
    sections = re.split(r"(?m)^## .*\n", rest)
    named = dict(zip(PARTS, (section.strip() for section in sections[1:]), strict=False))
    return Prose(path.stem, title.removeprefix("# ").strip(), named)


def headings(path: Path) -> tuple[str, ...]:
    """The headings of the parts."""
    return tuple(re.findall(r"(?m)^## (.*)$", path.read_text("utf-8")))


def statements(
    prose: Prose, claims: Mapping[str, Claim], programs: Mapping[str, str]
) -> Iterator[str]:
    """What a text says without proof, one line each."""
    text = "\n".join((prose.title, *prose.parts.values()))
    for shown in _FENCE.findall(text):
        if shown not in programs.values():
            yield f"shows a program that the lesson does not have: {shown.splitlines()[0]}"
    text = _FENCE.sub("", text)
    for shown, sort, name in LINK.findall(text):
        if name not in claims:
            yield f"no claim {name}"
        elif sort == "is" and shown.strip("`") != str(_flat(claims[name].equals)):
            yield f"says {shown} where claim {name} says {_flat(claims[name].equals)}"
        elif sort == "at":
            yield from _misplaced(shown, name, claims[name], "\n".join(programs.values()))
    left = LINK.sub("", text)
    for plan in set(re.findall(r"#\d+\b", _CHANGE.sub("", left))) - _plans_named(claims):
        yield f"names plan {plan}, which no claim is about"
    left = re.sub(r"#\d+\b", "", left)
    yield from _unproven(left, prose.lang, "\n".join(programs.values()))


def _misplaced(shown: str, name: str, claim: Claim, source: str) -> Iterator[str]:
    """The number of a place is its request; a size in it is one of the programs."""
    yield from _sizes(shown, source)
    if re.findall(r"\d+", _SIZE.sub("", shown)) not in ([], [str(_request(claim))]):
        yield f"names {shown} for claim {name}, which is about {_request(claim)}"


def _sizes(text: str, source: str) -> Iterator[str]:
    numbers = set(re.findall(r"\d+", source))
    for size in _SIZE.findall(text):
        if not set(size.split("×")) <= numbers:
            yield f"{size} is in no program"


def _plans_named(claims: Mapping[str, Claim]) -> set[str]:
    named = {f"#{claim.args['plan']}" for claim in claims.values() if "plan" in claim.args}
    for claim in claims.values():
        named.update(re.findall(r"#\d+\b", str(claim.equals)))
    return named


def _flat(value: object) -> object:
    """How a text writes an answer: lists without their outer brackets, executions apart."""
    if not isinstance(value, list) or not value:
        return value
    if all(isinstance(item, list) and item and isinstance(item[0], str) for item in value):
        return "; ".join(str(_flat(item)) for item in value)
    return ", ".join(map(str, value))


def _request(claim: Claim) -> object:
    return next(iter(claim.args.values()), "the whole run")


def _unproven(text: str, lang: str, source: str) -> Iterator[str]:
    for code in _CODE.findall(text):
        plain = code.replace(" ", "")
        if re.search(r"\d", code) and plain not in source.replace(" ", ""):
            yield f"`{code}` is in no program"
    text = _CODE.sub("", text)
    yield from _sizes(text, source)
    text = _LISTED.sub("", _CHANGE.sub("", _SIZE.sub("", text)))
    for line in text.splitlines():
        if re.search(r"\d", line):
            yield f"a number without a claim: {line.strip()}"
        counted = _WORDS[lang].search(line)
        if counted:
            yield f"counts in words ({counted[0]}): {line.strip()}"
