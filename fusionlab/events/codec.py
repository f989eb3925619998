"""The event log as JSON lines, in and out.

In: events. Out: a header line with the schema version, then one line an event; and back.
A line reads ``{"step": 3, "parent": 0, "stream": 0, "fact": "OpQueued", …fields}``. Writing is by
value, reading by the annotations of the facts, so a new fact needs no code here. A live fused
operation is written by what it is (fuser, ops, highest shape id) and comes back as
``RecordedFused``; everything else comes back equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any, get_args

from fusionlab.errors import ContentError
from fusionlab.events.facts import Event, ExecutionStarted, ExplorationCompleted, Fact, PlanStored
from fusionlab.events.values import RecordedFused, decoder_of, encode
from fusionlab.ir.tensor import StreamId
from fusionlab.plan import (
    Composed,
    ExecutionStrategy,
    FusedOperation,
    Operations,
    Optimization,
)

SCHEMA_VERSION = 1
_HEADER = "fusionlab_events"
_FACTS: dict[str, type] = {kind.__name__: kind for kind in get_args(Fact)}


def dump_events(events: Iterable[Event]) -> Iterator[str]:
    """The lines of an event log, without newlines; the first one is the header."""
    yield json.dumps({_HEADER: SCHEMA_VERSION})
    for event in events:
        yield json.dumps(_line_of(event), ensure_ascii=False, separators=(",", ":"))


def load_events(lines: Iterable[str]) -> tuple[Event, ...]:
    """Read an event log back.

    Raises:
        ContentError: ``event_log_version`` (``found``, ``known``) when the header is missing or
            names another version; ``event_log_line`` (``line``, counted from 1, and ``problem``)
            when a line is not an event.
    """
    numbered = ((n, line) for n, line in enumerate(lines, start=1) if line.strip())
    _, header = next(numbered, (0, ""))
    _check_version(header)
    return tuple(_event_at(number, line, step) for step, (number, line) in enumerate(numbered))


def recorded(strategy: ExecutionStrategy) -> ExecutionStrategy:
    """The strategy as it reads after a round trip: live fused operations become plain values."""
    match strategy:
        case Optimization(fused=fused):
            return replace(strategy, fused=_as_recorded(fused))
        case Composed(items=items):
            return Composed(tuple(recorded(item) for item in items))
        case Operations():
            return strategy


def recorded_event(event: Event) -> Event:
    """The event as it reads after a round trip."""
    match event.fact:
        case ExplorationCompleted(optimization=strategy) as fact:
            return replace(event, fact=replace(fact, optimization=recorded(strategy)))
        case PlanStored(strategy=strategy) | ExecutionStarted(strategy=strategy) as fact:
            return replace(event, fact=replace(fact, strategy=recorded(strategy)))
        case _:
            return event


def _as_recorded(fused: FusedOperation) -> RecordedFused:
    return RecordedFused(fused.fuser, fused.operations, fused.max_relative_shape_id)


def _line_of(event: Event) -> dict[str, Any]:
    line: dict[str, Any] = {"step": event.step, "parent": event.parent, "stream": event.stream}
    line["fact"] = type(event.fact).__name__
    for field in fields(event.fact):
        line[field.name] = encode(getattr(event.fact, field.name))
    return line


def _check_version(header: str) -> None:
    try:
        found = json.loads(header)[_HEADER]
    except (ValueError, TypeError, KeyError):
        found = None
    if found != SCHEMA_VERSION:
        raise ContentError("event_log_version", found=str(found), known=SCHEMA_VERSION)


def _event_at(number: int, line: str, step: int) -> Event:
    try:
        event = _event_of(json.loads(line))
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise ContentError("event_log_line", line=number, problem=str(problem)) from problem
    if event.step != step or (event.parent is not None and event.parent >= step):
        raise ContentError("event_log_line", line=number, problem=f"not step {step} of a log")
    return event


def _event_of(line: dict[str, Any]) -> Event:
    kind = _FACTS[line.pop("fact")]
    step, parent, stream = line.pop("step"), line.pop("parent"), line.pop("stream")
    if type(step) is not int or type(stream) is not int or type(parent) not in (int, type(None)):
        raise TypeError("step, parent and stream are whole numbers")
    fact = decoder_of(kind)(line)
    return Event(step, parent, StreamId(stream), fact)
