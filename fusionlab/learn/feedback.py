"""What a learner is told after committing to an answer.

In: an item, the option chosen (or none), who runs programs, a language. Out: verdict, the true
value with its formula, where the chosen answer comes from, the step at which the two parted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fusionlab.i18n import Texts
from fusionlab.learn.beliefs import READING_RULES
from fusionlab.learn.explain import decisive, explain
from fusionlab.learn.items import Item, Runner, mark
from fusionlab.learn.kinds import deciding_step
from fusionlab.learn.lookups import winning_terms
from fusionlab.learn.parting import Parting, parting
from fusionlab.learn.phrases import option
from fusionlab.learn.reading import Reading
from fusionlab.views.arithmetic import Ledger, ledger
from fusionlab.views.narrate import caption

RIGHT, NOT_YET, SKIPPED = "right", "not_yet", "skipped"


@dataclass(frozen=True, slots=True)
class Belief:
    """A misconception in words: what it is called, its rule, and what is true instead."""

    name: str
    title: str
    rule: str
    truth: str


@dataclass(frozen=True, slots=True)
class Other:
    """One of the other wrong answers, and where it comes from."""

    option: str
    belief: Belief


@dataclass(frozen=True, slots=True)
class Feedback:
    """Everything that one screen of feedback shows.

    ``event`` is the event of the program's run at which the answer can be seen; when the chosen
    answer is a misconception's, the first event that the misconception would have had otherwise.
    ``believed`` is its own event there; ``burn`` and ``yours`` say what happens by either rule.
    """

    verdict: str
    headline: str
    because: str
    ledger: tuple[Ledger, ...]
    belief: Belief | None
    request: int | None
    event: int
    believed: int | None
    burn: str
    yours: str
    others: tuple[Other, ...]


def feedback(item: Item, choice: int | None, runner: Runner, texts: Texts) -> Feedback:
    """The feedback on an option; ``None`` for "show me instead", which counts as skipped."""
    truth = _with_states(Reading(runner(item.program)))
    verdict = SKIPPED
    if choice is not None:
        verdict = RIGHT if mark(item, choice, runner) else NOT_YET
    name = item.misconceptions[choice] if choice is not None else None
    belief = belief_named(name, texts) if name is not None else None
    apart = _parting(item, truth, name, runner) if name is not None else None
    where, burn, yours = _told_apart(item, truth, apart, texts)
    return Feedback(
        verdict=verdict,
        headline=_headline(item, choice, verdict, truth, texts),
        because=explain(item, truth, texts),
        ledger=_ledger(item, truth),
        belief=belief,
        request=apart[0].step if apart is not None else None,
        event=where,
        believed=apart[0].believed if apart is not None else None,
        burn=burn,
        yours=yours,
        others=tuple(_others(item, choice, truth, texts)),
    )


def belief_named(name: str, texts: Texts) -> Belief:
    """The words for a misconception."""
    key = f"misconception.{name}"
    return Belief(name, texts(f"{key}.title"), texts(f"{key}.rule"), texts(f"{key}.truth"))


def _with_states(reading: Reading) -> Reading:
    if reading.run.states:
        return reading
    return Reading(replace(reading.run, states=reading.states))


def _headline(item: Item, choice: int | None, verdict: str, truth: Reading, texts: Texts) -> str:
    values = {"truth": option(item.kind, item.options[item.answer], truth, texts)}
    if choice is not None:
        values["choice"] = option(item.kind, item.options[choice], truth, texts)
    return texts(f"learn.verdict.{verdict}", **values)


def _ledger(item: Item, truth: Reading) -> tuple[Ledger, ...]:
    if item.kind != "winning_score":
        return ()
    step = deciding_step(item.kind, item.args, truth)
    return tuple(ledger(terms) for terms in winning_terms(truth, step))


Apart = tuple[Parting, Reading]


def _parting(item: Item, truth: Reading, name: str, runner: Runner) -> Apart | None:
    """Where the misconception's own run parts from the truth, if it has one."""
    if item.kind in READING_RULES.get(name, {}):
        return None
    belief = _with_states(Reading(runner(item.program, name)))
    if item.kind in ("relative_form", "relative_op"):
        # Names part long before anything can be seen of it: look at the op that is asked about.
        own, other = (decisive(item.kind, item.args, reading) for reading in (truth, belief))
        step = deciding_step(item.kind, item.args, truth).index
        return Parting(step, own, other), belief
    found = parting(truth, belief)
    return None if found is None else (found, belief)


def _told_apart(
    item: Item, truth: Reading, apart: Apart | None, texts: Texts
) -> tuple[int, str, str]:
    """The event to look at, and what either side says there."""
    if apart is None:
        event = decisive(item.kind, item.args, truth)
        return event, caption(truth.run, event, texts).what, ""
    found, belief = apart
    burn = caption(truth.run, found.event, texts).what
    yours = caption(belief.run, found.believed, texts).what
    return found.event, burn, yours


def _others(item: Item, choice: int | None, truth: Reading, texts: Texts) -> list[Other]:
    return [
        Other(option(item.kind, value, truth, texts), belief_named(name, texts))
        for index, (value, name) in enumerate(zip(item.options, item.misconceptions, strict=True))
        if name is not None and index != choice
    ]
