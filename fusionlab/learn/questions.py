"""The question kinds: what can be asked of a run, and how the true answer is read off it.

In: a run and the arguments of one question. Out: an answer. No answer is ever stored: lessons,
quizzes and the classroom ask again whenever they need one. Arguments: ``step`` counts requests,
``op`` counts ops over the run, ``read`` counts drains (from the end when negative), ``plan`` is an
id of the store, ``block`` a place in the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fusionlab.errors import ContentError
from fusionlab.events import facts as f
from fusionlab.events.facts import Event
from fusionlab.events.run import Run
from fusionlab.ir.difference import first_difference
from fusionlab.ir.operation import OperationIr
from fusionlab.learn import answers, lookups
from fusionlab.learn.answers import Answer
from fusionlab.learn.reading import Reading, Step
from fusionlab.plan import ExecutionStrategy, Operations, Optimization, leaves
from fusionlab.views import words

Reader = Callable[..., Answer]

_NO_KERNEL = frozenset({"Init", "Drop", "SwapDims", "Reshape"})
"""Ops that only make, free or look at a buffer."""


@dataclass(frozen=True, slots=True)
class Question:
    """A kind of question and its reader."""

    kind: str
    read: Reader


def answer(kind: str, run: Run | Reading, **args: Any) -> Answer:
    """The true answer.

    Raises:
        ContentError: ``question_kind_unknown``, or ``question_misplaced`` when the run has no
            such step, op, read or plan.
    """
    question = QUESTIONS.get(kind)
    if question is None:
        raise ContentError("question_kind_unknown", kind=kind)
    reading = run if isinstance(run, Reading) else Reading(run)
    try:
        return question.read(reading, **args)
    except (IndexError, KeyError, TypeError) as error:
        raise ContentError("question_misplaced", kind=kind, args=str(args)) from error


def grade(kind: str, run: Run | Reading, given: Answer, **args: Any) -> bool:
    """Whether ``given`` is the true answer of this run."""
    return answer(kind, run, **args) == given


# --- the cache -----------------------------------------------------------------------------------


def cache_hit(reading: Reading, read: int) -> str:
    """``hit #2``, ``explore → #4``, ``unfused, no plan``, ``waits`` or ``nothing runs``."""
    step = reading.drains[read]
    executed = step.facts(f.ExecutionStarted)
    hits = step.facts(f.PlanReused)
    if hits:
        return f"hit #{hits[0].plan}"
    if not executed:
        return "waits" if reading.queued(step) else "nothing runs"
    return "unfused, no plan" if executed[0].plan is None else f"explore → #{executed[0].plan}"


_LETTERS = {"hit": "H", "explore": "E", "unfused,": "U", "waits": "Q", "nothing": "-"}


def hit_pattern(reading: Reading) -> str:
    """``E H - U``: one letter a drain (Q: ops stay in the queue)."""
    drains = range(len(reading.drains))
    return " ".join(_LETTERS[cache_hit(reading, read).partition(" ")[0]] for read in drains)


def explorations(reading: Reading) -> int:
    """How many explorations were completed, those of the inputs included."""
    return len(reading.facts(f.ExplorationCompleted))


def why_miss(reading: Reading, read: int, other: int) -> str:
    """``op 0: inputs[0].shape``: the first field in which two drains differ in what they ran.

    ``length`` when one ran a part of the other, ``nothing`` when both ran the same.
    """
    return differing(segment(reading, other), segment(reading, read))


def differing(there: Sequence[OperationIr], here: Sequence[OperationIr]) -> str:
    """The first field in which two relative sequences differ."""
    for position, (stored, queued) in enumerate(zip(there, here, strict=False)):
        if stored != queued:
            return f"op {position}: {first_difference(stored, queued)}"
    return "length" if len(there) != len(here) else "nothing"


def segment(reading: Reading, read: int) -> list[OperationIr]:
    """The ops that waited when a drain began, in relative form."""
    drain = reading.drains[read]
    stream = reading.before(drain).stream(drain.stream)
    return [] if stream is None else list(stream.queue.relative)


def triggers(reading: Reading, plan: int) -> list[Answer]:
    """The triggers of a plan at the end, in order of collection."""
    return [answers.trigger(trigger) for trigger in reading.plans[plan].triggers]


# --- the relative form ---------------------------------------------------------------------------


def relative_op(reading: Reading, op: int) -> str:
    """The whole relative op."""
    return answers.relative_op(reading.relative[op])


def relative_shapes(reading: Reading, op: int) -> str:
    """The relative shapes of its inputs and outputs."""
    return answers.shapes(reading.relative[op].nodes)


# --- when things run -----------------------------------------------------------------------------


def when_runs(reading: Reading, op: int) -> int:
    """The step at which an op leaves the queue; -1 when it never does."""
    return reading.runs_at.get(op if op >= 0 else len(reading.ops) + op, -1)


