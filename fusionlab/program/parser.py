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
from fusionlab.errors import ProgramError
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
    program, error = parse_partial(text, name, limits)
    if error is not None:
        raise error
    return program


def parse_partial(
    text: str, name: str = "", limits: Limits | None = None
) -> tuple[Program, ProgramError | None]:
    """Check and unroll a program as far as it goes.

    Returns:
        The program up to the first error, and that error (``None``: the whole program). Values
        that are still named where the error is count as used later.
    """
    bounds = limits or Limits()
    trace = Trace(bounds)
    statements, error = _unroll(text, trace)
    try:
        instructions = resolve(trace)
    except ProgramError as too_much:
        return Program(name, text, MappingProxyType({}), (), (), frozenset()), too_much
    program = Program(
        name=name,
        text=text,
        settings=MappingProxyType(statements.settings if statements else {}),
        instructions=instructions,
        values=tuple(trace.values),
        kept=frozenset(trace.kept),
    )
    return program, error


def _unroll(text: str, trace: Trace) -> tuple[Statements | None, ProgramError | None]:
    error: ProgramError | None = None
    statements: Statements | None = None
    try:
        plain = normalise(text, trace.limits.program_bytes)
        try:
            tree = parse_tree(plain)
        except ProgramError as wrong:
            tree, error = _lines_before(plain, wrong)
        statements = Statements(trace, Source(plain))
        statements.run(tree.body, ends=error is None)
    except ProgramError as wrong:
        error = wrong
    if error is not None and statements is not None:
        trace.kept |= statements.held()
    return statements, error


def _lines_before(plain: str, error: ProgramError) -> tuple[ast.Module, ProgramError]:
    """The statements in front of the line that cannot be read."""
    lines = plain.split("\n")[: max(error.line - 1, 0)]
    while lines:
        try:
            return parse_tree("\n".join(lines)), error
        except ProgramError:
            lines.pop()
    return ast.Module([], []), error
