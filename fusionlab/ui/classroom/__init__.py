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

from fusionlab.i18n import Texts
from fusionlab.ui.player import tokens

_HERE = Path(__file__).parent
_LABELS = "ui.room."
_ERRORS = "error."

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
        "labels": _named(texts, _LABELS),
        "errors": _named(texts, _ERRORS),
        "stops": stops,
    }
    told: At | None = _component()(key=key, data=data, on_at_change=on_change).at
    return told


def _named(texts: Texts, prefix: str) -> dict[str, str]:
    own = texts.catalog.items()
    return {key.removeprefix(prefix): text for key, text in own if key.startswith(prefix)}


@cache
def _component() -> Callable[..., Any]:
    renderer: Callable[..., Any] = st.components.v2.component(
        "fusionlab_room", html=_read("room.html"), css=css(), js=script()
    )
    return renderer


def script() -> str:
    """The component's module: the files of ``js/``, joined in the order of their numbers."""
    return "\n".join(path.read_text("utf-8") for path in sorted((_HERE / "js").glob("*.js")))


def css() -> str:
    """The design tokens, then the classroom's own rules."""
    return tokens() + _read("room.css")


def _read(name: str) -> str:
    return (_HERE / name).read_text("utf-8")
