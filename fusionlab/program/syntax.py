"""Program text to a syntax tree that holds nothing but what the lab language knows.

Python parses the text and nothing ever runs it: each node is checked against a whitelist before
anything is evaluated, and what Python itself refuses becomes a ``ProgramError`` with its place.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from fusionlab.errors import ProgramError
from fusionlab.program.model import Position

MAX_DEPTH: Final = 100
"""How deep expressions and blocks may nest; evaluation recurses once a level."""

_ALLOWED: Final = frozenset(
    {
        *(ast.Module, ast.Expr, ast.Assign, ast.AugAssign, ast.Delete, ast.For, ast.With, ast.Pass),
        *(ast.withitem, ast.Call, ast.keyword, ast.Name, ast.Load, ast.Store, ast.Del),
        *(ast.Constant, ast.Tuple, ast.List, ast.Starred, ast.Subscript, ast.Slice, ast.Attribute),
        *(ast.BinOp, ast.UnaryOp, ast.Compare),
        *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult),
        *(ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift),
        *(ast.UAdd, ast.USub, ast.Invert),
        *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
    }
)

# Constructs that learners try, with the code whose sentence says what to write instead.
_REFUSALS: Final[dict[type[ast.AST], str]] = {
    ast.Import: "no_import",
    ast.ImportFrom: "no_import",
    ast.FunctionDef: "no_function",
    ast.AsyncFunctionDef: "no_function",
    ast.Lambda: "no_function",
    ast.Return: "no_function",
    ast.ClassDef: "no_class",
    ast.If: "no_condition",
    ast.IfExp: "no_condition",
    ast.Match: "no_condition",
    ast.While: "no_while",
    ast.Break: "no_while",
    ast.Continue: "no_while",
    ast.ListComp: "no_comprehension",
    ast.SetComp: "no_comprehension",
    ast.DictComp: "no_comprehension",
    ast.GeneratorExp: "no_comprehension",
    ast.JoinedStr: "no_fstring",
    ast.BoolOp: "no_boolean_word",
    ast.Not: "no_boolean_word",
    ast.Dict: "no_dict",
    ast.Set: "no_dict",
}

_SPELLINGS: Final[dict[str, str]] = {
    "AnnAssign": "x: type = …",
    "NamedExpr": ":=",
    "Slice": "a:b",
    "Starred": "*",
    "IsNot": "is not",
    "NotIn": "not in",
    "YieldFrom": "yield from",
    "TryStar": "try",
    "AsyncFor": "async for",
    "AsyncWith": "async with",
}


def spelling(node: ast.AST) -> str:
    """A construct as the program writes it: most are named after their keyword."""
    name = type(node).__name__
    return _SPELLINGS.get(name, name.lower())


class Source:
    """The text of a program, to turn the tree's byte offsets into lines and columns."""

    def __init__(self, text: str) -> None:
        """Split the text the way Python's tokenizer does."""
        self._lines = text.split("\n")

    def position(self, node: ast.AST) -> Position:
        """The place of a node; the whole first line when it has none of its own."""
        line, end_line = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        return Position(
            line,
            self._column(line, getattr(node, "col_offset", 0)),
            end_line,
            self._column(end_line, getattr(node, "end_col_offset", 0)),
        )

    def operator(self, node: ast.BinOp | ast.Compare, right: ast.expr) -> Position:
        """The place of the operator in front of ``right``: it tells ``a * b + c`` apart."""
        whole, after = self.position(node), self.position(right)
        left = self.position(node.left)
        line, column = left.end_line, left.end_column
        while (line, column) < (after.line, after.column):
            until = after.column - 1 if line == after.line else None
            found = re.search(r"[^\s()\\#]", self._lines[line - 1][column - 1 : until])
            if found and "#" not in self._lines[line - 1][column - 1 : column - 1 + found.start()]:
                return Position(line, column + found.start(), whole.end_line, whole.end_column)
            line, column = line + 1, 1
        return whole

    def end(self) -> Position:
        """The place behind the last line with something in it."""
        filled = [n for n, line in enumerate(self._lines, 1) if line.strip()] or [1]
        column = len(self._lines[filled[-1] - 1]) + 1
        return Position(filled[-1], column, filled[-1], column)

    def _column(self, line: int, offset: int) -> int:
        # The tree counts UTF-8 bytes, people count characters.
        if not 1 <= line <= len(self._lines):
            return 1
        text = self._lines[line - 1]
        if text.isascii():
            return min(offset, len(text)) + 1
        return len(text.encode()[:offset].decode(errors="ignore")) + 1


