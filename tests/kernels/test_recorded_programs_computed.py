"""Recorded op streams, decided by the real engine and computed by kernels, against op by op.

The streams were made for decisions, so some of them do not compute (shapes that no op would give);
those must fail op by op too and are left out. So is one whose chain of ops turns a difference in
the last bit of an input into another result.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pytest
from conformance.corpus import recorded

from fusionlab.config import FusionConfig
from fusionlab.conformance import run_program
from fusionlab.engine.server import FusionServer
from fusionlab.errors import FusionLabError
from fusionlab.events.log import EventLog
from fusionlab.ir.event_form import operation_from_event, tensor_from_event
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP
from fusionlab.ir.tensor import DType, StreamId, TensorIr, TensorStatus
from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.executor import KernelExecutor
from fusionlab.kernels.handles import HandleContainer
from fusionlab.kernels.launch import Launch
from fusionlab.kernels.quantized import quantize
from fusionlab.plan import FusedOperation

SAMPLES = [("curated", 0, 52, 1), ("stress", 1, 200, 16), ("random", 5, 1500, 120)]


class OneByOne(KernelExecutor):
    """Takes the engine's decisions and ignores that anything was fused."""

    def run_fused(
        self,
        fused: FusedOperation,  # noqa: ARG002 -- ignored on purpose
        operations: Sequence[OperationIr],
    ) -> tuple[Launch, ...]:
        launches = [self.run_operation(op) for op in operations]
        return tuple(launch for launch in launches if launch is not None)


def inputs_of(program: Any) -> dict[int, TensorIr]:
    """The tensors that no op of the program makes (``Init`` only names what was uploaded)."""
    made: set[int] = set()
    given: dict[int, TensorIr] = {}
    for event in program["events"]:
        if event["kind"] == "op":
            op = operation_from_event(event)
            uploaded = op.outputs if op.spec.event_name == "Init" else ()
            given |= {t.id: t for t in (*op.inputs, *uploaded) if t.id not in made | given.keys()}
            made |= {tensor.id for tensor in op.outputs}
    return given


def values_for(tensor: TensorIr, rng: np.random.Generator) -> Array:
    if tensor.dtype.is_bool:
        return rng.random(tensor.shape) < 0.5
    if tensor.dtype.is_int:
        return rng.integers(0, 2, tensor.shape)
    plain = rng.uniform(0.2, 2.0, tensor.shape)
    return quantize(plain, 0.02) if tensor.dtype is DType.QFLOAT else plain


def computed(program: Any, kind: type[KernelExecutor]) -> tuple[dict[int, Array], KernelExecutor]:
    """All tensors that are alive at the end."""
    executor, rng = kind(HandleContainer(), seed=1), np.random.default_rng(0)
    for _, tensor in sorted(inputs_of(program).items()):
        executor.upload(tensor, values_for(tensor, rng))
    config = program.get("config") or {}
    blocks, bindings = config.get("max_blocks") or 5, config.get("max_bindings") or 1024
    server = FusionServer(FusionConfig(blocks, None, bindings), executor, EventLog())
    default = program.get("stream") or 0
    for event in program["events"]:
        stream = StreamId(event.get("stream", default))
        if event["kind"] == "op":
            server.register(stream, operation_from_event(event))
        elif event["kind"] == "drop":
            dropped = tensor_from_event(event["tensor"], TensorStatus.READ_WRITE)
            server.register(stream, OperationIr(DROP, (dropped,), ()))
        else:
            server.drain(stream)
    for stream in list(server.streams):
        server.drain(stream)
    return {i: executor.handles.read(i) for i in executor.handles}, executor


def programs() -> Iterator[Any]:
    for corpus, first, last, step in SAMPLES:
        for row in islice(recorded(corpus), first, last, step):
            yield pytest.param(row.program, id=f"{corpus}-{row.line}")


def agree(left: Array, right: Array) -> bool:
    if left.dtype.kind != "f":
        return np.array_equal(left, right)
    left, right = left.astype(np.float64), right.astype(np.float64)
    # Long chains amplify rounding: compare with the size of what the tensor holds.
    finite = np.abs(right[np.isfinite(right)])
    scale = float(np.quantile(finite, 0.9)) if finite.size else 1.0
    return np.allclose(left, right, rtol=5e-3, atol=5e-3 * max(scale, 1e-3), equal_nan=True)


@pytest.mark.parametrize("program", list(programs()))
def test_kernels_leave_the_same_tensors_alive_with_the_same_values(program):
    try:
        expected, _ = computed(program, OneByOne)
    except FusionLabError:
        pytest.skip("does not compute op by op either")
    got, _ = computed(program, KernelExecutor)
    assert set(got) == set(expected)
    assert [i for i in expected if not agree(got[i], expected[i])] == []


def test_the_sample_really_runs_kernels_of_every_fuser():
    wanted = {"elementwise", "matmul", "reduce", "reducebroadcasted", "nhwcrelayout"}
    seen: set[str] = set()
    for parameter in programs():
        result = run_program(parameter.values[0])
        seen |= {name.lower() for name in _fusers(result)}
    assert seen == wanted


def _fusers(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        if tree.get("kind") == "optimization":
            yield tree["fuser"]
        for value in tree.values():
            yield from _fusers(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _fusers(value)
