"""The queue: each waiting op as it was asked for, beside the form that the cache sees.

In: the queue of a stream, a language. Out: rows with both forms, and how sizes and scalars got
their numbers. The tensor lists carry the status of each tensor (see ``words.tensor_list``).
"""

from __future__ import annotations

from dataclasses import dataclass

from fusionlab.events.state import QueueState
from fusionlab.i18n import Texts
from fusionlab.ir.operation import OperationIr
from fusionlab.views import words


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One queued op. ``relative`` is empty until the op has its relative form."""

    position: int
    op: str
    asked: str
    relative: str
    title: str


@dataclass(frozen=True, slots=True)
class Numbering:
    """Something that got a number: ``what`` is a word, then the true value and its number."""

    what: str
    value: str
    number: str


def queue_row(queue: QueueState, position: int) -> QueueRow:
    """One op of the queue in both forms."""
    asked = queue.operations[position]
    known = position < len(queue.relative)
    relative = queue.relative[position] if known else None
    title = op_title(asked)
    if relative is not None:
        title = f"{title} | {_numbers(relative)}"
    return QueueRow(
        position,
        words.short(asked.kind),
        words.tensor_list(asked),
        words.tensor_list(relative) if relative is not None else "",
        title,
    )


def op_title(op: OperationIr) -> str:
    """An op in full: ``NumericFloat::Mul t1:f32[64,64], t2:f32[64,64] -> t4:f32[64,64]``."""
    inputs = ", ".join(words.described(tensor) for tensor in op.inputs)
    outputs = ", ".join(words.described(tensor) for tensor in op.outputs)
    arguments = ", ".join(f"{n}={words.value(v)}" for n, v in op.args if n != "dtype")
    parts = (op.kind, inputs, f"-> {outputs}" if outputs else "", arguments and f"({arguments})")
    return " ".join(part for part in parts if part)


def _numbers(op: OperationIr) -> str:
    return " ".join(f"{words.name(tensor)}{words.ids(tensor.shape)}" for tensor in op.nodes)


def numbering(queue: QueueState, texts: Texts) -> list[Numbering]:
    """The shapes and scalars of the segment with their numbers, in order of appearance."""
    ids = {extent: number for number, extent in enumerate(queue.extents)}
    known = queue.operations[: len(queue.relative)]
    shapes = dict.fromkeys(tensor.shape for op in known for tensor in op.nodes)
    rows = [
        Numbering(
            texts("queue.shape"), _listed(shape), _listed(tuple(ids[extent] for extent in shape))
        )
        for shape in shapes
    ]
    rows += [
        Numbering(texts("queue.scalar"), str(value), f"scalar#{number}")
        for number, value in enumerate(queue.scalars)
    ]
    return rows


def _listed(numbers: tuple[int, ...]) -> str:
    return "[" + ", ".join(str(number) for number in numbers) + "]"
