"""The classroom page: one of its screens, with the player beside it where a program is shown.

In: the frame of the page and what the browser told. Out: widgets. Streamlit runs again only when
the screen, the program or the language changes; steps and votes go another way.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from fusionlab.export.assets import palette
from fusionlab.ui.classroom import desk, memory, programs, room
from fusionlab.ui.classroom.memory import Here
from fusionlab.ui.frame import Frame
from fusionlab.ui.player import player
from fusionlab.views.levels import LEVELS
from fusionlab.views.player import stops

_ROOM, _WALL, _DESK = "room", "room_wall", "room_desk"


def dress(around: Frame) -> None:
    """The page's own style; outside of the part that runs again by itself."""
    st.html(f"<style>{_style(dark=around.dark)}</style>")


def page(around: Frame) -> None:
    """Draw the screen on which the visitor is."""
    here = memory.here()
    with st.container(key=f"class_{here.screen}"):
        match here.screen:
            case "teacher":
                _teacher(around, here)
            case "remote":
                _remote(around, here)
            case _:
                _single(around, here)


def _single(around: Frame, here: Here) -> None:
    """The door, a student's phone, or the projector: one part, and the player below it."""
    at = room(
        around.texts,
        key=_ROOM,
        view=here.screen,
        dark=around.dark,
        room_id=here.room,
        code=here.code,
        notice=here.notice,
        on_change=lambda: memory.changed(_ROOM),
    )
    if at and at.get("room") == here.room and at.get("mode") == "player":
        _player(around, here.screen, at.get("program") or "", at.get("gate"))


def _teacher(around: Frame, here: Here) -> None:
    wall, side = st.columns([3, 1], gap=None)
    with wall:
        at = _part(around, here, _WALL, "audience")
        if at and at.get("mode") == "player":
            _player(around, here.screen, at.get("program") or "", None)
    with side:
        told = _part(around, here, _DESK, "presenter")
        if told and told.get("token") and not told.get("ended"):
            desk.controls(around, str(here.room), told)


def _part(around: Frame, here: Here, key: str, view: str) -> dict[str, Any]:
    room(
        around.texts,
        key=key,
        view=view,
        dark=around.dark,
        room_id=here.room,
        on_change=lambda: memory.changed(key),
    )
    return memory.told(key)


def _remote(around: Frame, here: Here) -> None:
    told = memory.told(_ROOM)
    payload = programs.payload(str(told.get("program") or ""), around.texts.lang)
    room(
        around.texts,
        key=_ROOM,
        view="remote",
        dark=around.dark,
        room_id=here.room,
        stops=[stops(payload, level) for level in range(len(LEVELS))] if payload else None,
        on_change=lambda: memory.changed(_ROOM),
    )


def _player(around: Frame, screen: str, program: str, gate: int | None) -> None:
    payload = programs.payload(program, around.texts.lang, gate)
    if payload is None:
        st.error(around.texts("ui.room.no_program"))
        return
    player(
        payload,
        around.texts,
        key="class_player",
        dark=around.dark,
        live=("wall" if screen == "screen" else "page") if gate is None else None,
        on_move=_nothing,
        on_act=_nothing,
    )


@cache
def _style(*, dark: bool) -> str:
    # What lies outside the component does not know the design's colours.
    colour = palette("dark" if dark else "light")
    rules = Path(__file__).with_name("chrome.css").read_text("utf-8")
    own = f"--class-surface: {colour['surface']}; --class-hair: {colour['hair']};"
    return f":root {{ {own} }}\n{rules}"


def _nothing() -> None:
    """The page hears of steps in the browser."""
