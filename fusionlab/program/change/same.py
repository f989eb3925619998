"""When two programs ask for the same ops: what must stay equal where nothing was changed.

Places in the text are left out, and so is which use of a value is its last: a ``keep`` further
down changes that for ops in front of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from fusionlab.program.model import (
    Drop,
    Instruction,
    Program,
    Read,
    Register,
    Sync,
    Upload,
)

Key = tuple[object, ...]


def key(instruction: Instruction, program: Program) -> Key:
    """What an instruction asks for, without where it stands."""
    match instruction:
        case Register(spec=spec, inputs=inputs, outputs=outputs, args=args, stream=stream):
            read = tuple(use.value for use in inputs)
            return (spec.name, read, _described(program, outputs), args, stream)
        case Upload(output=output, values=values, stream=stream):
            return ("upload", _described(program, (output,)), values, stream)
        case Read(use=use, stream=stream):
            return ("read", use.value, stream)
        case Sync(stream=stream):
            return ("sync", stream)
        case Drop(value=value, stream=stream):
            return ("drop", value, stream)
        case _:
            assert_never(instruction)


def _described(program: Program, outputs: Sequence[int]) -> Key:
    return tuple(
        (value, program.values[value].shape, program.values[value].dtype) for value in outputs
    )


def keys(program: Program) -> list[Key]:
    """The keys of all instructions."""
    return [key(instruction, program) for instruction in program.instructions]


def same_ops(one: Program, two: Program) -> bool:
    """Whether both ask for the same, instruction by instruction."""
    return one.kept == two.kept and keys(one) == keys(two)


def only_this_round(before: Program, after: Program, at: int) -> bool:
    """Whether the other rounds of the place of instruction ``at`` are what they were.

    Rounds in front are compared exactly. Rounds behind may work on values with other numbers, so
    only what they make is compared, from the end of the program.
    """
    place = before.instructions[at].at
    same = [n for n, instruction in enumerate(before.instructions) if instruction.at == place]
    past = max((n + 1 for n in same if n < at), default=0)
    if keys(before)[:past] != keys(after)[:past]:
        return False
    coming = min((n for n in same if n > at), default=len(before.instructions))
    count = len(before.instructions) - coming
    return not count or _makes(before, count) == _makes(after, count)


def _makes(program: Program, count: int) -> list[Key]:
    return [_made(program, instruction) for instruction in program.instructions[-count:]]


def _made(program: Program, instruction: Instruction) -> Key:
    outputs = getattr(instruction, "outputs", ())
    shapes = tuple((program.values[v].shape, program.values[v].dtype) for v in outputs)
    spec = getattr(instruction, "spec", None)
    return (type(instruction), spec, shapes, getattr(instruction, "args", ()))
