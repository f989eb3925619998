"""Runs of the gallery's programs, decisions only unless a test asks for more."""

from functools import cache
from pathlib import Path

from fusionlab.events.facts import Fact
from fusionlab.events.run import Run
from fusionlab.lab import Lab

PROGRAMS = Path(__file__).resolve().parents[2] / "fusionlab" / "content" / "programs"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.lab"))


def program(name: str) -> str:
    return (PROGRAMS / f"{name}.lab").read_text("utf-8")


@cache
def run(name: str) -> Run:
    return Lab().run_text(program(name), f"{name}.lab", execute=False)


@cache
def executed(name: str) -> Run:
    return Lab().run_text(program(name), f"{name}.lab", check=True)


def steps_of(of: Run, kind: type[Fact]) -> list[int]:
    """The steps of all facts of a kind."""
    return [event.step for event in of.events if isinstance(event.fact, kind)]
