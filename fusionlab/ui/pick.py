"""Picking a program on pages that show more than one run: the gallery, and the visitor's own.

In: the program that is chosen now. Out: the one that the visitor has chosen.
"""

from __future__ import annotations

from typing import Final

import streamlit as st

from fusionlab.i18n import Texts
from fusionlab.program.gallery import gallery, gallery_program
from fusionlab.ui.share import Side

OWN: Final = "own"
"""The picker's entry for a program that is not in the gallery."""


def pick_program(own: Texts, now: Side, *, label: str, key: str) -> Side:
    """A picker; a program that is not in the gallery stays on the list while it is chosen."""
    listed = [program.id for program in gallery()]
    ids = listed if now.id else [OWN, *listed]
    picked = st.selectbox(
        own(label),
        ids,
        index=ids.index(now.id or OWN),
        format_func=lambda name: program_title(own, name),
        label_visibility="collapsed",
        width=200,
        # Another key for another start: a widget keeps what it once showed.
        key=f"{key}_{now.id}",
    )
    return now if picked in (OWN, now.id) else Side(gallery_program(picked).text, picked)


def program_title(own: Texts, name: str) -> str:
    """The title of a program of the gallery, or the words for the visitor's own."""
    return own("ui.work.own_program") if name == OWN else gallery_program(name).title[own.lang]
