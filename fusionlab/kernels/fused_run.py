"""One run of one fused operation: it reads everything first and changes the handles last.

Source: burn-cubecl-fusion, engine/launch (planning of inputs and outputs), optim/*/optimization.rs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

import numpy as np

from fusionlab.errors import ExecutionError, InvariantError
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorStatus
from fusionlab.kernels.codegen import KernelSource, Variant
from fusionlab.kernels.device import Device, KernelMode
from fusionlab.kernels.dtypes import Array, storage_dtype
from fusionlab.kernels.group import Step, reads_by_index
from fusionlab.kernels.launch import Launch
from fusionlab.kernels.prepared import PreparedFusion, Situation

_PICKS_AN_ELEMENT: Final = frozenset({"MaxDim", "MinDim", "MaxAbsDim", "ArgMax", "ArgMin"})


class FusedRun:
    """One run of one fused operation: reads everything first, changes the handles last."""

    def __init__(
        self,
        device: Device,
        prepared: PreparedFusion,
        operations: Sequence[OperationIr],
    ) -> None:
        if len(operations) != len(prepared.fused.operations):
            raise InvariantError("fused_length", got=len(operations))
        self._device = device
        self._handles = device.handles
        self._prepared = prepared
        self._group = prepared.group
        self._operations = operations
        self._arrays: dict[int, Array] = {}
        self._results: dict[int, Array] = {}
        self._now = Situation(operations, prepared.places, self._arrays)

    def execute(self) -> tuple[Launch, ...]:
        """Run the matmul in front, the kernel, the pooling op behind; then change the handles."""
        started = time.perf_counter()
        self._run_lead()
        self._fetch(self._group.reads)
        reused: tuple[tuple[int, int], ...] = ()
        source, cached = None, False
        if self._group.writes:
            self._check_indices()
            self._check_extents()
            source, reused, cached = self._run_kernel()
        seconds = time.perf_counter() - started
        tail = self._run_tail()
        kernel = self._kernel_launch(source, reused, cached=cached, seconds=seconds)
        if not (source or self._group.lead or tail):
            self._let_go()
            return ()
        self._commit()
        return (kernel,) if tail is None else (kernel, tail)

    def _global(self, relative: int) -> int:
        return self._now.tensor(relative).id

    def _fetch(self, tensors: Sequence[int]) -> None:
        for tensor in tensors:
            if tensor not in self._arrays:
                self._arrays[tensor] = self._handles.get(self._global(tensor))

    # --- the parts ------------------------------------------------------------------------------

    def _run_lead(self) -> None:
        lead = self._group.lead
        if lead is None:
            return
        op = self._operations[lead.position]
        inputs = [self._handles.get(tensor.id) for tensor in op.inputs]
        self._arrays[lead.output.id] = self._device.compute(op, inputs)[0]
        if self._group.lead_survives:
            self._results[lead.output.id] = self._arrays[lead.output.id]

    def _run_kernel(self) -> tuple[KernelSource | None, tuple[tuple[int, int], ...], bool]:
        reused = self._choose_reuse()
        variant = Variant(self._strided(), reused)
        source = self._prepared.source(variant)
        cached = self._device.remember(source)
        if self._device.mode is KernelMode.REFERENCE:
            self._run_by_reference(dict(reused))
        else:
            outputs = self._allocate(dict(reused))
            self._arrays.update(outputs)
            self._device.launch(source, self._now)
            self._results.update(outputs)
        return source, reused, cached

    def _strided(self) -> frozenset[int]:
        return frozenset(i for i in self._group.reads if not self._arrays[i].flags.c_contiguous)

    def _choose_reuse(self) -> tuple[tuple[int, int], ...]:
        """Each output takes the first fitting buffer that nobody else owns."""
        taken: dict[int, int] = {}
        for chance in self._prepared.chances:
            free = (i for i in chance.inputs if i not in taken.values() and self._is_free(i))
            if (chosen := next(free, None)) is not None:
                taken[chance.output] = chosen
        return tuple(taken.items())

    def _is_free(self, tensor: int) -> bool:
        flags = self._arrays[tensor].flags
        if not (flags.c_contiguous and flags.writeable):
            return False
        lead = self._group.lead
        if lead is not None and tensor == lead.output.id:
            return True
        return self._handles.is_sole_owner(self._global(tensor))

    def _allocate(self, reused: dict[int, int]) -> dict[int, Array]:
        return {
            i: self._arrays[reused[i]] if i in reused else self._new(i) for i in self._group.writes
        }

    def _new(self, tensor: int) -> Array:
        ir = self._now.tensor(tensor)
        return np.empty(ir.shape, storage_dtype(ir.dtype))

    def _run_by_reference(self, reused: dict[int, int]) -> None:
        """The same results op by op; an output that reuses a buffer is copied into it."""
        values = dict(self._arrays)
        for step in self._group.steps:
            inputs = [values[tensor.id] for tensor in step.op.inputs]
            op = self._operations[step.position]
            values[step.output.id] = self._device.compute(op, inputs)[0]
        for tensor in self._group.writes:
            result = values[tensor]
            if tensor in reused:
                np.copyto(self._arrays[reused[tensor]], result)
                result = self._arrays[reused[tensor]]
            self._arrays[tensor] = self._results[tensor] = result

    def _run_tail(self) -> Launch | None:
        tail = self._group.tail
        if tail is None:
            return None
        started = time.perf_counter()
        op = self._operations[tail.position]
        self._fetch([tensor.id for tensor in tail.op.inputs])
        outputs = self._device.compute(op, [self._arrays[t.id] for t in tail.op.inputs])
        for tensor, array in zip(tail.op.outputs, outputs, strict=True):
            self._results[tensor.id] = array
        return Launch(
            fuser=self._group.fuser,
            kinds=(op.kind,),
            reads=tuple(dict.fromkeys(tensor.id for tensor in op.inputs)),
            writes=tuple(tensor.id for tensor in op.outputs),
            seconds=time.perf_counter() - started,
        )

    # --- checks ---------------------------------------------------------------------------------

    def _check_indices(self) -> None:
        for step in self._group.steps:
            if reads_by_index(step.op) and step.op.spec.variant != "Cat":
                self._check_index(step)

    def _check_index(self, step: Step) -> None:
        op = self._operations[step.position]
        dim = op.arg("dim")
        source, indices = (self._arrays[tensor.id] for tensor in step.op.inputs)
        extent = source.shape[dim] if isinstance(dim, int) else 0
        if indices.size and (indices.min() < 0 or indices.max() >= extent):
            bad = int(indices.min() if indices.min() < 0 else indices.max())
            raise ExecutionError("index_outside", op=op.kind, index=bad, extent=extent)

    def _check_extents(self) -> None:
        """Nothing can be picked from an empty dimension."""
        for step in self._group.steps:
            if step.op.spec.variant in _PICKS_AN_ELEMENT:
                op = self._operations[step.position]
                axis = op.arg("axis")
                if isinstance(axis, int) and op.inputs[0].shape[axis] == 0 and op.outputs[0].shape:
                    raise ExecutionError("empty_reduction", op=op.kind)

    # --- the end --------------------------------------------------------------------------------

    def _kernel_launch(
        self,
        source: KernelSource | None,
        reused: tuple[tuple[int, int], ...],
        *,
        cached: bool,
        seconds: float,
    ) -> Launch:
        group, lead = self._group, self._group.lead
        made_by_lead = lead.output.id if lead else None
        reads = [*(t.id for t in lead.op.inputs)] if lead else []
        reads += [i for i in group.reads if i != made_by_lead]
        tail_position = group.tail.position if group.tail else None
        kinds = [op.kind for i, op in enumerate(self._operations) if i != tail_position]
        writes = [*([made_by_lead] if lead and group.lead_survives else []), *group.writes]
        return Launch(
            fuser=group.fuser,
            kinds=tuple(kinds),
            reads=tuple(self._global(i) for i in dict.fromkeys(reads)),
            writes=tuple(self._global(i) for i in writes if i is not None),
            source_id=source.source_id if source else None,
            cached=cached,
            reused=tuple(
                (self._global(i), self._global(out)) for out, i in reused if i != made_by_lead
            ),
            freed=tuple(i for i in map(self._global, group.consumed) if i in self._handles),
            seconds=seconds,
        )

    def _let_go(self) -> None:
        """Nothing was launched: the inputs stay until the queue frees them, but own nothing."""
        for tensor in self._group.consumed:
            if self._global(tensor) in self._handles:
                self._handles.let_go(self._global(tensor))

    def _commit(self) -> None:
        """Outputs that survive the whole unit get handles; used-up inputs lose theirs."""
        group = self._group
        gone = {i for i, t in group.tensors.items() if t.status is TensorStatus.READ_WRITE}
        for tensor, array in self._results.items():
            if tensor not in gone:
                self._handles.register(self._global(tensor), array)
        for tensor in group.consumed:
            if self._global(tensor) in self._handles:
                self._handles.free(self._global(tensor))
