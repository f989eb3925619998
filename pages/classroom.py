"""The classroom: a live room that a class joins by phone."""

import streamlit as st

from fusionlab.ui.classroom import screen
from fusionlab.ui.frame import frame
from fusionlab.ui.guard import show

around = frame("classroom")
screen.dress(around)


@st.fragment
def live() -> None:
    """Only this part runs again when the browser is somewhere else."""
    show(screen.page, around)


live()
