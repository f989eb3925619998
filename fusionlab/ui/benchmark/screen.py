"""The benchmark page: pick a workload, measure here, read what the numbers say.

In: the last measurement, of this machine or of the package. Out: widgets, two charts, the losses.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

import streamlit as st

from fusionlab.bench.background import JOBS, State, Status
from fusionlab.bench.findings import (
    Finding,
    crossover_title,
    gain,
    headline,
    losses,
    roofline_title,
    time_title,
    traffic_title,
)
from fusionlab.bench.model import Measurement, Table, to_json
from fusionlab.bench.workloads import BY_NAME
from fusionlab.export.assets import palette
from fusionlab.ui.benchmark import charts, memory
from fusionlab.ui.benchmark.pieces import Figure
from fusionlab.ui.benchmark.style import side
from fusionlab.ui.benchmark.words import about, sentence, table_html
from fusionlab.ui.frame import Frame

_CONFIG: Final = {"displayModeBar": False, "responsive": True}
_EVERY_SECONDS: Final = 1.0
_STYLE: Final = Path(__file__).with_name("benchmark.css")


def draw(around: Frame) -> None:
    """The whole page."""
    st.html(f"<style>{_style(dark=around.dark)}</style>")
    measured = JOBS.measurement()
    table = Table(measured.rows)
    running = _is_running()
    with st.container(key="benchmark"):
        workload = _head(around, table, running=running)
        # What changes while measuring has a place of its own, so that nothing else moves.
        with st.container(key="bench_state"):
            if running:
                st.fragment(_follow, run_every=_EVERY_SECONDS)(around)
            else:
                _told(around, measured)
        left, right = st.columns(2, gap="small")
        with left.container(border=True, key="bench_left"):
            _left(around, table, workload)
        with right.container(border=True, key="bench_right"):
            _right(around, table, workload)
        _losses(around, table)
        _foot(around, measured, table, workload)


@cache
def _style(*, dark: bool) -> str:
    tint = _tint(dark=dark)
    cards = f"background: {tint['surface']}; border-color: {tint['hair']};"
    return f".st-key-bench_left, .st-key-bench_right {{ {cards} }} {_STYLE.read_text('utf-8')}"


def _tint(*, dark: bool) -> Mapping[str, str]:
    return palette("dark" if dark else "light")


def _head(around: Frame, table: Table, *, running: bool) -> str:
    """Title, picker, button; the name of the workload that is shown."""
    own = around.texts
    with st.container(key="bench_head", horizontal=True, vertical_alignment="bottom"):
        st.title(sentence(headline(table), own), anchor=False)
        workload = st.selectbox(
            own("bench.page.workload"),
            **memory.workload(table.workloads()),
            format_func=lambda name: BY_NAME[name].formula,
            label_visibility="collapsed",
            width=260,
        )
        if running:
            mine = JOBS.owns(memory.visitor())
            help_ = None if mine else own("bench.page.other")
            st.button(own("bench.page.cancel"), on_click=_stop, disabled=not mine, help=help_)
        else:
            off = None if JOBS.allowed else own("bench.page.switched_off")
            st.button(
                own("bench.page.measure"),
                type="primary",
                on_click=_start,
                disabled=off is not None,
                help=off,
            )
    return str(workload)


def _start() -> None:
    JOBS.start(memory.visitor())


def _stop() -> None:
    JOBS.stop(memory.visitor())


def _is_running() -> bool:
    status = JOBS.status
    return status is not None and status.state is State.RUNNING


def _follow(around: Frame) -> None:
    """How far the running job is; at its end the page is drawn anew."""
    status = JOBS.status
    if status is None or status.state is not State.RUNNING:
        st.rerun()
    st.progress(status.done / max(1, status.total), _plain(_doing(status, around)))


def _told(around: Frame, measured: Measurement) -> None:
    """How the last job of this visitor ended, if badly, and where the numbers come from."""
    status = JOBS.status
    lines = list(about(measured, around.texts))
    if status is not None and status.state in (State.STOPPED, State.FAILED):
        lines = [f"**{around.texts(f'bench.page.{status.state.value}')}**", *lines[1:]]
    st.markdown(_plain(" ".join(lines)).replace("\\*\\*", "**"))


def _doing(status: Status, around: Frame) -> str:
    own = around.texts
    if not status.total:
        return own("bench.page.starting")
    known = BY_NAME.get(status.workload)
    return own(
        "bench.page.progress",
        done=status.done + 1,
        total=status.total,
        what=status.workload if known is None else known.formula,
        size=status.size.replace("x", "×"),
    )


def _left(around: Frame, table: Table, workload: str) -> None:
    own, tint = around.texts, _tint(dark=around.dark)
    if memory.left(own) == "time":
        about_it = own("bench.time.about", formula=BY_NAME[workload].formula)
        figure = charts.time_chart(table, workload, own, tint)
        _card(around, time_title(table, workload), about_it, figure, "bench_time")
    else:
        figure = charts.speed_up_chart(table, own, tint)
        _card(around, crossover_title(table), own("bench.crossover.about"), figure, "bench_speed")


def _right(around: Frame, table: Table, workload: str) -> None:
    own, tint = around.texts, _tint(dark=around.dark)
    kind = memory.right(own)
    found = gain(table, workload)
    if found is None:
        st.markdown(own("bench.time.missing"))
        return
    named = {"formula": found.workload.formula, "size": side(found.size)}
    if kind == "bytes":
        figure = charts.traffic_chart(found, own, tint)
        _card(around, traffic_title(found), own("bench.traffic.about", **named), figure, kind)
    else:
        figure = charts.roofline_chart(found, own, tint)
        _card(around, roofline_title(found), own("bench.roofline.about", **named), figure, kind)


def _card(around: Frame, title: Finding, about_it: str, figure: Figure, key: str) -> None:
    said = sentence(title, around.texts)
    st.markdown(f"##### {_plain(said)}\n\n{_plain(about_it)}")
    st.plotly_chart(figure, config=_CONFIG, key=key, alt=f"{said}. {about_it}")


def _plain(text: str) -> str:
    """A formula's stars and brackets are no markup."""
    return text.replace("*", "\\*").replace("[", "\\[").replace("]", "\\]")


def _losses(around: Frame, table: Table) -> None:
    own = around.texts
    found = list(losses(table))
    if not found:
        return
    with st.container(key="bench_losses"):
        st.markdown(f"##### {own('bench.loss.title')}")
        for column, loss in zip(st.columns(len(found), gap="medium"), found, strict=True):
            kind = loss.key.removeprefix("loss.").partition("_")[0]
            title = own(f"bench.loss.{kind}_title")
            column.markdown(f"**{title}**  \n{_plain(sentence(loss, own))}")


def _foot(around: Frame, measured: Measurement, table: Table, workload: str) -> None:
    own = around.texts
    with st.expander(own("bench.page.table"), key="bench_table"):
        st.html(f'<div class="bench-table">{table_html(table, workload, own)}</div>')
        st.download_button(
            own("bench.page.download"),
            to_json(measured),
            file_name="fusionlab-benchmark.json",
            mime="application/json",
            on_click="ignore",
        )
