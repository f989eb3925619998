"""The first screen: what FusionLab shows, in words and in one figure, and the way in."""

from __future__ import annotations

import streamlit as st

from fusionlab.i18n import Texts
from fusionlab.program.gallery import gallery
from fusionlab.ui import cache
from fusionlab.ui.frame import Frame
from fusionlab.ui.home_figure import figure, style


def draw(around: Frame) -> None:
    """Two halves: the promise with one primary button, and the four stations as a picture."""
    own = around.texts
    st.html(style())
    with st.container(key="home"):
        promise, picture = st.columns([6, 5], gap="xxlarge", vertical_alignment="center")
        with promise:
            _promise(own)
        story = cache.story_of(gallery()[0].text)
        if story is not None:
            picture.html(figure(own, story, dark=around.dark))


def _promise(own: Texts) -> None:
    st.title(own("ui.home.title"), anchor=False)
    st.markdown(own("ui.home.lead"))
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        if st.button(own("ui.home.start"), type="primary", key="start"):
            st.switch_page("pages/workbench.py", query_params={"program": gallery()[0].id})
        st.page_link("pages/workbench.py", label=own("ui.home.own"))
    st.divider()
    for column, name in zip(st.columns(3), ("true", "step", "keep"), strict=True):
        column.markdown(f"**{own(f'ui.home.{name}_title')}**  \n{own(f'ui.home.{name}_text')}")
