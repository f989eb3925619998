"""A change made to a program: a new program, with as little of its text changed as will do.

In: a program and a change. Out: a program that the parser has checked. Texts that may do are tried
in turn: in the text as it is, then with the loop split at the round in question. The first one
counts that does what was asked and leaves the other rounds alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import assert_never

from fusionlab.config import FusionConfig, Limits
from fusionlab.errors import ProgramError
from fusionlab.program.change import lines, literals, operations, settings
from fusionlab.program.change.model import (
    Change,
    DisableFuser,
    DropValue,
    InsertRead,
    InsertSync,
    InText,
    Keep,
    Move,
    Reach,
    Release,
    Remove,
    ReplaceOp,
    SetDtype,
    SetLimit,
    SetScalar,
    SetShape,
)
from fusionlab.program.change.peel import peeled
from fusionlab.program.change.same import keys, only_this_round
from fusionlab.program.change.source import SourceText
from fusionlab.program.model import Program, Register
from fusionlab.program.parser import parse_program


def apply(program: Program | str, change: Change, limits: Limits | None = None) -> Program:
    """The changed program.

    Args:
        program: A parsed program, or its text.
        change: What to change; ``at`` counts the instructions of this program.
        limits: Upper bounds for the changed program.

    Raises:
        ProgramError: What the parser says about the changed text (``source`` is the line that it
            means), ``change_impossible`` when no text does what was asked, ``change_place`` when
            there is no such instruction.
    """
    if isinstance(program, str):
        program = parse_program(program, limits=limits)
    if isinstance(change, DisableFuser):
        return _without_fuser(program, change.fuser)
    if isinstance(change, SetLimit):
        texts = settings.limit_texts(SourceText(program), change)
        return _like(program, parse_program(next(texts), program.name, limits))
    for index in (change.at, getattr(change, "after", 0)):
        if not 0 <= index < len(program.instructions):
            raise ProgramError("change_place", at=index, count=len(program.instructions))
    return _like(program, _first_that_does(program, change, limits))


def _like(program: Program, changed: Program) -> Program:
    """The changed program with what no text can say: fusers that are switched off."""
    extra = {name: value for name, value in program.settings.items() if name == _FUSERS}
    if not extra:
        return changed
    return replace(changed, settings=MappingProxyType({**changed.settings, **extra}))


_FUSERS = "disabled_fusers"


def _without_fuser(program: Program, fuser: str) -> Program:
    off = program.configure(FusionConfig()).disabled_fusers | {fuser}
    return replace(program, settings=MappingProxyType({**program.settings, _FUSERS: off}))


def _first_that_does(program: Program, change: InText, limits: Limits | None) -> Program:
    refused: ProgramError | None = None
    for base in _bases(program, change):
        for text in _texts(SourceText(base), change):
            try:
                changed = parse_program(text, program.name, limits)
            except ProgramError as error:
                refused = refused or _with_line(error, text)
                continue
            if _does(base, changed, change) and _stays_here(program, base, changed, change):
                return changed
    place = program.instructions[change.at].at
    raise refused or ProgramError("change_impossible", line=place.line, column=place.column)


def _bases(program: Program, change: InText) -> Iterator[Program]:
    yield program
    if change.reach is Reach.ONE:
        split = peeled(program, change.at)
        if split is not None:
            yield split


def _with_line(error: ProgramError, text: str) -> ProgramError:
    lines_of_text = text.split("\n")
    line = lines_of_text[error.line - 1].strip() if 0 < error.line <= len(lines_of_text) else ""
    return ProgramError(error.code, **{**error.params, "source": line})  # type: ignore[arg-type]


def _texts(source: SourceText, change: InText) -> Iterator[str]:
    match change:
        case SetShape():
            return literals.shape_texts(source, change)
        case SetScalar():
            return literals.scalar_texts(source, change)
        case SetDtype():
            return literals.dtype_texts(source, change)
        case ReplaceOp():
            return operations.op_texts(source, change)
        case Keep():
            return operations.keep_texts(source, change)
        case Release():
            return operations.release_texts(source, change)
        case InsertSync():
            return lines.sync_texts(source, change)
        case InsertRead():
            return lines.read_texts(source, change)
        case DropValue():
            return lines.drop_texts(source, change)
        case Remove():
            return lines.remove_texts(source, change)
        case Move():
            return lines.move_texts(source, change)
        case _:
            assert_never(change)


def _does(before: Program, after: Program, change: InText) -> bool:
    """Whether the instruction is what was asked for."""
    at = change.at
    match change:
        case SetShape(shape=shape):
            made = _made(after, at)
            return made is not None and after.values[made].shape == shape
        case SetDtype(dtype=dtype):
            return at < len(after.instructions) and literals.dtype_of(after, at) is dtype
        case SetScalar(value=value, index=index):
            scalars = _scalars(after, at)
            return index < len(scalars) and scalars[index] == value
        case Keep():
            return _made(after, at) in after.kept
        case Release():
            made = _made(after, at)
            return made is not None and made not in after.kept
        case ReplaceOp():
            return _another_op(before, after, at)
        case InsertSync() | InsertRead() | DropValue() | Remove() | Move():
            # A sync of an empty queue is an instruction too, so something always differs.
            return keys(before) != keys(after) or _moves(before) != _moves(after)
        case _:
            assert_never(change)


def _made(program: Program, at: int) -> int | None:
    made = literals.outputs_of(program.instructions[at]) if at < len(program.instructions) else ()
    return made[0] if made else None


def _scalars(program: Program, at: int) -> list[float | int | bool]:
    return literals.scalars_of(program.instructions[at]) if at < len(program.instructions) else []


def _another_op(before: Program, after: Program, at: int) -> bool:
    if at >= len(after.instructions):
        return True
    old, new = before.instructions[at], after.instructions[at]
    return not (isinstance(old, Register) and isinstance(new, Register) and old.spec is new.spec)


def _moves(program: Program) -> list[tuple[bool, ...]]:
    return [
        tuple(use.moves for use in instruction.inputs)
        for instruction in program.instructions
        if isinstance(instruction, Register)
    ]


def _stays_here(program: Program, base: Program, changed: Program, change: InText) -> bool:
    """Whether only the round in question changed; in a split loop it cannot be otherwise."""
    if change.reach is Reach.EVERY or base is not program:
        return True
    others = (program.kept ^ changed.kept) - {_made(program, change.at)}
    if isinstance(change, Keep | Release) and others:
        return False
    return only_this_round(program, changed, change.at)
