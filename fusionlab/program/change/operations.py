"""Changing an op, or the end of a value's life, at the node of the program that it came from.

An operator is replaced where it stands when the tree around it stays the same, else the operation
is put in parentheses.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from fusionlab.program.change.literals import outputs_of
from fusionlab.program.change.model import Keep, Release, ReplaceOp
from fusionlab.program.change.source import Edit, SourceText, edited
from fusionlab.program.symbols import SYMBOLS

WORD_OF: Final = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "%": "rem",
    "**": "pow",
    "@": "matmul",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "==": "equal",
    "!=": "not_equal",
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "<<": "left_shift",
    ">>": "right_shift",
}
"""The word for each operator."""

_KINDS: Final = {s: kind for kind, s in SYMBOLS.items() if not issubclass(kind, ast.unaryop)}


def op_texts(source: SourceText, change: ReplaceOp) -> Iterator[str]:
    """Texts with another op at the place of the instruction."""
    place = source.program.instructions[change.at].at
    node = source.node_of(place)
    match node:
        case ast.Call(func=ast.Name() as name):
            yield edited(source.text, [Edit(*source.span(name), _as_word(change.word))])
        case ast.Call(func=ast.Attribute(attr=attribute) as method):
            end = source.span(method)[1]
            edit = Edit(end - len(attribute), end, _as_word(change.word))
            yield edited(source.text, [edit])
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            yield from _operator(source, node, (left, right), change.word)
        case ast.UnaryOp(operand=operand):
            piece = source.piece(operand)
            new = f"{change.word}{piece}" if change.word in "+-~" else f"{change.word}({piece})"
            yield edited(source.text, [Edit(*source.span(node), new)])
        case ast.AugAssign(target=target, value=value) if change.word in WORD_OF:
            between = source.span(target)[1], source.span(value)[0]
            yield edited(source.text, [Edit(*between, f" {change.word}= ")])


def _as_word(word: str) -> str:
    return WORD_OF.get(word, word)


def _operator(
    source: SourceText, node: ast.BinOp | ast.Compare, sides: tuple[ast.expr, ast.expr], word: str
) -> Iterator[str]:
    start, end = source.span(node)
    if word not in WORD_OF:
        left, right = (source.piece(side) for side in sides)
        yield edited(source.text, [Edit(start, end, f"{word}({left}, {right})")])
        return
    old = _symbol(node)
    at = _symbol_offset(source, sides, old)
    swap = Edit(at, at + len(old), word)
    bare = edited(source.text, [swap])
    if _same_tree(source, node, bare, word):
        yield bare
    around = [Edit(start, start, "("), swap, Edit(end, end, ")")]
    yield edited(source.text, around)


def _symbol(node: ast.BinOp | ast.Compare) -> str:
    return SYMBOLS[type(node.op if isinstance(node, ast.BinOp) else node.ops[0])]


def _symbol_offset(source: SourceText, sides: tuple[ast.expr, ast.expr], symbol: str) -> int:
    """Where the operator stands: behind the left side and the brackets that close it."""
    start, end = source.span(sides[0])[1], source.span(sides[1])[0]
    return source.text.index(symbol, start, max(end, start + len(symbol)))


def _same_tree(source: SourceText, node: ast.BinOp | ast.Compare, text: str, word: str) -> bool:
    """Whether the new operator binds as the old one did."""
    kind = _KINDS.get(word)
    try:
        new = ast.parse(text)
    except SyntaxError:
        return False
    old = ast.parse(source.text)
    there = next(n for n in ast.walk(old) if _is_at(n, node))
    operator = kind() if kind is not None else None
    match there, operator:
        case ast.Compare(), ast.cmpop():
            there.ops = [operator]
        case ast.BinOp(), ast.operator():
            there.op = operator
        case _:
            return False
    return ast.dump(old) == ast.dump(new)


def _is_at(node: ast.AST, wanted: ast.expr) -> bool:
    fields = ("lineno", "col_offset", "end_lineno", "end_col_offset")
    return type(node) is type(wanted) and all(
        getattr(node, field) == getattr(wanted, field) for field in fields
    )


def keep_texts(source: SourceText, change: Keep) -> Iterator[str]:
    """Texts with ``keep(…)`` around what the instruction makes."""
    node = source.node_of(source.program.instructions[change.at].at)
    if isinstance(node, ast.expr) and outputs_of(source.program.instructions[change.at]):
        start, end = source.span(node)
        yield edited(source.text, [Edit(start, start, "keep("), Edit(end, end, ")")])


def release_texts(source: SourceText, change: Release) -> Iterator[str]:
    """Texts without one of the ``keep(…)``, the nearest first."""
    place = source.program.instructions[change.at].at
    here = source.offset(place.line, place.column)
    calls = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "keep"
    ]
    for call in sorted(calls, key=lambda call: abs(source.span(call)[0] - here)):
        yield from _without_keep(source, call)


def _without_keep(source: SourceText, call: ast.Call) -> Iterator[str]:
    start, end = source.span(call)
    first, last = source.span(call.args[0])[0], source.span(call.args[-1])[1]
    inner = source.text[first:last]
    # Between operators the bare operands might bind otherwise than the call did.
    alone = isinstance(source.parent(call), ast.Call | ast.Assign | ast.Expr | ast.keyword)
    plain = alone or isinstance(call.args[0], ast.Name | ast.Call | ast.Tuple | ast.List)
    if len(call.args) == 1:
        yield edited(source.text, [Edit(start, end, inner if plain else f"({inner})")])
    else:
        yield edited(source.text, [Edit(start, end, f"({inner})")])
