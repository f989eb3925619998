"""Program text to an unrolled program: every loop done, every word turned into ops.

In: text. Out: a ``Program``. Nothing is executed here and no Python code of the learner ever is:
the syntax tree is walked, and the walk itself is bounded (steps, loop lengths, nesting).

A name is a handle of its value. When the last name of a value that nothing uses is bound to
something else, deleted, or the program ends, the value is dropped there; temporaries go at the end
of their statement. At the end of the program names go in reverse order, as in Rust.
"""

from __future__ import annotations

import ast
from types import MappingProxyType

from fusionlab.config import Limits
from fusionlab.program.liveness import resolve
from fusionlab.program.model import Program
from fusionlab.program.statements import Statements
from fusionlab.program.syntax import Source, normalise, parse_tree
from fusionlab.program.trace import Trace


def parse_program(text: str, name: str = "", limits: Limits | None = None) -> Program:
    """Check and unroll a program.

    Args:
        text: The program.
        name: What to call it.
        limits: Upper bounds; those of a default lab when not given.

    Returns:
        Its instructions, with the place in the text that each comes from.

    Raises:
        ProgramError: The text is no program of the lab language, an op does not fit its tensors,
            or a limit is exceeded. Names line and column.
    """
    bounds = limits or Limits()
    plain = normalise(text, bounds.program_bytes)
    tree: ast.Module = parse_tree(plain)
    trace = Trace(bounds)
    statements = Statements(trace, Source(plain))
    statements.run(tree.body)
    return Program(
        name=name,
        text=text,
        settings=MappingProxyType(statements.settings),
        instructions=resolve(trace),
        values=tuple(trace.values),
        kept=frozenset(trace.kept),
    )
