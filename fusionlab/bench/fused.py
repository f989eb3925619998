"""A workload as FusionLab runs it: registered op by op, looked up, launched.

In: a lab program and arrays for its inputs. Out: a function that runs the program once more. The
first run stores the plan and compiles; every later one hits. Nothing is recorded.

The loop is the natural one, ``for …: out = f(a, b)``: the last round's results are dropped where
the new ones take their names, so a segment ends with a Drop for each result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fusionlab.config import FusionConfig, Limits
from fusionlab.engine.client import FusionClient, FusionTensor
from fusionlab.engine.server import FusionServer
from fusionlab.events.log import NullRecorder
from fusionlab.ir.operation import Args, OperationIr
from fusionlab.ir.opset import OpSpec
from fusionlab.ir.tensor import DType, Shape, StreamId, TensorId, TensorStatus
from fusionlab.kernels.codegen import KernelSource
from fusionlab.kernels.codegen.params import ArrayParam
from fusionlab.kernels.compile import COMPILER, Kernel, KernelCompiler
from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.executor import KernelExecutor
from fusionlab.kernels.handles import HandleContainer
from fusionlab.kernels.launch import Launch
from fusionlab.kernels.prepared import PREPARATIONS
from fusionlab.kernels.reference import run_operation
from fusionlab.plan import FusedOperation
from fusionlab.program import Program, parse_program
from fusionlab.program.model import Register, Sync, Use

STREAM = StreamId(0)
_LIMITS = Limits()


class FusedProgram:
    """A lab program over given inputs; calling it runs it once."""

    def __init__(
        self, text: str, inputs: Sequence[Array], backend: KernelExecutor | None = None
    ) -> None:
        """Register the inputs: the values that the program makes out of nothing, in order."""
        self.program = parse_program(text, "benchmark", _LIMITS)
        self.backend = backend or KernelExecutor(HandleContainer())
        self.client = FusionClient(
            FusionServer(FusionConfig(), self.backend, NullRecorder()), first_id=len(inputs)
        )
        self._kept = _inputs(self.program, inputs, self.backend.handles)
        self._steps = [
            _step(self.program, each)
            for each in self.program.instructions
            if isinstance(each, Sync) or (isinstance(each, Register) and each.inputs)
        ]
        self._results: dict[int, FusionTensor] = {}

    def __call__(self) -> None:
        """Run the program to its end."""
        before, made = self._results, dict(self._kept)
        results: dict[int, FusionTensor] = {}
        self._results = results
        clone, register = self.client.clone, self.client.register
        for step in self._steps:
            if step is None:
                self._finish_segment(before)
                continue
            inputs = [
                made.pop(value) if moves else clone(STREAM, made[value])
                for value, moves in step.inputs
            ]
            made[step.output] = register(STREAM, step.spec, inputs, step.made, step.args)[0]
            if step.kept:
                results[step.output] = made[step.output]
        self._finish_segment(before)

    def _finish_segment(self, before: dict[int, FusionTensor]) -> None:
        """Give up the results that have been replaced, and run what is queued."""
        for value in self._results:
            if value in before:
                self.client.drop(STREAM, before.pop(value))
        self.client.sync(STREAM)

    def made(self) -> tuple[TensorId, ...]:
        """The tensors that the last run made."""
        return tuple(tensor.id for tensor in self._results.values())

    def results(self) -> tuple[Array, ...]:
        """Their values; read them before the next run."""
        return tuple(self.backend.handles.get(tensor) for tensor in self.made())


@dataclass(frozen=True, slots=True)
class _Step:
    """An op to register; all ops of the workloads make one tensor."""

    spec: OpSpec
    inputs: tuple[Use, ...]
    output: int
    made: tuple[tuple[Shape, DType], ...]
    args: Args
    kept: bool


def _step(program: Program, instruction: Register | Sync) -> _Step | None:
    """An instruction made ready; ``None`` for a sync."""
    if isinstance(instruction, Sync):
        return None
    (output,) = instruction.outputs
    value = program.values[output]
    return _Step(
        instruction.spec,
        instruction.inputs,
        output,
        ((value.shape, value.dtype),),
        instruction.args,
        output in program.kept,
    )


def _inputs(
    program: Program, arrays: Sequence[Array], handles: HandleContainer
) -> dict[int, FusionTensor]:
    """Handles of the program's inputs, over the given arrays (which nobody copies)."""
    kept: dict[int, FusionTensor] = {}
    for number, (value, array) in enumerate(zip(input_values(program), arrays, strict=True)):
        handles.register(number, array)
        # The second owner is the program's name for it: no use is ever the last.
        kept[value] = FusionTensor(TensorId(number), array.shape, DType.F32, STREAM, [2])
    return kept


def input_values(program: Program) -> list[int]:
    """The values that a program makes out of nothing, in order."""
    return [
        step.outputs[0]
        for step in program.instructions
        if isinstance(step, Register) and not step.inputs
    ]


