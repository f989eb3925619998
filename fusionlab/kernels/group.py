"""Dataflow of a fused group: what it reads, what survives it, what never touches memory.

In: the relative ops of a fused operation in execution order. Out: a ``Group``. A value that an op
of the group makes survives unless its last use in the group is ReadWrite or it is dropped there.
A leading matmul and a trailing pooling op are no part of the generated kernel; they are kept apart.

Source: burn-cubecl-fusion, engine/trace (``TraceFuser``: inputs, outputs, views, dropped).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr, TensorStatus

REDUCES: Final = frozenset(
    f"Numeric{kind}::{name}Dim"
    for kind in ("Float", "Int")
    for name in ("Sum", "Mean", "Prod", "Max", "Min", "MaxAbs")
) | frozenset(
    ["NumericFloat::ArgMax", "NumericFloat::ArgMin", "NumericInt::ArgMax", "NumericInt::ArgMin"]
    + [f"Base{kind}::{name}Dim" for kind in ("Float", "Int", "Bool") for name in ("All", "Any")]
)
"""The op kinds that reduce one dimension inside a kernel."""

_BY_INDEX: Final = frozenset({"Gather", "Select", "Cat"})
_VIEWS: Final = frozenset({"SwapDims", "Reshape"})
_MATMULS: Final = frozenset({"Float::Matmul", "Int::Matmul"})


def is_view(op: OperationIr) -> bool:
    """Whether the op reads its input through other coordinates (reshaping to the same copies)."""
    if op.spec.variant == "Reshape":
        return op.inputs[0].shape != op.outputs[0].shape
    return op.spec.variant in _VIEWS


def reads_by_index(op: OperationIr) -> bool:
    """Whether the op reads its inputs at computed places."""
    return op.spec.variant in _BY_INDEX and op.spec.category.startswith("Base")


@dataclass(frozen=True, slots=True)
class Step:
    """One op of the kernel and its position in the fused operation."""

    op: OperationIr
    position: int

    @property
    def output(self) -> TensorIr:
        """What the op makes (kernel ops make one tensor)."""
        return self.op.outputs[0]


@dataclass(frozen=True, slots=True)
class Group:
    """The parts of a fused operation; all ids are relative and in order of appearance."""

    fuser: str
    steps: tuple[Step, ...]
    """The ops of the generated kernel, without drops."""
    lead: Step | None
    """A matmul that runs in front of the kernel; its output is an input of the kernel."""
    tail: Step | None
    """A pooling op that runs behind the kernel."""
    reads: tuple[int, ...]
    """Tensors from outside that the kernel reads (the output of ``lead`` included)."""
    writes: tuple[int, ...]
    """Tensors made by the kernel that are needed afterwards (by ``tail`` or later ops)."""
    locals: tuple[int, ...]
    """Tensors made by the kernel that never touch memory."""
    lead_survives: bool
    """Whether the output of ``lead`` is needed afterwards."""
    consumed: tuple[int, ...]
    """Tensors from outside that are gone afterwards: last used ReadWrite, or dropped."""
    tensors: dict[int, TensorIr]
    """Every tensor with its latest status."""


def analyse(fuser: str, operations: tuple[OperationIr, ...]) -> Group:
    """Split the ops of a fused operation and follow its tensors."""
    latest: dict[int, TensorIr] = {}
    for op in operations:
        latest |= {tensor.id: tensor for tensor in op.nodes}
    dropped = {op.inputs[0].id for op in operations if op.kind == "Drop"}
    steps = [Step(op, i) for i, op in enumerate(operations) if op.kind != "Drop"]
    lead = steps.pop(0) if steps and steps[0].op.kind in _MATMULS else None
    tail = steps.pop() if steps and steps[-1].op.spec.category == "Module" else None
    made = [step.output.id for step in steps]
    gone = dropped | {i for i, t in latest.items() if t.status is TensorStatus.READ_WRITE}
    needed_by_tail = {tensor.id for tensor in tail.op.inputs} if tail else set()
    writes = [i for i in made if i not in gone or i in needed_by_tail]
    produced = {tensor.id for op in operations for tensor in op.outputs}
    return Group(
        fuser=fuser,
        steps=tuple(steps),
        lead=lead,
        tail=tail,
        reads=_external_reads(steps),
        writes=tuple(writes),
        locals=tuple(i for i in made if i not in writes),
        lead_survives=lead is not None and lead.output.id not in gone,
        consumed=tuple(i for i in latest if i in gone and i not in produced),
        tensors=latest,
    )


def _external_reads(steps: list[Step]) -> tuple[int, ...]:
    made: set[int] = set()
    reads: dict[int, None] = {}
    for step in steps:
        reads |= {tensor.id: None for tensor in step.op.inputs if tensor.id not in made}
        made |= {tensor.id for tensor in step.op.outputs}
    return tuple(reads)
