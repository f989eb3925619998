"""The workbench's parts: toolbar, player, and the plain views below it.

In: the frame of the page and what the session remembers. Out: widgets. What is shown comes from
the views; which program and which step, from ``state``.
"""

from __future__ import annotations

import streamlit as st

from fusionlab.config import FusionConfig
from fusionlab.errors import FusionLabError
from fusionlab.events.run import Run
from fusionlab.i18n import Texts
from fusionlab.ui import below, cache, gallery, state
from fusionlab.ui.frame import Frame
from fusionlab.ui.player import Bar, Payload, player, stops

_PICKER_WIDTH = 330
_CONFIG = FusionConfig()


def toolbar(around: Frame) -> None:
    """The row above the player: pick a program, edit it, copy the link to this step."""
    own = around.texts
    with st.container(key="toolbar", horizontal=True, vertical_alignment="center"):
        st.selectbox(
            own("ui.work.program"),
            **state.picker(),
            format_func=lambda name: _program_title(own, name),
            label_visibility="collapsed",
            width=_PICKER_WIDTH,
        )
        with st.popover(own("ui.work.edit"), **state.editor_window()):
            _editor(own)
        st.space("stretch")
        with st.popover(own("ui.work.link")):
            st.caption(own("ui.work.link_help"))
            st.code(state.address(_base_address()), language=None, wrap_lines=True)


def _program_title(own: Texts, name: str) -> str:
    if name == state.OWN:
        return own("ui.work.own_program")
    return own(f"ui.program.{name}")


def _base_address() -> str:
    return (st.context.url or "").partition("?")[0]


def _editor(own: Texts) -> None:
    st.text_area(own("ui.work.draft"), **state.editor(), height=360, width=620)
    error = state.problem()
    if error is not None:
        st.error(sentence(error, own))
    st.button(own("ui.work.run"), type="primary", on_click=run_draft)


def run_draft() -> None:
    """Run what is in the editor; a program that cannot run leaves everything as it was."""
    wanted = state.edited()
    if wanted is None:
        return
    try:
        cache.run_of(wanted.name, wanted.text, _CONFIG)
    except FusionLabError as error:
        state.refuse(error)
    else:
        state.run(wanted)


def sentence(error: Exception, own: Texts) -> str:
    """What went wrong, with the place in the program when there is one."""
    if not isinstance(error, FusionLabError):
        return str(error)
    key = f"error.{error.code}"
    problem = own(key, **error.params) if key in own else str(error)
    line = error.params.get("line")
    if not line:
        return problem
    column = error.params.get("column")
    return own("ui.work.error_at", line=line, column=column, problem=problem)


def workbench(around: Frame) -> None:
    """The player over the program that runs, and the plain views of the same step."""
    payload = _payload(around.texts)
    counts = tuple(len(stops(payload, level)) for level in range(3))
    state.place(counts)
    told = player(
        payload,
        around.texts,
        key=state.player_key(),
        dark=around.dark,
        bar=_bar(payload, around.texts),
        goto=state.goto(),
        link=True,
        on_move=state.moved,
        on_act=run_draft,
    )
    if told.act:
        st.rerun()
    below.draw(around, payload, counts, _run())


def _run() -> Run:
    now = state.source()
    return cache.run_of(now.name, now.text, _CONFIG)


def _payload(own: Texts) -> Payload:
    now = state.source()
    try:
        return cache.payload_of(now.name, now.text, _CONFIG, own.lang)
    except FusionLabError as error:
        # A link may hold a program that does not run: keep its text, show the first example.
        state.fall_back(error)
        now = state.source()
        return cache.payload_of(now.name, now.text, _CONFIG, own.lang)


def _bar(payload: Payload, own: Texts) -> Bar | None:
    error = state.problem()
    if error is not None:
        return Bar("miss", sentence(error, own), own("ui.work.run"), dim=True)
    if state.edited() is not None:
        return Bar("warn", own("ui.work.stale"), own("ui.work.run"), dim=True)
    if payload.get("end"):
        return Bar("miss", payload["end"])
    told = state.notice()
    if told is not None:
        return Bar("warn", own(told))
    if not payload["steps"]:
        return Bar("warn", own("ui.work.empty"))
    return None


def titles() -> tuple[str, ...]:
    """The catalog keys of the programs' titles."""
    return tuple(f"ui.program.{name}" for name in gallery.ids())