def queued(reading: Reading, step: int) -> int:
    """How many ops wait when the step is over."""
    return reading.queued(reading.steps[step])


def action_now(reading: Reading, step: int) -> list[Answer]:
    """The actions of the step, in order."""
    chosen = reading.steps[step].facts(f.ActionChosen)
    return [answers.action(fact.action) for fact in chosen]


def runs_at(reading: Reading, step: int) -> list[Answer]:
    """For each execution of the step the units that ran."""
    started = reading.steps[step].facts(f.ExecutionStarted)
    return [answers.units(fact.strategy) for fact in started]


def launches(reading: Reading, step: int | None = None) -> int:
    """How many kernels a step (default: the whole run) launches, by its decisions.

    A fused unit is one (a relayout two: its kernel and the pooling op), an op on its own one unless
    it only makes, frees or looks at a buffer.
    """
    started = (
        reading.facts(f.ExecutionStarted)
        if step is None
        else reading.steps[step].facts(f.ExecutionStarted)
    )
    return sum(_launches(block) for fact in started for block in fact.blocks)


def _launches(block: f.ExecutedBlock) -> int:
    if block.fuser is not None:
        return 2 if block.fuser == "NHWCRelayout" else 1
    return sum(words.short(op.kind) not in _NO_KERNEL for op in block.operations)


# --- the search ----------------------------------------------------------------------------------


def placement(reading: Reading, step: int) -> str:
    """What the search did with the op of the step; ``no line`` when it says nothing."""
    for event in _searched(reading.steps[step], reading.run):
        if isinstance(event.fact, f.BlockOpened | f.OpAccepted | f.OptimizerStopped):
            return answers.placement(event.fact)
    return "no line"


def _searched(step: Step, run: Run) -> Iterator[Event]:
    """The step's events outside nested searches."""
    for event in step.events:
        parent = event.parent
        while parent is not None and not isinstance(run.events[parent].fact, f.HolesFound):
            parent = run.events[parent].parent
        if parent is None:
            yield event


def blocks_now(reading: Reading, step: int) -> int:
    """How many blocks the search holds when the step is over."""
    return len(reading.blocks(reading.steps[step]))


# --- the strategy --------------------------------------------------------------------------------


def partition(reading: Reading, plan: int) -> list[Answer]:
    """The units of a plan, in execution order."""
    return answers.units(reading.plans[plan].strategy)


def execution_order(reading: Reading, plan: int) -> list[Answer]:
    """The positions of a plan in execution order."""
    return list(reading.plans[plan].ordering)


def winner(reading: Reading, plan: int, block: int = 0) -> str:
    """``ElementWise 210``, or ``none: un-fused``."""
    match _units(reading.plans[plan].strategy)[block]:
        case Optimization(fused, _, score):
            return f"{fused.fuser} {score}"
        case Operations():
            return "none: un-fused"


def winning_score(reading: Reading, plan: int, block: int = 0) -> int:
    """The score of a unit of a plan (0 when it is un-fused)."""
    unit = _units(reading.plans[plan].strategy)[block]
    return unit.score if isinstance(unit, Optimization) else 0


def _units(strategy: ExecutionStrategy) -> list[Optimization | Operations]:
    return list(leaves(strategy))


def _table(*questions: Question) -> Mapping[str, Question]:
    return {question.kind: question for question in questions}


QUESTIONS: Mapping[str, Question] = _table(
    Question("cache_hit", cache_hit),
    Question("hit_pattern", hit_pattern),
    Question("why_miss", why_miss),
    Question("relative_form", relative_shapes),
    Question("relative_shapes", relative_shapes),
    Question("relative_op", relative_op),
    Question("when_runs", when_runs),
    Question("queue_length", queued),
    Question("queued", queued),
    Question("action_now", action_now),
    Question("placement", placement),
    Question("blocks_now", blocks_now),
    Question("partition", partition),
    Question("winning_fuser", winner),
    Question("winner", winner),
    Question("winning_score", winning_score),
    Question("execution_order", execution_order),
    Question("triggers", triggers),
    Question("launches", launches),
    Question("explorations", explorations),
    Question("guard", runs_at),
    Question("runs_at", runs_at),
    Question("false_line", lookups.log_lines),
    Question("log_lines", lookups.log_lines),
    Question("plans", lookups.plans),
    Question("counts", lookups.counts),
    Question("constant", lookups.constant),
    Question("block_members", lookups.block_members),
    Question("output_shape", lookups.output_shape),
    Question("open_fusers", lookups.open_fusers),
    Question("fuser_scores", lookups.fuser_scores),
    Question("score_of", lookups.score_of),
    Question("stop_line", lookups.stop_line),
    Question("guard_line", lookups.guard_line),
)
"""By kind. Lessons and the quiz have their own short names for a few of them."""
