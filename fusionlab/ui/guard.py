"""Between a part of a page and its reader: a mistake becomes one sentence, never a traceback.

In: what draws a part of a page. Out: the part, or what went wrong in the reader's language. What
the visitor typed and where they are is in the session and the address, so it outlives the mistake.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import streamlit as st

from fusionlab.errors import FusionLabError
from fusionlab.events.facts import RunFailed
from fusionlab.ui.frame import Frame

_LOG = logging.getLogger(__name__)


def show(part: Callable[[Frame], None], around: Frame) -> None:
    """Draw a part of a page; what is drawn outside of it stays usable whatever happens."""
    own = around.texts
    # Streamlit stops and restarts scripts by exceptions that are no ``Exception``: they pass.
    try:
        part(around)
    except FusionLabError as error:
        _LOG.exception("a page met an error of ours")
        st.error(plain(own.problem(error.code, error.params)))
    except Exception:  # noqa: BLE001 -- the one place
        _LOG.exception("a page broke")
        st.error(own("ui.app.broken"))


def failure(error: Exception) -> RunFailed:
    """A mistake of ours as a run that failed: for callbacks, which have nowhere to draw."""
    _LOG.error("a run broke", exc_info=error)
    return RunFailed("unnamed", (("code", getattr(error, "code", type(error).__name__)),))


def plain(text: str) -> str:
    """Text for a place that reads Markdown: nothing in it is markup."""
    return "".join(c if c.isalnum() or c in " ×.,。，" else f"&#{ord(c)};" for c in text)
