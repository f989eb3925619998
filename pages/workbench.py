"""The workbench: a program, its run, and the player that steps through it."""

import streamlit as st

from fusionlab.ui import widgets
from fusionlab.ui.frame import frame
from fusionlab.ui.guard import show

around = frame("workbench")
if not st.context.is_embedded:
    show(widgets.toolbar, around)


@st.fragment
def stage() -> None:
    """Only this part runs again when the reader has moved."""
    show(widgets.workbench, around)


stage()
