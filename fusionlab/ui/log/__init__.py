"""The burn log page: paste what the real burn printed, and step through the run behind it.

In: a pasted log. Out: the report, and the player over the rebuilt run. The log stays in this
session: it is in no link, and no other visitor sees it.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from fusionlab.config import FusionConfig
from fusionlab.explain import Explanation, explain, report
from fusionlab.i18n import Texts
from fusionlab.ui import cache, state
from fusionlab.ui.frame import Frame
from fusionlab.ui.player import player
from fusionlab.views.burn_log import burn_log
from fusionlab.views.player import player_payload

_TEXT, _FOUND, _PAYLOAD = "log_text", "log_found", "log_payload"
MOST_CHARACTERS = 1_000_000
"""What a visitor may paste; a longer log is a matter for the command line."""


def draw(around: Frame) -> None:
    """The whole page below the header."""
    own = around.texts
    with st.container(key="log_input"):
        st.markdown(own("explain.lead"))
        st.text_area(
            own("explain.paste"),
            key=_TEXT,
            height=170,
            max_chars=MOST_CHARACTERS,
            placeholder="[explorer] explore (lazy): 1 deferred of 1 queued",
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button(own("explain.run"), type="primary", key="log_run"):
                st.session_state[_FOUND] = explain(st.session_state[_TEXT] or "")
            st.button(own("explain.example"), key="log_example", on_click=_fill_in)
    found: Explanation | None = st.session_state.get(_FOUND)
    if found is not None:
        _show(around, found)


def _fill_in() -> None:
    """The log of the first program of the gallery, for those who have none at hand."""
    side = state.running()
    run = cache.run_of(side.name, side.text, FusionConfig())
    text = "".join(f"{line.text}\n" for line in burn_log(run.events))
    st.session_state[_TEXT] = text
    st.session_state[_FOUND] = explain(text)


def _payload(found: Explanation, own: Texts) -> dict[str, Any]:
    """What the player shows; kept in the session, because every pause of the reader asks again."""
    kept = st.session_state.get(_PAYLOAD)
    if kept is None or kept[0] is not found or kept[1] != own.lang:
        kept = st.session_state[_PAYLOAD] = (found, own.lang, player_payload(found.run, own))
    payload: dict[str, Any] = kept[2]
    return payload


def _show(around: Frame, found: Explanation) -> None:
    own = around.texts
    # As code, because a pasted line is no markup of ours.
    st.code(report(found, own), language=None, wrap_lines=True)
    if not found.run.events:
        return
    player(
        _payload(found, own),
        own,
        key="log_player",
        dark=around.dark,
        on_move=lambda: None,
        on_act=lambda: None,
    )