def placed(error: ProgramError, at: Position) -> ProgramError:
    """The error with a place, unless it has one already."""
    if error.line:
        return error
    params = {key: value for key, value in error.params.items() if key not in {"line", "column"}}
    return ProgramError(error.code, line=at.line, column=at.column, **params)


def normalise(text: str, limit: int) -> str:
    """The text with plain line ends, after the checks that need no tree.

    Args:
        text: The program.
        limit: The most UTF-8 bytes it may have.

    Raises:
        ProgramError: It is too long, or holds characters that no program text can hold.
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    odd = re.search("[\x00\ud800-\udfff]", plain)
    if odd:
        before = plain[: odd.start()]
        line, column = before.count("\n") + 1, odd.start() - before.rfind("\n")
        code_point = f"U+{ord(odd.group()):04X}"
        raise ProgramError("odd_character", line=line, column=column, character=code_point)
    size = len(plain.encode())
    if size > limit:
        raise ProgramError("program_too_long", line=1, column=1, bytes=size, limit=limit)
    return plain


def parse_tree(text: str) -> ast.Module:
    """Parse and check normalised text.

    Raises:
        ProgramError: Not valid Python, nested too deep, or not part of the lab language.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise _syntax_error(error, text) from None
    except (RecursionError, MemoryError):
        raise ProgramError("too_deep", line=1, column=1, limit=MAX_DEPTH) from None
    _check(tree, Source(text))
    return tree


def _syntax_error(error: SyntaxError, text: str) -> ProgramError:
    lines = text.split("\n")
    line = min(max(error.lineno or 1, 1), len(lines))
    column = min(max(error.offset or 1, 1), len(lines[line - 1]) + 1)
    message = error.msg or ""
    near = lines[line - 1].strip()
    near = near if len(near) <= 40 else near[:39] + "…"
    if "too many nested" in message or "too many levels" in message:
        return ProgramError("too_deep", line=line, column=column, limit=MAX_DEPTH)
    if "digits" in message:
        return ProgramError("number_too_large", line=line, column=column)
    if "never closed" in message or "unterminated" in message or "EOF" in message:
        return ProgramError("syntax_unclosed", line=line, column=column, near=near)
    if isinstance(error, IndentationError):
        column = len(lines[line - 1]) - len(lines[line - 1].lstrip()) + 1
        return ProgramError("syntax_indent", line=line, column=column, near=near)
    return ProgramError("syntax", line=line, column=column, near=near)


def _check(tree: ast.Module, source: Source) -> None:
    # A stack instead of recursion: the depth is not known to be small yet.
    stack: list[tuple[ast.AST, ast.AST, int]] = [(tree, tree, 0)]
    refused: list[tuple[Position, str, str]] = []
    while stack:
        node, parent, depth = stack.pop()
        # Operators and the like have no place of their own.
        place = node if hasattr(node, "lineno") else parent
        if depth > MAX_DEPTH:
            at = source.position(place)
            raise ProgramError("too_deep", line=at.line, column=at.column, limit=MAX_DEPTH)
        if type(node) in _ALLOWED:
            children = ast.iter_child_nodes(node)
            stack.extend((child, place, depth + 1) for child in children)
        else:
            code = _REFUSALS.get(type(node), "not_in_language")
            refused.append((source.position(place), code, spelling(node)))
    if refused:
        at, code, what = min(refused)
        raise ProgramError(code, line=at.line, column=at.column, what=what)
