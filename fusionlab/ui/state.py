"""What one visitor's session remembers of the workbench, and the address that goes with it.

In: the address of the page and what the visitor does. Out: the language, the program that runs,
the text in the editor, the place in the run. The address wins on arrival; afterwards the session
does, and the player keeps the address up to date in the browser.

Other screens keep what is theirs in a ``memory`` of their own, or beside what they draw.

A broken address never breaks the page: the nearest valid state is taken, and a notice says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

import streamlit as st

from fusionlab.events.facts import RunFailed
from fusionlab.i18n import LANGUAGES, language_for
from fusionlab.program.gallery import gallery
from fusionlab.ui.link import pack, unpack
from fusionlab.ui.pick import OWN
from fusionlab.ui.share import Shared, Side, opened, query
from fusionlab.views.gate import KINDS
from fusionlab.views.levels import LEVELS

COOKIE = "fusionlab_language"

PLAYER = "player"
"""The identity of the workbench's player."""
_PICKER = "picker"
_DRAFT = "draft"
_LANGUAGE = "language_choice"
_EDITOR = "editor_open"
_SLIDER = "slider"


# --- language ----------------------------------------------------------------------------------


def language() -> str:
    """The language of this page: address, then session, then last visit, then browser."""
    wanted = st.query_params.get("lang")
    if wanted is not None and language_for(wanted) == wanted.split("-")[0]:
        st.session_state["lang"] = language_for(wanted)
    elif "lang" not in st.session_state:
        kept = st.context.cookies.get(COOKIE)
        st.session_state["lang"] = kept if kept in LANGUAGES else language_for(st.context.locale)
    return cast("str", st.session_state["lang"])


def language_switch() -> dict[str, Any]:
    """Arguments of the widget that switches the language."""
    st.session_state[_LANGUAGE] = language()
    return {"options": LANGUAGES, "key": _LANGUAGE, "on_change": _switch, "required": True}


def _switch() -> None:
    st.session_state["lang"] = st.session_state[_LANGUAGE] or language()
    st.query_params["lang"] = st.session_state["lang"]


# --- the program that runs, and the one in the editor ------------------------------------------


def source() -> Side:
    """The program that runs: the one that the address names, else the one of this session."""
    named = st.query_params.get("program")
    if _SOURCE not in st.session_state or named not in (None, st.session_state[_TOKEN]):
        _arrive(named)
    elif named is None or "step" not in st.query_params:
        _name_place()
    return cast("Side", st.session_state[_SOURCE])


def _name_place() -> None:
    """Coming back from another page: the address is empty, the session still knows the place."""
    step, level = st.session_state.get("place", (0, 1))
    if st.session_state[_TOKEN]:
        st.query_params["program"] = st.session_state[_TOKEN]
    if step:
        st.query_params["step"] = str(step)
    if level != 1:
        st.query_params["level"] = LEVELS[level]


_SOURCE = "source"
_TOKEN = "token"  # noqa: S105 -- the program's token in the address, no secret


def _arrive(token: str | None) -> None:
    found = _source_of(token)
    _hold(found or _shipped()[0])
    st.session_state[_TOKEN] = token or ""
    st.session_state["notice"] = _notice(found is not None)
    st.session_state.pop("place", None)


def _notice(readable: bool) -> str | None:  # noqa: FBT001 -- whether the program could be read
    """What is the matter with the link, if anything is."""
    told = opened({key: st.query_params[key] for key in st.query_params}).notice
    if told == "share.newer":
        # A step of a later version may be any other step here.
        for key in ("step", "level"):
            st.query_params.pop(key, None)
    return told if readable or told in _SAYS_ENOUGH else "ui.work.bad_program"


_SAYS_ENOUGH = ("share.newer", "share.too_long")


def _source_of(token: str | None) -> Side | None:
    if not token:
        return _shipped()[0]
    shipped = next((program for program in _shipped() if program.id == token), None)
    text = unpack(token)
    return shipped if text is None else Side.of(text)


def _shipped() -> tuple[Side, ...]:
    return tuple(Side(program.text, program.id) for program in gallery())


def _hold(new: Side) -> None:
    st.session_state[_SOURCE] = new
    st.session_state[_DRAFT] = new.text
    st.session_state["problem"] = None


def run(new: Side) -> None:
    """Make a program the one that runs, and let the address name it."""
    _hold(new)
    st.session_state["notice"] = None
    st.session_state[_TOKEN] = st.query_params["program"] = token(new)
    st.query_params.pop("step", None)
    st.query_params.pop("level", None)
    st.session_state[_EDITOR] = False
    st.session_state["place"] = (0, 1)


