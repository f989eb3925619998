"""The lessons page: a list, one part of a lesson, and what happens beside it.

In: the frame of the page and what the session remembers. Out: the component. Only the part on the
screen is sent; a part that asks is sent without answers, and without a run that shows them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from fusionlab.events.facts import RunFailed
from fusionlab.i18n import Texts, texts
from fusionlab.learn.blanks import blank_items
from fusionlab.learn.explain import decisive
from fusionlab.learn.feedback import feedback
from fusionlab.learn.goals import GOALS
from fusionlab.learn.items import Item
from fusionlab.learn.lessons import Lesson, lesson, lessons
from fusionlab.learn.markup import blocks
from fusionlab.learn.phrases import option, question
from fusionlab.learn.prose import PARTS
from fusionlab.learn.reading import Reading
from fusionlab.ui.frame import Frame
from fusionlab.ui.learn import component, labels, memory
from fusionlab.ui.learn.figures import Figure, decided, figure
from fusionlab.ui.share import Shared, Side, query
from fusionlab.ui.widgets import sentence

Json = dict[str, Any]


def draw(around: Frame) -> None:
    """The whole page below the header."""
    component("lesson")(
        key=memory.LESSON, data=_data(around), on_act_change=_act, on_kept_change=_kept
    )


def _place() -> memory.Place:
    return memory.place([one.slug for one in lessons()], PARTS)


def _act() -> None:
    """The component told what was pressed; what belongs to another part is too late."""
    told, now = memory.message(memory.LESSON), _place()
    here = (told.get("lesson"), told.get("part")) == (now.lesson, now.part)
    match told.get("act"):
        case "go":
            _go(told)
        case "fill" if here:
            _fill(lesson(now.lesson), now.part, told)
        case "try" if here and isinstance(told.get("program"), str):
            _try(lesson(now.lesson), told["program"])
        case "show" if here:
            memory.show_solution()
        case _:
            pass


def _go(told: Json) -> None:
    known = {one.slug for one in lessons()}
    if told.get("lesson") in known and told.get("part") in PARTS:
        memory.go(told["lesson"], told["part"])


def _fill(one: Lesson, part: str, told: Json) -> None:
    choice = told.get("choice")
    for item in blank_items(one, part, decided):
        fits = choice is None or (isinstance(choice, int) and 0 <= choice < len(item.options))
        if item.id == told.get("ask") and fits:
            memory.fill(item.id, choice)


def _try(one: Lesson, program: str) -> None:
    memory.tried(program)
    if _reached(one, program):
        memory.finished(one.slug)


def _kept() -> None:
    memory.kept(memory.LESSON)


# --- what is sent --------------------------------------------------------------------------------


def _data(around: Frame) -> Json:
    own, now = around.texts, _place()
    one = lesson(now.lesson)
    text, figures, start = _text(one.slug, now.part, own.lang)
    asks, seen = _asks(one, now, own)
    return {
        "lang": own.lang,
        "theme": "dark" if around.dark else "light",
        "labels": labels(own),
        "keep": memory.keep(),
        **_list(one, now.part, own),
        "blocks": text,
        "asks": asks,
        "note": own("learn.place.requests"),
        "task": _task(one, now, own) if now.part == "own" else None,
        "figures": [*figures, *seen],
        "start": start if figures else [0, seen[0]["at"]] if seen else None,
    }


def _list(one: Lesson, part: str, own: Texts) -> Json:
    done, number = memory.progress().lessons, PARTS.index(part)
    titles = {name: own(f"learn.ui.part_{name}") for name in PARTS}
    of = {"part": titles[part], "n": number + 1, "total": len(PARTS)}
    return {
        "lesson": one.slug,
        "part": part,
        "title": one.prose(own.lang).title,
        "line": own("learn.page.part_line", **of),
        "list": [
            {
                "slug": other.slug,
                "number": place,
                "title": other.prose(own.lang).title,
                "done": other.slug in done,
                "now": other.slug == one.slug,
            }
            for place, other in enumerate(lessons(), start=1)
        ],
        "parts": [{"name": name, "title": titles[name], "now": name == part} for name in titles],
        "before": _beside(one, number - 1, own),
        "after": _beside(one, number + 1, own),
    }


def _beside(one: Lesson, number: int, own: Texts) -> Json | None:
    """The part before or after, or the neighbouring lesson's."""
    if 0 <= number < len(PARTS):
        part = PARTS[number]
        return {"lesson": one.slug, "part": part, "title": own(f"learn.ui.part_{part}")}
    at = lessons().index(one) + (1 if number > 0 else -1)
    if not 0 <= at < len(lessons()):
        return None
    other = lessons()[at]
    return {"lesson": other.slug, "part": PARTS[0], "title": other.prose(own.lang).title}


