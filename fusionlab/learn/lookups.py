"""Look-ups in a run: what lessons state and nobody is asked to answer.

The same rules as for questions: a reading and arguments in, an answer out, nothing decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fusionlab.config import FusionConfig
from fusionlab.events import facts as f
from fusionlab.events.state import BlockState
from fusionlab.fusers import FUSERS
from fusionlab.fusers.base import FuserStatus, ScoreTerms
from fusionlab.fusers.scoring import ACCESS_POINTS, LAUNCH_POINTS, VIEW_POINTS
from fusionlab.learn import answers
from fusionlab.learn.answers import Answer
from fusionlab.learn.reading import Reading, Step
from fusionlab.views.arithmetic import Ledger, ledger
from fusionlab.views.burn_log import burn_log

_CONSTANTS = {
    "access_points": ACCESS_POINTS,
    "launch_points": LAUNCH_POINTS,
    "view_points": VIEW_POINTS,
    "max_blocks": FusionConfig().max_blocks or 0,
    "fusers": len(FUSERS),
}
"""Numbers of burn's rules."""

_COUNTS: Mapping[str, Callable[[Ledger], int]] = {
    "reads": lambda part: part.reads[0],
    "writes": lambda part: part.writes[0],
    "fused_reads": lambda part: part.reads[1],
    "fused_writes": lambda part: part.writes[1],
    "saved": lambda part: part.reads[2] + part.writes[2],
    "ops": lambda part: part.launches[0],
    "launches": lambda part: part.launches[2],
    "views": lambda part: part.views,
}


def plans(reading: Reading) -> int:
    """How many plans are stored at the end."""
    return len(reading.plans)


def block_members(reading: Reading, step: int) -> list[Answer]:
    """The positions of each block when the step is over, in the block's own order."""
    return [list(block.positions) for block in reading.blocks(reading.steps[step])]


def output_shape(reading: Reading, op: int) -> str:
    """The relative shape of what an op makes."""
    return answers.shapes(reading.relative[op].outputs)


def open_fusers(reading: Reading, step: int, block: int = 0) -> list[Answer]:
    """Who still takes ops in a block when the step is over."""
    found = reading.blocks(reading.steps[step])[block]
    return [s.fuser for s in found.fusers if s.status is FuserStatus.OPEN]


def fuser_scores(reading: Reading, step: int) -> dict[str, Answer]:
    """Where every fuser stands in the first block that is settled in the step."""
    block = settled_first(reading, reading.steps[step])
    return {s.fuser: s.score if s.ready else f"not ready ({s.score})" for s in block.fusers}


def score_of(reading: Reading, step: int, fuser: str) -> Answer:
    """Where one fuser stands in the first block that is settled in the step."""
    return fuser_scores(reading, step)[fuser]


def settled_first(reading: Reading, step: Step) -> BlockState:
    """The block that a step settles first, as its fusers left it."""
    for event in step.events:
        if isinstance(fact := event.fact, f.FuserWon):
            stream = reading.states[event.step].stream(event.stream)
            blocks = stream.visible_blocks if stream is not None else ()
            return next(block for block in blocks if block.block == fact.block)
    raise IndexError(step.index)


def counts(reading: Reading, plan: int, what: str) -> int:
    """One of the counts behind the score of a plan's first unit: ``reads``, ``views``, …

    ``saved`` are memory accesses, ``launches`` those that are saved.
    """
    parts = [ledger(terms) for terms in winning_terms(reading, storing_step(reading, plan))]
    return sum(_COUNTS[what](part) for part in parts)


def storing_step(reading: Reading, plan: int) -> Step:
    """The step in which a plan was stored."""
    for step in reading.steps:
        if any(stored.plan == plan for stored in step.facts(f.PlanStored)):
            return step
    raise IndexError(plan)


def winning_terms(reading: Reading, step: Step) -> tuple[ScoreTerms, ...]:
    """The counts behind the best ready fuser of the block that a step settles first."""
    block = settled_first(reading, step)
    won = block.winner.fuser if block.winner is not None else None
    ready = [fuser for fuser in block.fusers if fuser.ready]
    best = next((fuser for fuser in ready if fuser.fuser == won), ready[0] if ready else None)
    return best.terms if best is not None else ()


def log_lines(reading: Reading, step: int) -> list[Answer]:
    """What burn's log says in the step, without tables and closing lines."""
    lines = [line.text for line in burn_log(reading.steps[step].events)]
    return [line for line in lines if not line.startswith(("══", "[fuser]"))]


def stop_line(reading: Reading) -> list[Answer]:
    """The lines that say why a search stopped."""
    return _lines_with(reading, "[stream] stopped")


def guard_line(reading: Reading) -> list[Answer]:
    """The lines that say that a plan did not fit."""
    return _lines_with(reading, "needs relative shape id")


def _lines_with(reading: Reading, words_: str) -> list[Answer]:
    return [line.text for line in burn_log(reading.run.events) if words_ in line.text]


def constant(reading: Reading, name: str) -> int:  # noqa: ARG001 -- the same in every run
    """A number of burn's rules."""
    return _CONSTANTS[name]
