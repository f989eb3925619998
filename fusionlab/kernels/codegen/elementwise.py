"""Element-wise kernels: one loop nest for each shape among the results.

Small results come first, so that larger loops can read them. Within a nest an op stands in the
outermost loop that determines its value. A dear op over a row (say the exponential of a bias) that
a larger nest would repeat for every row gets a loop of its own and a scratch row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fusionlab.ir.tensor import Shape
from fusionlab.kernels.codegen.builder import Builder
from fusionlab.kernels.codegen.costs import CHEAP, cost_of
from fusionlab.kernels.codegen.nodes import (
    Node,
    depth_of,
    element_inputs,
    nodes_for,
    write_node,
)
from fusionlab.kernels.codegen.space import Axis
from fusionlab.kernels.codegen.text import Writer
from fusionlab.kernels.group import Step


def write_elementwise(builder: Builder, writer: Writer) -> None:
    """All loop nests of the kernel."""
    for tensor in _worth_keeping(builder):
        builder.keep(writer, tensor)
    in_memory: set[int] = set()
    for shape in _nest_shapes(builder):
        targets = [i for i in _stored(builder) if builder.group.tensors[i].shape == shape]
        nodes = nodes_for(builder, targets, in_memory)

        def store_all(targets: Sequence[int] = tuple(targets)) -> None:
            for tensor in targets:
                builder.store(writer, tensor)

        write_nest(builder, writer, builder.space.axes_of(shape), nodes, store_all)
        in_memory |= set(targets)


def _stored(builder: Builder) -> list[int]:
    """What the loops store: the results, and values that are kept for larger loops."""
    return [*builder.kept, *builder.group.writes]


def _nest_shapes(builder: Builder) -> list[Shape]:
    shapes = dict.fromkeys(builder.group.tensors[i].shape for i in _stored(builder))
    return sorted(shapes, key=lambda shape: len(builder.space.axes_of(shape)))


def _worth_keeping(builder: Builder) -> list[int]:
    """Dear values over part of the axes that a larger nest would compute again and again."""
    again: dict[int, Step] = {}
    for shape in _nest_shapes(builder):
        targets = [i for i in builder.group.writes if builder.group.tensors[i].shape == shape]
        axes = builder.space.axes_of(shape)
        for node in nodes_for(builder, targets, set()):
            if isinstance(node, Step) and _is_repeated(builder, node, axes):
                again[node.output.id] = node
    inner = {i for step in again.values() for i in element_inputs(step)}
    users = [s for s in builder.group.steps if s.output.id not in again]
    outside = {i for step in users for i in element_inputs(step)}
    kept = [i for i in again if i not in inner or i in outside]
    return [i for i in kept if i not in builder.group.writes]


def _is_repeated(builder: Builder, step: Step, axes: Sequence[Axis]) -> bool:
    """Whether a dear op stands in a loop that does not change its value."""
    own = builder.space.axes_of(step.output.shape)
    return cost_of(step) > CHEAP and tuple(axes[: len(own)]) != own


def write_nest(
    builder: Builder,
    writer: Writer,
    axes: Sequence[Axis],
    nodes: Sequence[Node],
    innermost: Callable[[], None],
    *,
    opened: int = 0,
) -> None:
    """Loops over ``axes`` of which ``opened`` are open already; each node as far out as it can."""
    depths = [(max(depth_of(builder, node, axes), opened), node) for node in nodes]

    def write(level: int) -> None:
        for depth, node in depths:
            if depth == level:
                write_node(builder, writer, node)
        if level == len(axes):
            innermost()
        else:
            write_loops(builder, writer, axes[level : level + 1], lambda: write(level + 1))

    write(opened)


def write_loops(
    builder: Builder, writer: Writer, axes: Sequence[Axis], body: Callable[[], None]
) -> None:
    """Nested loops over ``axes`` around ``body``."""
    if not axes:
        body()
        return
    axis, *rest = axes
    with writer.block(f"for {axis.name} in range({builder.extent(axis)})"):
        write_loops(builder, writer, rest, body)
