"""The compare screen: two runs side by side, drawn by one small component.

In: what the views made of a comparison. Out: a table in the browser. It answers nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from fusionlab.export.assets import tokens

_HERE = Path(__file__).parent


def side_by_side(
    payload: Mapping[str, Any],
    *,
    key: str,
    dark: bool,
    only: bool,
    bar: Mapping[str, str] | None = None,
) -> None:
    """Draw a comparison.

    Args:
        payload: What ``views.compare.payload`` made of it.
        key: Identity of the component on its page.
        dark: The theme of the page.
        only: Whether rows that are the same on both sides are left out.
        bar: A line over the table (``tone`` is ``warn`` or ``miss``); what is below is dimmed.
    """
    data = {"cmp": payload, "theme": "dark" if dark else "light", "only": only, "bar": bar}
    _component()(key=key, data=data)


@cache
def _component() -> Callable[..., Any]:
    renderer: Callable[..., Any] = st.components.v2.component(
        "fusionlab_compare",
        html=_read("compare.html"),
        css=tokens() + _read("compare.css"),
        js=_read("compare.js"),
    )
    return renderer


def _read(name: str) -> str:
    return (_HERE / name).read_text("utf-8")
