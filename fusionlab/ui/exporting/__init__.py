"""The export menu: files of the run on the screen, and pictures of the step on the screen.

In: the program that runs, and where the reader is. Out: buttons. A file is made when its button is
pressed, so an open menu costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

import streamlit as st

from fusionlab.config import FusionConfig
from fusionlab.events.run import Run
from fusionlab.export import picture, run_html, run_json, run_log, strip
from fusionlab.i18n import Texts
from fusionlab.ui.cache import payload_of, run_of
from fusionlab.ui.frame import Frame
from fusionlab.ui.share import Side
from fusionlab.views.player import stops

_HERE = Path(__file__).parent
_STRIP = 4
"""Steps in a strip: the present one and those behind it."""
_TYPED = 100
"""Characters of an address that somebody may want to type."""


class _Looks(TypedDict):
    level: int
    theme: str
    address: str


def menu(around: Frame, program: Side, place: tuple[int, int], address: str) -> None:
    """A pop-over with the files; it is empty until it is opened.

    Opening it runs the page again, so ``place`` (position and level) is where the reader is.
    ``address`` is the link to it; pictures show it when it is short enough to be typed.
    """
    window = st.popover(around.texts("export.menu"), key="export_menu", on_change="rerun")
    if window.open:
        with window:
            _Files(around, program, place, address).draw()


class _Files:
    """The files of one run. They are made on a thread of their own, without a session."""

    def __init__(self, around: Frame, program: Side, place: tuple[int, int], address: str) -> None:
        self._around = around
        self._name, self._text = program.name, program.text
        self._place = place
        self._address = address if len(address) <= _TYPED else ""

    def draw(self) -> None:
        """The buttons."""
        own = self._around.texts
        stem = self._name.removesuffix(".lab")
        st.markdown(own("export.step"))
        self._button("svg", f"{stem}.svg", "image/svg+xml", self.svg)
        self._png(own, f"{stem}.png")
        self._button("strip", f"{stem}-strip.svg", "image/svg+xml", self.strip)
        st.markdown(own("export.run"))
        self._button("html", f"{stem}.html", "text/html", self.html)
        self._button("json", f"{stem}.jsonl", "application/jsonl", lambda: run_json(self._run))
        self._button("log", f"{stem}.log", "text/plain", lambda: run_log(self._run))

    def svg(self) -> str:
        """The step as a picture."""
        position, level = self._place
        return picture(self._payload, self._texts, position, **self._looks(level))

    def strip(self) -> str:
        """The step and those behind it."""
        position, level = self._place
        last = len(stops(self._payload, level))
        positions = range(position, min(last, position + _STRIP))
        return strip(self._payload, self._texts, positions, **self._looks(level))

    def _looks(self, level: int) -> _Looks:
        return {"level": level, "theme": self._around.theme, "address": self._address}

    def html(self) -> str:
        """The whole player, opened at this step."""
        return run_html(self._run, self._texts, start=self._place[0])

    @property
    def _texts(self) -> Texts:
        return self._around.texts

    @property
    def _run(self) -> Run:
        return run_of(self._name, self._text, FusionConfig())

    @property
    def _payload(self) -> dict[str, Any]:
        payload: dict[str, Any] = payload_of(
            self._name, self._text, FusionConfig(), self._texts.lang
        )
        return payload

    def _button(self, key: str, file: str, mime: str, make: Callable[[], str]) -> None:
        st.download_button(
            self._texts(f"export.{key}"),
            make,
            file,
            mime,
            key=f"export_{key}",
            on_click="ignore",
            width="stretch",
        )

    def _png(self, own: Texts, file: str) -> None:
        wanted = (st.session_state.get("export_png") or {}).get("wanted")
        drawn = {"id": wanted, "svg": self.svg(), "name": file} if wanted else None
        data = {"label": own("export.png"), "picture": drawn}
        _component()(key="export_png", data=data, on_wanted_change=lambda: None)


@cache
def _component() -> Callable[..., Any]:
    renderer: Callable[..., Any] = st.components.v2.component(
        "fusionlab_png",
        html='<button type="button"></button>',
        css=(_HERE / "png.css").read_text("utf-8"),
        js=(_HERE / "png.js").read_text("utf-8"),
    )
    return renderer