class PlanRun:
    """A stored plan that the executor runs again, without the ops being registered anew."""

    def __init__(self, text: str, inputs: Sequence[Array]) -> None:
        """Run the program once to get its plan."""
        self.backend = Backend()
        program = FusedProgram(text, inputs, self.backend)
        self.backend.noting = True
        program()
        self.backend.noting = False
        self.units = tuple(self.backend.units)
        self.launches = tuple(self.backend.launches)
        self.made: tuple[int, ...] = program.made()
        # What the queue frees behind a unit, if the unit has not done so itself.
        self._used_up = [
            tensor.id
            for _, operations in self.units
            for op in operations
            for tensor in op.inputs
            if tensor.status is TensorStatus.READ_WRITE
        ]

    def __call__(self) -> None:
        """Make the results again; those of the last run go first, as in ``out = f(a, b)``."""
        backend = self.backend
        for tensor in self.made:
            backend.free(tensor)
        for fused, operations in self.units:
            if fused is None:
                backend.run_operation(operations[0])
            else:
                backend.run_fused(fused, operations)
        for tensor in self._used_up:
            if tensor in backend:
                backend.free(tensor)

    def results(self) -> tuple[Array, ...]:
        """What the last run made."""
        return tuple(self.backend.handles.get(tensor) for tensor in self.made)


class LaunchesAlone:
    """The launches of one run without the executor: same kernels, same arguments, same memory."""

    def __init__(self, text: str, inputs: Sequence[Array]) -> None:
        """Run the program once and keep what was called with what."""
        backend = _LaunchNotes()
        program = FusedProgram(text, inputs, backend)
        program()
        self.sources = tuple(backend.sources_noted)
        self.calls = tuple(backend.calls)
        self.outputs = program.results()

    def __call__(self) -> None:
        """Launch everything again."""
        for call in self.calls:
            call()


class Backend(KernelExecutor):
    """An executor that notes the units that it is asked to run while ``noting`` is set."""

    def __init__(self, compiler: KernelCompiler = COMPILER) -> None:
        """Nothing is noted at first."""
        self.noting = False
        self.units: list[tuple[FusedOperation | None, tuple[OperationIr, ...]]] = []
        self.launches: list[Launch] = []
        super().__init__(HandleContainer(), compiler=compiler)

    def run_operation(self, op: OperationIr) -> Launch | None:
        """Run one op on its own."""
        launch = super().run_operation(op)
        if self.noting:
            self.units.append((None, (op,)))
            self.launches += [] if launch is None else [launch]
        return launch

    def run_fused(
        self, fused: FusedOperation, operations: Sequence[OperationIr]
    ) -> tuple[Launch, ...]:
        """Run a fused operation over these global ops."""
        launches = super().run_fused(fused, operations)
        if self.noting:
            self.units.append((fused, tuple(operations)))
            self.launches += launches
        return launches


class _LaunchNotes(KernelExecutor):
    """An executor that keeps every call of a kernel, and of NumPy, with its arguments."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], object]] = []
        self.sources_noted: list[KernelSource] = []
        self._place_of: dict[str, int] = {}
        super().__init__(HandleContainer(), compiler=_NotingCompiler(self))

    def run_operation(self, op: OperationIr) -> Launch | None:
        inputs = [self.handles.get(tensor.id) for tensor in op.inputs]
        launch = super().run_operation(op)
        if launch is not None:
            self.calls.append(partial(run_operation, op, inputs, 0))
        return launch

    def run_fused(
        self, fused: FusedOperation, operations: Sequence[OperationIr]
    ) -> tuple[Launch, ...]:
        lead = PREPARATIONS.get(fused).group.lead
        factors = [self.handles.get(t.id) for t in operations[lead.position].inputs] if lead else []
        launches = super().run_fused(fused, operations)
        if lead is not None:
            kernel = self.calls.pop()
            assert isinstance(kernel, partial)  # noqa: S101 -- ``note`` made it
            # An array is named after the tensor whose buffer it is.
            product = kernel.args[self._place_of[f"t{lead.output.id}"]]
            self.calls += [partial(np.matmul, *factors, out=product), kernel]
        return launches

    def note(self, source: KernelSource, kernel: Kernel, args: tuple[object, ...]) -> None:
        """Keep a call of a generated kernel."""
        self._place_of = {
            param.name: place
            for place, param in enumerate(source.params)
            if isinstance(param, ArrayParam)
        }
        self.sources_noted.append(source)
        self.calls.append(partial(kernel, *args))


class _NotingCompiler(KernelCompiler):
    """The shared compiler, whose kernels tell what they are called with."""

    def __init__(self, notes: _LaunchNotes) -> None:
        super().__init__()
        self._notes = notes

    def get(self, source: KernelSource) -> Kernel:
        kernel = COMPILER.get(source)

        def noted(*args: object) -> None:
            self._notes.note(source, kernel, args)
            kernel(*args)

        return noted
