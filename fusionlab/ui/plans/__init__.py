"""The plans page: everything that a run has stored, with links to the steps that did it.

In: the program whose store is looked at. Out: the index, the plans, and the same in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from fusionlab.export.assets import tokens
from fusionlab.i18n import Texts
from fusionlab.ui import cache as shared
from fusionlab.ui import state
from fusionlab.ui.frame import Frame
from fusionlab.ui.pick import pick_program
from fusionlab.ui.share import Shared, Side, opened, query
from fusionlab.views.player import stops

_HERE = Path(__file__).parent
_CHOSEN, _ADDRESS = "plans_program", "plans_address"


def draw(around: Frame) -> None:
    """The whole page below the header."""
    own = around.texts
    with st.container(key="toolbar", horizontal=True, vertical_alignment="center"):
        side = pick_program(own, _chosen(), label="compare.page.program", key="plans_pick")
    _choose(side)
    store = shared.store_of(side, own.lang)
    data = {
        "store": {**store, "links": _links(side, store, own)},
        "theme": around.theme,
    }
    _component()(key="plans", data=data)
    with st.expander(own("compare.page.text")):
        st.code("\n".join(_in_words(store)), language=None)


def _chosen() -> Side:
    """The program of the address on arrival, then the one that was picked last."""
    token = st.query_params.get("program", "")
    if token and token != st.session_state.get(_ADDRESS):
        st.session_state[_ADDRESS] = token
        found = opened({"program": token}).shared
        st.session_state[_CHOSEN] = state.running() if found is None else found.program
    side: Side = st.session_state.setdefault(_CHOSEN, state.running())
    return side


def _choose(side: Side) -> None:
    st.session_state[_CHOSEN] = side
    token = dict(part.split("=", 1) for part in query(Shared(side)).split("&"))["program"]
    st.session_state[_ADDRESS] = st.query_params["program"] = token


def _links(side: Side, store: Mapping[str, Any], own: Texts) -> dict[int, dict[str, Any]]:
    """Where each step that the page names is in the workbench: position and address."""
    payload = shared.payload_of(side.name, side.text, shared.PLAIN, own.lang)
    events = [payload["steps"][index]["event"] for index in stops(payload, 1)]
    links: dict[int, dict[str, Any]] = {}
    for step in _steps(store):
        position = next((n for n, event in enumerate(events) if event >= step), len(events) - 1)
        href = f"workbench?{query(Shared(side, step=position))}"
        links[step] = {"at": position, "href": href}
    return links


def _steps(store: Mapping[str, Any]) -> Iterator[int]:
    for group in store["groups"]:
        for plan in group["plans"]:
            named = [plan["stored"], *plan["hits"], *(drop["step"] for drop in plan["drops"])]
            yield from (step for step in named if step is not None)


def _in_words(store: Mapping[str, Any]) -> Iterator[str]:
    yield store["text"]
    for group in store["groups"]:
        yield f"{group['key']}: {group['text']}"
        for plan in group["plans"]:
            ops = ", ".join(op["name"] for op in plan["ops"])
            yield f"  {plan['id']} {', '.join(plan['triggers'])} · {ops} · {plan['use']}"
            yield from (f"    {drop['text']} {drop['times']}" for drop in plan["drops"])


@cache
def _component() -> Callable[..., Any]:
    renderer: Callable[..., Any] = st.components.v2.component(
        "fusionlab_plans",
        html=_read("plans.html"),
        css=tokens() + _read("plans.css"),
        js=_read("plans.js"),
    )
    return renderer


def _read(name: str) -> str:
    return (_HERE / name).read_text("utf-8")
