"""The kinds of quiz questions: which programs, where in a run to ask, and who answers wrongly.

In: a run. Out: the places in it that are worth a question. Whether a place is offered is decided
later, when the wrong answers are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fusionlab.events import facts as f
from fusionlab.learn.lookups import log_lines
from fusionlab.learn.questions import answer, segment
from fusionlab.learn.reading import Reading, Step
from fusionlab.views.words import short

Args = dict[str, Any]
Places = Callable[[Reading], Iterator[Args]]

_MADE = frozenset({"Random", "Init", "Drop"})
"""Ops that nobody is asked about: they only set a program up."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind.

    ``misconceptions`` name those who may answer it wrongly; ``crude`` ones are asked only when the
    others agree with burn. ``concept`` is what it practises whenever a wrong answer is about that.
    """

    name: str
    families: tuple[str, ...]
    places: Places
    misconceptions: tuple[str, ...]
    crude: tuple[str, ...] = ()
    concept: str | None = None


# --- places --------------------------------------------------------------------------------------


def _whole_run(reading: Reading) -> Iterator[Args]:
    if len(reading.drains) > 2:
        yield {}


def _counted(reading: Reading) -> Iterator[Args]:
    if len(reading.facts(f.ExplorationCompleted)) > 1:
        yield {}


def _reads(reading: Reading) -> Iterator[Args]:
    for read in range(1, len(reading.drains)):
        if segment(reading, read):
            yield {"read": read}


def _misses(reading: Reading) -> Iterator[Args]:
    for read in range(1, len(reading.drains)):
        here = segment(reading, read)
        if not str(answer("cache_hit", reading, read=read)).startswith("explore"):
            continue
        for other in range(read):
            there = segment(reading, other)
            if [op.spec for op in there] == [op.spec for op in here] and here:
                yield {"read": read, "other": other}


def _ops(reading: Reading) -> Iterator[Args]:
    for number, step in enumerate(reading.ops):
        if step.op is not None and short(step.op.kind) not in _MADE:
            yield {"op": number}


def _steps(reading: Reading) -> Iterator[Args]:
    """Steps behind the inputs."""
    for step in reading.steps:
        if step.op is None or short(step.op.kind) not in _MADE:
            yield {"step": step.index}


def _placed(reading: Reading) -> Iterator[Args]:
    for step in reading.steps:
        said = [*step.facts(f.BlockOpened), *step.facts(f.OpAccepted)]
        if step.op is not None and len(said) == 1 and short(step.op.kind) not in _MADE:
            yield {"step": step.index}


def _searching(reading: Reading) -> Iterator[Args]:
    for step in reading.ops:
        if step.op is not None and len(reading.blocks(step)) > 0:
            yield {"step": step.index}


def _plans(at_least: int) -> Places:
    def places(reading: Reading) -> Iterator[Args]:
        for plan, stored in enumerate(reading.plans):
            if len(stored.operations) >= at_least and short(stored.operations[0].kind) not in _MADE:
                yield {"plan": plan}

    return places


def _moved(reading: Reading) -> Iterator[Args]:
    """Plans that do not run in the order of registration."""
    for args in _plans(3)(reading):
        ordering = reading.plans[args["plan"]].ordering
        if list(ordering) != sorted(ordering):
            yield args


def _contests(reading: Reading) -> Iterator[Args]:
    """Plans of searches that ended with one block, in which some fuser was ready."""
    for args in _plans(1)(reading):
        step = deciding_step("", args, reading)
        started = step.facts(f.SettlingStarted)
        if not started or len(started[0].blocks) != 1:
            continue
        past = [event.fact for s in reading.steps[: step.index + 1] for event in s.events]
        if any(isinstance(fact, f.FuserScored) and fact.ready for fact in past):
            yield args


def _last_drain(reading: Reading) -> Iterator[Args]:
    drains = [step for step in reading.drains if step.facts(f.ExecutionStarted)]
    if drains:
        yield {"step": drains[-1].index}


def _unfit(reading: Reading) -> Iterator[Args]:
    for step in reading.steps:
        if step.facts(f.PlanUnfit):
            yield {"step": step.index}


def _told(reading: Reading) -> Iterator[Args]:
    for step in reading.steps:
        if 2 <= len(log_lines(reading, step.index)) <= 8:
            yield {"step": step.index}


# --- the kinds -----------------------------------------------------------------------------------

_KEY = (
    "rank_only_in_key",
    "sizes_in_key",
    "dim_one_is_ordinary",
    "scalars_in_key",
    "liveness_not_in_key",
    "dtype_not_in_key",
)
_CRUDE_KEY = ("names_only_in_key", "tensor_ids_in_key", "no_cache")
_WAIT = (
    "lazy_runs_at_first_match",
    "sync_may_defer",
    "prefix_hit_at_sync",
    "sync_checks_trigger",
    "trigger_is_always_on_sync",
)
_CRUDE_WAIT = ("lazy_does_not_wait", "no_cache")
_BLOCKS = ("contiguous_only", "blocks_never_merge", "unrelated_never_merge")
_CRUDE_BLOCKS = ("every_op_its_own_block", "one_block_only")
_CHOICE = (
    "first_ready_wins",
    "last_of_a_tie_wins",
    "most_ops_wins",
    "zero_score_wins",
    "closed_means_failed",
)
_COUNT = (
    "launches_forgotten",
    "launches_not_minus_one",
    "writes_not_counted",
    "reads_counted_once_per_tensor",
    "views_are_free",
)
_NUMBERING = (
    "sizes_in_key",
    "dim_one_is_ordinary",
    "numbering_restarts_each_op",
    "numbering_never_restarts",
)


def _table(*kinds: Kind) -> Mapping[str, Kind]:
    return {kind.name: kind for kind in kinds}


KINDS: Mapping[str, Kind] = _table(
    Kind(
        "cache_hit",
        ("rounds", "changes", "prefixes", "triggered", "streams"),
        _reads,
        (*_KEY, "prefix_hit_at_sync", "sync_checks_trigger", "cache_per_stream"),
        _CRUDE_KEY,
    ),
    Kind(
        "hit_pattern",
        ("rounds", "changes", "capped", "prefixes"),
        _whole_run,
        (*_KEY, "cap_also_blocks_hits", "cap_ignored", "prefix_hit_at_sync", "sync_may_defer"),
        (*_CRUDE_KEY, "cache_per_stream"),
    ),
    Kind("why_miss", ("rounds", "changes"), _misses, _KEY, ("tensor_ids_in_key",)),
    Kind("relative_form", ("shapes", "rounds"), _ops, _NUMBERING),
    Kind(
        "relative_op",
        ("shapes", "rounds", "changes"),
        _ops,
        ("scalars_in_key", "tensor_ids_in_key"),
        _NUMBERING,
        "placeholders",
    ),
    Kind(
        "when_runs",
        ("closers", "prefixes", "triggered"),
        _ops,
        ("only_sync_runs", *_WAIT),
        _CRUDE_WAIT,
        "lazy_sync",
    ),
    Kind(
        "queue_length",
        ("closers", "prefixes", "triggered", "crowded"),
        _steps,
        (*_WAIT, "blocks_never_merge"),
        (*_CRUDE_WAIT, "one_block_only"),
        "explore",
    ),
    Kind(
        "action_now",
        ("prefixes", "triggered", "closers"),
        _steps,
        _WAIT,
        _CRUDE_WAIT,
        "defer",
    ),
    Kind(
        "placement",
        ("chains", "crowded", "heads"),
        _placed,
        _BLOCKS,
        _CRUDE_BLOCKS,
    ),
    Kind("blocks_now", ("chains", "crowded"), _searching, _BLOCKS, _CRUDE_BLOCKS),
    Kind(
        "partition",
        ("chains", "heads", "contest"),
        _plans(3),
        (*_BLOCKS, *_CHOICE, "whole_block_unfused"),
        _CRUDE_BLOCKS,
    ),
    Kind(
        "winning_fuser",
        ("contest", "contest", "block"),
        _contests,
        ("closed_means_failed", "last_of_a_tie_wins", "most_ops_wins"),
        ("first_ready_wins", "zero_score_wins", *_COUNT, "score_is_op_count"),
        "closing",
    ),
    Kind(
        "winning_score",
        ("block", "contest"),
        _contests,
        _COUNT,
        ("score_is_op_count", "most_ops_wins", "first_ready_wins"),
        "score",
    ),
    Kind(
        "execution_order",
        ("chains", "heads"),
        _moved,
        ("registration_order", "whole_block_unfused", *_BLOCKS),
        _CRUDE_BLOCKS,
        "order",
    ),
    Kind(
        "triggers",
        ("triggered", "closers", "crowded"),
        _plans(1),
        _WAIT,
        _CRUDE_WAIT,
        "triggers",
    ),
    Kind(
        "launches",
        ("chains", "heads", "crowded", "contest"),
        _last_drain,
        (*_BLOCKS, *_CHOICE, "whole_block_unfused"),
        (*_CRUDE_BLOCKS, "lazy_does_not_wait"),
    ),
    Kind(
        "explorations",
        ("capped", "rounds", "changes", "streams"),
        _counted,
        (*_KEY, "cap_ignored", "cache_per_stream"),
        _CRUDE_KEY,
    ),
    Kind(
        "guard",
        ("guarded",),
        _unfit,
        ("no_shape_guard", "closed_means_failed"),
        ("lazy_does_not_wait", "every_op_its_own_block"),
        "store",
    ),
    Kind(
        "false_line",
        ("chains", "crowded", "heads", "prefixes", "triggered", "rounds", "closers", "contest"),
        _told,
        (*_BLOCKS, *_WAIT, *_KEY, *_CHOICE, "whole_block_unfused"),
        (*_CRUDE_BLOCKS, *_CRUDE_KEY, "lazy_does_not_wait"),
    ),
)
"""By name."""


def deciding_step(kind: str, args: Mapping[str, Any], reading: Reading) -> Step:
    """The step at which the answer is decided."""
    steps, drains, ops = reading.steps, reading.drains, reading.ops
    if "step" in args:
        return steps[int(args["step"])]
    if "read" in args:
        return drains[int(args["read"])]
    if "plan" in args:
        return next(
            step
            for step in steps
            if any(stored.plan == args["plan"] for stored in step.facts(f.PlanStored))
        )
    if kind == "when_runs":
        at = reading.runs_at.get(args["op"])
        return steps[-1 if at is None else at]
    return ops[int(args["op"])] if "op" in args else steps[-1]
