"""The executor: runs ops one by one and fused operations as one kernel, and says what it did.

In: global ops, and fused operations with their ops in global form. Out: ``Launch`` records; the
numbers are in the handles. Inputs whose status is ReadWrite are freed, outputs are registered, and
when an op fails neither happens.

Source: burn-fusion, stream/execution; burn-cubecl-fusion, optim/*/optimization.rs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from fusionlab.errors import ExecutionError
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import OPSET
from fusionlab.ir.tensor import DType, TensorIr, TensorStatus
from fusionlab.kernels.codegen import Variant, generate
from fusionlab.kernels.compile import COMPILER, KernelCompiler
from fusionlab.kernels.device import Device, KernelMode
from fusionlab.kernels.dtypes import Array, convert
from fusionlab.kernels.fused_run import FusedRun
from fusionlab.kernels.group import analyse
from fusionlab.kernels.handles import HandleContainer, storage_of
from fusionlab.kernels.launch import Launch
from fusionlab.kernels.prepared import PREPARATIONS
from fusionlab.kernels.quantized import QuantizedArray
from fusionlab.plan import FusedOperation

__all__ = ["KernelExecutor", "KernelMode", "warm_up"]

_WITHOUT_WORK = frozenset({"Drop", "Init::InitOperationIr", "Distributed::SyncCollective"})


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

    @property
    def sources(self) -> dict[str, str]:
        """The text of every kernel used so far, by ``source_id``."""
        return self._device.sources

    # --- one op -------------------------------------------------------------------------------

    def run_operation(self, op: OperationIr) -> Launch | None:
        """Run one op on its own.

        Returns:
            What was launched; ``None`` when nothing had to be: a Drop, an Init, an op whose result
            is a view. Such an op frees nothing yet: its last uses wait for ``free``.

        Raises:
            ExecutionError: It failed; the handles are as before.
            UnsupportedError: The op has no meaning here.
        """
        started = time.perf_counter()
        last_uses = self._last_uses(op)
        if op.kind in _WITHOUT_WORK:
            self._let_go(last_uses)
            return None
        inputs = [self.handles.get(tensor.id) for tensor in op.inputs]
        outputs = self._device.compute(op, inputs)
        for tensor, array in zip(op.outputs, outputs, strict=True):
            self.handles.register(tensor.id, array)
        if op.spec.variant == "Empty" or _only_views(inputs, outputs):
            self._let_go(last_uses)
            return None
        for tensor_id in last_uses:
            self.handles.free(tensor_id)
        return Launch(
            fuser=None,
            kinds=(op.kind,),
            reads=tuple(dict.fromkeys(t.id for t in op.inputs)),
            writes=tuple(t.id for t in op.outputs),
            freed=last_uses,
            seconds=time.perf_counter() - started,
        )

    def _last_uses(self, op: OperationIr) -> tuple[int, ...]:
        last = (t.id for t in op.inputs if t.status is TensorStatus.READ_WRITE)
        return tuple(i for i in dict.fromkeys(last) if i in self.handles)

    def _let_go(self, tensors: tuple[int, ...]) -> None:
        for tensor in tensors:
            self.handles.let_go(tensor)

    # --- a fused operation ----------------------------------------------------------------------

    def run_fused(
        self, fused: FusedOperation, operations: Sequence[OperationIr]
    ) -> tuple[Launch, ...]:
        """Run a fused operation.

        Args:
            fused: The fuser's result; its ops are relative.
            operations: The same ops in the same order, in global form.

        Returns:
            One launch, two when a pooling op runs behind the kernel, none when nothing that the
            unit makes is needed.

        Raises:
            ExecutionError: It failed; no output is registered and nothing is freed.
            UnsupportedError: No kernel can express it.
        """
        run = FusedRun(self._device, PREPARATIONS.get(fused), operations)
        try:
            return run.execute()
        except MemoryError as error:
            raise ExecutionError("out_of_memory", op=fused.fuser) from error

    # --- buffers --------------------------------------------------------------------------------

    def __contains__(self, tensor: int) -> bool:
        return tensor in self.handles

    def upload(self, tensor: TensorIr, data: Array) -> None:
        """Give a new tensor its values, converted to its type."""
        array = data if isinstance(data, QuantizedArray) else convert(np.array(data), tensor.dtype)
        self.handles.register(tensor.id, array.reshape(tensor.shape))

    def fetch(self, tensor: TensorIr) -> Array:
        """A copy of the tensor's values; its last use gives the buffer back."""
        values = self.handles.read(tensor.id)
        if tensor.status is TensorStatus.READ_WRITE:
            self.handles.free(tensor.id)
        return values

    def free(self, tensor: int) -> None:
        """Give a buffer back."""
        self.handles.free(tensor)

    def share(self, source: int, target: int) -> None:
        """Let ``target`` see the buffer of ``source``."""
        self.handles.register(target, self.handles.get(source))


def warm_up() -> None:
    """Load Numba and compile a first kernel in the background; for the start of a server."""
    tensors = [TensorIr(i, (1,), TensorStatus.READ_ONLY, DType.F32) for i in range(3)]
    scaled = OperationIr(
        OPSET["NumericFloat::MulScalar"], (tensors[0],), (tensors[1],), (("rhs", 0),)
    )
    raised = OperationIr(OPSET["Float::Exp"], (tensors[1],), (tensors[2],))
    COMPILER.try_get(generate(analyse("ElementWise", (scaled, raised)), Variant()))


def _only_views(inputs: Sequence[Array], outputs: Sequence[Array]) -> bool:
    """Whether no element moved: every output looks into the memory of an input."""
    owners = {id(storage_of(array)) for array in inputs}
    return bool(outputs) and all(id(storage_of(array)) in owners for array in outputs)
