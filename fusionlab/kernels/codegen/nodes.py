"""Which loads and ops are needed for some results, in order, and at which loop each can stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from fusionlab.ir.tensor import Shape
from fusionlab.kernels.codegen.builder import Builder
from fusionlab.kernels.codegen.space import Axis
from fusionlab.kernels.codegen.text import Writer
from fusionlab.kernels.group import Step, is_view, reads_by_index


@dataclass(frozen=True, slots=True)
class Load:
    """Read a tensor's element from memory."""

    tensor: int


Node = Load | Step


def element_inputs(step: Step) -> tuple[int, ...]:
    """The inputs whose current element the op needs (not those that it reads elsewhere)."""
    if reads_by_index(step.op):
        return (step.op.inputs[1].id,) if step.op.spec.variant == "Gather" else ()
    return () if is_view(step.op) else tuple(tensor.id for tensor in step.op.inputs)


def nodes_for(
    builder: Builder,
    targets: Iterable[int],
    in_memory: AbstractSet[int],
    in_scope: AbstractSet[int] = frozenset(),
) -> list[Node]:
    """The loads and ops that make the elements of ``targets``.

    Args:
        builder: The kernel.
        targets: Ids of tensors that the kernel makes.
        in_memory: Tensors of the kernel that an earlier loop has stored.
        in_scope: Tensors whose element a surrounding loop already holds.
    """
    known = in_memory | in_scope
    wanted = set(targets)
    for step in reversed(builder.group.steps):
        if step.output.id in wanted and step.output.id not in known:
            wanted |= set(element_inputs(step))
    nodes: list[Node] = []
    have = set(in_scope)
    for step in builder.group.steps:
        if step.output.id not in wanted or step.output.id in known:
            continue
        for tensor in element_inputs(step):
            if tensor not in have:
                nodes.append(Load(tensor))
                have.add(tensor)
        nodes.append(step)
        have.add(step.output.id)
    nodes += [Load(tensor) for tensor in targets if tensor not in have]
    return nodes


def shape_of(builder: Builder, node: Node) -> Shape:
    """The relative shape over which a node's value varies."""
    if isinstance(node, Load):
        return builder.group.tensors[node.tensor].shape
    return node.output.shape


def write_node(builder: Builder, writer: Writer, node: Node) -> None:
    """The line(s) of one node."""
    if isinstance(node, Load):
        builder.load(writer, node.tensor)
    else:
        builder.compute(writer, node)


def depth_of(builder: Builder, node: Node, axes: Sequence[Axis]) -> int:
    """How many of the loops must be open before the node can stand."""
    own = builder.space.axes_of(shape_of(builder, node))
    return max((axes.index(axis) + 1 for axis in own if axis in axes), default=0)
