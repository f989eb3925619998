"""The compare page: widgets that say what to compare, and the comparison itself.

In: what the visitor chose. Out: two runs side by side. What is shown comes from the views; what was
chosen, from ``memory``.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from fusionlab.config import FusionConfig
from fusionlab.errors import FusionLabError, ProgramError
from fusionlab.i18n import Texts
from fusionlab.program import Program, parse_program
from fusionlab.program.change import Reach, apply
from fusionlab.program.gallery import gallery
from fusionlab.ui import cache
from fusionlab.ui.compare import memory, side_by_side
from fusionlab.ui.compare.choice import KINDS, Choice, change_of, current, options, suggested
from fusionlab.ui.compare.memory import PROGRAMS, Shown, Wanted
from fusionlab.ui.compare.places import LIMITS, Place, places
from fusionlab.ui.frame import Frame
from fusionlab.ui.guard import plain
from fusionlab.ui.pick import pick_program
from fusionlab.ui.share import Side, query


def draw(around: Frame) -> None:
    """The whole page below the header."""
    own = around.texts
    with st.container(key="toolbar", horizontal=True, vertical_alignment="center"):
        wish = _choices(own)
        memory.want(wish)
        if st.button(own("compare.page.run"), type="primary") or memory.shown() is None:
            _run(wish)
        st.space("stretch")
        only = st.toggle(own("compare.page.only"), key="compare_only")
        _link(own)
    _comparison(around, wish, only=only)


# --- what to compare ---------------------------------------------------------------------------


def _choices(own: Texts) -> Wanted:
    before = memory.wanted()
    first = pick_program(own, before.first, label="compare.page.program", key="compare_a")
    kinds = (*KINDS, PROGRAMS)
    kind = st.selectbox(
        own("compare.page.kind"),
        kinds,
        index=kinds.index(PROGRAMS if before.choice is None else before.choice.kind),
        format_func=lambda k: _kind_title(own, k),
        label_visibility="collapsed",
        width=212,
        key="compare_kind",
    )
    if kind == PROGRAMS:
        return Wanted(first, None, _other(own, before.other or _second(first)))
    try:
        program = parse_program(first.text, first.name)
    except ProgramError:
        # The run tells where it stops; there is nothing to change before it is right.
        return Wanted(first, Choice(kind))
    old = before.choice if before.choice is not None and before.choice.kind == kind else None
    return Wanted(first, _place_and_value(own, program, kind, old))


def _kind_title(own: Texts, kind: str) -> str:
    if kind == PROGRAMS:
        return own("compare.page.mode_programs")
    return own("compare.page.kind_label", kind=kind_name(own, kind))


def kind_name(own: Texts, kind: str) -> str:
    """A kind of change in the reader's language; burn's own settings keep their names."""
    return kind if kind in LIMITS else own(f"compare.page.{kind}")


def _second(first: Side) -> Side:
    """Another program than the first one, to begin with."""
    return next(Side(p.text, p.id) for p in gallery() if p.id != first.id)


def _other(own: Texts, other: Side) -> Side:
    """The picker of the second program, and its text to edit."""
    chosen = pick_program(own, other, label="compare.page.program_b", key="compare_b")
    with st.popover(own("compare.page.edit_b")):
        text = st.text_area(
            own("compare.page.program_b"), chosen.text, height=320, key=f"compare_text_{chosen.id}"
        )
    return chosen if text == chosen.text else Side.of(text)


def _place_and_value(own: Texts, program: Program, kind: str, old: Choice | None) -> Choice:
    found = places(program, kind)
    place = None
    if found:
        place = st.selectbox(
            own("compare.page.where"),
            found,
            index=_start(found, old),
            format_func=lambda p: _place_title(own, p),
            label_visibility="collapsed",
            width=200,
            key=f"compare_place_{kind}_{hash(program.text)}",
        )
    at, reach = (place.at, place.reach) if place else (-1, Reach.ONE)
    kept = old.value if old is not None and (old.at, old.reach) == (at, reach) else ""
    return Choice(kind, at, _value(own, program, kind, at, kept), reach)


def _start(found: tuple[Place, ...], old: Choice | None) -> int:
    """The place of the link, else the first place of the last round."""
    for n, place in enumerate(found):
        if old is not None and (place.at, place.reach) == (old.at, old.reach):
            return n
    last = max(place.round for place in found)
    return next(n for n, place in enumerate(found) if place.round == last)


def _place_title(own: Texts, place: Place) -> str:
    if place.reach is Reach.EVERY:
        return own("compare.page.every_line", line=place.line, name=place.name)
    key = "compare.page.round_drain" if place.name in {"read", "sync"} else "compare.page.round_op"
    return own(key, round=place.round, position=place.position, name=place.name)


def _value(own: Texts, program: Program, kind: str, at: int, kept: str) -> str:
    offered = options(program, kind, at)
    if offered == ():
        return ""
    now = current(program, kind, at)
    if now:
        st.markdown(f":small[{plain(now)} →]", width="content")
    key = f"compare_value_{kind}_{at}_{hash(program.text)}"
    label = own("compare.page.value")
    if offered is None:
        start = kept or suggested(program, kind, at)
        typed = st.text_input(label, start, key=key, label_visibility="collapsed", width=96)
        return str(typed or "")
    titles = {str(place.at): place for place in places(program, "sync")} if kind == "move" else {}
    picked = st.selectbox(
        label,
        offered,
        index=offered.index(kept) if kept in offered else 0,
        format_func=lambda v: _place_title(own, titles[v]) if v in titles else v,
        label_visibility="collapsed",
        width=150,
        key=key,
    )
    return str(picked or "")


# --- both runs ---------------------------------------------------------------------------------


def _run(wish: Wanted) -> None:
    """Make the second side and show both; a wish that cannot be leaves the old comparison."""
    try:
        second = wish.other if wish.choice is None else _changed(wish.first, wish.choice)
    except FusionLabError as error:
        memory.refuse(error)
        return
    if second is not None:
        memory.show(Shown(wish, wish.first, second))


def _changed(first: Side, choice: Choice) -> Side:
    program = parse_program(first.text, first.name)
    after = apply(program, change_of(choice))
    off = first.off | after.configure(FusionConfig()).disabled_fusers
    return Side.of(after.text, frozenset(off))


def _comparison(around: Frame, wish: Wanted, *, only: bool) -> None:
    shown = memory.shown()
    if shown is None:
        error = memory.problem()
        if error is not None:
            st.error(plain(_explained(around.texts, error)))
        return
    with st.spinner(around.texts("compare.page.running"), show_time=False):
        payload = cache.comparison_of(shown.first, shown.second, around.texts.lang, _named(shown))
    bar = _bar(around.texts, wish, shown)
    side_by_side(payload, key="compare", dark=around.dark, only=only, bar=bar)
    with st.expander(around.texts("compare.page.text")):
        st.code(_as_text(payload), language=None)


def _named(shown: Shown) -> tuple[str, str] | None:
    if shown.wanted.choice is not None:
        return None
    return f"A · {shown.first.name}", f"B · {shown.second.name}"


def _bar(own: Texts, wish: Wanted, shown: Shown) -> dict[str, str] | None:
    error, notice = memory.problem(), memory.notice()
    if error is not None:
        return {"tone": "miss", "text": _explained(own, error)}
    if wish != shown.wanted:
        return {"tone": "warn", "text": own("compare.page.stale")}
    return {"tone": "warn", "text": own(notice)} if notice else None


def _explained(own: Texts, error: Exception) -> str:
    """What went wrong, with the line of the changed program that it is about."""
    if not isinstance(error, FusionLabError):
        return str(error)
    told, source = own.problem(error.code, error.params), error.params.get("source")
    return f"{told} {own('compare.page.changed_line', source=source)}" if source else told


def _link(own: Texts) -> None:
    with st.popover(own("compare.page.link")):
        shown = memory.shown()
        base = (st.context.url or "").partition("?")[0]
        if shown is not None:
            st.text(own("compare.page.link_help"))
            st.code(f"{base}?{query(memory.shared(shown))}", language=None, wrap_lines=True)


def _as_text(payload: dict[str, Any]) -> str:
    """The same rows as plain text, for those whose browser runs no script of ours."""
    from fusionlab.views.compare.payload import comparison_table  # noqa: PLC0415

    rows = [["", *(head["title"] for head in payload["heads"])], *comparison_table(payload)]
    why, foot = payload["why"], payload["foot"]
    lines = [" | ".join(row) for row in rows]
    lines += [f"{why['title']} {why['text']}"] if why else []
    lines += [f"{foot['lead']} {foot['text']}"] if foot else []
    return "\n".join(lines)
