"""Element-wise kernels: one loop nest for each shape among the results.

Small results come first, so that larger loops can read them. Within a nest an op stands in the
outermost loop that determines its value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fusionlab.ir.tensor import Shape
from fusionlab.kernels.codegen.builder import Builder
from fusionlab.kernels.codegen.nodes import Node, depth_of, nodes_for, write_node
from fusionlab.kernels.codegen.space import Axis
from fusionlab.kernels.codegen.text import Writer


def write_elementwise(builder: Builder, writer: Writer) -> None:
    """All loop nests of the kernel."""
    in_memory: set[int] = set()
    for shape in _result_shapes(builder):
        targets = [i for i in builder.group.writes if builder.group.tensors[i].shape == shape]
        nodes = nodes_for(builder, targets, in_memory)

        def store_all(targets: Sequence[int] = tuple(targets)) -> None:
            for tensor in targets:
                builder.store(writer, tensor)

        write_nest(builder, writer, builder.space.axes_of(shape), nodes, store_all)
        in_memory |= set(targets)


def _result_shapes(builder: Builder) -> list[Shape]:
    shapes = dict.fromkeys(builder.group.tensors[i].shape for i in builder.group.writes)
    return sorted(shapes, key=lambda shape: len(builder.space.axes_of(shape)))


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
