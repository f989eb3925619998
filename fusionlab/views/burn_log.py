"""The burn log: facts as the lines that ``BURN_FUSION_LOG`` prints, byte for byte.

Source: burn-fusion (``log_fusion`` calls); burn-cubecl-fusion, engine/fuser.rs (``closed on``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from fusionlab.events import facts as f
from fusionlab.events.facts import Event, Fact
from fusionlab.fusers.base import Closing
from fusionlab.views.table import execution_table


class LogLevel(IntEnum):
    """How much is printed; a level prints everything up to it."""

    DISABLED = 0
    BASIC = 1
    MEDIUM = 2
    FULL = 3


@dataclass(frozen=True, slots=True)
class LogLine:
    """One message: the step of its fact, its level and its text (the table holds newlines)."""

    step: int
    level: LogLevel
    text: str


def burn_log(events: Iterable[Event], level: LogLevel = LogLevel.FULL) -> Iterator[LogLine]:
    """The messages that burn prints for these events at ``level``."""
    for event in events:
        for message_level, text in messages(event.fact):
            if message_level <= level:
                yield LogLine(event.step, message_level, text)


Message = tuple[LogLevel, str]


def messages(fact: Fact) -> tuple[Message, ...]:
    """What burn prints for one fact. Most facts have no line: burn does not tell them."""
    match fact:
        case f.FuserAnswered(category=category, answer=answer):
            return tuple((LogLevel.FULL, _closing(category, c)) for c in answer.closings)
        case f.ExecutionStarted(blocks=blocks):
            return ((LogLevel.FULL, execution_table(blocks)),)
        case f.StrategySelected(blocks=1):
            return ((LogLevel.BASIC, "selected single strategy"),)
        case f.StrategySelected(blocks=blocks):
            return ((LogLevel.BASIC, f"selected composed strategy ({blocks} sub-strategies)"),)
    text = _explorer_line(fact) or _stream_line(fact) or _plan_line(fact)
    if text is not None:
        return ((LogLevel.FULL, text),)
    text = _medium_line(fact)
    return () if text is None else ((LogLevel.MEDIUM, text),)


def _closing(category: str, closing: Closing) -> str:
    fill = f"had {closing.num_ops} ops, est_bindings={closing.bindings}/{closing.max_bindings}"
    return f"[fuser] closed on {category} ({closing.reason.value}); {fill}"


def _explorer_line(fact: Fact) -> str | None:
    match fact:
        case f.ExplorationStarted(mode=mode, deferred=deferred, queued=queued):
            return f"[explorer] explore ({mode.value}): {deferred} deferred of {queued} queued"
        case f.DeferredLeft(fed=fed, left=left):
            return (
                f"[explorer] stopped optimizing after {fed} new op(s); "
                f"{left} deferred op(s) left unprocessed"
            )
        case f.SearchSettled(kind=kind, explored=explored):
            return f"[explorer] still_optimizing → false after op {kind} (explored {explored} ops)"
        case _:
            return None


def _stream_line(fact: Fact) -> str | None:
    match fact:
        case f.BlockOpened(position=i, kind=kind, total=total, depends_on=None):
            return f"[stream] op {i} {kind} → new block (total: {total})"
        case f.BlockOpened(position=i, kind=kind, total=total):
            return f"[stream] op {i} {kind} → new dependent block (total: {total})"
        case f.OpAccepted(blocks=blocks, position=i, kind=kind, total=total):
            return f"[stream] op {i} {kind} → accepted in {len(blocks)}/{total} block(s)"
        case f.OpDropped(position=i, kind=kind):
            return f"[stream] {kind} dropped (optimizer stopped at op {i})"
        case _:
            return None


def _plan_line(fact: Fact) -> str | None:
    match fact:
        case f.ExplorationCompleted(mode=mode, covered=covered, queued=queued):
            return f"[plan] exploration completed: {mode.value}, {covered}/{queued} ops optimized"
        case f.PlanReused(plan=plan, mode=mode, queued=queued):
            return (
                f"[plan] cache hit: execute plan #{plan} ({mode.value}, segment has {queued} ops)"
            )
        case _:
            return None


_STOPPED = {
    f.StopCause.MAX_BLOCKS: "max_blocks={m} reached",
    f.StopCause.MAX_BLOCKS_ON_DEPENDENCY: "max_blocks={m} reached on dependency",
    f.StopCause.CYCLE: "unresolvable dependency cycle",
}


def _medium_line(fact: Fact) -> str | None:
    match fact:
        case f.OptimizerStopped(cause=cause, position=i, kind=kind, max_blocks=m):
            return f"[stream] stopped ({_STOPPED[cause].format(m=m)}) at op {i} ({kind})"
        case f.OrderRepaired(outcome=f.RepairOutcome.FELL_BACK, ops=ops):
            return f"[repair] falling back to unfused stream order ({ops} ops)"
        case f.PlanUnfit(plan=plan, needs=needs, assigned=assigned, ops=ops):
            return (
                f"[plan] #{plan} needs relative shape id {needs} but the stream assigned "
                f"{assigned}; running its {ops} operations unfused"
            )
        case _:
            return None
