"""What a workload costs by counting: operations, bytes through memory, launches; fused and not.

In: a workload and a size. Out: ``Costs``. Nothing is computed: the engine decides, and what crosses
the border of each unit that it would run is added up. One by one, every op reads its inputs and
writes its results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

from fusionlab.bench.workloads import Size, Workload
from fusionlab.config import FusionConfig
from fusionlab.engine.client import FusionClient
from fusionlab.engine.dry import HandlesOnly
from fusionlab.engine.server import FusionServer
from fusionlab.events.log import NullRecorder
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP, INIT
from fusionlab.ir.tensor import StreamId, TensorIr
from fusionlab.kernels.launch import Launch
from fusionlab.plan import FusedOperation
from fusionlab.program import execute, parse_program
from fusionlab.views.traffic import border_of


@dataclass(frozen=True, slots=True)
class Costs:
    """Sums over one run of the program. Every arithmetic step counts one, an exp as well."""

    operations: int
    ops: int
    launches: int
    bytes_before: int
    bytes_after: int


@cache
def costs_of(workload: Workload, size: Size) -> Costs:
    """Count a workload at a size."""
    counter = _Counter()
    client = FusionClient(FusionServer(FusionConfig(), counter, NullRecorder()))
    execute(parse_program(workload.text(size), workload.name), client)
    client.sync(StreamId(0))
    return Costs(counter.operations, counter.ops, counter.launches, counter.before, counter.after)


class _Counter(HandlesOnly):
    """Adds up what it is asked to run; what makes the inputs is not counted."""

    def __init__(self) -> None:
        super().__init__()
        self.operations = self.ops = self.launches = self.before = self.after = 0

    def run_operation(self, op: OperationIr) -> Launch | None:
        self._count((op,))
        return super().run_operation(op)

    def run_fused(
        self, fused: FusedOperation, operations: Sequence[OperationIr]
    ) -> Sequence[Launch]:
        self._count(operations)
        return super().run_fused(fused, operations)

    def _count(self, unit: Sequence[OperationIr]) -> None:
        computing = [op for op in unit if op.spec not in (DROP, INIT) and op.inputs]
        if not computing:
            return
        self.launches += 1
        self.ops += len(computing)
        self.operations += sum(map(_arithmetic, computing))
        self.before += sum(_bytes((*op.inputs, *op.outputs)) for op in computing)
        border = border_of(list(enumerate(unit)))
        tensors = {tensor.id: tensor for op in unit for tensor in op.nodes}
        crossing = {tensor for tensor, _ in (*border.reads, *border.writes)}
        self.after += _bytes(tensors[tensor] for tensor in crossing)


def _bytes(tensors: Iterable[TensorIr]) -> int:
    """All workloads are f32; only a mask has one byte an element."""
    return sum(prod(each.shape) * (1 if each.dtype.is_bool else 4) for each in tensors)


def _arithmetic(op: OperationIr) -> int:
    """How many numbers the op makes, or takes if it reduces; a matmul multiplies and adds."""
    if op.spec.variant == "Matmul":
        rows, inner = op.inputs[0].shape[-2:]
        return 2 * rows * inner * op.inputs[1].shape[-1]
    return max(prod(tensor.shape) for tensor in (*op.inputs, *op.outputs))
