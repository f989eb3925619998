"""The workbench's parts: toolbar, editor, player.

In: the frame of the page and what the session remembers. Out: widgets. What is shown comes from
the views; which program and which step, from ``state``.
"""

from __future__ import annotations

import streamlit as st

from fusionlab.config import FusionConfig
from fusionlab.events.facts import RunFailed
from fusionlab.events.run import Run
from fusionlab.i18n import Texts
from fusionlab.ui import below, cache, guard, predict, state
from fusionlab.ui.exporting import menu
from fusionlab.ui.frame import Frame
from fusionlab.ui.pick import program_title
from fusionlab.ui.player import Bar, Payload, player
from fusionlab.views.levels import LEVELS
from fusionlab.views.player import stops

_PICKER_WIDTH = 330
_CONFIG = FusionConfig()


def toolbar(around: Frame) -> None:
    """The row above the player: pick a program, edit it, copy the link to this step."""
    own = around.texts
    with st.container(key="toolbar", horizontal=True, vertical_alignment="center"):
        st.selectbox(
            own("ui.work.program"),
            **state.picker(),
            format_func=lambda name: program_title(own, name),
            label_visibility="collapsed",
            width=_PICKER_WIDTH,
        )
        with st.popover(own("ui.work.edit"), **state.editor_window()):
            _editor(own)
        if st.button(own("compare.page.what_if"), key="what_if"):
            st.switch_page(
                "pages/compare.py", query_params={"program": state.token(state.source())}
            )
        predict.switch(own)
        st.space("stretch")
        if predict.kind() is None:
            menu(around, state.source(), state.here(), state.address(_base_address()))
        else:
            # A file of the run would hold the answer.
            st.button(own("export.menu"), disabled=True, help=own("gate.no_export"))
        _link(own)


def _link(own: Texts) -> None:
    """Opening it runs the page again: only then is known where the reader is."""
    window = st.popover(own("ui.work.link"), key="link_menu", on_change="rerun")
    if window.open:
        with window:
            st.markdown(own("ui.work.link_help"))
            st.code(state.address(_base_address()), language=None, wrap_lines=True)


def _base_address() -> str:
    return (st.context.url or "").partition("?")[0]


def _editor(own: Texts) -> None:
    st.text_area(own("ui.work.draft"), **state.editor(), height=340, width=640)
    failure = state.problem() or (failure_of(_run()) if state.edited() is None else None)
    if failure is not None:
        st.error(guard.plain(sentence(failure, own)))
    st.button(own("ui.work.run"), key="run", type="primary", on_click=run_draft)


def run_draft() -> None:
    """Run what is in the editor; a program without a single step leaves the last run in place."""
    wanted = state.edited()
    if wanted is None:
        return
    try:
        run = cache.run_of(wanted.name, wanted.text, _CONFIG)
    except Exception as error:  # noqa: BLE001 -- the last run and the text must stay
        state.refuse(guard.failure(error))
        return
    failure = failure_of(run)
    if failure is not None and len(run.events) == 1:
        state.refuse(failure)
    else:
        state.run(wanted)


def failure_of(run: Run) -> RunFailed | None:
    """Why a run stopped early, if it did."""
    last = run.events[-1].fact if run.events else None
    return last if isinstance(last, RunFailed) else None


def sentence(failure: RunFailed, own: Texts) -> str:
    """What went wrong, with the place in the program when there is one."""
    params = dict(failure.params)
    problem = own.problem(failure.code, params)
    line = params.get("line")
    if not line:
        return problem
    return own("ui.work.error_at", line=line, column=params.get("column", 1), problem=problem)


def workbench(around: Frame) -> None:
    """The player over the program that runs, and the plain views of the same step."""
    payload = predict.payload(around.texts)
    counts = tuple(len(stops(payload, level)) for level in range(len(LEVELS)))
    state.place(counts)
    told = player(
        payload,
        around.texts,
        key=state.PLAYER,
        dark=around.dark,
        bar=_bar(payload, around.texts),
        goto=state.goto(),
        link=True,
        on_move=state.moved,
        on_act=run_draft,
        on_answer=predict.answered,
    )
    if told.act:
        st.rerun()
    if st.context.is_embedded:
        st.link_button(around.texts("ui.work.open"), state.address(_base_address()))
        return
    below.draw(around, payload, counts, _run())


def _run() -> Run:
    now = state.source()
    return cache.run_of(now.name, now.text, _CONFIG)


def _bar(payload: Payload, own: Texts) -> Bar | None:
    failure = state.problem()
    if failure is not None:
        return Bar("miss", sentence(failure, own), own("ui.work.run"), dim=True)
    if state.edited() is not None:
        return Bar("warn", own("ui.work.stale"), own("ui.work.run"), dim=True)
    if payload.get("end"):
        return Bar("miss", payload["end"])
    told = state.notice()
    if told is not None:
        return Bar("warn", own(told))
    return None if payload["steps"] else Bar("warn", own("ui.work.empty"))
