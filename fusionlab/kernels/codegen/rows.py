"""Kernels that reduce the last dimension: a loop over rows with one or more passes over each row.

A pass computes everything that its row values so far allow and feeds the reductions of that phase.
Softmax takes a pass for the maximum, one for the sum and one for the quotient; the row stays in the
nearest cache between them. What a later pass needs again is read back if it was written anyway,
computed again if that is cheap, and kept in a scratch row otherwise.
"""

from __future__ import annotations

from fusionlab.kernels.codegen.accumulators import Accumulator
from fusionlab.kernels.codegen.builder import Builder, is_loop_reduce
from fusionlab.kernels.codegen.costs import CHEAP, cost_of
from fusionlab.kernels.codegen.elementwise import write_loops
from fusionlab.kernels.codegen.expressions import type_name
from fusionlab.kernels.codegen.nodes import Load, element_inputs, nodes_for, write_node
from fusionlab.kernels.codegen.space import Axis
from fusionlab.kernels.codegen.text import Writer
from fusionlab.kernels.group import Step


class RowKernel:
    """Plans the passes and writes them."""

    def __init__(self, builder: Builder, writer: Writer, axis: Axis) -> None:
        self._builder = builder
        self._writer = writer
        self._axis = axis
        self._steps = self._needed()
        self._phases: dict[int, int] = {}
        for step in self._steps:
            before = [self._phases.get(i, 0) for i in element_inputs(step)]
            self._phases[step.output.id] = max(before, default=0) + is_loop_reduce(step)
        self._kept = self._values_to_keep()

    # --- planning -----------------------------------------------------------------------------

    def _needed(self) -> list[Step]:
        wanted = set(self._builder.group.writes)
        needed: list[Step] = []
        for step in reversed(self._builder.group.steps):
            if step.output.id in wanted:
                wanted |= set(element_inputs(step))
                needed.append(step)
        return needed[::-1]

    def _is_column(self, tensor: int) -> bool:
        """Whether the tensor varies along the row."""
        return self._axis in self._builder.space.axes_of(self._builder.group.tensors[tensor].shape)

    def _pass_of(self, step: Step) -> int:
        """The pass in which the op's elements are looked at."""
        phase = self._phases[step.output.id]
        return phase - 1 if is_loop_reduce(step) else phase

    def _values_to_keep(self) -> set[int]:
        """Column values that a later pass needs and that are too dear to compute again."""
        kept: set[int] = set()
        made = self._builder.made
        for step in self._steps:
            if not (self._is_column(step.output.id) or is_loop_reduce(step)):
                continue
            for tensor in element_inputs(step):
                later = tensor in made and self._phases[tensor] < self._pass_of(step)
                if later and self._is_column(tensor):
                    kept |= self._keep(tensor, kept)
        return kept

    def _keep(self, tensor: int, kept: set[int]) -> set[int]:
        if tensor in self._builder.group.writes or self._cost(tensor, kept) <= CHEAP:
            return set()
        return {tensor}

    def _cost(self, tensor: int, kept: set[int]) -> int:
        step = self._builder.made.get(tensor)
        in_memory = kept | set(self._builder.group.writes)
        if step is None or tensor in in_memory or not self._is_column(tensor):
            return 0
        return cost_of(step) + sum(self._cost(i, kept) for i in element_inputs(step))

    # --- writing ------------------------------------------------------------------------------

    def write(self) -> None:
        """The whole kernel."""
        for tensor in sorted(self._kept):
            kind = type_name(self._builder.group.tensors[tensor].dtype)
            extent = self._builder.extent(self._axis)
            self._writer.line(f"row{tensor} = empty({extent}, {kind})")
        outer = [axis for axis in self._builder.space.axes if axis is not self._axis]
        write_loops(self._builder, self._writer, outer, self._write_row)

    def _write_row(self) -> None:
        self._in_row: set[int] = set()
        self._in_memory: set[int] = set()
        for number in range(max(self._phases.values(), default=0) + 1):
            self._write_row_ops(number)
            self._write_pass(number)

    def _write_row_ops(self, phase: int) -> None:
        for step in self._steps:
            out = step.output.id
            if self._phases[out] != phase or self._is_column(out) or is_loop_reduce(step):
                continue
            self._load_row_values(element_inputs(step))
            write_node(self._builder, self._writer, step)
            self._finish_row_value(out)

    def _finish_row_value(self, tensor: int) -> None:
        self._in_row.add(tensor)
        if tensor in self._builder.group.writes:
            self._builder.store(self._writer, tensor)

    def _load_row_values(self, tensors: tuple[int, ...]) -> None:
        for tensor in tensors:
            if tensor not in self._in_row and not self._is_column(tensor):
                self._builder.load(self._writer, tensor)
                self._in_row.add(tensor)

    def _write_pass(self, number: int) -> None:
        """One loop over the row: load, compute, store, accumulate."""
        here = [step for step in self._steps if self._pass_of(step) == number]
        reduces = [Accumulator(step.op) for step in here if is_loop_reduce(step)]
        columns = [s.output.id for s in here if self._is_column(s.output.id)]
        stored = [i for i in columns if i in self._builder.group.writes]
        kept = [i for i in columns if i in self._kept]
        reduced = [reduce.op.inputs[0].id for reduce in reduces]
        if not (stored or kept or reduced):
            return
        targets = list(dict.fromkeys([*stored, *kept, *reduced]))
        nodes = nodes_for(self._builder, targets, self._in_memory, self._in_row)
        for node in nodes:
            inputs = (node.tensor,) if isinstance(node, Load) else element_inputs(node)
            self._load_row_values(inputs)
        self._start(reduces)

        def body() -> None:
            self._write_elements(nodes, stored, kept, reduces)

        write_loops(self._builder, self._writer, [self._axis], body)
        self._in_memory |= {*stored, *kept}
        self._end(reduces)

    def _write_elements(
        self,
        nodes: list[Load | Step],
        stored: list[int],
        kept: list[int],
        reduces: list[Accumulator],
    ) -> None:
        writer, place = self._writer, self._axis.name
        for node in nodes:
            if not isinstance(node, Load):
                write_node(self._builder, writer, node)
            elif node.tensor in self._kept:
                writer.line(f"v{node.tensor} = row{node.tensor}[{place}]")
            elif node.tensor not in self._in_row:
                write_node(self._builder, writer, node)
        for tensor in kept:
            writer.line(f"row{tensor}[{place}] = v{tensor}")
        for tensor in stored:
            self._builder.store(writer, tensor)
        for reduce in reduces:
            names = tuple(name for name, _, _ in reduce.slots)
            for line in reduce.update(names, place):
                writer.line(line)

    def _start(self, reduces: list[Accumulator]) -> None:
        for reduce in reduces:
            for name, _, first in reduce.slots:
                self._writer.line(f"{name} = {first}")

    def _end(self, reduces: list[Accumulator]) -> None:
        for reduce in reduces:
            out = reduce.op.outputs[0].id
            names = tuple(name for name, _, _ in reduce.slots)
            code = reduce.result(names, self._builder.extent(self._axis))
            self._writer.line(f"v{out} = {code}", reduce.op.kind)
            self._finish_row_value(out)
