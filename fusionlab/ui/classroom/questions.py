"""Questions for a room, made of quiz items: the engine answers, the room gets plain data.

In: a kind of question and a seed, or a program and how far the class has seen it. Out: a question
in both languages with its answer, the reason, and the step that shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from fusionlab.classroom.question import Option, Question, Words
from fusionlab.i18n import Texts, texts
from fusionlab.lab.decide import decide
from fusionlab.learn import phrases
from fusionlab.learn.explain import decisive, explain
from fusionlab.learn.items import Believers, Item, item_at, make
from fusionlab.learn.kinds import KINDS, deciding_step
from fusionlab.learn.reading import Reading
from fusionlab.ui.classroom import programs

_ANYWHERE = frozenset("hit_pattern explorations triggers why_miss guard false_line".split())
"""Kinds about the whole run: whatever of it is shown, it tells."""
_PLACES = 8
_LONGEST_CODE = 6000


def kinds() -> tuple[str, ...]:
    """Every kind that can be asked."""
    return tuple(KINDS)


def any_program(kind: str | None, seed: str) -> Question:
    """A question about a program made for it."""
    chosen = kind or Random(seed).choice(kinds())  # noqa: S311 -- the same item for one seed
    item = make(chosen, seed, decide)
    return question_of(item, Reading(decide(item.program)))


def this_program(text: str, kind: str | None, seed: str, seen: int) -> Question | None:
    """A question about a program at a place that the class has not seen yet.

    Args:
        text: The program.
        kind: What is asked; ``None`` for any kind.
        seed: Which of the places.
        seen: The last event that the class has seen.

    Returns:
        The question, or ``None`` when too few answers to it differ.
    """
    rng = Random(f"{seed}/{kind}/{seen}")  # noqa: S311
    believers = Believers(text, decide)
    if not believers.is_sound:
        return None
    shown = Reading(programs.run_of(text))
    for item in _items(believers, [kind] if kind else rng.sample(kinds(), len(KINDS)), rng):
        if decisive(item.kind, item.args, shown) > seen:
            return question_of(item, believers.truth)
    return None


def _items(believers: Believers, asked: list[str], rng: Random) -> Iterator[Item]:
    for name in asked:
        places = list(KINDS[name].places(believers.truth))
        for args in rng.sample(places, min(_PLACES, len(places))):
            number = rng.randrange(10**9)
            item = item_at(KINDS[name], f"{name}.class-{number}", believers, args, rng)
            if item is not None:
                yield item


def question_of(item: Item, reading: Reading) -> Question:
    """The question of an item, in both languages.

    ``reading`` is of the run that was only decided; what is on the screen was also executed, so
    its events have other numbers.
    """
    shown = Reading(programs.run_of(item.program))
    step, position = _shown_at(item, shown)
    return Question(
        id=item.id[:80],
        text=_both(lambda own: phrases.question(item, reading, own)),
        code=item.program.strip()[:_LONGEST_CODE],
        options=tuple(_option(item, number, reading) for number in range(len(item.options))),
        answer=item.answer,
        because=_both(lambda own: explain(item, reading, own)),
        program=programs.name_of(item.program),
        step=step,
        position=position,
        gate=_gate(item, shown),
    )


def _option(item: Item, number: int, reading: Reading) -> Option:
    value, belief = item.options[number], item.misconceptions[number]
    text = _both(lambda own: phrases.option(item.kind, value, reading, own))
    rule = _both(lambda own: own(f"misconception.{belief}.title")) if belief else None
    return Option(text, rule)


def _both(write: Callable[[Texts], str]) -> Words:
    return Words(write(texts("en")), write(texts("zh")))


def _shown_at(item: Item, shown: Reading) -> tuple[int | None, int | None]:
    """The player's step for the deciding event, and its number at the level of decisions."""
    payload = programs.payload(programs.name_of(item.program), "en")
    if payload is None:
        return None, None
    event = decisive(item.kind, item.args, shown)
    stops = [n for n, step in enumerate(payload["steps"]) if step["level"] <= 1]
    found = [number for number, n in enumerate(stops) if payload["steps"][n]["event"] >= event]
    return (stops[found[0]], found[0]) if found else (None, None)


def _gate(item: Item, shown: Reading) -> int | None:
    if item.kind in _ANYWHERE:
        return None
    step = deciding_step(item.kind, item.args, shown)
    if item.kind == "when_runs":
        # That it has not run yet would tell too.
        step = shown.ops[item.args["op"]]
    first = step.events[0].step
    return first - 1 if first > 0 else None
