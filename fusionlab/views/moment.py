"""A moment: one step of a run with what every view needs around it.

In: a run and a step. Out: the event, the states before and after it, and look-ups in them.
Positions inside a nested search count its holes; ``segment_position`` translates them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from fusionlab.events.facts import Event, Fact, OpQueued
from fusionlab.events.run import Run
from fusionlab.events.scopes import in_segment
from fusionlab.events.state import BlockState, LabState, ScopeKind, StreamState
from fusionlab.ir.operation import OperationIr
from fusionlab.plan import BlockId


@dataclass(frozen=True, slots=True)
class Moment:
    """One step of a run."""

    run: Run
    step: int

    @property
    def event(self) -> Event:
        """What happened at this step."""
        return self.run.events[self.step]

    @property
    def fact(self) -> Fact:
        """The fact of the event."""
        return self.event.fact

    @property
    def after(self) -> LabState:
        """The lab after the step."""
        return self.run.states[self.step]

    @property
    def before(self) -> LabState:
        """The lab before the step."""
        return self.run.before(self.step)

    @property
    def stream(self) -> StreamState:
        """The event's stream after the step; before it, when the step deleted it."""
        stream = self.event.stream
        return self.after.stream(stream) or self.stream_before

    @property
    def stream_before(self) -> StreamState:
        """The event's stream before the step (an empty one when it did not exist)."""
        stream = self.event.stream
        return self.before.stream(stream) or StreamState(stream)

    @property
    def root(self) -> Event:
        """The request that this step belongs to."""
        event = self.event
        while event.parent is not None:
            event = self.run.events[event.parent]
        return event

    @property
    def root_operation(self) -> OperationIr | None:
        """The op whose registration this step belongs to; ``None`` for a drain or a read."""
        fact = self.root.fact
        return fact.operation if isinstance(fact, OpQueued) else None

    def block(self, block: BlockId) -> BlockState:
        """A block that the fact names, as it is after the step, or was before it."""
        for stream in (self.stream, self.stream_before):
            scoped = stream.scopes[-1].blocks if stream.scopes else ()
            for found in (*scoped, *stream.visible_blocks, *stream.blocks):
                if found.block == block:
                    return found
        return BlockState(block, (), number=int(block) + 1)

    def segment_position(self, position: int) -> int:
        """The position in the segment behind a position that the fact names."""
        return in_segment(self.stream, (position,))[0]

    def operation(self, position: int) -> OperationIr | None:
        """The queued op at a position of the segment, also when this step has just removed it."""
        for stream in (self.stream, self.stream_before):
            if position < len(stream.queue.operations):
                return stream.queue.operations[position]
        return None

    @property
    def operation_in_hand(self) -> OperationIr | None:
        """The op that the search is placing now: the first one that it has not placed yet."""
        stream = self.stream
        for scope in reversed(stream.scopes):
            if scope.kind is ScopeKind.SETTLING:
                return None
            if scope.kind is ScopeKind.HOLES:
                placed = sum(len(block.positions) for block in scope.blocks)
                if placed >= len(scope.positions or ()):
                    return None
                return self.operation((scope.positions or ())[placed])
        return self.operation(stream.explorer.num_explored)


def moments(run: Run) -> list[Moment]:
    """All moments of a run, in order."""
    return [Moment(run, step) for step in range(len(run.events))]


def positional(fact: Fact) -> int | None:
    """The position that a fact names; ``None`` when it names none."""
    return cast("int | None", getattr(fact, "position", None))
