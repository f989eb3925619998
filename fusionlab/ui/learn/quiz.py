"""The quiz page: one question at a time, feedback after a commitment, progress beside it.

In: the frame of the page and what the session remembers. Out: the component and a few plain
widgets. Before a commitment nothing that is sent to the browser holds the answer.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from fusionlab.errors import ContentError
from fusionlab.i18n import Texts
from fusionlab.lab.decide import decide
from fusionlab.learn.concepts import CONCEPTS
from fusionlab.learn.feedback import Feedback, feedback
from fusionlab.learn.items import Item, item_of, mark, variant
from fusionlab.learn.mastery import IN_A_ROW, to_json
from fusionlab.learn.paper import sheets
from fusionlab.learn.quiz import asked, requests
from fusionlab.learn.reading import Reading
from fusionlab.learn.sitting import next_item
from fusionlab.ui.frame import Frame
from fusionlab.ui.learn import component, labels, memory
from fusionlab.ui.learn.figures import decided, figure, misled_figure, workbench
from fusionlab.views.arithmetic import Ledger

_PICKER_WIDTH = 300
_SHEET = 8
"""Items on a printed sheet."""


def draw(around: Frame) -> None:
    """The whole page below the header."""
    own = around.texts
    toolbar(own)
    now = memory.sitting()
    if now.item is None:
        memory.hold(replace(now, item=_first(own)))
    component("quiz")(key=memory.QUIZ, data=_data(around), on_act_change=_act, on_kept_change=_kept)


def toolbar(own: Texts) -> None:
    """Which kind is asked; and what can be taken home."""
    with st.container(key="toolbar", horizontal=True, vertical_alignment="center"):
        st.selectbox(
            own("learn.page.kind"),
            **memory.kind_picker(),
            format_func=lambda name: _kind_title(own, name),
            label_visibility="collapsed",
            width=_PICKER_WIDTH,
        )
        st.button(own("learn.page.again"), key="again", on_click=memory.start_again)
        st.space("stretch")
        with st.popover(own("learn.page.progress")):
            _progress(own)
        with st.popover(own("learn.page.paper")):
            _paper(own)


def _kind_title(own: Texts, name: str) -> str:
    return own("learn.page.any_kind") if name == memory.ANY else own(f"learn.kind.{name}")


def _progress(own: Texts) -> None:
    st.markdown(own("learn.page.progress_help"))
    st.download_button(
        own("learn.page.save"),
        to_json(memory.progress()),
        "fusionlab-progress.json",
        "application/json",
        key="save",
        on_click="ignore",
    )
    given = st.file_uploader(own("learn.page.load"), type="json", key="load")
    if given is not None and not memory.load(given.getvalue().decode("utf-8", errors="replace")):
        st.error(own("error.mastery_malformed"))


def _paper(own: Texts) -> None:
    seed, kind = memory.sitting().seed, memory.kind()
    st.markdown(own("learn.page.paper_help", n=_SHEET, seed=seed))
    kinds = () if kind is None else (kind,)
    for sheet in ("exercises", "answers"):
        st.download_button(
            own(f"learn.page.{sheet}"),
            partial(_sheet, sheet, seed, kinds, own),
            f"fusionlab-{seed}-{sheet}.html",
            "text/html",
            key=f"paper_{sheet}",
            on_click="ignore",
        )


def _sheet(name: str, seed: int, kinds: tuple[str, ...], own: Texts) -> str:
    made = sheets(seed, _SHEET, kinds, decide, own, html=True)
    return made.exercises if name == "exercises" else made.answers


# --- which question ------------------------------------------------------------------------------


def _first(own: Texts) -> Item:
    """The question on arrival: the one that the address names, else the sitting's first."""
    named = memory.named_item()
    if named is not None:
        try:
            return item_of(named, decide)
        except ContentError:
            st.warning(own("learn.page.bad_item"))
    return _next(memory.sitting())


def _next(now: memory.Sitting) -> Item:
    return next_item(now.seed, now.number, memory.learner(), decide, memory.kind())


