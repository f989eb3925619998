"""Station 2, the queue of one stream: every waiting op in global and in relative form.

In: registered ops. Out: the segment that the policy and the search look at. Both forms are kept
in lockstep; when a prefix has run, the rest is renamed from scratch.

Source: burn-fusion, stream/queue/{base,execution}.rs (``OperationQueue``).
"""

from __future__ import annotations

from fusionlab.engine.relative import OperationConverter
from fusionlab.events.facts import OpRelativized
from fusionlab.events.log import Recorder
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr, TensorStatus


class OperationQueue:
    """The ops that wait, and what is known of the tensors that they mention."""

    __slots__ = (
        "converter", "deferred_frees", "operations", "recorder", "relative", "shapes_assigned",
        "variables",
    )  # fmt: skip

    def __init__(self, recorder: Recorder, converter: OperationConverter | None = None) -> None:
        """An empty queue; ``converter`` names what is in it (default: as burn does)."""
        self.recorder = recorder
        self.operations: list[OperationIr] = []
        self.relative: list[OperationIr] = []
        self.shapes_assigned: list[int] = []
        self.converter = converter or OperationConverter()
        self.variables: dict[int, TensorStatus] = {}
        """Latest status of each tensor that this stream may still touch."""
        self.deferred_frees: list[TensorIr] = []
        """Tensors to free once no queued op mentions them."""

    def __len__(self) -> int:
        """How many ops wait."""
        return len(self.operations)

    def add(self, op: OperationIr) -> None:
        """Append an op."""
        for tensor in op.inputs:
            self.variables[tensor.id] = tensor.status
        for tensor in op.outputs:
            self.variables[tensor.id] = tensor.status
        self.operations.append(op)
        self._relativize(op, renumbered=False)

    def _relativize(self, op: OperationIr, *, renumbered: bool) -> None:
        converter = self.converter
        if not self.recorder.on:
            self.relative.append(converter.convert(op))
            self.shapes_assigned.append(len(converter.shape_ids))
            return
        known = len(converter.tensor_ids), len(converter.shape_ids), len(converter.scalars)
        self.relative.append(converter.convert(op))
        self.shapes_assigned.append(converter.shapes_assigned)
        self.recorder.emit(
            OpRelativized(
                position=len(self.relative) - 1,
                operation=self.relative[-1],
                new_tensors=tuple(converter.tensor_ids.items())[known[0] :],
                new_shapes=tuple(converter.shape_ids.items())[known[1] :],
                scalars=tuple(scalar.value for scalar in converter.scalars[known[2] :]),
                shapes_assigned=converter.shapes_assigned,
                renumbered=renumbered,
            )
        )

    def remove_front(self, count: int) -> tuple[OperationIr, ...]:
        """Drop the first ``count`` ops, which have run, and rename the rest. Returns them."""
        executed = tuple(self.operations[:count])
        rest = self.operations[count:]
        self.operations = rest
        self.relative, self.shapes_assigned = [], []
        self.converter.clear()
        for op in rest:
            self._relativize(op, renumbered=True)
        return executed

    def mentions(self, tensor: int) -> bool:
        """Whether a waiting op reads or makes the tensor."""
        return any(t.id == tensor for op in self.operations for t in op.nodes)
