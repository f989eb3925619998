"""The writing side of the event log, for the engine and the lab only.

``Recorder.on`` tells whether anybody listens: the engine asks it before it builds a fact, so a
run without a recorder takes the same path and pays one attribute look-up a fact.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from fusionlab.events.facts import Event, Fact
from fusionlab.events.measured import Measured
from fusionlab.ir.tensor import StreamId


class Recorder(Protocol):
    """Where facts go."""

    on: bool
    stream: StreamId

    def emit(self, fact: Fact, measured: Measured | None = None) -> None:
        """Record a fact under the innermost open span, with what was measured of it."""

    def span(self, fact: Fact) -> AbstractContextManager[None]:
        """Record a fact and make what is recorded inside the ``with`` its children."""


class EventLog:
    """Keeps every fact, in order, in memory.

    ``measured`` is kept by step, beside the facts: a clock is never the same twice.
    """

    on = True

    def __init__(self) -> None:
        """Start empty, at stream 0."""
        self.events: list[Event] = []
        self.measured: dict[int, Measured] = {}
        self.stream = StreamId(0)
        self._parent: int | None = None

    def emit(self, fact: Fact, measured: Measured | None = None) -> None:
        """Append a fact under the innermost open span."""
        if measured is not None:
            self.measured[len(self.events)] = measured
        self.events.append(Event(len(self.events), self._parent, self.stream, fact))

    @contextmanager
    def span(self, fact: Fact) -> Iterator[None]:
        """Append a fact and make what follows inside the ``with`` its children."""
        outer, step = self._parent, len(self.events)
        self.emit(fact)
        self._parent = step
        try:
            yield
        finally:
            self._parent = outer


class NullRecorder:
    """Records nothing."""

    on = False
    stream = StreamId(0)

    def emit(self, fact: Fact, measured: Measured | None = None) -> None:
        """Do nothing."""

    def span(self, fact: Fact) -> AbstractContextManager[None]:  # noqa: ARG002 -- protocol
        """An empty span."""
        return nullcontext()