def _act() -> None:
    """The component told what was pressed; what belongs to another question is too late."""
    told, now = memory.message(memory.QUIZ), memory.sitting()
    item = now.item
    if item is None or told.get("item") != item.id:
        return
    match told.get("act"), now.told:
        case "commit", False:
            choice = told.get("choice")
            if isinstance(choice, int) and 0 <= choice < len(item.options):
                memory.answered(item.concept, right=mark(item, choice, decide))
                memory.hold(replace(now, told=True, choice=choice))
        case "skip", False:
            memory.hold(replace(now, told=True, choice=None))
        case "next", True:
            further = replace(now, number=now.number + 1, told=False, choice=None)
            memory.hold(replace(further, item=_next(further)))
        case "variant", True:
            count = now.variants + 1
            fresh = variant(item, count, decide)
            memory.hold(replace(now, item=fresh, told=False, choice=None, variants=count))
        case _:
            pass


def _kept() -> None:
    memory.kept(memory.QUIZ)


# --- what is sent --------------------------------------------------------------------------------


def _data(around: Frame) -> dict[str, Any]:
    now = memory.sitting()
    item = now.item
    assert item is not None  # noqa: S101 -- drawn after it was made
    return {
        "lang": around.texts.lang,
        "theme": "dark" if around.dark else "light",
        "labels": labels(around.texts),
        "number": now.number,
        "asked": _asked(item, around.texts),
        "told": _told(item, now.choice, around.texts) if now.told else None,
        "rail": _rail(item, around.texts),
        "keep": memory.keep(),
    }


def _asked(item: Item, own: Texts) -> dict[str, Any]:
    reading = Reading(decided(item.program))
    words = asked(item, reading, own)
    return {
        "id": words.id,
        "kind_text": own(f"learn.kind.{item.kind}"),
        "concept_text": own(f"learn.concept.{item.concept}"),
        "level": words.level,
        "program": words.program.rstrip(),
        "question": words.question,
        "options": list(words.options),
        "requests": requests(item, reading),
    }


def _told(item: Item, choice: int | None, own: Texts) -> dict[str, Any]:
    told = feedback(item, choice, decided, own)
    figures = [figure(item.program, told.event, own.lang, own("learn.ui.by_burn"))]
    if told.belief is not None and told.believed is not None:
        name, title = told.belief.name, own("learn.ui.by_your_rule")
        figures.append(misled_figure(item.program, name, told.believed, own.lang, title))
    return {
        "verdict": told.verdict,
        "headline": told.headline,
        "because": told.because,
        "ledger": [_ledger(part) for part in told.ledger],
        "belief": None
        if told.belief is None
        else {"title": told.belief.title, "rule": told.belief.rule, "truth": told.belief.truth},
        "others": [
            {"option": other.option, "rule": f"{other.belief.title}: {other.belief.rule}"}
            for other in told.others
        ],
        "happen": _happen(told, own),
        "figures": figures,
        "link": workbench(item.program, figures[0]),
    }


def _happen(told: Feedback, own: Texts) -> str:
    if told.request is None:
        return own("learn.ui.happen")
    return own("learn.ui.happen_apart", n=told.request)


def _ledger(part: Ledger) -> dict[str, Any]:
    saved = max(0, part.reads[2] + part.writes[2])
    return {
        "reads": list(part.reads),
        "writes": list(part.writes),
        "launches": list(part.launches),
        "access": f"{saved} × 100 = {part.access_points}",
        "launch": f"{part.launches[2]} × 10 = {part.launch_points}",
        "view": f"−{part.views} × 50 = −{part.view_points}" if part.views else "",
        "bonus": f"+{part.bonus}" if part.bonus else "",
        "total": str(part.score),
    }


def _rail(item: Item, own: Texts) -> dict[str, Any]:
    progress, day = memory.progress(), memory.today()
    due = progress.due(day)
    return {
        "count": own("learn.ui.mastered", n=progress.count, total=len(CONCEPTS)),
        "note": own("learn.ui.mastery_note"),
        "concepts": [
            {
                "name": own(f"learn.concept.{concept}"),
                "filled": progress.concepts[concept].filled,
                "filled_text": own(
                    "learn.ui.filled", n=progress.concepts[concept].filled, total=IN_A_ROW
                ),
                "due": concept in due,
                "now": concept == item.concept,
            }
            for concept in CONCEPTS
        ],
    }
