"""What one visitor's session remembers about the compare screen, and what the address says.

The address wins on arrival; afterwards the session does, and every comparison writes its own link
into the address. The only file of this screen that touches session state and the address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import streamlit as st

from fusionlab.ui import state
from fusionlab.ui.compare.choice import Choice, chosen, written
from fusionlab.ui.share import Shared, Side, opened, query

PROGRAMS = "programs"
"""The kind of comparison that changes nothing but takes two programs."""

_WANTED, _SHOWN, _ADDRESS, _NOTICE, _ERROR = (
    f"compare_{name}" for name in ("wanted", "shown", "address", "notice", "error")
)
_CARRIED = ("v", "program", "off", "b", "b_off", "change", "c")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to compare: a program with one change, or (``choice`` is ``None``) with another one."""

    first: Side
    choice: Choice | None
    other: Side | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """Both sides of the comparison on the screen, and what was asked for."""

    wanted: Wanted
    first: Side
    second: Side


def wanted() -> Wanted:
    """What the visitor wants to compare; on arrival what the address names."""
    address = _address()
    if _WANTED not in st.session_state or (address and address != st.session_state[_ADDRESS]):
        _arrive(address)
    return cast("Wanted", st.session_state[_WANTED])


def want(new: Wanted) -> None:
    """Remember another wish."""
    st.session_state[_WANTED] = new


def shown() -> Shown | None:
    """The comparison on the screen."""
    return cast("Shown | None", st.session_state.get(_SHOWN))


def show(new: Shown) -> None:
    """Put a comparison on the screen and its link into the address."""
    st.session_state.update({_SHOWN: new, _ERROR: None, _NOTICE: None})
    for part in query(shared(new)).split("&"):
        key, _, value = part.partition("=")
        st.query_params[key] = _plain(value)
    for key in _CARRIED:
        if f"{key}=" not in f"&{query(shared(new))}".replace("&", "\n"):
            st.query_params.pop(key, None)
    st.session_state[_ADDRESS] = _address()


def shared(what: Shown, lang: str | None = None) -> Shared:
    """The link's content for a comparison."""
    change = "" if what.wanted.choice is None else written(what.wanted.choice)
    return Shared(what.first, other=what.second, change=change, lang=lang)


def notice() -> str | None:
    """Catalog key of what went wrong with the address, if anything did."""
    return cast("str | None", st.session_state.get(_NOTICE))


def problem() -> Exception | None:
    """Why the last wish could not be compared."""
    return cast("Exception | None", st.session_state.get(_ERROR))


def refuse(error: Exception) -> None:
    """Keep why a wish could not be compared; the old comparison stays."""
    st.session_state[_ERROR] = error


def _plain(value: str) -> str:
    from urllib.parse import unquote  # noqa: PLC0415

    return unquote(value)


def _address() -> dict[str, str]:
    return {key: st.query_params[key] for key in _CARRIED if key in st.query_params}


def _arrive(address: dict[str, str]) -> None:
    found = opened(address)
    st.session_state[_ADDRESS] = address
    st.session_state[_NOTICE] = found.notice
    st.session_state[_ERROR] = None
    link = found.shared
    if link is None:
        want(Wanted(state.running(), Choice("shape")))
    elif link.other is not None:
        choice = chosen(link.change)
        want(Wanted(link.program, choice, link.other if choice is None else None))
        st.session_state[_SHOWN] = Shown(wanted(), link.program, link.other)
    else:
        want(Wanted(link.program, chosen(link.change) or Choice("shape")))
        st.session_state[_SHOWN] = None
