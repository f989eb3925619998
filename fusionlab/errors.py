"""Errors, sorted by whose fault they are.

Every error carries a ``code`` and parameters; the sentence a person reads comes from the
language catalog (``error.<code>``), never from here. Positions count lines and columns from 1.
"""

from __future__ import annotations


class FusionLabError(Exception):
    """Base of all errors of FusionLab: a code for the catalog and its parameters."""

    def __init__(self, code: str, **params: object) -> None:
        """Keep the catalog code and the named values that fill its placeholders."""
        super().__init__(f"{code} {params}" if params else code)
        self.code = code
        self.params = params


class ProgramError(FusionLabError):
    """The learner's program is wrong at ``line``/``column`` (1-based)."""

    def __init__(self, code: str, *, line: int = 0, column: int = 0, **params: object) -> None:
        """Keep the place in the program text beside the code and its parameters."""
        super().__init__(code, line=line, column=column, **params)
        self.line = line
        self.column = column


class ContentError(FusionLabError):
    """A shipped lesson, catalog or program is wrong: fails at load time and in CI."""


class UnsupportedError(FusionLabError):
    """Burn can do this, the lab cannot (yet); names the op."""


class ExecutionError(FusionLabError):
    """An op failed while it ran (for example an index out of range)."""


class InvariantError(FusionLabError):
    """Our bug: the engine reached a state that its own rules exclude."""
