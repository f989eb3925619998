"""A sitting: which item comes next, given what the learner masters.

In: a seed, the number of the question, the learner's mastery. Out: an item. Question one is the
page's own; afterwards concepts take turns, and every fourth question is a review that is due.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

from fusionlab.learn.concepts import CONCEPTS, OF_MISCONCEPTION
from fusionlab.learn.items import Item, Runner, make, teaser
from fusionlab.learn.kinds import KINDS
from fusionlab.learn.mastery import Mastery


@cache
def kinds_for() -> Mapping[str, tuple[str, ...]]:
    """For each concept the kinds that can be asked about it."""
    found: dict[str, list[str]] = {concept: [] for concept in CONCEPTS}
    for kind in KINDS.values():
        if kind.name in ("false_line", "why_miss"):
            continue
        about = {OF_MISCONCEPTION[name] for name in (*kind.misconceptions, *kind.crude)}
        # A kind that belongs to a concept asks about that whenever it can.
        for concept in {kind.concept} if kind.concept else about:
            found[concept].append(kind.name)
    found["liveness"].append("why_miss")
    return {concept: tuple(kinds) for concept, kinds in found.items()}


@dataclass(frozen=True, slots=True)
class Learner:
    """Who is asked: what they master, on which day (as ``mastery`` counts days)."""

    mastery: Mastery
    day: int


def next_item(
    seed: int, number: int, learner: Learner, runner: Runner, kind: str | None = None
) -> Item:
    """The item of question ``number`` (from 0) of the sitting ``seed``; ``kind``: ask only this."""
    if number == 0 and kind in (None, "cache_hit"):
        return teaser(runner)
    if kind is not None:
        return make(kind, f"{seed}-{number}", runner)
    concept = learner.mastery.next_concept(learner.day, number)
    return about(concept, f"{seed}-{number}", runner)


def about(concept: str, seed: str, runner: Runner) -> Item:
    """An item about a concept, of one of the kinds that practise it."""
    rng = Random(f"{concept}/{seed}")  # noqa: S311 -- the same on every machine
    return make(rng.choice(kinds_for()[concept]), f"{seed}@{concept}", runner)
