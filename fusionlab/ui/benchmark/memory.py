"""What one visitor's session remembers about the benchmark page, and what the address says."""

from __future__ import annotations

import uuid
from typing import Any, cast

import streamlit as st

from fusionlab.bench.workloads import BY_NAME
from fusionlab.i18n import Texts

_PARAMETER, _CHOICE = "workload", "bench_workload"
_LEFT, _RIGHT = ("speed", "time"), ("roof", "bytes")


def visitor() -> str:
    """A name for this session, so that nobody else stops its measurement."""
    if "bench_visitor" not in st.session_state:
        st.session_state["bench_visitor"] = uuid.uuid4().hex
    return cast("str", st.session_state["bench_visitor"])


def workload(known: tuple[str, ...]) -> dict[str, Any]:
    """Arguments of the picker; the address names the workload, and follows the choice."""
    shown = [name for name in BY_NAME if name in known]
    if _CHOICE not in st.session_state:
        named = st.query_params.get(_PARAMETER)
        st.session_state["bench_chosen"] = named if named in shown else shown[0]
    st.session_state[_CHOICE] = st.session_state["bench_chosen"]
    return {"options": shown, "key": _CHOICE, "on_change": _choose}


def _choose() -> None:
    st.session_state["bench_chosen"] = st.session_state[_CHOICE]
    st.query_params[_PARAMETER] = st.session_state[_CHOICE]


def left(own: Texts) -> str:
    """Which chart the left card shows."""
    return _view(own, "bench_view_left", _LEFT)


def right(own: Texts) -> str:
    """Which chart the right card shows."""
    return _view(own, "bench_view_right", _RIGHT)


def _view(own: Texts, key: str, options: tuple[str, ...]) -> str:
    chosen = st.segmented_control(
        own("bench.page.view"),
        options,
        format_func=lambda name: own(f"bench.page.view_{name}"),
        default=options[0],
        required=True,
        key=key,
        label_visibility="collapsed",
        persist_state="session",
    )
    return chosen or options[0]
