"""A lab program while a property test writes it, with shape rules that trust no code of ours."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from hypothesis import strategies as st


class Var(NamedTuple):
    """A tensor that the program can name. `kind` is `f` (float), `i` (int) or `b` (bool)."""

    text: str
    shape: tuple[int, ...]
    kind: str = "f"
    dtype: str = "f32"


@dataclass
class Writer:
    """A program while it is written."""

    draw: Callable
    extents: Sequence[int]
    most_elements: int
    lines: list[str] = field(default_factory=list)
    alive: list[Var] = field(default_factory=list)
    indent: str = ""
    names: int = 0

    def integer(self, least: int, most: int) -> int:
        return self.draw(st.integers(least, most))

    def choose(self, options: Sequence):
        return options[0] if len(options) == 1 else options[self.integer(0, len(options) - 1)]

    def chance(self, in_ten: int) -> bool:
        return self.integer(0, 9) >= 10 - in_ten

    def number(self) -> str:
        return str(self.choose((2.0, 0.5, 1.0, -1.0, 0.25, 3.0, -0.5, 1.5)))

    def line(self, text: str) -> None:
        self.lines.append(f"{self.indent}{text}")

    def name(self, var: Var) -> Var:
        """Give an expression a new name and keep it for later."""
        self.names += 1
        named = var._replace(text=f"t{self.names}")
        self.line(f"{named.text} = {var.text}")
        self.alive.append(named)
        return named

    def pick(self, fits: Callable[[Var], bool] | None = None) -> Var | None:
        found = [var for var in self.alive if fits is None or fits(var)]
        # The youngest first: programs shrink towards chains.
        return self.choose(found[::-1]) if found else None

    def floats(self, rank: int = 0) -> Var | None:
        return self.pick(lambda var: var.kind == "f" and len(var.shape) >= rank)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.line(head)
        outer, self.indent = self.indent, self.indent + "    "
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.line("pass")
        self.indent = outer


Emitter = Callable[[Writer], Var | None]


def shape_of(shape: Sequence[int]) -> str:
    return ", ".join(map(str, shape))


def broadcast(left: Sequence[int], right: Sequence[int]) -> tuple[int, ...] | None:
    if len(left) != len(right) or any(
        a != b and 1 not in (a, b) for a, b in zip(left, right, strict=True)
    ):
        return None
    return tuple(b if a == 1 else a for a, b in zip(left, right, strict=True))


def replaced(shape: Sequence[int], dim: int, extent: int) -> tuple[int, ...]:
    return (*shape[:dim], extent, *shape[dim + 1 :])


def draw_shape(w: Writer) -> tuple[int, ...]:
    rank = w.choose((2, 2, 1, 3, 4))
    shape: tuple[int, ...] = ()
    for _ in range(rank):
        extent = w.choose(w.extents)
        shape += (extent if prod(shape) * extent <= w.most_elements else 1,)
    return shape
