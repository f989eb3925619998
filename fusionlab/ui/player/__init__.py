"""The stepping player: one component that holds a run and steps through it in the browser.

In: a payload (see FORMAT.md) and what surrounds it. Out: where the reader is, told once they pause.
A step costs no rerun; Streamlit only sees the player when the reader rests, runs or leaves.

The component is plain JavaScript without a build: the files of ``js/`` are one module, joined in
the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import streamlit as st

from fusionlab.i18n import Texts

_HERE = Path(__file__).parent
LEVELS = ("ops", "decisions", "comparisons")
"""The three levels of detail, from coarse to fine; their numbers are indexes."""

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


def stops(payload: Payload, level: int) -> tuple[int, ...]:
    """The steps at which a level stops; position ``n`` of the reader is ``stops[n]``."""
    steps: Sequence[Mapping[str, Any]] = payload["steps"]
    return tuple(index for index, step in enumerate(steps) if step["level"] <= level)


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
    mounted: _Mounted = _component()(key=key, data=data, on_at_change=on_move, on_act_change=on_act)
    return mounted


def _bar(bar: Bar | None) -> dict[str, Any] | None:
    if bar is None:
        return None
    return {"tone": bar.tone, "text": bar.text, "action": bar.action, "dim": bar.dim}


@cache
def _component() -> Callable[..., Any]:
    renderer: Callable[..., Any] = st.components.v2.component(
        "fusionlab_player", html=_read("player.html"), css=css(), js=script()
    )
    return renderer


def script() -> str:
    """The component's module, without the comments and the indentation of its source."""
    files = (path.read_text("utf-8") for path in sorted((_HERE / "js").glob("*.js")))
    lines = (line.strip() for file in files for line in file.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def css() -> str:
    """The design tokens, then the component's own rules."""
    return tokens() + _read("player.css")


def tokens() -> str:
    """Every colour and size of the design, for an element of class ``fl``."""
    return _read("tokens.css")


def _read(name: str) -> str:
    return (_HERE / name).read_text("utf-8")


_PREFIX = "ui.player."
_KEYS = "ui.player.key."


def labels(texts: Texts) -> dict[str, Any]:
    """The player's own words; ``{n}`` and ``{total}`` are filled in the browser."""
    own = {key: text for key, text in texts.catalog.items() if key.startswith(_PREFIX)}
    sheet = [text.split(" | ", 1) for key, text in own.items() if key.startswith(_KEYS)]
    plain = {key.removeprefix(_PREFIX): text for key, text in own.items()}
    return {key: text for key, text in plain.items() if "." not in key} | {"key_sheet": sheet}
