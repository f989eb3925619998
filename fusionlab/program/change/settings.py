"""Changing what the search may do: the program's own ``config(…)`` line, or a new one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fusionlab.program.change.model import SetLimit
from fusionlab.program.change.source import Edit, SourceText, edited


def limit_texts(source: SourceText, change: SetLimit) -> Iterator[str]:
    """Texts in which the setting has the value."""
    calls = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "config"
    ]
    written = f"{change.name}={change.value}"
    for call in reversed(calls):
        for keyword in call.keywords:
            if keyword.arg == change.name:
                yield edited(source.text, [Edit(*source.span(keyword), written)])
                return
    if calls:
        end = source.span(calls[-1].keywords[-1])[1]
        yield edited(source.text, [Edit(end, end, f", {written}")])
        return
    start = source.line_span(source.tree.body[0])[0] if source.tree.body else len(source.text)
    yield edited(source.text, [Edit(start, start, f"config({written})\n")])
