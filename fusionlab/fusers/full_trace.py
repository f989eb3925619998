"""The one kernel of a reduce-broadcasted fusion: all parts in a single trace.

A tensor that the *write* side of an earlier part touched is handed to a later part inside the
kernel; everything else is read from memory again.

Source: burn-cubecl-fusion, optim/reduce_broadcasted/fuser/{full,full_analyzer}.rs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fusionlab.fusers.base import Closing
from fusionlab.fusers.fuse_trace import ELEMENTWISE_SETTINGS, FuseTrace, empty_trace
from fusionlab.fusers.reduce import WRITE_SETTINGS
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr


@dataclass(frozen=True, slots=True)
class Part:
    """The ops of one part and the index of its reduction (``None``: element-wise)."""

    operations: tuple[OperationIr, ...]
    reduce: int | None


@dataclass(frozen=True, slots=True)
class _Side:
    """The ops before or after a reduction (or a whole element-wise part)."""

    operations: tuple[OperationIr, ...]
    reduce: OperationIr | None
    """The reduction that this side follows."""


def _sides(parts: tuple[Part, ...]) -> Iterator[_Side]:
    for part in parts:
        if part.reduce is None:
            yield _Side(part.operations, None)
        else:
            yield _Side(part.operations[: part.reduce], None)
            yield _Side(part.operations[part.reduce + 1 :], part.operations[part.reduce])


def _handed_on(sides: list[_Side]) -> list[list[tuple[TensorIr, int]]]:
    """For each side the operands that an earlier write side touched, with that side's index."""
    first_seen: dict[int, int] = {}
    result = []
    for index, side in enumerate(sides):
        operands = [tensor for op in side.operations for tensor in op.inputs]
        result.append([(t, first_seen[t.id]) for t in operands if t.id in first_seen])
        if side.reduce is not None:
            for op in side.operations:
                for tensor in op.nodes:
                    first_seen.setdefault(tensor.id, index)
    return result


def build_full_trace(
    parts: tuple[Part, ...], max_bindings: int
) -> tuple[FuseTrace, tuple[Closing, ...]]:
    """Feed all parts to one trace. Returns it with the closing lines met on the way."""
    trace = empty_trace(ELEMENTWISE_SETTINGS, max_bindings)
    closings: list[Closing] = []
    sides = list(_sides(parts))
    for side, tensors in zip(sides, _handed_on(sides), strict=True):
        if side.reduce is not None:
            trace = trace.next_block(WRITE_SETTINGS, side.reduce.inputs[:1])
            trace.write_unhandled(side.reduce.outputs[0])
        elif trace.num_ops > 0:
            trace = trace.next_block(ELEMENTWISE_SETTINGS)
        if trace.closed_blocks:
            for tensor, index in tensors:
                trace.read_from_block(tensor, index)
        for op in side.operations:
            fused = trace.fuse(op)
            trace = fused.trace
            if fused.closing is not None:
                closings.append(fused.closing)
    return trace, tuple(closings)
