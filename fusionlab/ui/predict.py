"""Predict first: what a visitor's session remembers of the gate, and the switch in the toolbar.

In: the kind of decision that the visitor wants to predict, and their answers. Out: the payload up
to the next question. The rest of the run stays on the server until the question is answered.
"""

from __future__ import annotations

from typing import Any, cast

import streamlit as st

from fusionlab.config import FusionConfig
from fusionlab.i18n import Texts
from fusionlab.ui import cache, state
from fusionlab.ui.player import Payload
from fusionlab.views.gate import KINDS, Said, gated_payload, next_gate
from fusionlab.views.player import stops

PARAMETER = "predict"
OFF = "off"
_SWITCH = "predict_switch"
_GATED = "predict_gated"
_CONFIG = FusionConfig()


def kind() -> str | None:
    """What is to be predicted, by the address; ``None`` when the gate is off."""
    named = st.query_params.get(PARAMETER)
    return named if named in KINDS else None


def switch(own: Texts) -> None:
    """The switch: which decisions become questions."""
    st.session_state[_SWITCH] = kind() or OFF
    st.selectbox(
        own("gate.switch"),
        (OFF, *KINDS),
        format_func=lambda name: own(f"gate.kind_{name}"),
        key=_SWITCH,
        on_change=_chosen,
        label_visibility="collapsed",
        width=230,
    )


def _chosen() -> None:
    wanted = st.session_state[_SWITCH]
    st.session_state.pop(_GATED, None)
    if wanted == OFF:
        st.query_params.pop(PARAMETER, None)
    else:
        st.query_params[PARAMETER] = wanted


def payload(own: Texts) -> Payload:
    """The player's payload: the whole run, or the run up to the next question."""
    now, wanted = state.source(), kind()
    whole = cache.payload_of(now.name, now.text, _CONFIG, own.lang)
    if wanted is None or not whole["steps"]:
        return whole
    run, said = cache.run_of(now.name, now.text, _CONFIG), _said(whole)
    gate = next_gate(run, wanted, _seen(whole))
    return gated_payload(run, own, gate, said)


def _memory(whole: Payload) -> dict[str, Any]:
    """What is known of this run by now; another run or another kind begins anew.

    On arrival everything before the step of the address is known, but not that step: it may be
    the answer to the question that was on the screen when the page was left.
    """
    kept = st.session_state.get(_GATED)
    name = (whole["run"], kind())
    if kept is None or kept["of"] != name:
        step, level = state.place(tuple(len(stops(whole, n)) for n in range(3)))
        known = stops(whole, level)[:step]
        seen = whole["steps"][known[-1]]["event"] if known else 0
        kept = st.session_state[_GATED] = {"of": name, "seen": seen, "said": ()}
    return cast("dict[str, Any]", kept)


def _seen(whole: Payload) -> int:
    return cast("int", _memory(whole)["seen"])


def _said(whole: Payload) -> tuple[Said, ...]:
    return cast("tuple[Said, ...]", _memory(whole)["said"])


def answered() -> None:
    """The reader has committed to an option, or asked to be shown (-1)."""
    told: Any = st.session_state[state.PLAYER].get("answer")
    wanted, now = kind(), state.source()
    if wanted is None or not isinstance(told, int):
        return
    lang = state.language()
    whole = cache.payload_of(now.name, now.text, _CONFIG, lang)
    kept = _memory(whole)
    gate = next_gate(cache.run_of(now.name, now.text, _CONFIG), wanted, kept["seen"])
    if gate is None or told >= len(gate.options):
        return
    said = Said(gate, None if told < 0 else told)
    st.session_state[_GATED] = kept | {"seen": gate.event, "said": (*kept["said"], said)}
    level = state.here()[1]
    events = [whole["steps"][index]["event"] for index in stops(whole, level)]
    state.step_to(next((n for n, e in enumerate(events) if e >= gate.event), len(events) - 1))
