"""Statements of the lab language, run one after the other: this is where loops are unrolled."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from fusionlab.config import LEAST
from fusionlab.errors import ProgramError
from fusionlab.ir.tensor import StreamId
from fusionlab.program.expressions import Expressions
from fusionlab.program.model import Tensor
from fusionlab.program.scope import Scope, tensors_in
from fusionlab.program.symbols import SYMBOLS
from fusionlab.program.syntax import Source, placed
from fusionlab.program.trace import MAX_STREAMS, Trace
from fusionlab.program.words.core import kind_of
from fusionlab.program.words.layout import assigned


class Statements:
    """Runs statements. ``settings`` collects what ``config`` asks for."""

    def __init__(self, trace: Trace, source: Source) -> None:
        """Start with an empty scope."""
        self._trace = trace
        self._source = source
        self._scope = Scope(trace)
        self._expressions = Expressions(trace, self._scope, source)
        self.settings: dict[str, int | None] = {}
        self._rules: Mapping[type[ast.stmt], Callable[[Any], None]] = {
            ast.Expr: self._expression,
            ast.Assign: self._assign,
            ast.AugAssign: self._augmented,
            ast.Delete: self._delete,
            ast.For: self._for,
            ast.With: self._with,
            ast.Pass: self._pass,
        }

    def held(self) -> frozenset[int]:
        """The values that a name still holds."""
        return self._scope.held()

    def run(self, body: list[ast.stmt], *, ends: bool = True) -> None:
        """Run a program, to the end of its scope (unless it only breaks off there).

        Raises:
            ProgramError: A statement is wrong; names its line and column.
        """
        self._block(body)
        if not ends:
            return
        self._trace.at = self._source.end()
        try:
            self._scope.end()
        except ProgramError as error:
            raise placed(error, self._trace.at) from None

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            try:
                self._expressions.step()
                self._rules[type(statement)](statement)
                # What is dropped now is dropped by this statement, not by its last op.
                self._trace.at = self._source.position(statement)
                self._scope.end_statement()
            except ProgramError as error:
                raise placed(error, self._source.position(statement)) from None

    def _pass(self, _: ast.Pass) -> None:
        pass

    # --- expressions and assignments ---------------------------------------------------------

    def _expression(self, node: ast.Expr) -> None:
        match node.value:
            case ast.Call(func=ast.Name(id="drop")) as call:
                self._drop(call)
            case ast.Call(func=ast.Name(id="config")) as call:
                self._config(call)
            case value:
                self._expressions.evaluate(value)

    def _assign(self, node: ast.Assign) -> None:
        value = self._expressions.value(node.value)
        # The targets take the value one by one; until then it belongs to the statement.
        self._scope.hold(value)
        for target in node.targets:
            self._bind(target, value)
        self._scope.let_go(value)

    def _bind(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self._trace.at = self._source.position(target)
                self._scope.bind(name, value)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._unpack(target, targets, value)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                self._bind_piece(target, name, index, value)
            case _:
                raise placed(ProgramError("bad_target"), self._source.position(target))

    def _unpack(self, node: ast.expr, targets: list[ast.expr], value: Any) -> None:
        if not isinstance(value, tuple | range):
            error = ProgramError("unpack_kind", expected=len(targets), got=kind_of(value))
            raise placed(error, self._source.position(node))
        if len(value) != len(targets):
            error = ProgramError("unpack_count", expected=len(targets), got=len(value))
            raise placed(error, self._source.position(node))
        for target, item in zip(targets, value, strict=True):
            self._bind(target, item)

    def _bind_piece(self, target: ast.Subscript, name: str, index: ast.expr, value: Any) -> None:
        """``x[1:4] = v``: x is the old x with a piece replaced."""
        old = self._expressions.value(target.value)
        if not (isinstance(old, Tensor) and isinstance(value, Tensor)):
            other = value if isinstance(old, Tensor) else old
            error = ProgramError("bad_operand", symbol="[ ] =", got=kind_of(other))
            raise placed(error, self._source.position(target))
        ranges = self._expressions.ranges(old, index)
        self._trace.at = self._source.position(target)
        self._scope.bind(name, assigned(self._trace, old, ranges, value))

    def _augmented(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name):
            raise placed(ProgramError("bad_target"), self._source.position(node.target))
        name = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        old, value = self._expressions.value(name), self._expressions.value(node.value)
        symbol = SYMBOLS[type(node.op)]
        result = self._expressions.apply(symbol, old, value, self._source.position(node))
        self._trace.at = self._source.position(node.target)
        self._scope.bind(node.target.id, result)

    # --- ends of names -----------------------------------------------------------------------

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._give_up(target)

    def _drop(self, node: ast.Call) -> None:
        if node.keywords or not node.args:
            raise ProgramError("missing_argument", word="drop", name="x", signature="drop(x)")
        for argument in node.args:
            self._give_up(argument)

    def _give_up(self, node: ast.expr) -> None:
        value = self._expressions.value(node)
        at = self._source.position(node)
        if not isinstance(node, ast.Name) and not list(tensors_in(value)):
            raise placed(ProgramError("bad_target"), at)
        if isinstance(node, ast.Name):
            self._scope.forget(node.id, at.line)
        self._trace.at = at
        for tensor in tensors_in(value):
            # Giving a value up in so many words also ends a ``keep``.
            self._trace.kept.discard(tensor.index)
            self._trace.drop(tensor.index)

    # --- blocks ------------------------------------------------------------------------------

    def _for(self, node: ast.For) -> None:
        if node.orelse:
            raise ProgramError("not_in_language", what="for … else")
        items = self._expressions.value(node.iter)
        if not isinstance(items, tuple | range):
            error = ProgramError("loop_kind", got=kind_of(items))
            raise placed(error, self._source.position(node.iter))
        self._scope.hold(items)
        self._scope.end_statement()
        for item in items:
            self._bind(node.target, item)
            self._block(node.body)
        self._trace.at = self._source.position(node)
        self._scope.let_go(items)

    def _with(self, node: ast.With) -> None:
        outer = self._trace.stream
        self._trace.stream = self._stream(node)
        self._block(node.body)
        self._trace.stream = outer

    def _stream(self, node: ast.With) -> StreamId:
        match node.items:
            case [ast.withitem(context_expr=ast.Call(func=ast.Name(id="stream")) as call)]:
                named = node.items[0].optional_vars is not None
                if len(call.args) == 1 and not call.keywords and not named:
                    return self._stream_id(call.args[0])
        raise ProgramError("with_needs_stream")

    def _stream_id(self, node: ast.expr) -> StreamId:
        number = self._expressions.value(node)
        fits = isinstance(number, int) and not isinstance(number, bool)
        if not fits or not 0 <= number < MAX_STREAMS:
            error = ProgramError("stream_number", got=kind_of(number), last=MAX_STREAMS - 1)
            raise placed(error, self._source.position(node))
        return StreamId(number)

    # --- settings ----------------------------------------------------------------------------

    def _config(self, node: ast.Call) -> None:
        if self._trace.steps:
            raise ProgramError("config_late")
        if node.args or not node.keywords:
            raise ProgramError("config_arguments")
        for keyword in node.keywords:
            self._set(keyword)

    def _set(self, keyword: ast.keyword) -> None:
        at = self._source.position(keyword)
        name = keyword.arg or "**"
        least = LEAST.get(name)
        if least is None:
            raise placed(ProgramError("config_setting", name=name), at)
        value = self._expressions.value(keyword.value)
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= least
        unlimited = value is None and name == "max_explorations"
        if not (whole or unlimited):
            error = ProgramError("config_value", name=name, got=kind_of(value), least=least)
            raise placed(error, at)
        self.settings[name] = value
