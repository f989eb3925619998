"""Expressions of the lab language: numbers are computed, tensors add ops to the trace.

A list is a tuple. Calls look the function up among the words; ``x.exp()`` is ``exp(x)``. Every
error is given the innermost place that is known: the operator, the word, or the whole expression.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, Final

from fusionlab.errors import ProgramError
from fusionlab.ir.operation import Slice
from fusionlab.program.model import Position, Tensor
from fusionlab.program.numbers import bounded, compute
from fusionlab.program.scope import Scope
from fusionlab.program.symbols import SYMBOLS
from fusionlab.program.syntax import Source, placed, spelling
from fusionlab.program.trace import Trace
from fusionlab.program.words import WORDS
from fusionlab.program.words.arithmetic import COMPARISONS, OPERATORS, invert, negative
from fusionlab.program.words.core import Nothing, is_number, kind_of
from fusionlab.program.words.layout import cut, sliced, whole
from fusionlab.program.words.neural import matmul

STATEMENT_WORDS: Final = frozenset({"drop", "config", "stream"})
"""Words that stand alone in a statement and have no value."""

STEPS_PER_OPERATION: Final = 25
"""How many expressions a program may evaluate for each op that it may have."""

MAX_LIST_DEPTH: Final = 16
"""How deep lists may hold lists."""

_NEAR: Final = 0.8
"""How alike a name must be to be suggested for one that nobody knows."""


class Expressions:
    """Evaluates expressions against a scope and a trace."""

    def __init__(self, trace: Trace, scope: Scope, source: Source) -> None:
        """Count steps from zero."""
        self._trace = trace
        self._scope = scope
        self._source = source
        self._steps_left = trace.limits.operations * STEPS_PER_OPERATION
        self._rules: Mapping[type[ast.expr], Callable[[Any], Any]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Tuple: self._sequence,
            ast.List: self._sequence,
            ast.UnaryOp: self._unary,
            ast.BinOp: self._binary,
            ast.Compare: self._compare,
            ast.Call: self._call,
            ast.Subscript: self._subscript,
            ast.Attribute: self._attribute,
        }

    def evaluate(self, node: ast.expr) -> Any:
        """The value of an expression (``NOTHING`` for words such as ``read``).

        Raises:
            ProgramError: It has none.
        """
        try:
            self.step()
            rule: Callable[[Any], Any] = self._rules.get(type(node), self._misplaced)
            return rule(node)
        except ProgramError as error:
            raise placed(error, self._source.position(node)) from None

    def value(self, node: ast.expr) -> Any:
        """The value of an expression that must have one."""
        result = self.evaluate(node)
        if isinstance(result, Nothing):
            raise placed(ProgramError("no_value"), self._source.position(node))
        return result

    def step(self, count: int = 1) -> None:
        """Use up steps; raises ``ProgramError`` when a program takes too many."""
        self._steps_left -= count
        if self._steps_left < 0:
            raise ProgramError(
                "too_many_steps", limit=self._trace.limits.operations * STEPS_PER_OPERATION
            )

    # --- literals and names ------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Any:
        value = node.value
        if isinstance(value, int | float):
            return bounded(value)
        if value is None or isinstance(value, str):
            return value
        raise ProgramError("not_in_language", what=type(value).__name__)

    def _name(self, node: ast.Name) -> Any:
        name = node.id
        if name in self._scope:
            return self._scope[name]
        if name in self._scope.dropped:
            raise ProgramError("use_after_drop", name=name, dropped=self._scope.dropped[name])
        if name in WORDS or name in STATEMENT_WORDS:
            raise ProgramError("word_not_called", name=name)
        near = get_close_matches(name, self._scope.names(), n=1, cutoff=_NEAR)
        if near:
            raise ProgramError("unknown_name_near", name=name, near=near[0])
        raise ProgramError("unknown_name", name=name)

    def _sequence(self, node: ast.Tuple | ast.List) -> tuple[Any, ...]:
        return self._measured(tuple(self._spread(node.elts)))

    def _measured(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The list itself, after a look at all that it holds.

        Lists may share lists, so what one holds can double with every line: it counts as steps.
        """
        level: list[Any] = [values]
        for _ in range(MAX_LIST_DEPTH):
            lists = [item for item in level if isinstance(item, tuple)]
            self.step(len(level))
            if not lists:
                return values
            self.step(sum(map(len, lists)))
            level = [item for held in lists for item in held]
        raise ProgramError("too_deep", limit=MAX_LIST_DEPTH)

    def _spread(self, nodes: list[ast.expr]) -> list[Any]:
        values: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                values.extend(self._items(node.value))
            else:
                values.append(self.value(node))
        return values

    def _items(self, node: ast.expr) -> tuple[Any, ...] | range:
        value = self.value(node)
        if isinstance(value, tuple | range):
            self.step(len(value))
            return value
        raise placed(
            ProgramError("star_needs_list", got=kind_of(value)), self._source.position(node)
        )

    def _misplaced(self, node: ast.expr) -> Any:
        raise ProgramError("not_in_language", what=spelling(node))

    def _attribute(self, node: ast.Attribute) -> Any:
        raise ProgramError("no_attribute", name=node.attr)

    # --- operators ---------------------------------------------------------------------------

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        symbol = SYMBOLS[type(node.op)]
        self._trace.at = self._source.position(node)
        match symbol, value:
            case "+", Tensor() | int() | float():
                return value
            case "-", Tensor():
                return negative(self._trace, value)
            case "-", int() | float():
                return -value
            case "~", Tensor():
                return invert(self._trace, value)
        raise ProgramError("bad_operand", symbol=symbol, got=kind_of(value))

    def _binary(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        at = self._source.operator(node, node.right)
        return self.apply(SYMBOLS[type(node.op)], left, right, at)

    def _compare(self, node: ast.Compare) -> Any:
        if len(node.ops) != 1:
            raise ProgramError("chained_comparison")
        left, right = self.value(node.left), self.value(node.comparators[0])
        at = self._source.operator(node, node.comparators[0])
        return self.apply(SYMBOLS[type(node.ops[0])], left, right, at)

    def apply(self, symbol: str, left: Any, right: Any, at: Position) -> Any:
        """``left symbol right``, of numbers or of tensors, at a place of the program."""
        self._trace.at = at
        try:
            return self._operate(symbol, left, right)
        except ProgramError as error:
            raise placed(error, at) from None

    def _operate(self, symbol: str, left: Any, right: Any) -> Any:
        for side in (left, right):
            if not (isinstance(side, Tensor) or is_number(side)):
                raise ProgramError("bad_operand", symbol=symbol, got=kind_of(side))
        if not (isinstance(left, Tensor) or isinstance(right, Tensor)):
            return compute(symbol, left, right)
        if symbol == "@":
            if not (isinstance(left, Tensor) and isinstance(right, Tensor)):
                raise ProgramError("needs_two_tensors", word="@")
            return matmul(self._trace, left, right)
        rule = OPERATORS.get(symbol) or COMPARISONS.get(symbol)
        if rule is None:
            raise ProgramError("no_tensor_operator", symbol=symbol)
        return rule(self._trace, left, right)

    # --- calls -------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Any:
        name, receiver = self._callee(node.func)
        args = tuple(receiver + self._spread(node.args))
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise ProgramError("not_in_language", what="**")
            keywords[keyword.arg] = self.value(keyword.value)
        self._trace.at = at = self._word_place(node)
        try:
            result = _word(name).call(self._trace, args, keywords)
            return self._measured(result) if isinstance(result, tuple) else result
        except ProgramError as error:
            raise placed(error, at) from None

    def _callee(self, node: ast.expr) -> tuple[str, list[Any]]:
        match node:
            case ast.Name(id=name):
                return name, []
            case ast.Attribute(value=value, attr=name):
                return name, [self.value(value)]
        raise ProgramError("not_a_word")

    def _word_place(self, node: ast.Call) -> Position:
        """Where the word stands: behind the dot for a method."""
        place = self._source.position(node)
        if not isinstance(node.func, ast.Attribute):
            return place
        end = self._source.position(node.func)
        return place._replace(line=end.end_line, column=end.end_column - len(node.func.attr))

    # --- indices -----------------------------------------------------------------------------

    def _subscript(self, node: ast.Subscript) -> Any:
        value = self.value(node.value)
        if isinstance(value, Tensor):
            ranges = self.ranges(value, node.slice)
            self._trace.at = self._source.position(node)
            return sliced(self._trace, value, ranges)
        index = self._index(node.slice)
        if not isinstance(value, tuple | range):
            raise ProgramError("bad_operand", symbol="[ ]", got=kind_of(value))
        if not -len(value) <= index < len(value):
            raise ProgramError("index_out_of_range", index=index, size=len(value))
        return value[index]

    def ranges(self, x: Tensor, node: ast.expr) -> list[Slice]:
        """The ranges that an index such as ``[1:4, 0]`` means; a lone number keeps its dimension.

        Source: burn-std, slice.rs (``s![…]``: an index is a range of one).
        """
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        ranges = whole(x)
        if len(parts) > len(ranges):
            raise ProgramError("too_many_indices", count=len(parts), rank=len(ranges))
        for dim, part in enumerate(parts):
            ranges[dim] = self._range(x, dim, part)
        return ranges

    def _range(self, x: Tensor, dim: int, node: ast.expr) -> Slice:
        if isinstance(node, ast.Slice):
            start, end, step = (
                None if bound is None else self._index(bound)
                for bound in (node.lower, node.upper, node.step)
            )
            return cut(x, dim, start, end, 1 if step is None else step)
        index, size = self._index(node), x.shape[dim]
        if not -size <= index < size:
            raise ProgramError("index_out_of_range", index=index, size=size)
        return cut(x, dim, index % size, index % size + 1, 1)

    def _index(self, node: ast.expr) -> int:
        value = self.value(node)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise ProgramError(
            "argument_kind", word="[ ]", name="index", needed="int", got=kind_of(value)
        )


def _word(name: str) -> Any:
    word = WORDS.get(name)
    if word is not None:
        return word
    if name in STATEMENT_WORDS:
        raise ProgramError("statement_word", name=name)
    near = get_close_matches(name, [*WORDS, *STATEMENT_WORDS], n=1, cutoff=_NEAR)
    if near:
        raise ProgramError("unknown_word_near", name=name, near=near[0])
    raise ProgramError("unknown_word", name=name)
