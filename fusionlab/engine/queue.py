"""Station 2, the queue of one stream: every waiting op in global and in relative form.

In: registered ops. Out: the segment that the policy and the search look at. Both forms are kept
in lockstep; when a prefix has run, the rest is renamed from scratch.

Source: burn-fusion, stream/queue/{base,execution}.rs (``OperationQueue``). Deviation: of the
variables only the ids are kept, because nothing ever asks for their statuses.
"""

from __future__ import annotations

from itertools import islice

from fusionlab.engine.relative import OperationConverter
from fusionlab.events.facts import OpRelativized
from fusionlab.events.log import Recorder
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr


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
        self.variables: set[int] = set()
        """The tensors that this stream may still touch (burn keeps their statuses too)."""
        self.deferred_frees: list[TensorIr] = []
        """Tensors to free once no queued op mentions them."""

    def __len__(self) -> int:
        """How many ops wait."""
        return len(self.operations)

    def add(self, op: OperationIr, expected: OperationIr | None = None) -> None:
        """Append an op. ``expected``: see ``OperationConverter.convert``."""
        add = self.variables.add
        for tensor in op.inputs:
            add(tensor.id)
        for tensor in op.outputs:
            add(tensor.id)
        self.operations.append(op)
        if self.recorder.on:
            self._relativize_aloud(op, renumbered=False)
        else:
            self._relativize(op, expected)

    def _relativize(self, op: OperationIr, expected: OperationIr | None) -> None:
        converter = self.converter
        self.relative.append(converter.convert(op, expected))
        self.shapes_assigned.append(converter.shapes_assigned)

    def _relativize_aloud(self, op: OperationIr, *, renumbered: bool) -> None:
        converter = self.converter
        known = len(converter.tensor_ids), len(converter.shape_ids), len(converter.scalars)
        self._relativize(op, None)
        self.recorder.emit(
            OpRelativized(
                position=len(self.relative) - 1,
                operation=self.relative[-1],
                new_tensors=_since(converter.tensor_ids, known[0]),
                new_shapes=_since(converter.shape_ids, known[1]),
                scalars=tuple(scalar.value for scalar in converter.scalars[known[2] :]),
                shapes_assigned=converter.shapes_assigned,
                renumbered=renumbered,
            )
        )

    def remove_front(self, count: int) -> list[OperationIr]:
        """Drop the first ``count`` ops, which have run, and rename the rest. Returns them."""
        executed, self.operations = self.operations[:count], self.operations[count:]
        self.relative, self.shapes_assigned = [], []
        self.converter.clear()
        for op in self.operations:
            if self.recorder.on:
                self._relativize_aloud(op, renumbered=True)
            else:
                self._relativize(op, None)
        return executed

    def mentions(self, tensor: int) -> bool:
        """Whether a waiting op reads or makes the tensor."""
        return any(t.id == tensor for op in self.operations for t in op.nodes)


def _since(names: dict[int, int], known: int) -> tuple[tuple[int, int], ...]:
    """The entries behind the first ``known`` ones, in order; a long segment has many names."""
    newest_first = islice(reversed(names.items()), len(names) - known)
    return tuple(newest_first)[::-1]
