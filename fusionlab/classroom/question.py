"""A question that a room can vote on: plain data in both languages.

In: what the learning material made of a run. Out: a value that can be stored, sent and shown. The
answer travels with the question inside the server only; ``wire`` decides who may see it and when.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from fusionlab.errors import ContentError

LETTERS = "ABCDEFGH"
"""The name of each option, in order; a question has at least two and at most these many."""

_LONGEST = {"id": 80, "words": 1200, "code": 6000, "program": 24_000}


@dataclass(frozen=True, slots=True)
class Words:
    """One text in both languages."""

    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Option:
    """One possible answer, and the rule that leads to it (``None`` for the true answer)."""

    text: Words
    rule: Words | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, what can be answered, and where the run shows the truth.

    ``answer`` is an index into ``options``. ``program`` names the program as an address does;
    ``step`` is the player's step at which the answer can be seen, and ``position`` the number by
    which a reader knows that step. ``gate`` is the last event that may be shown while the question
    is open (``None``: none, because any would tell).
    """

    id: str
    text: Words
    code: str
    options: tuple[Option, ...]
    answer: int
    because: Words
    program: str = ""
    step: int | None = None
    position: int | None = None
    gate: int | None = None

    def __post_init__(self) -> None:
        """Refuse what could not be shown or answered.

        Raises:
            ContentError: ``question_malformed`` with the ``problem``.
        """
        if not 2 <= len(self.options) <= len(LETTERS):
            raise ContentError("question_malformed", problem="options")
        if not 0 <= self.answer < len(self.options):
            raise ContentError("question_malformed", problem="answer")
        _check_lengths(self)


def _check_lengths(question: Question) -> None:
    words = [question.text, question.because, *(option.text for option in question.options)]
    words += [option.rule for option in question.options if option.rule]
    too_long = (
        len(question.id) > _LONGEST["id"]
        or len(question.code) > _LONGEST["code"]
        or len(question.program) > _LONGEST["program"]
        or any(len(text) > _LONGEST["words"] for one in words for text in (one.en, one.zh))
    )
    if too_long:
        raise ContentError("question_malformed", problem="length")


def plain(question: Question) -> dict[str, Any]:
    """The question as JSON values."""
    return asdict(question)


def question_from(data: Mapping[str, Any]) -> Question:
    """The question of JSON values.

    Raises:
        ContentError: ``question_malformed`` when a field is missing, unknown or out of bounds.
    """
    try:
        return Question(
            **{
                **data,
                "text": Words(**data["text"]),
                "because": Words(**data["because"]),
                "options": tuple(_option(option) for option in data["options"]),
            }
        )
    except (KeyError, TypeError) as problem:
        raise ContentError("question_malformed", problem=str(problem)) from problem


def _option(data: Mapping[str, Any]) -> Option:
    rule = data["rule"]
    return Option(Words(**data["text"]), Words(**rule) if rule else None)
