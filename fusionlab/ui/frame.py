"""What every page calls first: title, theme, language switch, and the one style sheet.

In: the name of the page. Out: its texts, and whether it is dark. A page that calls this also runs
alone, without the menu around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from fusionlab.export.assets import palette
from fusionlab.i18n import LANGUAGES, Texts, texts
from fusionlab.ui import state

PAGES = (
    *("home", "workbench", "lessons", "quiz", "plans"),
    *("compare", "benchmark", "classroom", "log"),
)
"""The screens, in menu order: ``pages/<name>.py``, titled ``ui.page.<name>``."""

# Streamlit writes white on the primary colour; on the light violet of the dark theme: 2.6:1.
_DARK_STYLE = '[data-testid="stBaseButton-primary"] {{ color: {on_accent}; }}'

_ASSETS = Path(__file__).parent / "assets"

# The page's language for screen readers, and the choice for the next visit.
_SCRIPT = """<script>
document.documentElement.lang = "{lang}";
document.cookie = "{cookie}={short}; path=/; max-age=31536000; SameSite=Lax";
</script>"""
_HTML_LANG = {"en": "en", "zh": "zh-CN"}


@dataclass(frozen=True, slots=True)
class Frame:
    """What a page needs to know about its surroundings."""

    texts: Texts
    dark: bool

    @property
    def theme(self) -> str:
        """``dark`` or ``light``, as components and pictures call it."""
        return "dark" if self.dark else "light"


def frame(page: str) -> Frame:
    """Draw what surrounds a page and return its texts and theme."""
    lang = state.language()
    own = texts(lang)
    dark = st.context.theme.type == "dark"
    st.set_page_config(page_title=f"{own(f'ui.page.{page}')} · FusionLab", layout="wide")
    st.logo(_logo(dark=dark), size="medium")
    st.html(f"<style>{_style(dark=dark)}</style>")
    with st.container(key="language"):
        st.segmented_control(
            own("ui.app.language"),
            **state.language_switch(),
            format_func=lambda code: own(f"ui.app.language_{code}"),
            label_visibility="collapsed",
        )
        _tell_browser(lang)
    return Frame(own, dark)


@cache
def _style(*, dark: bool) -> str:
    rules = (_ASSETS / "chrome.css").read_text("utf-8")
    return rules + _DARK_STYLE.format(on_accent=palette("dark")["on-accent"]) if dark else rules


@cache
def _logo(*, dark: bool) -> str:
    # The name is drawn as outlines: a picture cannot use the page's fonts.
    drawing = (_ASSETS / "logo.svg").read_text("utf-8")
    return drawing.replace(palette("light")["ink"], palette("dark")["ink"]) if dark else drawing


def _tell_browser(lang: str) -> None:
    assert lang in LANGUAGES  # noqa: S101 -- it goes into a script
    script = _SCRIPT.format(lang=_HTML_LANG[lang], cookie=state.COOKIE, short=lang)
    st.html(script, unsafe_allow_javascript=True)


def title(page: str) -> str:
    """The title of a page in the visitor's language, for the menu."""
    return texts(state.language())(f"ui.page.{page}")
