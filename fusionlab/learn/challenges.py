"""Flip challenges: reach a goal with the smallest edit, by any program that the engine confirms.

In: a start, a learner's program, who runs programs. Out: whether the goal is reached, and how many
tokens were changed. Comments, blank lines and spaces are free.
"""

from __future__ import annotations

import io
import tokenize
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fusionlab.errors import ContentError
from fusionlab.events.facts import RunFailed
from fusionlab.learn.goals import GOALS
from fusionlab.learn.items import Runner
from fusionlab.learn.reading import Reading

_FILE = Path(__file__).resolve().parent.parent / "content" / "challenges" / "flips.toml"
_FREE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.ENCODING}
MOST_TOKENS = 2_000
"""Longer programs are not measured (the distance takes the square of this)."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A challenge; the catalogs say what to do (``learn.flip.<name>.ask`` and ``.hint``)."""

    name: str
    goal: str
    concept: str
    start: str
    solution: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a program reached: ``distance`` counts edited tokens, ``failed`` is what stopped it."""

    reached: bool
    distance: int
    failed: RunFailed | None = None


@cache
def flips() -> Mapping[str, Flip]:
    """All challenges by name."""
    rows = tomllib.loads(_FILE.read_text("utf-8"))["flip"]
    return {name: Flip(name=name, **row) for name, row in rows.items()}


def attempt(flip: Flip, program: str, runner: Runner) -> Attempt:
    """Judge a program: the engine runs it and the start, and the goal looks at both."""
    mine = Reading(runner(program))
    last = mine.run.events[-1].fact if mine.run.events else None
    moved = distance(flip.start, program)
    if isinstance(last, RunFailed):
        return Attempt(reached=False, distance=moved, failed=last)
    reached = bool(mine.steps) and GOALS[flip.goal](mine, Reading(runner(flip.start)))
    return Attempt(reached, moved)


def tokens(program: str) -> tuple[str, ...]:
    """The tokens that count, indentation included.

    Raises:
        ContentError: ``program_unreadable`` when the text cannot be split into tokens.
    """
    try:
        found = tokenize.generate_tokens(io.StringIO(program).readline)
        return tuple(token.string for token in found if token.type not in _FREE)
    except (tokenize.TokenError, IndentationError) as error:
        raise ContentError("program_unreadable", problem=str(error)) from error


def distance(one: str, two: str) -> int:
    """The least number of tokens to insert, delete or replace."""
    try:
        left, right = tokens(one), tokens(two)
    except ContentError:
        left, right = tuple(one.split()), tuple(two.split())
    if len(left) > MOST_TOKENS or len(right) > MOST_TOKENS:
        return max(len(left), len(right))
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        previous, row[0] = row[0], i
        for j, b in enumerate(right, start=1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]