def running() -> Side:
    """The program of the workbench for other screens, else the first of the gallery."""
    return cast("Side", st.session_state.get(_SOURCE, _shipped()[0]))


def token(of: Side) -> str:
    """How an address names a program."""
    return of.id or pack(of.text)


def choose() -> None:
    """The visitor picked a program of the gallery."""
    picked = st.session_state[_PICKER]
    for program in _shipped():
        if program.id == picked:
            run(program)


def picker() -> dict[str, Any]:
    """Arguments of the program picker."""
    now = source()
    st.session_state[_PICKER] = now.id or OWN
    ids = tuple(program.id for program in gallery())
    options = ids if now.id else (OWN, *ids)
    return {"options": options, "key": _PICKER, "on_change": choose}


def draft() -> str:
    """The text in the editor."""
    return cast("str", st.session_state.get(_DRAFT, source().text))


def editor() -> dict[str, Any]:
    """Arguments of the program editor; what was typed outlives a closed editor."""
    st.session_state[_DRAFT] = draft()
    return {"key": _DRAFT}


def edited() -> Side | None:
    """The program in the editor when it is not the one that runs."""
    return None if draft() == source().text else Side.of(draft())


def problem() -> RunFailed | None:
    """Why the program in the editor did not run."""
    return cast("RunFailed | None", st.session_state.get("problem"))


def refuse(failure: RunFailed) -> None:
    """Keep why the program in the editor did not run, and leave the editor open."""
    st.session_state["problem"] = failure
    st.session_state[_EDITOR] = True


def editor_window() -> dict[str, Any]:
    """Arguments of the pop-over around the editor."""
    return {"key": _EDITOR, "on_change": "rerun"}


# --- the place in the run ----------------------------------------------------------------------


def notice() -> str | None:
    """Catalog key of what went wrong with the address, if anything did."""
    return cast("str | None", st.session_state.get("notice"))


def place(counts: tuple[int, ...]) -> tuple[int, int]:
    """The reader's position and level; ``counts`` are the stops of each level.

    On arrival it is the address's, moved to the nearest stop there is.
    """
    if "place" not in st.session_state:
        st.session_state["place"] = _from_address(counts)
    step, level = st.session_state["place"]
    return min(step, max(0, counts[level] - 1)), level


def here() -> tuple[int, int]:
    """The reader's position and level, as far as they are known."""
    return cast("tuple[int, int]", st.session_state.get("place", (0, 1)))


def _from_address(counts: tuple[int, ...]) -> tuple[int, int]:
    named = st.query_params.get("level")
    level = LEVELS.index(named) if named in LEVELS else 1
    asked = st.query_params.get("step", "0")
    step = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 7 else -1
    if not 0 <= step < max(1, counts[level]):
        st.session_state["notice"] = st.session_state.get("notice") or "ui.work.bad_step"
    return max(0, min(step, counts[level] - 1)), level


def moved() -> None:
    """The player told where the reader is."""
    at: Mapping[str, Any] | None = st.session_state[PLAYER].get("at")
    if at:
        st.session_state["place"] = (int(at["step"]), int(at["level"]))
        st.session_state["marks"] = str(at.get("marks", ""))
        st.session_state["notice"] = None


def goto() -> int | None:
    """The position that the plain controls asked for last."""
    return cast("int | None", st.session_state.get("goto"))


def slider(counts: tuple[int, ...]) -> dict[str, Any]:
    """Arguments of the plain step slider."""
    st.session_state[_SLIDER] = place(counts)[0]
    return {"key": _SLIDER, "on_change": lambda: step_to(st.session_state[_SLIDER])}


def step_to(step: int) -> None:
    """Go to a position of the present level."""
    level = st.session_state["place"][1]
    st.session_state["place"] = (step, level)
    st.session_state["goto"] = step


def address(base: str, *, lang: str | None = None) -> str:
    """The link to this program at this step.

    Args:
        base: The page's address without its query.
        lang: The language to fix in the link; by default the receiver's own.
    """
    (step, level), now = here(), source()
    named = None if level == 1 else LEVELS[level]
    shared = Shared(now, step=step, level=named, lang=lang)
    marks = st.session_state.get("marks") or st.query_params.get("marks", "")
    more = {"marks": marks if _MARKS.fullmatch(marks) else "", **_gate()}
    return f"{base}?{query(shared)}" + "".join(f"&{k}={v}" for k, v in more.items() if v)


_MARKS = re.compile(r"[1-9]\.\d{1,6}(-[1-9]\.\d{1,6}){0,8}")


def _gate() -> dict[str, str]:
    """What is to be predicted goes with the link, for the receiver must not see the answer."""
    named = st.query_params.get("predict", "")
    return {"predict": named if named in KINDS else ""}
