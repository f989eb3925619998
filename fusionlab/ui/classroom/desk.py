"""The teacher's own widgets: which program is on the wall, and which question comes next.

In: the room and the teacher's key, as the browser told them. Out: moves in the room, made here
inside the server, so that a question's answer never leaves it before its time.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import cast

import streamlit as st

from fusionlab.classroom.model import Ask, RoomError, Show
from fusionlab.classroom.process import classroom
from fusionlab.classroom.question import LETTERS, Question
from fusionlab.classroom.store import Role
from fusionlab.errors import FusionLabError
from fusionlab.i18n import Texts
from fusionlab.program.gallery import gallery, gallery_program
from fusionlab.ui.classroom import memory, plans, programs, questions
from fusionlab.ui.frame import Frame

_PROGRAM, _KIND, _SUBJECT = "class_program", "class_kind", "class_subject"
_CLASS = "class_plan"
_SUBJECTS = ("new", "here", "class")
_NONE = ""


def controls(around: Frame, room: str, told: Mapping[str, object]) -> None:
    """The widgets below the teacher's part."""
    token, shown = str(told["token"]), str(told.get("program") or "")
    own = around.texts
    with st.container(key="class_desk"):
        memory.keep_up(_PROGRAM, shown)
        st.selectbox(
            own("ui.room.program"),
            _choices(shown),
            key=_PROGRAM,
            format_func=lambda name: _title(own, name),
            on_change=_show,
            args=(own, room, token),
        )
        with st.popover(own("ui.room.prepare"), width="stretch"):
            _prepare(own, room, token, shown)
        # Not a toast: those stand where Streamlit keeps the page's style, and push it out.
        if said := memory.said():
            st.markdown(said)


def _choices(shown: str) -> list[str]:
    listed = [_NONE, *(program.id for program in gallery())]
    return listed if shown in listed else [*listed, shown]


def _title(own: Texts, name: str) -> str:
    if not name:
        return own("ui.room.program_none")
    known = {program.id for program in gallery()}
    return gallery_program(name).title[own.lang] if name in known else own("ui.work.own_program")


def _show(own: Texts, room: str, token: str) -> None:
    wanted = str(st.session_state[_PROGRAM])

    def show() -> None:
        _allow(room, token)
        classroom().act(room, Show(wanted))

    _try(own, show)


def _prepare(own: Texts, room: str, token: str, shown: str) -> None:
    """Choose a question, look at it, and put it into the room."""
    subject = st.segmented_control(
        own("ui.room.prepare"),
        _SUBJECTS,
        key=_SUBJECT,
        default=_SUBJECTS[0],
        required=True,
        format_func=lambda name: own(f"ui.room.about_{name}"),
        label_visibility="collapsed",
    )
    if subject == "class":
        _whole_class(own, room, token)
        return
    kind = st.selectbox(
        own("ui.room.kind"),
        [_NONE, *questions.kinds()],
        key=_KIND,
        format_func=lambda name: own(f"learn.kind.{name}") if name else own("ui.room.any_kind"),
    )
    if subject == "here" and programs.text_of(shown) is None:
        st.info(own("ui.room.no_program"))
        return
    question = _drafted(room, shown if subject == "here" else None, kind or None)
    if question is None:
        st.info(own("ui.room.cannot_ask"))
    else:
        _preview(own, question)
    with st.container(horizontal=True):
        st.button(own("ui.room.new_question"), on_click=_another)
        if question is not None:
            put = (own, room, token, question)
            st.button(own("ui.room.add"), on_click=_add, args=put)
            st.button(own("ui.room.ask_now"), on_click=_ask, args=put, type="primary")


def _whole_class(own: Texts, room: str, token: str) -> None:
    """Put all questions of a lesson into the list."""
    minutes = {one.id: one.minutes for one in plans.classes()}
    chosen = st.selectbox(
        own("ui.room.about_class"),
        list(minutes),
        key=_CLASS,
        format_func=lambda name: own(f"ui.room.class_{name}", n=minutes[name]),
        label_visibility="collapsed",
    )
    with st.spinner(own("ui.room.thinking")):
        made = plans.questions_of(chosen)
    st.markdown("\n".join(f"1. {getattr(question.text, own.lang)}" for question in made))
    st.button(
        own("ui.room.add_all"), on_click=_add_all, args=(own, room, token, made), type="primary"
    )


def _add_all(own: Texts, room: str, token: str, made: tuple[Question, ...]) -> None:
    def add() -> None:
        for question in made:
            classroom().prepare(room, token, question)

    if _try(own, add):
        memory.say(own("ui.room.added"))


def _drafted(room: str, program: str | None, kind: str | None) -> Question | None:
    """The question on the desk; another one only when something else is wanted."""
    draft = memory.draft()
    seen = _seen(room, program) if program else 0
    wish = (program, kind, seen, draft.setdefault("number", secrets.randbelow(10**6)))
    if draft.get("wish") != wish:
        seed = str(wish[3])
        text = programs.text_of(program) if program else None
        found = (
            questions.any_program(kind, seed)
            if text is None
            else questions.this_program(text, kind, seed, seen)
        )
        draft.update(wish=wish, question=found)
    return cast("Question | None", draft["question"])


def _seen(room: str, program: str) -> int:
    """The last event that the class has seen of the program on the wall."""
    place = classroom().store.place(room)
    payload = programs.payload(program, "en")
    steps = payload["steps"] if payload else []
    return int(steps[place.step]["event"]) if place.step < len(steps) else 0


def _preview(own: Texts, question: Question) -> None:
    lang = own.lang
    lines = [getattr(question.text, lang)]
    lines += [
        f"{letter}. {getattr(option.text, lang)}"
        for letter, option in zip(LETTERS, question.options, strict=False)
    ]
    st.markdown("\n\n".join(lines))
    st.code(question.code, language="python", height=160)


def _another() -> None:
    memory.draft()["number"] = secrets.randbelow(10**6)


def _add(own: Texts, room: str, token: str, question: Question) -> None:
    if _try(own, lambda: classroom().prepare(room, token, question)):
        memory.say(own("ui.room.added"))
        _another()


def _ask(own: Texts, room: str, token: str, question: Question) -> None:
    def ask() -> None:
        classroom().prepare(room, token, question, first=True)
        classroom().act(room, Ask(question.id))

    if _try(own, ask):
        _another()


def _allow(room: str, token: str) -> None:
    if classroom().enter(room, token).role is not Role.TEACHER:
        raise RoomError("not_allowed")


def _try(own: Texts, act: Callable[[], object]) -> bool:
    """Do something in the room, and say why when it does not work."""
    try:
        act()
    except FusionLabError as problem:
        st.toast(own.problem(problem.code, problem.params))
        return False
    return True
