"""FusionLab: the server with its own routes, and the menu over the screens in pages/."""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from fusionlab.classroom.process import routes
from fusionlab.ui.frame import PAGES, title

# A folder named pages/ makes Streamlit serve the first deep link of a new server in its old mode,
# with another menu and without this script. This private switch is the only way to say that the
# menu below is the one; the version is pinned and a browser test opens such a link.
PagesManager.uses_pages_directory = False

app = st.App(__file__, routes=routes())

if __name__ == "__main__":
    st.navigation(
        [
            st.Page(f"pages/{name}.py", title=title(name), url_path=name, default=name == PAGES[0])
            for name in PAGES
        ],
        position="top",
    ).run()
