"""A run as questions look at it: in steps, each a request of the program with what came of it.

In: a run. Out: its steps (an op, a drop, a read or a sync each is one, counted from 0) and look-ups
in them. Everything is read off facts and states; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from fusionlab.events import facts as f
from fusionlab.events.facts import Event
from fusionlab.events.replay import replay
from fusionlab.events.run import Run
from fusionlab.events.state import BlockState, LabState, PlanState
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import StreamId

F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Step:
    """One request: the facts of all that it caused, and the op that it queued."""

    index: int
    stream: StreamId
    line: int
    events: tuple[Event, ...]
    op: OperationIr | None

    @property
    def is_drain(self) -> bool:
        """Whether it is a read or a sync."""
        return self.op is None

    @property
    def last(self) -> int:
        """The number of its last event."""
        return self.events[-1].step

    def facts(self, kind: type[F]) -> list[F]:
        """Its facts of one kind, in order."""
        return [event.fact for event in self.events if isinstance(event.fact, kind)]


class Reading:
    """A run with its steps."""

    def __init__(self, run: Run) -> None:
        """Read ``run``."""
        self.run = run

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every request of the program."""
        return tuple(_steps(self.run))

    @cached_property
    def drains(self) -> tuple[Step, ...]:
        """The reads and syncs, in order."""
        return tuple(step for step in self.steps if step.is_drain)

    @cached_property
    def ops(self) -> tuple[Step, ...]:
        """The steps that queued an op, in order."""
        return tuple(step for step in self.steps if not step.is_drain)

    @cached_property
    def relative(self) -> tuple[OperationIr, ...]:
        """Every op in relative form, as it was when it was queued."""
        return tuple(
            fact.operation
            for event in self.run.events
            if isinstance(fact := event.fact, f.OpRelativized) and not fact.renumbered
        )

    @cached_property
    def states(self) -> tuple[LabState, ...]:
        """The state after each event; replayed here when the run came without."""
        return self.run.states or replay(self.run.events, self.run.initial)

    def before(self, step: Step) -> LabState:
        """The state when the step begins."""
        first = step.events[0].step
        return self.states[first - 1] if first > 0 else self.run.initial

    @cached_property
    def plans(self) -> tuple[PlanState, ...]:
        """The stored plans at the end."""
        plans = list(self.run.initial.plans)
        for event in self.run.events:
            match event.fact:
                case f.PlanStored(_, operations, trigger, strategy, ordering):
                    plans.append(PlanState(operations, (trigger,), strategy, ordering))
                case f.TriggerAdded(plan, trigger):
                    known = plans[plan]
                    plans[plan] = replace(known, triggers=(*known.triggers, trigger))
        return tuple(plans)

    def facts(self, kind: type[F]) -> list[F]:
        """All facts of one kind."""
        return [event.fact for event in self.run.events if isinstance(event.fact, kind)]

    def after(self, step: Step) -> LabState:
        """The state when the step is over."""
        return self.states[step.last]

    def blocks(self, step: Step) -> tuple[BlockState, ...]:
        """The blocks of the step's stream when the step is over."""
        stream = self.after(step).stream(step.stream)
        return stream.blocks if stream is not None else ()

    def queued(self, step: Step) -> int:
        """How many ops wait on the step's stream when the step is over."""
        left = 0
        for event in step.events:
            match event.fact:
                case f.OpQueued(queued=queued) | f.SyncRequested(queued=queued):
                    left = queued
                case f.QueueDrained(left=rest):
                    left = rest
                case f.TensorRead() if event is step.events[0]:
                    stream = self.states[event.step].stream(step.stream)
                    left = 0 if stream is None else len(stream.queue)
        return left

    @cached_property
    def runs_at(self) -> dict[int, int]:
        """For each op (counted over the run) the step at which it leaves the queue."""
        waiting: dict[StreamId, list[int]] = {}
        left: dict[int, int] = {}
        number = 0
        for step in self.steps:
            queue = waiting.setdefault(step.stream, [])
            for event in step.events:
                match event.fact:
                    case f.OpQueued():
                        queue.append(number)
                        number += 1
                    case f.QueueDrained(executed=executed):
                        left.update(dict.fromkeys(queue[:executed], step.index))
                        del queue[:executed]
        return left


def _steps(run: Run) -> Iterator[Step]:
    starts = _starts(run)
    for index, root in enumerate(starts):
        end = starts[index + 1].step if index + 1 < len(starts) else len(run.events)
        inside = tuple(_inside(run.events[root.step : end]))
        op = root.fact.operation if isinstance(root.fact, f.OpQueued) else None
        yield Step(index, root.stream, run.line(root.step), inside, op)


def _starts(run: Run) -> list[Event]:
    """The requests that begin a step. A read begins with the drains that it caused."""
    starts: list[Event] = []
    pending = 0
    """Drains at the end of ``starts`` that a read on the same line would own."""
    for root in (event for event in run.events if event.parent is None):
        place = (root.stream, run.line(root.step))
        if starts and place != (starts[-1].stream, run.line(starts[-1].step)):
            pending = 0
        match root.fact:
            case f.OpQueued():
                starts.append(root)
                pending = 0
            case f.SyncRequested():
                starts.append(root)
                pending += 1
            case f.TensorRead() if pending:
                del starts[len(starts) - pending + 1 :]
                pending = 0
            case f.TensorRead():
                starts.append(root)
    return starts


def _inside(events: Sequence[Event]) -> Iterator[Event]:
    """A step's own events: not a stream that begins, not a second drain for the same read."""
    dropped: set[int] = set()
    for event in events:
        again = isinstance(event.fact, f.SyncRequested) and event is not events[0]
        if again or event.parent in dropped:
            dropped.add(event.step)
        elif not isinstance(event.fact, f.StreamCreated | f.RunFailed):
            yield event
