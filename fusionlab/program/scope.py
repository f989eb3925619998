"""Names and what they hold, with the end of each value's life.

Names (and lists held by names) are counted for each tensor. When the count of a tensor that
nothing has used goes to zero, it is dropped there. Temporaries are never named: they go at the end
of their statement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from fusionlab.program.model import Tensor
from fusionlab.program.trace import Trace


def tensors_in(value: Any) -> Iterator[Tensor]:
    """The tensors of a value, also those inside lists."""
    match value:
        case Tensor():
            yield value
        case tuple():
            for item in value:
                yield from tensors_in(item)


class Scope:
    """The names of a program. There is one scope: loops and ``with`` open none, as in Python."""

    def __init__(self, trace: Trace) -> None:
        """Start without names."""
        self._trace = trace
        self._values: dict[str, Any] = {}
        self._holders: Counter[int] = Counter()
        self._statement_start = 0
        self.dropped: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        """Whether the name is bound."""
        return name in self._values

    def __getitem__(self, name: str) -> Any:
        """What the name holds; raises ``KeyError`` when it is not bound."""
        return self._values[name]

    def held(self) -> frozenset[int]:
        """The values that a name (or a running statement) still holds."""
        return frozenset(index for index, count in self._holders.items() if count > 0)

    def names(self) -> list[str]:
        """All bound names, in order of first binding."""
        return list(self._values)

    def bind(self, name: str, value: Any) -> None:
        """Let a name hold a value. ``_`` holds nothing, as in Rust."""
        if name == "_":
            return
        self.hold(value)
        # A name that moves on keeps its place in the order of names, as a Rust variable does.
        old = self._values.get(name)
        self._values[name] = value
        self.dropped.pop(name, None)
        self.let_go(old)

    def forget(self, name: str, line: int) -> Any:
        """Take a name away at a line of the program; what it held."""
        value = self._values.pop(name)
        self.dropped[name] = line
        for tensor in tensors_in(value):
            self._holders[tensor.index] -= 1
        return value

    def hold(self, value: Any) -> None:
        """Count one more holder of every tensor in a value."""
        for tensor in tensors_in(value):
            self._holders[tensor.index] += 1

    def let_go(self, value: Any) -> None:
        """Count one holder less; the last one of an unused tensor drops it."""
        for tensor in tensors_in(value):
            self._holders[tensor.index] -= 1
            self._drop_unheld(tensor.index)

    def end_statement(self) -> None:
        """Drop the temporaries that the statement made and nothing used."""
        for index in range(self._statement_start, len(self._trace.values)):
            self._drop_unheld(index)
        self._statement_start = len(self._trace.values)

    def end(self) -> None:
        """Let all names go, the youngest first."""
        for name in reversed(self.names()):
            self.let_go(self._values.pop(name))

    def _drop_unheld(self, index: int) -> None:
        unheld = self._holders[index] == 0
        if unheld and not self._trace.used[index] and index not in self._trace.kept:
            self._trace.drop(index)
