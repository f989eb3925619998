"""The requests of a run: one for each registered op, drain and read, with what it decided.

In: a run. Out: requests in order. A read and the drain that it caused are one request.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

from fusionlab.events import facts as f
from fusionlab.events.run import Run
from fusionlab.ir.operation import OperationIr
from fusionlab.views import words
from fusionlab.views.compare.decisions import Essence, decisions
from fusionlab.views.player.track import Column, track_of


@dataclass(frozen=True)
class Request:
    """One request: the steps ``first`` up to and without ``end``."""

    run: Run
    column: Column
    index: int
    first: int
    end: int

    @property
    def events(self) -> tuple[f.Event, ...]:
        """Everything that the request caused."""
        return self.run.events[self.first : self.end]

    @property
    def operation(self) -> OperationIr | None:
        """The op as it was registered; ``None`` for a drain or a read."""
        return self.column.op

    @cached_property
    def relative(self) -> OperationIr | None:
        """The op as the cache sees it."""
        found = (e.fact for e in self.events if isinstance(e.fact, f.OpRelativized))
        return next((fact.operation for fact in found if not fact.renumbered), None)

    @property
    def token(self) -> Hashable:
        """What makes two requests partners: the kind of op, or a drain, on the same stream."""
        kind = "drain" if self.column.op is None else self.column.op.kind
        return kind, self.column.stream

    @cached_property
    def decided(self) -> tuple[tuple[int, Essence], ...]:
        """Steps and essences of the decisions."""
        return tuple(decisions(self.events))

    @property
    def essences(self) -> tuple[Essence, ...]:
        """The decisions alone."""
        return tuple(essence for _, essence in self.decided)

    @property
    def name(self) -> str:
        """The op's short name, ``read`` or ``sync``."""
        if self.column.op is not None:
            return words.short(self.column.op.kind)
        return "read" if self.column.reads else "sync"


def requests_of(run: Run) -> list[Request]:
    """All requests of a run; the failure that ends a run belongs to its last one."""
    columns = track_of(run).columns
    starts = [column.born for column in columns]
    ends = [*starts[1:], len(run.events)]
    return [
        Request(run, column, index, first, end)
        for index, (column, first, end) in enumerate(zip(columns, starts, ends, strict=True))
    ]
