"""What one visitor's session knows about the classroom: which screen, which room.

The address says where a visitor arrives; afterwards the browser tells where it is, and writes that
into the address itself. The only file of the classroom that touches session state and the address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import streamlit as st

from fusionlab.classroom.codes import as_pin, is_id, is_key

SCREENS = {"teach": "teacher", "in": "student", "screen": "screen", "remote": "remote"}
"""Names in the address, and the screens that they open."""

_ENTERED = ("door", "teacher", "student")
_HERE = "classroom_here"
_DRAFT = "classroom_draft"


@dataclass(frozen=True, slots=True)
class Here:
    """Where a visitor is: a screen, and the room or the code that belongs to it."""

    screen: str
    room: str | None = None
    code: str | None = None
    notice: str | None = None


def here() -> Here:
    """The visitor's screen."""
    if _HERE not in st.session_state:
        st.session_state[_HERE] = _from_address()
    return cast("Here", st.session_state[_HERE])


def _from_address() -> Here:
    for name, screen in SCREENS.items():
        room = st.query_params.get(name, "")
        if is_id(room):
            return Here(screen, room)
    code = st.query_params.get("room", "")
    return Here("door", code=code if is_key(code) else as_pin(code))


def told(key: str) -> dict[str, Any]:
    """What the screen with that key told last."""
    return cast("dict[str, Any]", (st.session_state.get(key) or {}).get("at") or {})


def changed(key: str) -> None:
    """A screen told something: the visitor may have gone to another one."""
    at = told(key)
    if at.get("view") in _ENTERED:
        room, notice = at.get("room"), at.get("notice")
        st.session_state[_HERE] = Here(at["view"], room, notice=notice)


def keep_up(widget: str, value: str) -> None:
    """Let a widget show what the room shows, but only when the room has changed."""
    if draft().get(widget) != value or widget not in st.session_state:
        draft()[widget] = st.session_state[widget] = value


def draft() -> dict[str, Any]:
    """What the teacher is about to ask; changed in place."""
    return cast("dict[str, Any]", st.session_state.setdefault(_DRAFT, {}))


def say(text: str) -> None:
    """Keep what the teacher should read when the screen is drawn next."""
    draft()["said"] = text


def said() -> str | None:
    """What the teacher should read now, once."""
    return cast("str | None", draft().pop("said", None))
