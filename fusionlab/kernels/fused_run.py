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
from fusionlab.kernels.codegen import Variant
from fusionlab.kernels.device import Device
from fusionlab.kernels.dtypes import Array, storage_dtype
from fusionlab.kernels.launch import Launch
from fusionlab.kernels.prepared import PreparedFusion

Pairs = tuple[tuple[int, int], ...]

_NOTHING_REUSED: Final[Pairs] = ()


class FusedRun:
    """Runs the matmul in front, the kernel, the pooling op behind; then changes the handles."""

    __slots__ = (
        "_arrays",
        "_device",
        "_group",
        "_handles",
        "_operations",
        "_prepared",
        "_results",
        "_tensors",
        "_waiting",
    )

    def __init__(
        self, device: Device, prepared: PreparedFusion, operations: Sequence[OperationIr]
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
        self._waiting = False
        self._tensors = {
            number: (operations[at].outputs if made else operations[at].inputs)[index]
            for number, at, made, index in prepared.mentions
        }

    def execute(self) -> tuple[Launch, ...]:
        """Everything, in order; the launches of the unit."""
        group = self._group
        started = time.perf_counter()
        self._run_lead()
        self._fetch(group.reads)
        source_id: str | None = None
        cached, reused = False, _NOTHING_REUSED
        if group.writes:
            self._check()
            source_id, cached, reused = self._run_kernel()
        seconds = time.perf_counter() - started
        tail = self._run_tail()
        if source_id is None and group.lead is None and tail is None:
            self._let_go()
            return ()
        kernel = self._launch(source_id, cached=cached, reused=reused, seconds=seconds)
        self._commit()
        return (kernel,) if tail is None else (kernel, tail)

    def _global(self, relative: int) -> int:
        return self._tensors[relative].id

    def _fetch(self, tensors: Sequence[int]) -> None:
        arrays, get, known = self._arrays, self._handles.get, self._tensors
        for tensor in tensors:
            if tensor not in arrays:
                arrays[tensor] = get(known[tensor].id)

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

    def _run_kernel(self) -> tuple[str, bool, Pairs]:
        strided = self._strided()
        reused = self._choose_reuse() if self._prepared.chances else _NOTHING_REUSED
        if strided or reused:
            recipe = self._prepared.recipe(Variant(strided, reused))
        else:
            recipe = self._prepared.plain_recipe()
        cached = self._device.remember(recipe.source)
        kernel = self._device.kernel(recipe)
        self._waiting = kernel is None
        if kernel is None:
            self._run_by_reference(dict(reused))
        else:
            self._allocate(dict(reused))
            kernel(*[make(self._arrays, self._operations) for make in recipe.makers])
        return recipe.source.source_id, cached, reused

    def _strided(self) -> frozenset[int]:
        arrays = self._arrays
        return frozenset([i for i in self._group.reads if not arrays[i].flags.c_contiguous])

    def _choose_reuse(self) -> Pairs:
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

    def _allocate(self, reused: dict[int, int]) -> None:
        for tensor in self._group.writes:
            if tensor in reused:
                array = self._arrays[reused[tensor]]
            else:
                ir = self._tensors[tensor]
                array = self._handles.pool.take(ir.shape, storage_dtype(ir.dtype))
            self._arrays[tensor] = self._results[tensor] = array

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

    def _check(self) -> None:
        """What a kernel cannot check itself without slowing down."""
        for position in self._prepared.indexed:
            self._check_index(position)
        for position in self._prepared.picking:
            op = self._operations[position]
            axis = op.arg("axis")
            if isinstance(axis, int) and op.inputs[0].shape[axis] == 0:
                raise ExecutionError("empty_reduction", op=op.kind)

    def _check_index(self, position: int) -> None:
        op, relative = self._operations[position], self._prepared.fused.operations[position]
        dim = op.arg("dim")
        source, indices = (self._arrays[tensor.id] for tensor in relative.inputs)
        extent = source.shape[dim] if isinstance(dim, int) else 0
        if indices.size and (indices.min() < 0 or indices.max() >= extent):
            bad = int(indices.min() if indices.min() < 0 else indices.max())
            raise ExecutionError("index_outside", op=op.kind, index=bad, extent=extent)

    # --- the end --------------------------------------------------------------------------------

    def _launch(
        self, source_id: str | None, *, cached: bool, reused: Pairs, seconds: float
    ) -> Launch:
        prepared, group = self._prepared, self._group
        known, lead = self._tensors, group.lead
        lead_output = lead.output.id if lead else None
        return Launch(
            fuser=group.fuser,
            kinds=prepared.kinds,
            reads=tuple([known[i].id for i in prepared.read_ids]),
            writes=tuple([known[i].id for i in prepared.write_ids]),
            source_id=source_id,
            cached=cached,
            # The matmul's own buffer is no tensor that anybody could have seen.
            reused=tuple([(known[i].id, known[out].id) for out, i in reused if i != lead_output]),
            freed=tuple([known[i].id for i in group.consumed]),
            seconds=seconds,
            waiting=self._waiting,
        )

    def _let_go(self) -> None:
        """Nothing was launched: the inputs stay until the queue frees them, but own nothing."""
        for tensor in self._group.consumed:
            if self._global(tensor) in self._handles:
                self._handles.let_go(self._global(tensor))

    def _commit(self) -> None:
        """Outputs that survive the whole unit get handles; used-up inputs lose theirs."""
        kept, register = self._prepared.kept, self._handles.register
        for tensor, array in self._results.items():
            if tensor in kept:
                register(self._global(tensor), array)
        for tensor in self._group.consumed:
            self._handles.free(self._global(tensor))
