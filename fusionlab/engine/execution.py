"""Station 10, ordered execution: a strategy runs over the front of the queue.

In: a decision. Out: launches, and a queue without the ops that ran. A plan that names shape ids
which this segment has not assigned runs un-fused instead.

An op that fails does not stop the others: its outputs hold the error, ops that read them take it
over, and it is raised once, at the end of the drain.

Source: burn-fusion, stream/queue/execution.rs, stream/execution/ordering.rs. Deviation: when an
op fails, burn up to 0.22.0-pre.2 unwinds through the server; later versions keep the error on the
outputs, as here, but report it only when one of them is read.
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
from fusionlab.events.measured import Measured
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr, TensorStatus
from fusionlab.kernels.launch import Launch
from fusionlab.plan import (
    BlockOptimization,
    FusedOperation,
    Operations,
    Optimization,
    PlanId,
    Unit,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]

_READ_WRITE = TensorStatus.READ_WRITE


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
        fitting = self._fitting(plan, optimization)
        operations = self.queue.operations
        if not self.recorder.on:
            self._run_units(fitting.units, operations)
        else:
            table = tuple(_executed_block(unit, operations) for unit in fitting.units)
            fallback = fitting is not optimization
            with self.recorder.span(ExecutionStarted(plan, fitting.strategy, table, fallback)):
                self._run_units(fitting.units, operations)
        self._finish(len(fitting.ordering))

    def _fitting(self, plan: PlanId | None, optimization: BlockOptimization) -> BlockOptimization:
        """The plan itself, or its ops un-fused when it names a shape id that is not assigned."""
        needs = optimization.highest_shape_id
        if plan is None or needs is None:
            return optimization
        count = len(optimization.ordering)
        assigned_after = self.queue.shapes_assigned
        assigned = assigned_after[count - 1] if count <= len(assigned_after) else 1
        if needs < assigned:
            return optimization
        if self.recorder.on:
            self.recorder.emit(PlanUnfit(plan, needs, assigned, count))
        ordering = tuple(range(count))
        return BlockOptimization(Operations(ordering), ordering)

    def _run_units(self, units: Sequence[Unit], queued: Sequence[OperationIr]) -> None:
        for unit in units:
            if isinstance(unit, Optimization):
                self._run_unit(unit.fused, [queued[position] for position in unit.ordering])
            else:
                for position in unit.ordering:
                    self._run_unit(None, [queued[position]])

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
            emit(_launched(launch), Measured(launch.seconds, launch.waiting))
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
            for tensor in op.inputs + op.outputs:
                if tensor.status is _READ_WRITE:
                    queue.variables.discard(tensor.id)
                    if self.errors:
                        self.errors.pop(tensor.id, None)
                    self.free(tensor.id)
        self.flush_deferred()

    def flush_deferred(self) -> None:
        """Free the tensors that waited for the last op that mentions them."""
        if not self.queue.deferred_frees:
            return
        waiting, self.queue.deferred_frees = self.queue.deferred_frees, []
        for tensor in waiting:
            if self.queue.mentions(tensor.id):
                self.queue.deferred_frees.append(tensor)
            else:
                self.queue.variables.discard(tensor.id)
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


def _executed_block(unit: Unit, queued: Sequence[OperationIr]) -> ExecutedBlock:
    operations = tuple(queued[position] for position in unit.ordering)
    if isinstance(unit, Optimization):
        return ExecutedBlock(unit.fused.fuser, unit.score, operations)
    return ExecutedBlock(None, 0, operations)
