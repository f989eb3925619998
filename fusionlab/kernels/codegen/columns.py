"""Kernels that reduce a dimension which is not the last: whole rows are added to a row of results.

The inner loop runs along memory, each element into an accumulator of its own; the ops behind the
reduction run in one last loop over the accumulators.
"""

from __future__ import annotations

from fusionlab.kernels.codegen.accumulators import Accumulator
from fusionlab.kernels.codegen.builder import Builder
from fusionlab.kernels.codegen.elementwise import write_loops, write_nest
from fusionlab.kernels.codegen.nodes import nodes_for, write_node
from fusionlab.kernels.codegen.space import Axis
from fusionlab.kernels.codegen.text import Writer
from fusionlab.kernels.group import Step


class ColumnKernel:
    """Writes the prologue loop, the accumulation and the epilogue loop."""

    def __init__(self, builder: Builder, writer: Writer, reduce: Step, axis: Axis) -> None:
        axes = builder.space.axes
        place = axes.index(axis)
        self._builder = builder
        self._writer = writer
        self._reduce = Accumulator(reduce.op)
        self._axis = axis
        self._outer, self._inner = axes[:place], axes[place + 1 :]
        at = ", ".join(inner.name for inner in self._inner)
        self._slots = tuple(f"{name}[{at}]" for name, _, _ in self._reduce.slots)

    def write(self) -> None:
        """The whole kernel."""
        extents = ", ".join(self._builder.extent(axis) for axis in self._inner)
        size = extents if len(self._inner) == 1 else f"({extents})"
        for name, kind, _ in self._reduce.slots:
            self._writer.line(f"{name} = empty({size}, {kind})")
        write_loops(self._builder, self._writer, self._outer, self._write_columns)

    def _write_columns(self) -> None:
        write_loops(self._builder, self._writer, self._inner, self._write_start)
        self._write_prologue()
        write_loops(self._builder, self._writer, self._inner, self._write_epilogue)

    def _write_start(self) -> None:
        for slot, (_, _, first) in zip(self._slots, self._reduce.slots, strict=True):
            self._writer.line(f"{slot} = {first}")

    def _is_before(self, tensor: int) -> bool:
        """Whether the tensor still has the reduced dimension."""
        shape = self._builder.group.tensors[tensor].shape
        return self._axis in self._builder.space.axes_of(shape)

    def _write_prologue(self) -> None:
        stored = [i for i in self._builder.group.writes if self._is_before(i)]
        targets = dict.fromkeys([self._reduce.op.inputs[0].id, *stored])
        nodes = nodes_for(self._builder, list(targets), frozenset())
        axes = (*self._outer, self._axis, *self._inner)
        write_nest(
            self._builder,
            self._writer,
            axes,
            nodes,
            lambda: self._take_element(stored),
            opened=len(self._outer),
        )

    def _take_element(self, stored: list[int]) -> None:
        for tensor in stored:
            self._builder.store(self._writer, tensor)
        for line in self._reduce.update(self._slots, self._axis.name):
            self._writer.line(line)

    def _write_epilogue(self) -> None:
        out = self._reduce.op.outputs[0].id
        code = self._reduce.result(self._slots, self._builder.extent(self._axis))
        self._writer.line(f"v{out} = {code}", self._reduce.op.kind)
        stored = [i for i in self._builder.group.writes if not self._is_before(i)]
        for node in nodes_for(self._builder, stored, frozenset(), {out}):
            write_node(self._builder, self._writer, node)
        for tensor in stored:
            self._builder.store(self._writer, tensor)
