"""The classroom's screens: one component that is the door, a phone, the wall or the desk.

In: which screen, in which language. Out: what the browser is in, told when it changes: the room,
the program on the screen, for a teacher the key. Votes and steps never pass through Streamlit: the
component speaks with the room routes (``fusionlab.classroom.routes``) and with the player.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from fusionlab.export.assets import script_of, tokens
from fusionlab.i18n import Texts

_HERE = Path(__file__).parent

At = Mapping[str, Any]
"""What a screen tells: ``view`` and ``room``, and by screen ``program``, ``gate``, ``token``."""


def room(
    texts: Texts,
    *,
    key: str,
    view: str,
    dark: bool,
    room_id: str | None = None,
    code: str | None = None,
    notice: str | None = None,
    stops: Sequence[Sequence[int]] | None = None,
    on_change: Callable[[], None],
) -> At | None:
    """Show one screen of the classroom.

    Args:
        texts: The language of the screen.
        key: Identity of the component on its page.
        view: ``door``, ``student``, ``audience``, ``presenter``, ``screen`` or ``remote``.
        dark: The theme of the page.
        room_id: The room, if the browser is in one.
        code: The PIN or key of the address by which somebody comes in.
        notice: Key of a text that the door shows.
        stops: For the remote, the player's stops of each level.
        on_change: Called before the rerun in which the answer has changed.

    Returns:
        What the screen told last; ``None`` until it has told anything.
    """
    data = {
        "view": view,
        "room": room_id,
        "code": code,
        "notice": notice,
        "lang": texts.lang,
        "theme": "dark" if dark else "light",
        "labels": texts.under("ui.room."),
        "errors": texts.under("error."),
        "stops": stops,
    }
    told: At | None = _component()(key=key, data=data, on_at_change=on_change).at
    return told


@cache
def _component() -> Callable[..., Any]:
    renderer: Callable[..., Any] = st.components.v2.component(
        "fusionlab_room", html=_read("room.html"), css=css(), js=script()
    )
    return renderer


def script() -> str:
    """The component's module: the files of ``js/``, joined in the order of their numbers."""
    return script_of((_HERE / "js").glob("*.js"))


def css() -> str:
    """The design tokens, then the classroom's own rules."""
    return tokens() + _read("room.css")


def _read(name: str) -> str:
    return (_HERE / name).read_text("utf-8")
