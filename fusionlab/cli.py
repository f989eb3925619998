"""The command line: ``python -m fusionlab …``, installed also as ``fusionlab``.

Each command reads files or ``-``, writes to stdout, and says one clear line on stderr and exits
with 2 when its input is wrong. A command is one small function that imports what it needs, so that
``--help`` costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import click

from fusionlab.config import LEAST, Limits
from fusionlab.errors import FusionLabError, ProgramError

if TYPE_CHECKING:
    from fusionlab.burn_config import BurnSettings
    from fusionlab.config import FusionConfig
    from fusionlab.events.run import Run
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


@main.command()
@click.argument("program")
@click.option("--log", "level", type=click.Choice(["disabled", "basic", "medium", "full"]))
@click.option("--format", "form", type=click.Choice(["burn", "json", "table"]), default="burn")
@click.option("--max-blocks", type=click.IntRange(min=LEAST["max_blocks"]))
@click.option("--max-explorations", type=click.IntRange(min=LEAST["max_explorations"]))
@click.option("--no-execute", is_flag=True, help="Decide only, compute nothing.")
def trace(
    program: str,
    level: str | None,
    form: str,
    max_blocks: int | None,
    max_explorations: int | None,
    *,
    no_execute: bool,
) -> None:
    """Show every decision for PROGRAM, in burn's own log lines.

    Without --log the level is that of BURN_FUSION_LOG or burn.toml, else full. --format json writes
    the facts as JSON lines, table the execution tables alone.
    """
    from fusionlab.trace_output import write_trace  # noqa: PLC0415

    settings = _settings(max_blocks, max_explorations)
    run = _run(program, settings.config, execute=not no_execute)
    for text in write_trace(run, form, level or settings.log_level or "full"):
        click.echo(text)
    _stop_on_failure(program, run)


@main.command()
@click.argument("program")
@click.option("--check", is_flag=True, help="Compare every read with plain NumPy.")
def run(program: str, *, check: bool) -> None:
    """Execute PROGRAM and show what it reads."""
    done = _run(program, _settings(None, None).config, check=check)
    for value in done.outputs:
        shape = "×".join(map(str, value.shape)) or "scalar"
        verdict = {True: "  equals NumPy", False: "  DIFFERS FROM NUMPY", None: ""}[value.agrees]
        shown = ", ".join(f"{number:.6g}" for number in value.first)
        click.echo(f"t{value.tensor}: {value.dtype.value}[{shape}] = {shown}{verdict}")
    _stop_on_failure(program, done)
    if any(value.agrees is False for value in done.outputs):
        raise click.exceptions.Exit(1)


@main.command()
@click.argument("program")
def kernels(program: str) -> None:
    """Show the generated source of each fused kernel of PROGRAM."""
    done = _run(program, _settings(None, None).config)
    for source_id, text in done.sources.items():
        click.echo(f"# kernel {source_id}\n{text.rstrip()}\n")
    _stop_on_failure(program, done)


@main.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--out", type=click.File("w", encoding="utf-8"), default=STDIN)
def conformance(files: tuple[str, ...], out: IO[str]) -> None:
    """Decide op streams: FILES hold one JSON program a line (.jsonl, .jsonl.gz or -)."""
    import json  # noqa: PLC0415

    from fusionlab.conformance import run_lines  # noqa: PLC0415

    for path in files:
        try:
            for result in run_lines(_lines(path)):
                out.write(json.dumps(result, ensure_ascii=False) + "\n")
        except (OSError, EOFError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


@main.command()
@click.option("--seed", type=int, default=0, show_default=True, help="Which quiz.")
@click.option("--count", type=click.IntRange(1, 100_000), default=1, show_default=True)
@click.option("--kind", "kinds", multiple=True, help="Only this kind (may be given again).")
@click.option("--lang", type=click.Choice(["en", "zh"]), default="en", show_default=True)
@click.option("--json", "machine", is_flag=True, help="One JSON object a line.")
@click.option("--paper", type=click.Path(dir_okay=False), help="Write a sheet and an answer sheet.")
def quiz(
    seed: int, count: int, kinds: tuple[str, ...], lang: str, paper: str | None, *, machine: bool
) -> None:
    """Write quiz items; every answer is the engine's. The same seed gives the same items.

    --paper sheet.html writes sheet.html and sheet-answers.html (or .md).
    """
    from fusionlab.i18n import texts  # noqa: PLC0415
    from fusionlab.lab.decide import decide  # noqa: PLC0415
    from fusionlab.learn.quiz import written  # noqa: PLC0415

    if paper is not None:
        _write_paper(Path(paper), seed, count, kinds, lang)
        return
    for text in written(seed, count, kinds, decide, texts(lang), machine=machine):
        click.echo(text)


@main.command()
@click.argument("program")
@click.option("--to", "target", required=True, help="out.html, out.svg, out.json or out.log.")
@click.option("--step", "steps", default="0", help="A step (12), or a strip of steps (12-15).")
@click.option("--lang", type=click.Choice(["en", "zh"]), default="en")
@click.option("--theme", type=click.Choice(["light", "dark"]), default="light")
def export(program: str, target: str, steps: str, lang: str, theme: str) -> None:
    """Write the run of PROGRAM to a file: the whole player, a picture, the facts, or burn's log.

    Steps are counted as on the screen, at the level of decisions. The .html file needs no network.
    """
    from fusionlab.export.files import export_text  # noqa: PLC0415
    from fusionlab.i18n import texts  # noqa: PLC0415

    done = _run(program, _settings(None, None).config)
    text = export_text(done, target, texts(lang), steps, theme)
    _write(target, text)
    _stop_on_failure(program, done)


@main.command()
@click.option("--json", "machine", is_flag=True, help="One JSON object a line, one line a row.")
@click.option("--quick", is_flag=True, help="Fewer rounds, and nothing above 2048².")
@click.option("--workload", "only", help="Only this workload.")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True)
def bench(only: str | None, threads: int, *, machine: bool, quick: bool) -> None:
    """Measure the fused kernels on this machine, beside NumPy and whoever else is installed."""
    from functools import partial  # noqa: PLC0415

    from fusionlab.bench.command import bench_lines  # noqa: PLC0415

    tell = partial(click.echo, err=True) if sys.stderr.isatty() else lambda _: None
    for text in bench_lines(
        quick=quick, only=only, threads=threads, machine_readable=machine, tell=tell
    ):
        click.echo(text)


def _write_paper(path: Path, seed: int, count: int, kinds: tuple[str, ...], lang: str) -> None:
    from fusionlab.i18n import texts  # noqa: PLC0415
    from fusionlab.lab.decide import decide  # noqa: PLC0415
    from fusionlab.learn.paper import sheets  # noqa: PLC0415

    html = path.suffix == ".html"
    made = sheets(seed, count, kinds, decide, texts(lang), html=html)
    answers = path.with_name(f"{path.stem}-answers{path.suffix}")
    try:
        path.write_text(made.exercises, "utf-8")
        answers.write_text(made.answers, "utf-8")
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}") from error
    click.echo(f"{path}\n{answers}")


@main.command()
@click.option("--check", is_flag=True, help="Hold every claim against the engine.")
def lessons(*, check: bool) -> None:
    """List the lessons; with --check, say what in them is not true."""
    from fusionlab.lab.decide import decide  # noqa: PLC0415
    from fusionlab.learn.lessons import lessons, problems  # noqa: PLC0415

    found = 0
    for lesson in lessons():
        wrong = list(problems(lesson, decide)) if check else []
        found += len(wrong)
        click.echo(f"{lesson.slug}: {len(lesson.claims)} claims{', checked' if check else ''}")
        for problem in wrong:
            click.echo(f"  {problem}", err=True)
    if found:
        raise click.exceptions.Exit(1)


@main.command()
@click.argument("log")
@click.option("--to", "target", help="Also write the rebuilt run: out.html, out.svg, out.json.")
@click.option("--lang", type=click.Choice(["en", "zh"]), default="en")
def explain(log: str, target: str | None, lang: str) -> None:
    """Rebuild the run behind LOG (printed by burn under BURN_FUSION_LOG=full, or -) and report.

    The exit code is 0 when every line is explained, else 1.
    """
    from fusionlab.explain import explain as explain_log  # noqa: PLC0415
    from fusionlab.explain import report  # noqa: PLC0415
    from fusionlab.export.files import export_text  # noqa: PLC0415
    from fusionlab.i18n import texts  # noqa: PLC0415

    found = explain_log(read_text(log), "stdin" if log == STDIN else Path(log).name)
    click.echo(report(found, texts(lang)))
    if target is not None:
        _write(target, export_text(found.run, target, texts(lang), "0"))
    if not found.complete:
        raise click.exceptions.Exit(1)


def _write(target: str, text: str) -> None:
    try:
        Path(target).write_text(text, "utf-8")
    except OSError as error:
        raise InputError(f"{target}: {error.strerror or error}") from error
    click.echo(target)


def _lines(path: str) -> Iterable[str]:
    from fusionlab.conformance import read_lines  # noqa: PLC0415

    return sys.stdin if path == STDIN else read_lines(Path(path))


def _settings(max_blocks: int | None, max_explorations: int | None) -> BurnSettings:
    """What burn would read here, with the options over it."""
    import os  # noqa: PLC0415
    from dataclasses import replace  # noqa: PLC0415

    from fusionlab.burn_config import burn_settings  # noqa: PLC0415

    found = burn_settings(Path.cwd(), os.environ)
    config = found.config
    if max_blocks is not None:
        config = replace(config, max_blocks=max_blocks)
    if max_explorations is not None:
        config = replace(config, max_explorations=max_explorations)
    return replace(found, config=config)


def _run(path: str, config: FusionConfig, *, execute: bool = True, check: bool = False) -> Run:
    from fusionlab.lab import Lab  # noqa: PLC0415

    name = "stdin" if path == STDIN else Path(path).stem
    return Lab(config).run_text(read_text(path), name, execute=execute, check=check)


def _stop_on_failure(path: str, run: Run) -> None:
    """Say on stderr what ended the run, if something did."""
    from fusionlab.events.facts import RunFailed  # noqa: PLC0415

    fact = run.events[-1].fact if run.events else None
    if isinstance(fact, RunFailed):
        values = dict(fact.params)
        place = f"{values['line']}:{values['column']}: " if "line" in values else ""
        shown = "<stdin>" if path == STDIN else path
        raise InputError(f"{shown}:{place or ' '}{_sentence(FusionLabError(fact.code, **values))}")


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

    return texts("en").problem(error.code, error.params)
