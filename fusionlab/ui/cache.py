"""What visitors share: runs and payloads, which are frozen. The only file with a resource cache.

A run is keyed by the program's text and the settings, a payload also by the language, so that a
class that opens one link costs one run. Nothing here belongs to one visitor.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from fusionlab.config import FusionConfig
from fusionlab.events.run import Run
from fusionlab.i18n import texts
from fusionlab.ui.share import Side
from fusionlab.views.first_screen import FirstScreen

_KEPT = 128
PLAIN = FusionConfig()
"""The settings of a run that nobody changed."""


@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def run_of(name: str, text: str, config: FusionConfig) -> Run:
    """The run of a program in a lab of its own; a failure is the last fact of the run."""
    # Imported here: the first page must not wait for the kernels.
    from fusionlab.lab import Lab  # noqa: PLC0415

    return Lab(config, tiered=True).run_text(text, name)


@st.cache_resource(max_entries=1, show_spinner=False)
def story_of(text: str) -> FirstScreen | None:
    """The story of the first screen: decisions only, so that it waits for no kernel."""
    from fusionlab.lab import Lab  # noqa: PLC0415
    from fusionlab.views.first_screen import first_screen  # noqa: PLC0415

    return first_screen(Lab().run_text(text, execute=False))


@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def payload_of(name: str, text: str, config: FusionConfig, lang: str) -> dict[str, Any]:
    """What the player shows of a run, in one language."""
    from fusionlab.views.player import player_payload  # noqa: PLC0415

    return player_payload(run_of(name, text, config), texts(lang))


@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def comparison_of(
    one: Side, two: Side, lang: str, titles: tuple[str, str] | None
) -> dict[str, Any]:
    """What the compare screen shows of two programs, in one language."""
    from fusionlab.views.compare import compare  # noqa: PLC0415
    from fusionlab.views.compare.payload import comparison_payload  # noqa: PLC0415

    runs = [run_of(s.name, s.text, FusionConfig(disabled_fusers=s.off)) for s in (one, two)]
    return comparison_payload(compare(*runs), texts(lang), titles)


@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def store_of(side: Side, lang: str) -> dict[str, Any]:
    """What the plans page shows of a program's run, in one language."""
    from fusionlab.views.plan_store import store_page  # noqa: PLC0415

    config = FusionConfig(disabled_fusers=side.off)
    return store_page(run_of(side.name, side.text, config), texts(lang))
