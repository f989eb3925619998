"""In-place reuse: which results may take over the buffer of an input.

Here: the rules that depend on the group alone. At the launch the executor adds the ones that depend
on the moment: the input owns its buffer alone, and the buffer is contiguous.

Source: burn-cubecl-fusion, engine/launch (``OutputPlanner``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fusionlab.ir.tensor import DType, Shape, TensorStatus
from fusionlab.kernels.group import REDUCES, Group, Step, is_view, reads_by_index


@dataclass(frozen=True, slots=True)
class ReuseChance:
    """An output and the inputs whose buffer it could take, best first."""

    output: int
    inputs: tuple[int, ...]


def reuse_chances(group: Group) -> tuple[ReuseChance, ...]:
    """The chances in the order in which outputs choose: largest relative shape first."""
    if group.fuser == "ReduceBroadcasted":
        return ()
    block, rest = _blocks(group)
    if not block:
        return ()
    inputs = _candidates(group, block, rest)
    viewed = {step.output.id for step in block if is_view(step.op)}
    if group.tail is not None:
        viewed |= {tensor.id for tensor in group.tail.op.inputs}
    made = {step.output.id for step in block} - viewed
    outputs = sorted(
        (i for i in group.writes if i in made),
        key=lambda i: sum(group.tensors[i].shape),
        reverse=True,
    )
    return tuple(ReuseChance(out, _fitting(group, out, inputs)) for out in outputs)


def _blocks(group: Group) -> tuple[Sequence[Step], Sequence[Step]]:
    """The ops of the block that may work in place, and the others (those behind a reduction)."""
    for place, step in enumerate(group.steps):
        if step.op.kind in REDUCES:
            return group.steps[:place], group.steps[place:]
    return group.steps, ()


def _reads(steps: Iterable[Step]) -> set[int]:
    return {tensor.id for step in steps for tensor in step.op.inputs}


def _candidates(group: Group, block: Sequence[Step], rest: Sequence[Step]) -> list[int]:
    behind = [group.tail] if group.tail else []
    moved = [step for step in block if reads_by_index(step.op) or is_view(step.op)]
    elsewhere = _reads([*moved, *rest, *behind])
    reference = _reference_shape(group, block)
    plain = _reads(block) - elsewhere
    return [
        i
        for i in group.reads
        if i in plain
        and group.tensors[i].shape == reference
        and group.tensors[i].status is TensorStatus.READ_WRITE
        and group.tensors[i].dtype is not DType.QFLOAT
        and not (group.lead and i == group.lead.output.id)
    ]


def _reference_shape(group: Group, block: Sequence[Step]) -> Shape:
    """The shape that the block's loops run over: it widens while outputs broadcast further."""
    shape = group.lead.output.shape if group.lead else block[0].output.shape
    for step in block:
        out = step.output.shape
        if not shape:
            shape = out
        elif all(new in (0, old) or old == 0 for old, new in zip(shape, out, strict=True)):
            shape = tuple(new or old for old, new in zip(shape, out, strict=True))
    return shape


def _fitting(group: Group, output: int, inputs: Sequence[int]) -> tuple[int, ...]:
    """Inputs of the output's type and relative shape; last the matmul's buffer if it is ours."""
    wanted = group.tensors[output]
    own = [group.lead.output.id] if group.lead and not group.lead_survives else []
    return tuple(
        i
        for i in [*inputs, *own]
        if group.tensors[i].dtype is wanted.dtype and group.tensors[i].shape == wanted.shape
    )
