"""Changing a number or a name that the program's text holds: shapes, scalars, element types.

Nothing is traced back through the program. Every literal that holds the old value is tried, those
next to the instruction first, and the parser says what each of them does. That finds the ``64`` in
the header of a loop as well as the one in the call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fusionlab.errors import ProgramError
from fusionlab.ir.operation import Scalar
from fusionlab.ir.tensor import DType
from fusionlab.program.change.model import SetDtype, SetScalar, SetShape
from fusionlab.program.change.source import Edit, SourceText, edited
from fusionlab.program.model import Instruction, Program, Register
from fusionlab.program.parser import parse_program
from fusionlab.program.words import WORDS

MOST_WORK = 400_000
"""Instructions that may be unrolled again while looking for the literal."""


def shape_texts(source: SourceText, change: SetShape) -> Iterator[str]:
    """Texts in which the instruction may make another shape."""
    made = outputs_of(source.program.instructions[change.at])
    if not made:
        return
    old = source.program.values[made[0]].shape
    if len(old) == len(change.shape):
        yield from _by_literals(source, change)
    yield from _by_arguments(source, change)


def _by_literals(source: SourceText, change: SetShape) -> Iterator[str]:
    """One literal after the other, each of which brings one more dimension to its goal."""
    program = source.program
    work = MOST_WORK
    old = _shape_of(program, change.at)
    wrong = [n for n, (was, goal) in enumerate(zip(old, change.shape, strict=True)) if was != goal]
    if not wrong:
        return
    for start, end in _numbers(source, old[wrong[0]], change.at):
        work -= len(program.instructions) + 1
        if work < 0:
            return
        text = edited(source.text, [Edit(start, end, str(change.shape[wrong[0]]))])
        if len(wrong) == 1:
            yield text
            continue
        step = _parsed(text, program)
        if step is None:
            # A half changed shape need not fit: go on with the text alone.
            yield from _both(source, change, (start, end), wrong)
        elif _closer(_shape_of(step, change.at), change.shape, old):
            if _shape_of(step, change.at) == change.shape:
                yield text
            else:
                yield from _by_literals(SourceText(step), change)


def _both(
    source: SourceText, change: SetShape, first: tuple[int, int], wrong: list[int]
) -> Iterator[str]:
    """The literal found for one dimension, with each one that may be that of the next."""
    old = _shape_of(source.program, change.at)
    for second in _numbers(source, old[wrong[1]], change.at):
        if second != first:
            goals = [(first, wrong[0]), (second, wrong[1])]
            yield edited(source.text, [Edit(*span, str(change.shape[n])) for span, n in goals])


def _closer(now: tuple[int, ...], goal: tuple[int, ...], old: tuple[int, ...]) -> bool:
    right = [n == g for n, g in zip(now, goal, strict=False)]
    before = [n == g for n, g in zip(old, goal, strict=False)]
    return len(now) == len(goal) and sum(right) > sum(before)


def _by_arguments(source: SourceText, change: SetShape) -> Iterator[str]:
    """The call names the shape itself: its positional arguments become the extents."""
    node = source.node_of(source.program.instructions[change.at].at)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
        return
    written = ", ".join(map(str, change.shape))
    start, end = source.span(node.args[0])[0], source.span(node.args[-1])[1]
    for new in (written, f"({written},)" if len(change.shape) == 1 else f"({written})"):
        yield edited(source.text, [Edit(start, end, new)])


def _shape_of(program: Program, at: int) -> tuple[int, ...]:
    return program.values[outputs_of(program.instructions[at])[0]].shape


def outputs_of(instruction: Instruction) -> tuple[int, ...]:
    """The values that an instruction makes."""
    if isinstance(instruction, Register):
        return instruction.outputs
    output = getattr(instruction, "output", None)
    return () if output is None else (output,)


def scalars_of(instruction: Instruction) -> list[float | int | bool]:
    """The scalar arguments of an instruction, in the order of its arguments."""
    if not isinstance(instruction, Register):
        return []
    return [value.value for _, value in instruction.args if isinstance(value, Scalar)]


def scalar_texts(source: SourceText, change: SetScalar) -> Iterator[str]:
    """Texts in which the instruction may get another scalar."""
    values = scalars_of(source.program.instructions[change.at])
    if change.index >= len(values):
        return
    work = MOST_WORK
    for start, end in _numbers(source, values[change.index], change.at):
        work -= len(source.program.instructions) + 1
        if work < 0:
            return
        yield edited(source.text, [Edit(start, end, _written(change.value))])


def _written(value: float) -> str:
    return repr(value)


def _numbers(source: SourceText, value: float, at: int) -> Iterator[tuple[int, int]]:
    """Where the text holds this number: in the instruction's own node first, then nearest first."""
    place = source.program.instructions[at].at
    own = source.node_of(place)
    here = source.offset(place.line, place.column)
    inside = set() if own is None else {source.span(node) for node in _literals(own, value)}
    spans = {source.span(node) for node in _literals(source.tree, value)}
    yield from sorted(spans, key=lambda span: (span not in inside, abs(span[0] - here), span))


def _literals(tree: ast.AST, value: float) -> Iterator[ast.expr]:
    negative = value < 0
    for node in ast.walk(tree):
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                if negative and -number == value:
                    yield node
            case ast.Constant(value=int() | float() as number):
                if number == value and not negative:
                    yield node


def dtype_texts(source: SourceText, change: SetDtype) -> Iterator[str]:
    """Texts in which the instruction may make another element type."""
    made = outputs_of(source.program.instructions[change.at])
    if not made:
        return
    place = source.program.instructions[change.at].at
    new = f'"{change.dtype.value}"'
    node = source.node_of(place)
    inside = [] if node is None else [source.span(text) for text in _strings(node)]
    for span in inside:
        yield edited(source.text, [Edit(*span, new)])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from _with_argument(source, node, new)
    here = source.offset(place.line, place.column)
    others = {source.span(text) for text in _strings(source.tree)} - set(inside)
    for span in sorted(others, key=lambda span: (abs(span[0] - here), span)):
        yield edited(source.text, [Edit(*span, new)])


def _with_argument(source: SourceText, node: ast.Call, new: str) -> Iterator[str]:
    word = WORDS.get(node.func.id) if isinstance(node.func, ast.Name) else None
    takes = word is not None and any(p.name == "dtype" for p in word.parameters)
    given = any(keyword.arg == "dtype" for keyword in node.keywords)
    if takes and not given:
        last = [*node.args, *node.keywords]
        end = source.span(last[-1])[1] if last else source.span(node)[1] - 1
        yield edited(source.text, [Edit(end, end, f", dtype={new}" if last else f"dtype={new}")])


def _strings(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node


def dtype_of(program: Program, at: int) -> DType | None:
    """The element type of what an instruction makes."""
    made = outputs_of(program.instructions[at])
    return program.values[made[0]].dtype if made else None


def _parsed(text: str, like: Program) -> Program | None:
    try:
        return parse_program(text, like.name)
    except ProgramError:
        return None
