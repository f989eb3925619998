"""Whole lessons for a live class: their votes, in order (``content/classes.toml``).

In: the name of a class. Out: its questions, made by the engine from the programs of the lessons.
An answer is never in the file: ``wrong`` only adds options where few misconceptions differ.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fusionlab.classroom.question import Question
from fusionlab.errors import ContentError
from fusionlab.lab.decide import decide
from fusionlab.learn.answers import Answer
from fusionlab.learn.difficulty import difficulty
from fusionlab.learn.items import Believers, Item, item_at
from fusionlab.learn.kinds import KINDS, deciding_step
from fusionlab.learn.lessons import lessons
from fusionlab.learn.questions import answer
from fusionlab.ui.classroom.questions import question_of

_FILE = Path(__file__).resolve().parents[2] / "content" / "classes.toml"


@dataclass(frozen=True, slots=True)
class Vote:
    """One question of a class: where to ask, and which options to offer besides."""

    lesson: int
    program: str
    kind: str
    args: Mapping[str, Any]
    wrong: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Class:
    """A lesson for a live class."""

    id: str
    minutes: int
    votes: tuple[Vote, ...]


@cache
def classes() -> tuple[Class, ...]:
    """All classes.

    Raises:
        ContentError: ``class_malformed`` when an entry lacks a field or has an unknown one.
    """
    rows = tomllib.loads(_FILE.read_text("utf-8"))["class"]
    try:
        return tuple(
            Class(row["id"], row["minutes"], tuple(_vote(vote) for vote in row["votes"]))
            for row in rows
        )
    except (KeyError, TypeError) as problem:
        raise ContentError("class_malformed", problem=str(problem)) from problem


def _vote(row: Mapping[str, Any]) -> Vote:
    return Vote(**{**row, "wrong": tuple(row.get("wrong", ()))})


@cache
def questions_of(class_id: str) -> tuple[Question, ...]:
    """The questions of a class; raises ``ContentError`` (``class_malformed``) when one is none."""
    found = next((one for one in classes() if one.id == class_id), None)
    if found is None:
        raise ContentError("class_malformed", problem=class_id)
    return tuple(_question(f"{class_id}.{n}", vote) for n, vote in enumerate(found.votes, start=1))


def _question(name: str, vote: Vote) -> Question:
    programs = {lesson.number: lesson.programs for lesson in lessons()}
    try:
        believers = Believers(programs[vote.lesson][vote.program], decide)
        return question_of(_item(name, vote, believers), believers.truth)
    except (KeyError, IndexError) as problem:
        raise ContentError("class_malformed", problem=f"{name}: {problem}") from problem


def _item(name: str, vote: Vote, believers: Believers) -> Item:
    """The item; with the file's own options where the engines offer too few."""
    rng = Random(name)  # noqa: S311 -- the order of the options
    args = dict(vote.args)
    item = item_at(KINDS[vote.kind], name, believers, args, rng)
    if item is not None:
        return item
    options = list(_options(vote, args, believers))
    rng.shuffle(options)
    step = deciding_step(vote.kind, args, believers.truth)
    return Item(
        id=name,
        kind=vote.kind,
        concept=KINDS[vote.kind].concept or "",
        difficulty=difficulty(believers.truth, step),
        program=believers.program,
        args=args,
        options=tuple(option for option, _ in options),
        answer=[option for option, _ in options].index(answer(vote.kind, believers.truth, **args)),
        misconceptions=tuple(belief for _, belief in options),
    )


def _options(
    vote: Vote, args: dict[str, Any], believers: Believers
) -> Iterator[tuple[Answer, str | None]]:
    """The truth, what misconceptions answer instead, and what the file adds; each once."""
    known: list[Answer] = [answer(vote.kind, believers.truth, **args)]
    yield known[0], None
    beliefs = KINDS[vote.kind].misconceptions
    told = [(believers.answer(vote.kind, args, belief), belief) for belief in beliefs]
    for wrong, belief in [*told, *((wrong, None) for wrong in vote.wrong)]:
        if wrong is not None and wrong not in known:
            known.append(wrong)
            yield wrong, belief
