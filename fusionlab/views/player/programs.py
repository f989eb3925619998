"""Where the program is at each step: the line, and what of it can be marked with certainty.

In: program lines and the columns with their lines. Out: places, and names of created tensors.
A name or a mark is given only when the text leaves no doubt; else it is left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from itertools import groupby

from fusionlab.views import words
from fusionlab.views.player.pool import Json
from fusionlab.views.player.track import Column

_SYMBOLS = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Matmul": "@"}


def place_of(lines: Sequence[str], column: Column) -> Json | None:
    """The line of a column, with the op's characters when they occur exactly once."""
    if not 1 <= column.line <= len(lines):
        return None
    place: Json = {"line": column.line}
    mark = _mark(lines[column.line - 1], column)
    if mark is not None:
        place["mark"] = mark
    return place


def _mark(text: str, column: Column) -> list[int] | None:
    if column.op is None:
        found = list(re.finditer(r"\b(read|sync)\b", text))
    else:
        name = words.short(column.op.kind)
        symbol = _SYMBOLS.get(name.removesuffix("Scalar"), "")
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        pattern = rf"\b{re.escape(snake)}(?=\()"
        found = list(re.finditer(pattern, text))
        if not found and symbol:
            found = list(re.finditer(rf"(?<![*/]){re.escape(symbol)}(?![*/])", text))
    return [found[0].start(), found[0].end()] if len(found) == 1 else None


def names_of_created(lines: Sequence[str], columns: Sequence[Column]) -> dict[int, str]:
    """The program's names of tensors that are created, by column.

    ``a, b = random(8), random(8)`` names two; a line whose names and creations do not pair up
    names none.
    """
    created = [(index, column) for index, column in enumerate(columns) if column.size == "small"]
    names: dict[int, str] = {}
    for line, group in groupby(created, key=lambda item: item[1].line):
        targets = _targets(lines[line - 1]) if 1 <= line <= len(lines) else []
        members = list(group)
        if targets and len(members) % len(targets) == 0:
            for order, (index, _) in enumerate(members):
                names[index] = targets[order % len(targets)]
    return names


def _targets(text: str) -> list[str]:
    """The names that an assignment of one line binds."""
    try:
        (statement,) = ast.parse(text.strip()).body
    except (SyntaxError, ValueError):
        return []
    if not isinstance(statement, ast.Assign):
        return []
    target = statement.targets[0]
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return [part.id for part in parts if isinstance(part, ast.Name)]
