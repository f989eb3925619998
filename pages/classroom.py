"""The classroom: a live room that a class joins by phone."""

import streamlit as st

from fusionlab.ui.classroom import screen
from fusionlab.ui.frame import frame

around = frame("classroom")


@st.fragment
def live() -> None:
    """Only this part runs again when the browser is somewhere else."""
    screen.page(around)


live()
