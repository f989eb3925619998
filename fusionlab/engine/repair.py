"""Station 6, order repair: no op may read what is not made yet, or what is already freed.

In: a strategy. Out: the same, its units moved, its un-fused units split, or everything un-fused.

Source: burn-fusion, search/optimization/stream.rs (``repair_order``).
"""

from __future__ import annotations

from collections.abc import Sequence

from fusionlab.engine.dag import Node, order_is_valid, topological_order
from fusionlab.events.facts import OrderRepaired, RepairOutcome
from fusionlab.events.log import Recorder
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorStatus
from fusionlab.plan import (
    BlockOptimization,
    Composed,
    ExecutionStrategy,
    Operations,
    flat_ordering,
)


def repair_order(
    optimization: BlockOptimization, operations: Sequence[OperationIr], recorder: Recorder
) -> BlockOptimization:
    """A strategy over the same positions that may run in its order."""
    strategy = optimization.strategy
    if not isinstance(strategy, Composed):
        if _is_valid(optimization.ordering, operations):
            return optimization
        return _fall_back(optimization.ordering, recorder)
    for items, outcome in (
        (strategy.items, RepairOutcome.REORDERED),
        (_split(strategy.items), RepairOutcome.SPLIT),
    ):
        order = topological_order([_node(item, operations) for item in items])
        if order is None:
            continue
        reordered = tuple(items[index] for index in order)
        ordering = tuple(i for item in reordered for i in flat_ordering(item))
        if not _is_valid(ordering, operations):
            return _fall_back(ordering, recorder)
        if reordered != strategy.items and recorder.on:
            recorder.emit(OrderRepaired(outcome, len(ordering), ordering))
        return BlockOptimization(Composed(reordered), ordering)
    return _fall_back(optimization.ordering, recorder)


def _is_valid(ordering: Sequence[int], operations: Sequence[OperationIr]) -> bool:
    return order_is_valid(operations[position] for position in ordering)


def _fall_back(positions: Sequence[int], recorder: Recorder) -> BlockOptimization:
    """Every op on its own, in registration order. All fusions are lost."""
    ordering = tuple(sorted(positions))
    if recorder.on:
        recorder.emit(OrderRepaired(RepairOutcome.FELL_BACK, len(ordering), ordering))
    return BlockOptimization(Operations(ordering), ordering)


def _split(items: Sequence[ExecutionStrategy]) -> tuple[ExecutionStrategy, ...]:
    """Un-fused units as one unit an op; fused ones stay whole."""
    split: list[ExecutionStrategy] = []
    for item in items:
        if isinstance(item, Operations):
            split += [Operations((position,)) for position in item.ordering]
        else:
            split.append(item)
    return tuple(split)


def _node(item: ExecutionStrategy, operations: Sequence[OperationIr]) -> Node:
    positions = flat_ordering(item)
    members = [operations[position] for position in positions]
    produced = frozenset(tensor.id for op in members for tensor in op.outputs)
    inputs = [tensor for op in members for tensor in op.inputs]
    return Node(
        produced=produced,
        read=frozenset(tensor.id for tensor in inputs) - produced,
        freed=frozenset(t.id for t in inputs if t.status is TensorStatus.READ_WRITE),
        start=min(positions, default=0),
    )
