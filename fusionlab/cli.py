"""The command line: ``python -m fusionlab …``, installed also as ``fusionlab``.

Each command reads files or ``-``, writes to stdout, and says one clear line on stderr and exits
with 2 when its input is wrong. A command is one small function that imports what it needs, so that
``--help`` costs nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import click

from fusionlab.config import Limits
from fusionlab.errors import FusionLabError, ProgramError

if TYPE_CHECKING:
    from fusionlab.program import Program

STDIN: Final = "-"

_MOST_BYTES: Final = 1 << 20
"""More is never read of a program: its own limit is far below."""


class InputError(click.ClickException):
    """The input is wrong: one line on stderr, exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the line."""
        click.echo(self.format_message(), file=file, err=True)


class Commands(click.Group):
    """A group whose commands report every error of ours the same way."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error without a file becomes a line with its sentence."""
        try:
            return super().invoke(ctx)
        except FusionLabError as error:
            raise InputError(_sentence(error)) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Step through how burn decides which tensor ops to fuse."""


@main.command("compile")
@click.argument("program")
def compile_command(program: str) -> None:
    """Write the op stream of PROGRAM (a .lab file or -) as one line of JSON."""
    import json  # noqa: PLC0415

    from fusionlab.program import compile_program  # noqa: PLC0415

    click.echo(json.dumps(compile_program(load_program(program)), ensure_ascii=False))


def load_program(path: str) -> Program:
    """Parse a program file, or stdin for ``-``.

    Raises:
        InputError: It cannot be read or is no program: ``file:line:column: sentence``.
    """
    from fusionlab.program import parse_program  # noqa: PLC0415

    shown = "<stdin>" if path == STDIN else path
    text = read_text(path)
    try:
        return parse_program(text, "stdin" if path == STDIN else Path(path).stem, Limits())
    except ProgramError as error:
        raise InputError(f"{shown}:{error.line}:{error.column}: {_sentence(error)}") from error


def read_text(path: str) -> str:
    """The text of a file, or of stdin for ``-``.

    Raises:
        InputError: It cannot be read, or is not UTF-8.
    """
    shown = "<stdin>" if path == STDIN else path
    try:
        with click.open_file(path, "rb") as stream:
            data = bytes(stream.read(_MOST_BYTES))
        # What was cut off may have been half a character.
        return data.decode("utf-8", errors="ignore" if len(data) == _MOST_BYTES else "strict")
    except OSError as error:
        raise InputError(f"{shown}: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"{shown}: not UTF-8 text ({error})") from error


def _sentence(error: FusionLabError) -> str:
    from fusionlab.i18n import texts  # noqa: PLC0415

    english, key = texts("en"), f"error.{error.code}"
    return english(key, **error.params) if key in english else str(error)
