"""Which lines of two program texts differ, and in which characters.

In: two texts. Out: changed lines of each side with their numbers and the differing part.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_LINES = 8
"""More changed lines than this are another program, not a change."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a program; the characters from ``start`` up to ``end`` differ.

    Nothing is marked in a line that the other side does not have (``alone``).
    """

    number: int
    text: str
    start: int
    end: int
    alone: bool = False


Sides = tuple[tuple[SourceLine, ...], tuple[SourceLine, ...]]


def changed_lines(one: str, two: str) -> Sides | None:
    """The changed lines of both texts; ``None`` when nothing differs, or too much."""
    left, right = one.splitlines(), two.splitlines()
    mine: list[SourceLine] = []
    other: list[SourceLine] = []
    for tag, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for n in range(max(b - a, d - c)):
            before = left[a + n] if a + n < b else None
            after = right[c + n] if c + n < d else None
            if before is not None:
                mine.append(_marked(a + n + 1, before, after))
            if after is not None:
                other.append(_marked(c + n + 1, after, before))
    count = max(len(mine), len(other))
    if not count or count > MOST_LINES or count == max(len(left), len(right)):
        return None
    return tuple(mine), tuple(other)


def _marked(number: int, text: str, partner: str | None) -> SourceLine:
    if partner is None:
        return SourceLine(number, text, 0, 0, alone=True)
    start = _common(text, partner)
    back = _common(text[start:][::-1], partner[start:][::-1])
    return SourceLine(number, text, *_whole_word(text, start, len(text) - back))


def _common(one: str, two: str) -> int:
    count = 0
    for left, right in zip(one, two, strict=False):
        if left != right:
            break
        count += 1
    return count


def _whole_word(text: str, start: int, end: int) -> tuple[int, int]:
    """The part widened to whole words and numbers: ``64`` instead of ``4``."""
    while start > 0 and start < len(text) and _in_word(text[start - 1]) and _in_word(text[start]):
        start -= 1
    while 0 < end < len(text) and _in_word(text[end - 1]) and _in_word(text[end]):
        end += 1
    return start, max(start, end)


def _in_word(character: str) -> bool:
    return character.isalnum() or character in "_."
