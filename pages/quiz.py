"""The quiz: brain teasers that the engine answers."""

import streamlit as st

from fusionlab.ui.frame import frame
from fusionlab.ui.guard import show
from fusionlab.ui.learn import quiz

around = frame("quiz")


@st.fragment
def live() -> None:
    """Only this part runs again when an answer was given."""
    show(quiz.draw, around)


live()
