"""The stepping player: one component that holds a run and steps through it in the browser.

In: a payload (see FORMAT.md) and what surrounds it. Out: where the reader is, told once they pause.
A step costs no rerun; Streamlit only sees the player when the reader rests, runs or leaves.

The component is plain JavaScript without a build: the files of ``js/`` are one module, joined in
the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import streamlit as st

from fusionlab.export.assets import labels, markup, script, styles
from fusionlab.i18n import Texts

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Bar:
    """One line across the player. ``tone`` is ``warn`` or ``miss``; ``action`` labels a button."""

    tone: str
    text: str
    action: str | None = None
    dim: bool = False


class _Mounted(Protocol):
    """What the component answers: the place of the reader, and whether the bar was pressed."""

    at: Mapping[str, int] | None
    act: str | None


def player(
    payload: Payload,
    texts: Texts,
    *,
    key: str,
    dark: bool,
    bar: Bar | None = None,
    goto: int | None = None,
    link: bool = False,
    live: str | None = None,
    on_move: Callable[[], None],
    on_act: Callable[[], None],
    on_answer: Callable[[], None] | None = None,
) -> _Mounted:
    """Show a run.

    Args:
        payload: What the views made of the run.
        texts: The language of the player's own labels.
        key: Identity of the component on its page.
        dark: The theme of the page.
        bar: A line across the player, if something must be said.
        goto: A position to go to; acts when it changes.
        link: Whether the address of the page follows the reader.
        live: ``page`` or ``wall`` (fills the screen) when the page around follows and leads each
            step by events of the browser window (``fusionlab-step``, ``fusionlab-goto``); then
            Python hears of none.
        on_move: Called before the rerun in which ``at`` has changed.
        on_act: Called when the button of the bar was pressed.
        on_answer: Called when the reader has answered a question; ``answer`` is the number of the
            option, -1 for "show me".

    Returns:
        The component's answer; ``at`` is ``{"step": position, "level": 0..2}`` once moved.
    """
    data = {
        "run": payload,
        "labels": labels(texts),
        "theme": "dark" if dark else "light",
        "bar": _bar(bar),
        "link": link,
        **({} if goto is None else {"goto": goto}),
        **({"live": live} if live else {}),
    }
    mounted: _Mounted = _component()(
        key=key,
        data=data,
        on_at_change=on_move,
        on_act_change=on_act,
        on_answer_change=on_answer or _nothing,
    )
    return mounted


def _nothing() -> None:
    """Nobody waits for an answer."""


def _bar(bar: Bar | None) -> dict[str, Any] | None:
    if bar is None:
        return None
    return {"tone": bar.tone, "text": bar.text, "action": bar.action, "dim": bar.dim}


@cache
def _component() -> Callable[..., Any]:
    renderer: Callable[..., Any] = st.components.v2.component(
        "fusionlab_player", html=markup(), css=styles(), js=script()
    )
    return renderer
