"""Station 10, ordered execution: a strategy runs over the front of the queue.

In: a decision. Out: launches, and a queue without the ops that ran. A plan that names shape ids
which this segment has not assigned runs un-fused instead.

An op that fails does not stop the others: its outputs hold the error, ops that read them take it
over, and it is raised once, at the end of the drain.

Source: burn-fusion, stream/queue/execution.rs, stream/execution/ordering.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from fusionlab.engine.queue import OperationQueue
from fusionlab.errors import ExecutionError
from fusionlab.events.facts import (
    ExecutedBlock,
    ExecutionStarted,
    HandleFreed,
    KernelBuilt,
    KernelLaunched,
    OpExecuted,
    PlanUnfit,
    QueueDrained,
)
from fusionlab.events.log import Recorder
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr, TensorStatus
from fusionlab.kernels.launch import Launch
from fusionlab.plan import (
    BlockOptimization,
    ExecutionStrategy,
    FusedOperation,
    Operations,
    Optimization,
    PlanId,
    flat_ordering,
    leaves,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]


class Backend(Protocol):
    """Who computes: NumPy and generated kernels, or nobody (decisions only)."""

    def run_operation(self, op: OperationIr) -> Launch | None:
        """Run one op on its own; ``None`` when it needs no launch (Drop, Init, a view)."""

    def run_fused(
        self, fused: FusedOperation, operations: Sequence[OperationIr]
    ) -> Sequence[Launch]:
        """Run a fused operation over these global ops."""

    def __contains__(self, tensor: int) -> bool:
        """Whether the tensor has a buffer."""

    def upload(self, tensor: TensorIr, data: Array) -> None:
        """Give a new tensor its values."""

    def fetch(self, tensor: TensorIr) -> Array | None:
        """A copy of the tensor's values; its last use gives the buffer back."""

    def free(self, tensor: int) -> None:
        """Give a buffer back; the tensor has one."""

    def share(self, source: int, target: int) -> None:
        """Let ``target`` see the buffer of ``source``."""


