"""Figures: one moment of a run beside a text, by burn's rules or with one of them switched.

In: a program, an event. Out: the player's payload and the step in it, and the address of the same
moment in the workbench.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from fusionlab.events.run import Run
from fusionlab.i18n import texts
from fusionlab.lab.decide import decide
from fusionlab.learn.parting import same_event
from fusionlab.learn.reading import Reading
from fusionlab.ui import cache
from fusionlab.ui.share import Shared, Side, query
from fusionlab.views.player import player_payload, stops

Figure = dict[str, Any]

_KEPT = 256
"""Runs and payloads that are kept for all visitors; they are frozen."""


@lru_cache(maxsize=_KEPT)
def decided(program: str, misconception: str | None = None) -> Run:
    """The decisions about a program, with the states."""
    run = decide(program, misconception)
    return run if run.states else replace(run, states=Reading(run).states)


@lru_cache(maxsize=_KEPT)
def _misled_payload(program: str, misconception: str, lang: str) -> dict[str, Any]:
    return player_payload(decided(program, misconception), texts(lang))


def figure(program: str, event: int, lang: str, title: str) -> Figure:
    """The moment of an event of ``decided(program)``, in the run that was really computed."""
    run = cache.run_of("program", program, cache.PLAIN)
    payload = cache.payload_of("program", program, cache.PLAIN, lang)
    here = same_event(decided(program).events, run.events, event)
    return {"payload": payload, "at": _step_at(payload, here), "title": title}


def misled_figure(program: str, misconception: str, event: int, lang: str, title: str) -> Figure:
    """The moment of an event of a misconception's run (which decides, and computes nothing)."""
    payload = _misled_payload(program, misconception, lang)
    return {"payload": payload, "at": _step_at(payload, event), "title": title}


def workbench(program: str, shown: Figure) -> str:
    """The address of a figure's moment in the workbench."""
    payload = shown["payload"]
    event = payload["steps"][shown["at"]]["event"]
    events = [payload["steps"][index]["event"] for index in stops(payload, 1)]
    position = next((n for n, found in enumerate(events) if found >= event), len(events) - 1)
    return f"workbench?{query(Shared(Side.of(program), step=max(0, position)))}"


def _step_at(payload: dict[str, Any], event: int) -> int:
    steps = payload["steps"]
    found = (index for index, step in enumerate(steps) if step["event"] >= event)
    return next(found, len(steps) - 1)
