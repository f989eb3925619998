"""Which use of a value is its last one: there the handle moves, everywhere else it is cloned.

In: the steps of an unrolled program. Out: its instructions. A value that is held by ``keep`` never
moves; a value that nothing reads is dropped where its last name ends. ``drop(x)`` and ``del x``
count as uses: they queue a ``Drop`` op when nothing uses the value later (and end a ``keep``).

Liveness is part of a plan's key, so this decides what can hit the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import assert_never

from fusionlab.errors import ProgramError
from fusionlab.program.model import Drop, Instruction, Read, Register, Sync, Upload, Use
from fusionlab.program.trace import (
    DropStep,
    OpStep,
    ReadStep,
    Step,
    SyncStep,
    Trace,
    UploadStep,
    byte_size,
)


def resolve(trace: Trace) -> tuple[Instruction, ...]:
    """The instructions of a finished trace.

    Raises:
        ProgramError: More bytes are alive at once than the limit allows.
    """
    instructions = tuple(_instructions(trace))
    _check_memory(trace, instructions)
    return instructions


def _reads(step: Step) -> tuple[int, ...]:
    match step:
        case OpStep(inputs=inputs):
            return inputs
        case ReadStep(value=value) | DropStep(value=value):
            return (value,)
        case UploadStep() | SyncStep():
            return ()
        case _:
            assert_never(step)


def _last_uses(steps: Sequence[Step]) -> dict[int, int]:
    return {value: position for position, step in enumerate(steps) for value in _reads(step)}


def _instructions(trace: Trace) -> Iterator[Instruction]:
    last = _last_uses(trace.steps)
    for kept in trace.kept:
        last.pop(kept, None)
    for position, step in enumerate(trace.steps):
        match step:
            case OpStep():
                uses = _uses(step.inputs, position, last)
                yield Register(step.spec, uses, step.outputs, step.args, step.stream, step.at)
            case UploadStep():
                yield Upload(step.output, step.values, step.stream, step.at)
            case ReadStep():
                (use,) = _uses((step.value,), position, last)
                yield Read(use, trace.homes[step.value], step.at)
            case SyncStep():
                yield Sync(step.stream, step.at)
            case DropStep():
                if last.get(step.value) == position:
                    yield Drop(step.value, step.stream, step.at)
            case _:
                assert_never(step)


def _uses(values: tuple[int, ...], position: int, last: dict[int, int]) -> tuple[Use, ...]:
    """Of several uses by one step only the last can move: operands are consumed in order."""
    return tuple(
        Use(value, last.get(value) == position and value not in values[index + 1 :])
        for index, value in enumerate(values)
    )


def _check_memory(trace: Trace, instructions: Sequence[Instruction]) -> None:
    sizes = [byte_size(tensor.shape, tensor.dtype) for tensor in trace.values]
    alive = 0
    for instruction in instructions:
        made, gone = _made_and_gone(instruction)
        alive += sum(sizes[value] for value in made)
        if alive > trace.limits.live_bytes:
            raise ProgramError(
                "too_much_memory",
                line=instruction.at.line,
                column=instruction.at.column,
                mib=ceil(alive / 2**20),
                limit=round(trace.limits.live_bytes / 2**20),
            )
        alive -= sum(sizes[value] for value in gone)


def _made_and_gone(instruction: Instruction) -> tuple[tuple[int, ...], tuple[int, ...]]:
    match instruction:
        case Register(inputs=inputs, outputs=outputs):
            return outputs, tuple(use.value for use in inputs if use.moves)
        case Upload(output=output):
            return (output,), ()
        case Read(use=use):
            return (), (use.value,) if use.moves else ()
        case Drop(value=value):
            return (), (value,)
        case Sync():
            return (), ()
        case _:
            assert_never(instruction)
