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
from fusionlab.ir.tensor import DType, Shape, StreamId, TensorId
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

    def __init__(self, text: str, inputs: Sequence[Array], backend: Backend | None = None) -> None:
        """Register the inputs: the values that the program makes out of nothing, in order."""
        self.program = parse_program(text, "benchmark", _LIMITS)
        self.backend = backend or Backend()
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

    def results(self) -> tuple[Array, ...]:
        """What the last run made; read it before the next one."""
        return tuple(self.backend.handles.get(tensor.id) for tensor in self._results.values())


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


class Backend(KernelExecutor):
    """An executor that can tell what it launched, and give the launches to be made again."""

    def __init__(self) -> None:
        """Nothing is noted until ``noting`` is set."""
        self.noting = False
        self.launches: list[Launch] = []
        self.calls: list[Callable[[], object]] = []
        self.sources_noted: list[KernelSource] = []
        super().__init__(HandleContainer(), compiler=_NotingCompiler(self))

    def run_operation(self, op: OperationIr) -> Launch | None:
        """Run one op on its own."""
        inputs = [self.handles.get(tensor.id) for tensor in op.inputs] if self.noting else []
        launch = super().run_operation(op)
        if self.noting and launch is not None:
            self.launches.append(launch)
            self.calls.append(partial(run_operation, op, inputs, 0))
        return launch

    def run_fused(
        self, fused: FusedOperation, operations: Sequence[OperationIr]
    ) -> tuple[Launch, ...]:
        """Run a fused operation over these global ops."""
        lead = PREPARATIONS.get(fused).group.lead if self.noting else None
        factors = [self.handles.get(t.id) for t in operations[lead.position].inputs] if lead else []
        launches = super().run_fused(fused, operations)
        if self.noting:
            self.launches.extend(launches)
            if lead is not None:
                kernel = self.calls.pop()
                assert isinstance(kernel, partial)  # noqa: S101 -- the compiler made it
                # An array is named after the tensor whose buffer it is.
                product = kernel.args[self._place_of[f"t{lead.output.id}"]]
                self.calls += [partial(np.matmul, *factors, out=product), kernel]
        return launches

    _place_of: dict[str, int]
    """Where the last kernel expects the array of this name."""

    def note(self, source: KernelSource, kernel: Kernel, args: tuple[object, ...]) -> None:
        """Remember a launch of a generated kernel."""
        self._place_of = {
            param.name: place
            for place, param in enumerate(source.params)
            if isinstance(param, ArrayParam)
        }
        self.sources_noted.append(source)
        self.calls.append(partial(kernel, *args))


class _NotingCompiler(KernelCompiler):
    """The shared compiler; while its backend notes, kernels tell what they are called with."""

    def __init__(self, backend: Backend) -> None:
        super().__init__()
        self._backend = backend

    def get(self, source: KernelSource) -> Kernel:
        kernel = COMPILER.get(source)
        if not self._backend.noting:
            return kernel

        def noted(*args: object) -> None:
            self._backend.note(source, kernel, args)
            kernel(*args)

        return noted


def launches_alone(
    text: str, inputs: Sequence[Array]
) -> tuple[Callable[[], None], tuple[Array, ...], tuple[Launch, ...]]:
    """The launches of one run without the engine: same kernels, same arguments.

    Returns:
        A function that makes them again, the arrays in which the results are, and the launches.
    """
    backend = Backend()
    backend.noting = True
    program = FusedProgram(text, inputs, backend)
    program()
    backend.noting = False
    calls = tuple(backend.calls)

    def again() -> None:
        for call in calls:
            call()

    single = calls[0] if len(calls) == 1 else again
    return single, program.results(), tuple(backend.launches)  # type: ignore[return-value]
