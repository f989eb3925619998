"""The executor: runs ops one by one and fused operations as one kernel, and says what it did.

In: global ops, and fused operations with their ops in global form. Out: ``Launch`` records; the
numbers are in the handles. Inputs whose status is ReadWrite are freed, outputs are registered, and
when an op fails neither happens.

Source: burn-fusion, stream/execution; burn-cubecl-fusion, optim/*/optimization.rs.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence

from fusionlab.errors import ExecutionError
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorStatus
from fusionlab.kernels.compile import COMPILER, KernelCompiler
from fusionlab.kernels.device import Device, KernelMode
from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.fused_run import FusedRun
from fusionlab.kernels.handles import HandleContainer, storage_of
from fusionlab.kernels.launch import Launch
from fusionlab.kernels.prepared import PreparedFusion, prepare
from fusionlab.plan import FusedOperation

__all__ = ["KernelExecutor", "KernelMode"]

_PREPARED_CAPACITY = 1024
_WITHOUT_WORK = frozenset({"Init::InitOperationIr", "Distributed::SyncCollective"})


class KernelExecutor:
    """Runs ops on the arrays of a ``HandleContainer``; one a lab, one thread at a time."""

    def __init__(
        self,
        handles: HandleContainer,
        seed: int = 0,
        mode: KernelMode = KernelMode.COMPILED,
        compiler: KernelCompiler = COMPILER,
    ) -> None:
        self.handles = handles
        self._device = Device(handles, seed, mode, compiler)
        self._prepared: OrderedDict[int, PreparedFusion] = OrderedDict()

    @property
    def sources(self) -> dict[str, str]:
        """The text of every kernel used so far, by ``source_id``."""
        return self._device.sources

    # --- one op -------------------------------------------------------------------------------

    def run_operation(self, op: OperationIr) -> Launch:
        """Run one op on its own.

        Raises:
            ExecutionError: It failed; the handles are as before.
            UnsupportedError: The op has no meaning here.
        """
        started = time.perf_counter()
        if op.kind == "Drop":
            return Launch(None, (op.kind,), (), (), freed=self._free_inputs(op), launched=False)
        if op.kind in _WITHOUT_WORK:
            return Launch(None, (op.kind,), (), (), launched=False)
        inputs = [self.handles.get(tensor.id) for tensor in op.inputs]
        outputs = self._device.compute(op, inputs)
        for tensor, array in zip(op.outputs, outputs, strict=True):
            self.handles.register(tensor.id, array)
        moved = op.spec.variant != "Empty" and not _only_views(inputs, outputs)
        return Launch(
            fuser=None,
            kinds=(op.kind,),
            reads=tuple(dict.fromkeys(t.id for t in op.inputs)) if moved else (),
            writes=tuple(t.id for t in op.outputs) if moved else (),
            freed=self._free_inputs(op),
            launched=moved,
            seconds=time.perf_counter() - started,
        )

    def _free_inputs(self, op: OperationIr) -> tuple[int, ...]:
        last = (t.id for t in op.inputs if t.status is TensorStatus.READ_WRITE)
        freed = tuple(i for i in dict.fromkeys(last) if i in self.handles)
        for tensor in freed:
            self.handles.free(tensor)
        return freed

    # --- a fused operation ----------------------------------------------------------------------

    def run_fused(
        self, fused: FusedOperation, operations: Sequence[OperationIr]
    ) -> tuple[Launch, ...]:
        """Run a fused operation.

        Args:
            fused: The fuser's result; its ops are relative.
            operations: The same ops in the same order, in global form.

        Returns:
            One record, or two when a pooling op runs behind the kernel. A unit that writes nothing
            gives one record that is not a launch.

        Raises:
            ExecutionError: It failed; no output is registered and nothing is freed.
            UnsupportedError: No kernel can express it.
        """
        run = FusedRun(self._device, self._prepare(fused), operations)
        try:
            return run.execute()
        except MemoryError as error:
            raise ExecutionError("out_of_memory", op=fused.fuser) from error

    def _prepare(self, fused: FusedOperation) -> PreparedFusion:
        """The prepared form; plans live long, so it is looked up by the object itself."""
        prepared = self._prepared.get(id(fused))
        if prepared is None or prepared.fused is not fused:
            prepared = self._prepared[id(fused)] = prepare(fused)
            while len(self._prepared) > _PREPARED_CAPACITY:
                self._prepared.popitem(last=False)
        return prepared


def _only_views(inputs: Sequence[Array], outputs: Sequence[Array]) -> bool:
    """Whether no element moved: every output looks into the memory of an input."""
    owners = {id(storage_of(array)) for array in inputs}
    return bool(outputs) and all(id(storage_of(array)) in owners for array in outputs)
