"""Where in a program a kind of change can be made.

In: a program and a kind of change. Out: places, single rounds first, then whole lines of loops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from fusionlab.config import LEAST
from fusionlab.program import Instruction, Program, Read, Register, Sync, Upload
from fusionlab.program.change import Reach
from fusionlab.program.change.literals import outputs_of, scalars_of
from fusionlab.views import words

LIMITS: Final = tuple(LEAST)
"""Kinds of change that need no place: settings of the search."""

_CASTS: Final = frozenset({"Cast", "IntoFloat", "IntoInt"})
_SHAPED: Final = frozenset({"Reshape", "Expand"})


@dataclass(frozen=True, slots=True)
class Place:
    """A place that can be changed: an instruction, its round, its position there, and its name."""

    at: int
    reach: Reach
    round: int
    position: int
    name: str
    line: int


def places(program: Program, kind: str) -> tuple[Place, ...]:
    """Where a kind of change can be made: single rounds first, then whole lines of loops."""
    if kind in LIMITS or kind == "fuser":
        return ()
    fitting = [place for place in all_places(program) if _fits(program, kind, place.at)]
    return (*fitting, *_whole_lines(program, fitting))


def all_places(program: Program) -> Iterator[Place]:
    """Every instruction with its round (from 1; a drain ends one) and its position in the round."""
    number, position, drained = 1, 0, False
    for at, instruction in enumerate(program.instructions):
        drain = isinstance(instruction, Read | Sync)
        if drained and not drain:
            number, position, drained = number + 1, 0, False
        yield Place(at, Reach.ONE, number, position, name_of(instruction), instruction.at.line)
        drained = drained or drain
        position += not drain


def _whole_lines(program: Program, fitting: list[Place]) -> Iterator[Place]:
    """One entry for each place of the text that runs several times."""
    count = Counter(program.instructions[place.at].at for place in fitting)
    seen = set()
    for place in fitting:
        where = program.instructions[place.at].at
        if count[where] > 1 and where not in seen:
            seen.add(where)
            yield Place(place.at, Reach.EVERY, 0, place.position, place.name, place.line)


def name_of(instruction: Instruction) -> str:
    """What a place is called: the op's short name, or the word of the program."""
    match instruction:
        case Register(spec=spec):
            return words.short(spec.name)
        case Upload():
            return "Init"
        case _:
            return type(instruction).__name__.lower()


def _fits(program: Program, kind: str, at: int) -> bool:
    instruction = program.instructions[at]
    made = outputs_of(instruction)
    match kind:
        case "remove" | "move":
            return isinstance(instruction, Read | Sync)
        case "keep":
            return bool(made) and made[0] not in program.kept
        case "release":
            return bool(made) and made[0] in program.kept
        case "sync" | "read":
            return isinstance(instruction, Register | Upload)
        case "scalar":
            return bool(scalars_of(instruction))
    if not isinstance(instruction, Register):
        return kind == "dtype" and isinstance(instruction, Upload)
    name = words.short(instruction.spec.name)
    match kind:
        case "shape":
            return not instruction.inputs or name in _SHAPED
        case "dtype":
            return not instruction.inputs or name in _CASTS
        case _:
            return bool(instruction.inputs)