class Execution:
    """Runs decisions for one stream."""

    __slots__ = ("backend", "errors", "pending", "queue", "recorder")

    def __init__(
        self,
        queue: OperationQueue,
        backend: Backend,
        errors: dict[int, ExecutionError],
        recorder: Recorder,
    ) -> None:
        """``errors`` holds, for all streams, the error of each tensor that could not be made."""
        self.queue = queue
        self.backend = backend
        self.errors = errors
        self.pending: ExecutionError | None = None
        self.recorder = recorder

    def run(self, plan: PlanId | None, optimization: BlockOptimization) -> None:
        """Run a decision and drop the ops that ran from the queue."""
        strategy, fallback = self._fitting(plan, optimization)
        operations = self.queue.operations
        if not self.recorder.on:
            self._run_units(strategy, operations)
        else:
            table = tuple(_executed_block(leaf, operations) for leaf in leaves(strategy))
            with self.recorder.span(ExecutionStarted(plan, strategy, table, fallback)):
                self._run_units(strategy, operations)
        self._finish(len(flat_ordering(strategy)))

    def _fitting(
        self, plan: PlanId | None, optimization: BlockOptimization
    ) -> tuple[ExecutionStrategy, bool]:
        """The strategy, or its ops un-fused when it names a shape id that is not assigned."""
        count = len(optimization.ordering)
        assigned_after = self.queue.shapes_assigned
        assigned = assigned_after[count - 1] if count <= len(assigned_after) else 1
        needs = highest_shape_id(optimization.strategy)
        if plan is None or needs is None or needs < assigned:
            return optimization.strategy, False
        if self.recorder.on:
            self.recorder.emit(PlanUnfit(plan, needs, assigned, count))
        return Operations(tuple(range(count))), True

    def _run_units(self, strategy: ExecutionStrategy, queued: Sequence[OperationIr]) -> None:
        for leaf in leaves(strategy):
            operations = [queued[position] for position in leaf.ordering]
            if isinstance(leaf, Optimization):
                self._run_unit(leaf.fused, operations)
            else:
                for op in operations:
                    self._run_unit(None, [op])

    def _run_unit(self, fused: FusedOperation | None, operations: list[OperationIr]) -> None:
        """Run one unit, or let its outputs take over the error of an input."""
        if self.errors and self._inherit(operations):
            return
        try:
            if fused is not None:
                launches = self.backend.run_fused(fused, operations)
            else:
                launch = self.backend.run_operation(operations[0])
                launches = () if launch is None else (launch,)
        except ExecutionError as error:
            self._spoil(operations, error)
            return
        if self.recorder.on:
            self._record(operations, launches)

    def _inherit(self, operations: list[OperationIr]) -> bool:
        for op in operations:
            for tensor in op.inputs:
                error = self.errors.get(tensor.id)
                if error is not None:
                    self._spoil(operations, error)
                    return True
        return False

    def _spoil(self, operations: list[OperationIr], error: ExecutionError) -> None:
        self.pending = self.pending or error
        for op in operations:
            for tensor in op.outputs:
                self.errors[tensor.id] = error

    def _record(self, operations: list[OperationIr], launches: Sequence[Launch]) -> None:
        emit = self.recorder.emit
        for launch in launches:
            if launch.source_id is not None:
                emit(KernelBuilt(launch.source_id, launch.cached))
            emit(_launched(launch), launch.seconds)
            for tensor in launch.freed:
                emit(HandleFreed(tensor))
        if not launches:
            for op in operations:
                emit(OpExecuted(op.kind))

    def _finish(self, count: int) -> None:
        """Forget the executed front: its last uses are over."""
        queue = self.queue
        if self.recorder.on:
            self.recorder.emit(QueueDrained(count, len(queue) - count))
        for op in queue.remove_front(count):
            for tensor in op.nodes:
                if tensor.status is TensorStatus.READ_WRITE:
                    queue.variables.pop(tensor.id, None)
                    self.errors.pop(tensor.id, None)
                    self.free(tensor.id)
        self.flush_deferred()

    def flush_deferred(self) -> None:
        """Free the tensors that waited for the last op that mentions them."""
        waiting, self.queue.deferred_frees = self.queue.deferred_frees, []
        for tensor in waiting:
            if self.queue.mentions(tensor.id):
                self.queue.deferred_frees.append(tensor)
            else:
                self.queue.variables.pop(tensor.id, None)
                self.free(tensor.id)

    def free(self, tensor: int) -> None:
        """Give a tensor's buffer back, if it has one."""
        if tensor in self.backend:
            self.backend.free(tensor)
            if self.recorder.on:
                self.recorder.emit(HandleFreed(tensor))

    def take_error(self) -> ExecutionError | None:
        """The first error since the last call, once."""
        error, self.pending = self.pending, None
        return error


def _launched(launch: Launch) -> KernelLaunched:
    return KernelLaunched(
        launch.fuser, launch.kinds, launch.reads, launch.writes, launch.source_id, launch.reused
    )


def highest_shape_id(strategy: ExecutionStrategy) -> int | None:
    """The highest shape id that the strategy's fused operations name; ``None``: none does."""
    named = [
        leaf.fused.max_relative_shape_id
        for leaf in leaves(strategy)
        if isinstance(leaf, Optimization) and leaf.fused.max_relative_shape_id is not None
    ]
    return max(named, default=None)


def _executed_block(
    leaf: Optimization | Operations, queued: Sequence[OperationIr]
) -> ExecutedBlock:
    operations = tuple(queued[position] for position in leaf.ordering)
    if isinstance(leaf, Optimization):
        return ExecutedBlock(leaf.fused.fuser, leaf.score, operations)
    return ExecutedBlock(None, 0, operations)
