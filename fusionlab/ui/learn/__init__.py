"""The screens that teach: lessons and the quiz.

In: what the learning material makes of runs. Out: plain data for two components. Both are plain
JavaScript without a build: the files of ``js/`` that a component needs are joined in order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import streamlit as st

from fusionlab.export.assets import script_of, tokens
from fusionlab.i18n import Texts

_HERE = Path(__file__).parent
_SHARED = ("1_base.js", "2_figure.js")


class Answered(Protocol):
    """What a component tells: what was pressed, and what the browser had kept."""

    act: dict[str, Any] | None
    kept: str | None


@cache
def component(name: str) -> Callable[..., Answered]:
    """The component ``quiz`` or ``lesson``."""
    shared, own = (_HERE / "js" / file for file in _SHARED), (_HERE / "js").glob(f"?_{name}*.js")
    renderer: Callable[..., Answered] = st.components.v2.component(
        f"fusionlab_{name}",
        html=_read(f"{name}.html"),
        css=tokens() + _read("learn.css") + _read(f"{name}.css"),
        js=script_of([*shared, *own]),
    )
    return renderer


def labels(texts: Texts) -> dict[str, str]:
    """The components' own words; ``{n}`` and ``{total}`` are filled in the browser."""
    return texts.under("learn.ui.")


def _read(name: str) -> str:
    return (_HERE / name).read_text("utf-8")
