"""The text of a program with its syntax tree: which node an instruction came from, and edits.

In: text that parses. Out: nodes by place, pieces of the text, and the text with pieces replaced.
Offsets count characters from 0; places are ``Position`` (lines and columns from 1).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fusionlab.program.model import Position, Program
from fusionlab.program.syntax import Source

N = TypeVar("N", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Edit:
    """The characters from ``start`` up to ``end`` become ``new``."""

    start: int
    end: int
    new: str


def edited(text: str, edits: Sequence[Edit]) -> str:
    """The text with all edits made; they must not overlap."""
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text


class SourceText:
    """A program's text, its tree, and the way between the two."""

    def __init__(self, program: Program) -> None:
        """Parse the text of a program again: a program does not keep its tree."""
        self.program = program
        self.text = plain(program.text)
        self.tree = ast.parse(self.text)
        self._source = Source(self.text)
        self._line_starts = [0]
        for line in self.text.split("\n"):
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)
        self._parents = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node stands, without parentheses around it."""
        at = self._source.position(node)
        return self.offset(at.line, at.column), self.offset(at.end_line, at.end_column)

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column (both from 1)."""
        return self._line_starts[line - 1] + column - 1

    def piece(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def node_of(self, at: Position) -> ast.AST | None:
        """The node whose evaluation an instruction at this place belongs to.

        An operator's place starts at the operator and ends with its last operand, so the node is
        the smallest that ends there and holds the start.
        """
        start, end = self.offset(at.line, at.column), self.offset(at.end_line, at.end_column)
        spans = ((self.span(node), node) for node in ast.walk(self.tree) if hasattr(node, "lineno"))
        fitting = [(s, node) for s, node in spans if s[1] == end and s[0] <= start]
        return max(fitting, key=lambda found: found[0][0])[1] if fitting else None

    def statement_of(self, at: Position) -> ast.stmt | None:
        """The innermost statement around a place; ``None`` for the end of the program."""
        node = self.node_of(at)
        return None if node is None else next(self.around(node, ast.stmt), None)

    def around(self, node: ast.AST, kind: type[N]) -> Iterator[N]:
        """The node and what is around it, as far as it is of one kind, innermost first."""
        at: ast.AST | None = node
        while at is not None:
            if isinstance(at, kind):
                yield at
            at = self._parents.get(at)

    def parent(self, node: ast.AST) -> ast.AST | None:
        """What a node is directly part of."""
        return self._parents.get(node)

    def loops_around(self, at: Position) -> list[ast.For]:
        """The loops around a place, outermost first. A loop's own header is not inside it."""
        statement = self.statement_of(at)
        if statement is None:
            return []
        return [loop for loop in self.around(statement, ast.For) if loop is not statement][::-1]

    def indent_of(self, statement: ast.stmt) -> str | None:
        """The blanks in front of a statement; ``None`` when it shares its line with another."""
        start, _ = self.span(statement)
        line_start = self._line_starts[statement.lineno - 1]
        before = self.text[line_start:start]
        return before if not before.strip() else None

    def line_span(self, statement: ast.stmt) -> tuple[int, int]:
        """The whole lines of a statement, with the line end."""
        end_line = statement.end_lineno or statement.lineno
        start = self._line_starts[statement.lineno - 1]
        return start, min(self._line_starts[end_line], len(self.text))


def plain(text: str) -> str:
    """The text with the line ends that the tree counts."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
