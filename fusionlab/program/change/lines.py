"""Changing which statements there are: a sync, a read or a drop that comes, goes or moves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fusionlab.program.change.model import DropValue, InsertRead, InsertSync, Move, Remove
from fusionlab.program.change.source import Edit, SourceText, edited

_WORDS = frozenset({"read", "sync", "drop"})


def sync_texts(source: SourceText, change: InsertSync) -> Iterator[str]:
    """Texts with a drain behind the statement of the instruction."""
    yield from _with(source, change.at, "sync()")


def read_texts(source: SourceText, change: InsertRead) -> Iterator[str]:
    """Texts with a read behind the statement of the instruction."""
    for name in _names(source, change.at):
        yield from _with(source, change.at, f"read({name})")


def drop_texts(source: SourceText, change: DropValue) -> Iterator[str]:
    """Texts in which a name is given up behind another instruction."""
    for name in _names(source, change.at):
        yield from _with(source, change.after, f"drop({name})")


def _names(source: SourceText, at: int) -> Iterator[str]:
    """The names that the statement of an instruction binds."""
    statement = source.statement_of(source.program.instructions[at].at)
    match statement:
        case ast.Assign(targets=targets):
            for target in targets:
                yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))
        case ast.AugAssign(target=ast.Name(id=name)):
            yield name


def _with(source: SourceText, at: int, new: str) -> Iterator[str]:
    statement = source.statement_of(source.program.instructions[at].at)
    if statement is not None:
        yield edited(source.text, [_behind(source, statement, new)])


def _behind(source: SourceText, statement: ast.stmt, new: str) -> Edit:
    """A statement on a line of its own, as deep as the one in front."""
    indent = source.indent_of(statement)
    end = source.span(statement)[1]
    line_end = source.line_span(statement)[1]
    rest = source.text[end:line_end]
    if indent is None or rest.lstrip(" \t").startswith(";"):
        return Edit(end, end, f"; {new}")
    ending = "" if source.text[:line_end].endswith("\n") else "\n"
    return Edit(
        line_end, line_end, f"{ending}{indent}{new}\n" if not ending else f"\n{indent}{new}"
    )


def remove_texts(source: SourceText, change: Remove) -> Iterator[str]:
    """Texts without the statement that is the instruction."""
    found = _removable(source, change.at)
    if found is not None:
        yield edited(source.text, [_gone(source, found[0])])


def move_texts(source: SourceText, change: Move) -> Iterator[str]:
    """Texts with the statement behind that of another instruction."""
    found = _removable(source, change.at)
    goal = source.statement_of(source.program.instructions[change.after].at)
    if found is None or goal is None or goal is found[0]:
        return
    statement, call = found
    yield edited(source.text, [_gone(source, statement), _behind(source, goal, source.piece(call))])


def _removable(source: SourceText, at: int) -> tuple[ast.stmt, ast.expr] | None:
    """The statement of a read, a sync or a drop, and its call."""
    statement = source.statement_of(source.program.instructions[at].at)
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id=word)) as call) if word in _WORDS:
            return statement, call
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=word)) as call) if word in _WORDS:
            return statement, call
    return None


def _gone(source: SourceText, statement: ast.stmt) -> Edit:
    """The statement taken out. What it reads on the way stays; a body does not become empty."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        inner = [a for a in statement.value.args if not isinstance(a, ast.Name)]
        if inner:
            new = ", ".join(source.piece(argument) for argument in inner)
            return Edit(*source.span(statement), new)
    alone = any(len(node.body) == 1 for node in source.around(statement, ast.For))
    start, end = source.span(statement)
    if alone or source.indent_of(statement) is None:
        return Edit(start, end, "pass")
    rest = source.text[end : source.line_span(statement)[1]]
    if rest.lstrip(" \t").startswith(";"):
        return Edit(start, end, "pass")
    return Edit(*source.line_span(statement), "")
