"""Puzzles and gaps of lessons as items: the engine gives the answer, the lesson the wrong ones.

In: a blank and who runs programs. Out: an item, its options in an order that its id decides.
"""

from __future__ import annotations

from random import Random

from fusionlab.learn.difficulty import difficulty
from fusionlab.learn.items import Item, Runner
from fusionlab.learn.kinds import deciding_step
from fusionlab.learn.lessons import Blank, Lesson
from fusionlab.learn.questions import answer
from fusionlab.learn.reading import Reading

ASKING = ("guess", "gaps", "more")
"""The parts that ask, in order."""


def blanks(one: Lesson, part: str) -> tuple[Blank, ...]:
    """What a part of a lesson asks; nothing in parts that only tell."""
    asked = dict(zip(ASKING, ((one.puzzle,), *one.faded), strict=True))
    return asked.get(part, ())


def blank_items(one: Lesson, part: str, runner: Runner) -> tuple[Item, ...]:
    """What a part asks, as items named ``<part>-<number>``."""
    made = enumerate(blanks(one, part))
    return tuple(_item(one, f"{part}-{number}", blank, runner) for number, blank in made)


def _item(one: Lesson, name: str, blank: Blank, runner: Runner) -> Item:
    program, args = one.programs[blank.program], dict(blank.args)
    reading = Reading(runner(program))
    true = answer(blank.kind, reading, **args)
    options = [true, *blank.wrong]
    Random(f"{one.slug} {name}").shuffle(options)  # noqa: S311 -- an order, no secret
    return Item(
        id=name,
        kind=blank.kind,
        concept=one.concepts[0],
        difficulty=difficulty(reading, deciding_step(blank.kind, args, reading)),
        program=program,
        args=args,
        options=tuple(options),
        answer=options.index(true),
        misconceptions=(None,) * len(options),
    )
