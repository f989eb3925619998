"""Lessons: a folder each, with data for the engine to check and a text in each language.

In: ``content/lessons/<number>-<name>/{lesson.toml,en.md,zh.md}``. Out: lessons in order. A lesson
states claims (what its text says, with the true value) and asks blanks (never with an answer: the
engine is asked). What is wrong with a lesson is found by ``problems``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fusionlab.errors import ContentError
from fusionlab.events.facts import RunFailed
from fusionlab.i18n import LANGUAGES
from fusionlab.learn.answers import Answer
from fusionlab.learn.concepts import CONCEPTS
from fusionlab.learn.goals import GOALS
from fusionlab.learn.items import Runner
from fusionlab.learn.prose import PARTS, Prose, read_prose, statements
from fusionlab.learn.questions import answer
from fusionlab.learn.reading import Reading

_FOLDER = Path(__file__).resolve().parent.parent / "content" / "lessons"

SECTIONS = (
    "processor",
    "relative_form",
    "teaser",
    "search",
    "head",
    "unrelated",
    "plans",
    "guards",
    "log",
)
"""The sections of the page that the lessons teach."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about a program: a question with its true answer."""

    program: str
    kind: str
    args: Mapping[str, Any]
    equals: Answer


@dataclass(frozen=True, slots=True)
class Blank:
    """A question without its answer: what a learner fills in. ``wrong`` are the other options."""

    program: str
    kind: str
    args: Mapping[str, Any]
    wrong: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A program to write: it starts as ``start`` and must reach ``goal``, as ``solution`` does."""

    goal: str
    start: str
    solution: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """Everything about a lesson but its texts.

    ``puzzle`` opens it; ``faded`` are its two variants, each a program with its blanks;
    ``questions`` are the questions of real users that it answers (see ``docs/questions.md``).
    """

    slug: str
    concepts: tuple[str, ...]
    covers: tuple[str, ...]
    questions: tuple[int, ...]
    programs: Mapping[str, str]
    claims: Mapping[str, Claim]
    puzzle: Blank
    faded: tuple[tuple[Blank, ...], ...]
    task: Task

    @property
    def number(self) -> int:
        """Its place in the order."""
        return int(self.slug.partition("-")[0])

    def prose(self, lang: str) -> Prose:
        """Its text."""
        return read_prose(_FOLDER / self.slug / f"{lang}.md")


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons, in order.

    Raises:
        ContentError: ``lesson_malformed`` for a folder that cannot be read as a lesson.
    """
    folders = sorted(path for path in _FOLDER.iterdir() if (path / "lesson.toml").exists())
    return tuple(_load(folder) for folder in folders)


def lesson(slug: str) -> Lesson:
    """One lesson; raises ``ContentError`` (``lesson_unknown``) when there is none."""
    for one in lessons():
        if one.slug == slug:
            return one
    raise ContentError("lesson_unknown", slug=slug)


def _load(folder: Path) -> Lesson:
    try:
        raw = tomllib.loads((folder / "lesson.toml").read_text("utf-8"))
        return Lesson(
            slug=folder.name,
            concepts=tuple(raw["concepts"]),
            covers=tuple(raw["covers"]),
            questions=tuple(raw["questions"]),
            programs={name: text.lstrip("\n") for name, text in raw["programs"].items()},
            claims={
                name: Claim(row["program"], row["kind"], row.get("args", {}), row["equals"])
                for name, row in raw["claims"].items()
            },
            puzzle=_blank(raw["puzzle"]["program"], raw["puzzle"]),
            faded=tuple(
                tuple(_blank(variant["program"], row) for row in variant["blanks"])
                for variant in raw["faded"]
            ),
            task=Task(**raw["task"]),
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise ContentError("lesson_malformed", slug=folder.name, problem=repr(error)) from error


def _blank(program: str, row: Mapping[str, Any]) -> Blank:
    return Blank(program, row["kind"], row.get("args", {}), tuple(row["wrong"]))


# --- checking ------------------------------------------------------------------------------------


def problems(one: Lesson, runner: Runner) -> Iterator[str]:
    """What is wrong with a lesson, one line each; nothing for a sound one."""
    readings = {name: Reading(runner(text)) for name, text in one.programs.items()}
    for name, reading in readings.items():
        events = reading.run.events
        if not events or isinstance(events[-1].fact, RunFailed):
            yield f"program {name} does not run"
    for name, claim in one.claims.items():
        yield from _false(name, claim, readings)
    for blank in (one.puzzle, *(blank for variant in one.faded for blank in variant)):
        yield from _unfit(blank, readings)
    yield from _task(one, readings)
    if not set(one.concepts) <= set(CONCEPTS) or not set(one.covers) <= set(SECTIONS):
        yield "unknown concept or section"
    for lang in LANGUAGES:
        for problem in _text(one, lang):
            yield f"{lang}.md: {problem}"


def _false(name: str, claim: Claim, readings: Mapping[str, Reading]) -> Iterator[str]:
    try:
        true = answer(claim.kind, readings[claim.program], **claim.args)
    except (ContentError, KeyError) as error:
        yield f"claim {name}: {error!r}"
        return
    if true != claim.equals:
        yield f"claim {name}: says {claim.equals!r}, the engine says {true!r}"


def _unfit(blank: Blank, readings: Mapping[str, Reading]) -> Iterator[str]:
    where = f"blank {blank.program} {blank.kind} {dict(blank.args)}"
    try:
        true = answer(blank.kind, readings[blank.program], **blank.args)
    except (ContentError, KeyError) as error:
        yield f"{where}: {error!r}"
        return
    if true in blank.wrong:
        yield f"{where}: {true!r} is not wrong"
    if len(blank.wrong) < 2 or any(blank.wrong.count(value) > 1 for value in blank.wrong):
        yield f"{where}: needs at least two different wrong answers"


def _task(one: Lesson, readings: Mapping[str, Reading]) -> Iterator[str]:
    goal = GOALS.get(one.task.goal)
    if goal is None:
        yield f"task: no goal {one.task.goal}"
        return
    start = readings[one.task.start]
    if goal(start, start):
        yield "task: the start reaches the goal already"
    if not goal(readings[one.task.solution], start):
        yield "task: the solution does not reach the goal"


def _text(one: Lesson, lang: str) -> Iterator[str]:
    prose = one.prose(lang)
    if tuple(prose.parts) != PARTS:
        yield f"has the parts {', '.join(prose.parts)}"
    yield from statements(prose, one.claims, one.programs)
