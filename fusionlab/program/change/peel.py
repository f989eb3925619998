"""Splitting a loop so that one round has a line of its own.

``for x in [a, b, c]: …`` becomes the rounds before, the round itself and the rounds after, each a
loop of its own. The lab has one scope, so the ops stay the same; this is checked, not assumed.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from fusionlab.errors import ProgramError
from fusionlab.program.change.same import same_ops
from fusionlab.program.change.source import Edit, SourceText, edited
from fusionlab.program.model import Program
from fusionlab.program.parser import parse_program

MAX_ROUNDS = 4096
"""Loops with more rounds are not split: what would be written out is no program to read."""


def peeled(program: Program, at: int) -> Program | None:
    """The same ops, with the loops around instruction ``at`` split at its round.

    ``None`` when it is in no loop, or when a loop cannot be split without changing the ops.
    """
    now, depth = program, 0
    while True:
        source = SourceText(now)
        loops = source.loops_around(now.instructions[at].at)
        if depth >= len(loops):
            return now if depth else None
        split = _split_at(source, loops[depth], at)
        if split is None:
            return None
        now, depth = split, depth + 1


def _split_at(source: SourceText, loop: ast.For, at: int) -> Program | None:
    """The program with ``loop`` split where instruction ``at`` runs; halves the rounds each try."""
    items = _items(source, loop)
    low, high = 0, len(items) - 1
    while low <= high:
        middle = (low + high) // 2
        parts = _Parts(source, loop, items, middle)
        program = _parsed(parts.text, source.program)
        if program is None or not same_ops(source.program, program):
            return None
        where = parts.part_of(program.instructions[at].at.line)
        if where == 0:
            return program
        low, high = (low, middle - 1) if where < 0 else (middle + 1, high)
    return None


def _parsed(text: str, like: Program) -> Program | None:
    try:
        return parse_program(text, like.name)
    except ProgramError:
        return None


def _items(source: SourceText, loop: ast.For) -> Sequence[str]:
    """The text of what the loop runs over, one entry a round; empty when it is not written out."""
    match loop.iter:
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            if not any(isinstance(element, ast.Starred) for element in elements):
                return [_whole(source, element) for element in elements]
        case ast.Call(func=ast.Name(id="range"), keywords=[]) as call:
            return [str(number) for number in _range_of(call)[:MAX_ROUNDS]]
    return []


def _whole(source: SourceText, element: ast.expr) -> str:
    piece = source.piece(element)
    # A tuple without parentheses cannot stand in a list of tuples; one with them includes them.
    return f"({piece})" if "\n" in piece and not piece.startswith(("(", "[")) else piece


def _number(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
    return None


class _Parts:
    """The text with a loop in up to three parts; remembers on which lines the middle one is."""

    def __init__(self, source: SourceText, loop: ast.For, items: Sequence[str], at: int) -> None:
        self._source, self._loop = source, loop
        start, end = source.line_span(loop)
        front, middle = self._front(at), self._over(f"[{items[at]}]")
        rest = self._rest(at + 1, items[at + 1 :])
        before = source.text[:start] + front
        self._first_line = before.count("\n") + 1
        self._last_line = self._first_line + middle.count("\n") - 1
        self.text = before + middle + rest + source.text[end:]

    def part_of(self, line: int) -> int:
        """Whether a line is in front of the split round (-1), in it (0), or behind it (1)."""
        return (line > self._last_line) - (line < self._first_line)

    def _front(self, count: int) -> str:
        """The loop as it is written, with the rounds from ``count`` on taken out."""
        if not count:
            return ""
        start, end = self._source.line_span(self._loop)
        match self._loop.iter:
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                edit = self._shortened(elements[count - 1], count)
            case _:
                numbers = _range_of(self._loop.iter)[:count]
                edit = Edit(*self._source.span(self._loop.iter), _range_text(numbers))
        return _ended(edited(self._source.text[:end], [edit])[start:])

    def _shortened(self, last: ast.expr, count: int) -> Edit:
        """A written list ends behind ``last``, its lines as they are."""
        text, (opening, close) = self._source.text, self._source.span(self._loop.iter)
        end = self._source.span(last)[1]
        bracket = text[close - 1] if text[opening] in "([" else ""
        if "\n" in text[end:close]:
            indent = self._source.indent_of(self._loop) or ""
            return Edit(end, close, f",\n{indent}{bracket}")
        comma = "," if bracket != "]" and count == 1 else ""
        return Edit(end, close, f"{comma}{bracket}")

    def _rest(self, count: int, items: Sequence[str]) -> str:
        """The rounds behind the first ``count`` ones."""
        match self._loop.iter:
            case ast.Call() if len(items) > 1:
                return self._over(_range_text(_range_of(self._loop.iter)[count:]))
        return self._over(f"[{', '.join(items)}]") if items else ""

    def _over(self, items: str) -> str:
        """A loop over something else with the body as it is written."""
        start, end = self._source.line_span(self._loop)
        inner = self._source.span(self._loop.iter)
        return _ended(edited(self._source.text[:end], [Edit(*inner, items)])[start:])


def _range_of(node: ast.expr) -> range:
    """The numbers of a call of ``range``."""
    numbers = [_number(argument) for argument in node.args] if isinstance(node, ast.Call) else []
    known = [number for number in numbers if number is not None]
    fits = 0 < len(known) == len(numbers) <= 3 and 0 not in known[2:]
    return range(*known) if fits else range(0)


def _range_text(numbers: range) -> str:
    if numbers.step != 1:
        return f"range({numbers.start}, {numbers.stop}, {numbers.step})"
    return f"range({numbers.start}, {numbers.stop})" if numbers.start else f"range({numbers.stop})"


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"
