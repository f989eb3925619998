"""What crosses the border of a group of ops: values that come in, stay inside, or survive.

In: ops with their positions, in order. Out: lines between ops. An input counts once, however often
it is used inside; a result survives unless its last use inside is its last use at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP
from fusionlab.ir.tensor import TensorStatus


@dataclass(frozen=True, slots=True)
class Border:
    """Memory traffic of a group. Entries name a tensor and positions of the segment.

    ``reads``: (tensor, the first op that reads it); ``inside``: (tensor, maker, reader), once a
    pair; ``writes``: (tensor, maker).
    """

    reads: tuple[tuple[int, int], ...]
    inside: tuple[tuple[int, int, int], ...]
    writes: tuple[tuple[int, int], ...]


def border_of(operations: Sequence[tuple[int, OperationIr]]) -> Border:
    """The traffic of the ops at these positions, given in the order in which they run."""
    made: dict[int, int] = {}
    last_use: dict[int, TensorStatus] = {}
    reads: dict[int, int] = {}
    inside: dict[tuple[int, int, int], None] = {}
    for position, op in operations:
        for tensor in op.inputs:
            last_use[tensor.id] = tensor.status
            if op.spec is DROP:
                continue
            if tensor.id in made:
                inside[(tensor.id, made[tensor.id], position)] = None
            else:
                reads.setdefault(tensor.id, position)
        for tensor in op.outputs:
            made[tensor.id] = position
            last_use[tensor.id] = tensor.status
    alive = (t for t in made if last_use[t] is not TensorStatus.READ_WRITE)
    return Border(
        tuple(reads.items()), tuple(inside), tuple((tensor, made[tensor]) for tensor in alive)
    )
