"""Below the player: the block graph, the kernels, and the step in words with plain controls.

They need no component, so they also serve a reader whose browser runs no script of ours, and the
tests that have no browser.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import streamlit as st

from fusionlab.events.run import Run
from fusionlab.export.assets import palette
from fusionlab.i18n import Texts
from fusionlab.ui import state
from fusionlab.ui.frame import Frame
from fusionlab.ui.player import Payload
from fusionlab.views.kernels import kernels_view
from fusionlab.views.player import stops

_GRAPH_HEIGHT = 420


def draw(around: Frame, payload: Payload, counts: tuple[int, ...], run: Run) -> None:
    """Three tabs about the step at which the reader is."""
    if not payload["steps"]:
        return
    own = around.texts
    step, level = state.place(counts)
    index = stops(payload, level)[step]
    with st.container(key="below"):
        names = [own(f"ui.work.{name}") for name in ("graph", "kernel", "text")]
        graph, kernel, text = st.tabs(names, key="views")
        with graph:
            _graph(around, run, payload["steps"][index])
        with kernel:
            _kernels(own, run, payload["steps"][index])
        with text:
            _controls(own, counts, step, level)
            _words(own, payload, index, step)


def _graph(around: Frame, run: Run, step: Mapping[str, Any]) -> None:
    from fusionlab.views.dot import blocks_dot  # noqa: PLC0415 -- only this tab needs it

    st.graphviz_chart(
        blocks_dot(run, step["event"], around.texts, palette(around.theme)),
        height=_GRAPH_HEIGHT,
        alt=around.texts("ui.work.graph_alt"),
    )


def _kernels(own: Texts, run: Run, step: Mapping[str, Any]) -> None:
    """The generated source of the last execution so far, and what crossed memory."""
    view = kernels_view(run, step["event"])
    sources = dict.fromkeys(kernel.source for kernel in view.kernels if kernel.source)
    if not sources:
        st.markdown(own("ui.work.no_kernel"))
        return
    fused = {f"fused_{name}": value for name, value in asdict(view.after).items()}
    st.markdown(own("ui.work.traffic", **asdict(view.before), **fused))
    for source in sources:
        st.code(source, language="python")


def _controls(own: Texts, counts: tuple[int, ...], step: int, level: int) -> None:
    last = counts[level] - 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            own("ui.work.back"),
            key="back",
            on_click=state.step_to,
            args=(step - 1,),
            disabled=step == 0,
        )
        st.button(
            own("ui.work.next"),
            key="next",
            on_click=state.step_to,
            args=(step + 1,),
            disabled=step >= last,
        )
        if last > 0:
            st.slider(own("ui.work.step"), 0, last, **state.slider(counts))
        st.caption(own(f"ui.player.level_{level}"))


def _words(own: Texts, payload: Payload, index: int, step: int) -> None:
    now = payload["steps"][index]
    kind = payload["kinds"][now["kind"]]
    at = own("ui.player.at", n=step)
    st.markdown(f"**{kind['badge']}** · {at} · {now['head']}")
    st.markdown(f"#### {now['what']}")
    st.markdown(now.get("why", ""))
    for line in _pane_lines(payload, now):
        st.markdown(f"- {line}")


def _pane_lines(payload: Payload, now: Mapping[str, Any]) -> list[str]:
    if "pane" not in now:
        return []
    pane = payload["panes"][now["pane"]]
    lines = [f"{card['fuser']}: {card['score']}, {card['why']}" for card in pane.get("cards", ())]
    lines += [
        f"{row['op']}: {'✓' if row['ok'] else '✕'} {row['right']}" for row in pane.get("rows", ())
    ]
    lines += [f"{unit['head']}: {unit['text']}" for unit in pane.get("units", ())]
    return lines + list(pane.get("notes", ()))
