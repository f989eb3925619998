"""The lessons: worked runs, gaps to fill, a program of one's own."""

import streamlit as st

from fusionlab.ui.frame import frame
from fusionlab.ui.guard import show
from fusionlab.ui.learn import lessons

around = frame("lessons")


@st.fragment
def live() -> None:
    """Only this part runs again when the reader goes on."""
    show(lessons.draw, around)


live()