@lru_cache(maxsize=256)
def _text(slug: str, part: str, lang: str) -> tuple[list[Json], list[Figure], list[int] | None]:
    """The blocks of a part, the runs that its pins lead to, and the first of those places."""
    one = lesson(slug)
    figures: dict[str, Figure] = {}
    pins: list[list[int]] = []

    def place(name: str) -> list[int]:
        claim = one.claims[name]
        program = one.programs[claim.program]
        event = decisive(claim.kind, dict(claim.args), Reading(decided(program)))
        found = figure(program, event, lang, texts(lang)("learn.ui.figure"))
        figures.setdefault(claim.program, found)
        pins.append([list(figures).index(claim.program), found["at"]])
        return pins[-1]

    made = blocks(one.prose(lang).parts[part], place)
    return made, list(figures.values()), pins[0] if pins else None


# --- what is asked -------------------------------------------------------------------------------


def _asks(one: Lesson, now: memory.Place, own: Texts) -> tuple[list[Json], list[Figure]]:
    """The blanks of a part; once all are filled, why, and the moment of the last one."""
    items = blank_items(one, now.part, decided)
    complete = bool(items) and all(now.has(item.id) for item in items)
    rows = [_ask(item, now, own, complete=complete) for item in items]
    if not complete:
        return rows, []
    last = items[-1]
    event = decisive(last.kind, last.args, Reading(decided(last.program)))
    return rows, [figure(last.program, event, own.lang, own("learn.ui.figure"))]


def _ask(item: Item, now: memory.Place, own: Texts, *, complete: bool) -> Json:
    reading = Reading(decided(item.program))
    told = None
    if now.has(item.id):
        full = feedback(item, now.answer(item.id), decided, own)
        told = {"verdict": full.verdict, "headline": full.headline}
        # A reason may hold what another blank asks.
        told |= {"because": full.because} if complete else {}
    return {
        "id": item.id,
        "question": question(item, reading, own, noted=False),
        "options": [option(item.kind, value, reading, own) for value in item.options],
        "told": told,
    }


# --- the task ------------------------------------------------------------------------------------


def _task(one: Lesson, now: memory.Place, own: Texts) -> Json:
    start = one.programs[one.task.start]
    return {
        "start": start.rstrip(),
        "program": (now.program or start).rstrip(),
        "told": None if now.program is None else _judged(one, now.program, own),
        "solution": one.programs[one.task.solution].rstrip() if now.shown else None,
    }


def _judged(one: Lesson, program: str, own: Texts) -> Json:
    events = decided(program).events
    last = events[-1].fact if events else None
    reached = _reached(one, program)
    text = own("learn.page.goal_reached" if reached else "learn.page.goal_open")
    if isinstance(last, RunFailed):
        text = sentence(last, own)
    link = f"workbench?{query(Shared(Side.of(program)))}"
    return {"reached": reached, "text": text, "link": None if len(events) < 2 else link}


def _reached(one: Lesson, program: str) -> bool:
    run = decided(program)
    if not run.events or isinstance(run.events[-1].fact, RunFailed):
        return False
    start = Reading(decided(one.programs[one.task.start]))
    return GOALS[one.task.goal](Reading(run), start)
