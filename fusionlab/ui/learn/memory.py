"""What one visitor's session knows about learning: progress, the question, the lesson.

The only file of the learning screens that touches session state and the address. Progress is kept
by the browser and in a file that the visitor can download; here it only lives as long as the visit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import SystemRandom
from typing import Any, cast

import streamlit as st

from fusionlab.errors import ProgramError
from fusionlab.learn.items import Item
from fusionlab.learn.kinds import KINDS
from fusionlab.learn.mastery import Mastery, from_json, to_json
from fusionlab.learn.sitting import Learner

QUIZ, LESSON = "quiz", "lesson"
"""Identities of the two components."""
ANY = "any"
_MOST = 1_000_000

_PROGRESS = "learning"
_LOADED = "learning_loaded"
_SITTING = "quiz_sitting"
_KIND = "quiz_kind"
_AT = "lesson_at"


# --- progress ------------------------------------------------------------------------------------


def today() -> int:
    """The day, as progress counts days."""
    return datetime.now(tz=UTC).date().toordinal()


def progress() -> Mastery:
    """What the visitor masters."""
    return cast("Mastery", st.session_state.setdefault(_PROGRESS, Mastery()))


def learner() -> Learner:
    """The visitor, today."""
    return Learner(progress(), today())


def keep() -> str | None:
    """What the browser should keep; ``None`` as long as it has not told what it has."""
    return to_json(progress()) if st.session_state.get(_LOADED) else None


def kept(key: str) -> None:
    """The browser told what it had kept."""
    if st.session_state.get(_LOADED):
        return
    st.session_state[_LOADED] = True
    told = (st.session_state.get(key) or {}).get("kept") or "none"
    if told != "none":
        load(told)


def load(text: str) -> bool:
    """Take progress from a file or from the browser; false when it is no such text."""
    try:
        st.session_state[_PROGRESS] = from_json(text)
    except ProgramError:
        return False
    return True


def answered(concept: str, *, right: bool) -> None:
    """Note an answer. A sitting is a day."""
    day = today()
    st.session_state[_PROGRESS] = progress().answered(
        concept, right=right, day=day, sitting=str(day)
    )
    st.session_state[_LOADED] = True


def finished(lesson: str) -> None:
    """Note that a lesson's task was done."""
    st.session_state[_PROGRESS] = progress().finished(lesson)
    st.session_state[_LOADED] = True


# --- the quiz ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sitting:
    """Where a visitor is in a row of questions.

    ``item`` is the question on the screen (``None`` before it is made); ``told`` whether it was
    answered, with ``choice`` (``None``: shown instead). ``variants`` counts fresh variants.
    """

    seed: int
    number: int = 0
    item: Item | None = None
    told: bool = False
    choice: int | None = None
    variants: int = 0


def sitting() -> Sitting:
    """The present sitting; the address may name its seed."""
    if _SITTING not in st.session_state:
        named = st.query_params.get("seed", "")
        seed = int(named) if named.isascii() and named.isdecimal() and len(named) < 10 else None
        st.session_state[_SITTING] = Sitting(_new_seed() if seed is None else seed)
    return cast("Sitting", st.session_state[_SITTING])


def named_item() -> str | None:
    """The item that the address asks for on arrival."""
    return st.query_params.get("item") if sitting().item is None else None


def hold(new: Sitting) -> None:
    """Go on from here."""
    st.session_state[_SITTING] = new
    if new.item is not None:
        st.query_params["item"] = new.item.id
    st.query_params["seed"] = str(new.seed)


def start_again() -> None:
    """Begin another sitting."""
    hold(Sitting(_new_seed()))
    st.query_params.pop("item", None)


def _new_seed() -> int:
    return SystemRandom().randrange(_MOST)


def kind() -> str | None:
    """The only kind that is asked, if one was chosen."""
    chosen = st.session_state.get(_KIND) or st.query_params.get("kind")
    return chosen if chosen in KINDS else None


def kind_picker() -> dict[str, Any]:
    """Arguments of the picker of kinds."""
    st.session_state[_KIND] = kind() or ANY
    return {"options": (ANY, *KINDS), "key": _KIND, "on_change": _kind_chosen}


def _kind_chosen() -> None:
    chosen = st.session_state[_KIND]
    if chosen in KINDS:
        st.query_params["kind"] = chosen
    else:
        st.query_params.pop("kind", None)
    start_again()


def message(key: str) -> dict[str, Any]:
    """What a component told last."""
    return cast("dict[str, Any]", (st.session_state.get(key) or {}).get("act") or {})


# --- lessons -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """Where a visitor is in the lessons: a part of one, and what was answered in it.

    ``answers`` name an option for a blank (``None``: shown instead); ``program`` is the last one
    that was tried for the lesson's task; ``shown`` whether a solution was asked for.
    """

    lesson: str
    part: str
    answers: tuple[tuple[str, int | None], ...] = ()
    program: str | None = None
    shown: bool = False

    def has(self, blank: str) -> bool:
        """Whether a blank is filled."""
        return blank in dict(self.answers)

    def answer(self, blank: str) -> int | None:
        """The option that was chosen for a filled blank."""
        return dict(self.answers)[blank]


def place(lessons: Sequence[str], parts: Sequence[str]) -> Place:
    """The visitor's place; on arrival the address may name it, else it is the first unfinished."""
    if _AT not in st.session_state:
        lesson, part = st.query_params.get("lesson", ""), st.query_params.get("part", "")
        open_ones = [slug for slug in lessons if slug not in progress().lessons]
        first = lesson if lesson in lessons else (*open_ones, *lessons)[0]
        st.session_state[_AT] = Place(first, part if part in parts else parts[0])
    now = cast("Place", st.session_state[_AT])
    st.query_params["lesson"], st.query_params["part"] = now.lesson, now.part
    return now


def go(lesson: str, part: str) -> None:
    """Go to a part of a lesson; answers are kept as long as the visitor stays in the lesson."""
    now = cast("Place", st.session_state[_AT])
    same = now.lesson == lesson
    st.session_state[_AT] = replace(now, part=part) if same else Place(lesson, part)


def fill(blank: str, choice: int | None) -> None:
    """Note an answer to a blank; the first one counts."""
    now = cast("Place", st.session_state[_AT])
    if not now.has(blank):
        st.session_state[_AT] = replace(now, answers=(*now.answers, (blank, choice)))


def tried(program: str) -> None:
    """Note a program for the lesson's task."""
    st.session_state[_AT] = replace(cast("Place", st.session_state[_AT]), program=program)


def show_solution() -> None:
    """Note that a solution was asked for."""
    st.session_state[_AT] = replace(cast("Place", st.session_state[_AT]), shown=True)
