"""Small programs for the kernel tests: a tape of global ops, and groups made from it by hand.

``Tape`` hands out ids, asks the shape rules for shapes, and remembers the input arrays. ``fuse``
turns its ops into the fused operation that a fuser would have made.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fusionlab.ir.operation import ArgValue, OperationIr, Options, Scalar
from fusionlab.ir.opset import OPSET
from fusionlab.ir.shapes import infer
from fusionlab.ir.tensor import DType, TensorIr, TensorStatus
from fusionlab.kernels.dtypes import Array, convert
from fusionlab.kernels.executor import KernelExecutor, KernelMode
from fusionlab.kernels.handles import HandleContainer
from fusionlab.kernels.launch import Launch

RO, RW, NI = TensorStatus.READ_ONLY, TensorStatus.READ_WRITE, TensorStatus.NOT_INIT


def scalar(value: float) -> Scalar:
    if isinstance(value, bool):
        return Scalar("Bool", value)
    return Scalar("Int" if isinstance(value, int) else "Float", value)


def last(tensor: TensorIr) -> TensorIr:
    """This is the last use: the op may free or reuse the buffer."""
    return tensor._replace(status=RW)


def operation(
    name: str, inputs: Sequence[TensorIr], outputs: Sequence[TensorIr], **args: ArgValue
) -> OperationIr:
    spec = OPSET[name]
    kinds = {argument.name: argument.kind for argument in spec.args}
    values = {
        key: scalar(value) if kinds.get(key) in {"scalar", "const"} else value  # type: ignore[arg-type]
        for key, value in args.items()
    }
    return OperationIr(spec, tuple(inputs), tuple(outputs), tuple(sorted(values.items())))


def tensor(
    number: int, shape: Sequence[int], dtype: str = "f32", status: TensorStatus = RO
) -> TensorIr:
    return TensorIr(number, tuple(shape), status, DType(dtype))


@dataclass(frozen=True)
class FusedGroup:
    """What a fuser would hand over."""

    fuser: str
    operations: tuple[OperationIr, ...]
    max_relative_shape_id: int | None = None


class Tape:
    """Records global ops; ids start at 101, so that they differ from relative ones."""

    def __init__(self) -> None:
        self.ops: list[OperationIr] = []
        self.inputs: dict[int, Array] = {}
        self._next = 100

    def _new(self, shape: Sequence[int], dtype: DType) -> TensorIr:
        self._next += 1
        return TensorIr(self._next, tuple(shape), NI, dtype)

    def input(self, values: Any, dtype: str = "f32") -> TensorIr:
        """A materialised tensor with these values."""
        array = np.asanyarray(values)
        stored = convert(array, DType(dtype)) if dtype != "qfloat" else array
        return self.view_input(stored, dtype)

    def view_input(self, stored: Array, dtype: str = "f32") -> TensorIr:
        """A materialised tensor with exactly this array (strides included) as its buffer."""
        out = self._new(stored.shape, DType(dtype))
        self.inputs[out.id] = stored
        return out._replace(status=RO)

    def op(
        self,
        name: str,
        *inputs: TensorIr,
        shape: Sequence[int] | None = None,
        dtype: str | None = None,
        **args: ArgValue,
    ) -> TensorIr:
        """Queue an op with one output; its shape and type follow from the inputs unless given."""
        return self.ops_of(name, *inputs, shape=shape, dtype=dtype, **args)[0]

    def ops_of(
        self,
        name: str,
        *inputs: TensorIr,
        shape: Sequence[int] | None = None,
        dtype: str | None = None,
        **args: ArgValue,
    ) -> list[TensorIr]:
        """Queue an op; all its outputs."""
        spec = OPSET[name]
        complete = operation(name, inputs, (), **args).args
        stated = tuple(shape) if shape is not None else None
        kind = DType(dtype) if dtype else None
        described = infer(spec, inputs, complete, shape=stated, dtype=kind)
        made = [self._new(*one) for one in described]
        self.ops.append(OperationIr(spec, inputs, tuple(made), complete))
        return [out._replace(status=RO) for out in made]

    def drop(self, value: TensorIr) -> None:
        self.ops.append(operation("Drop", [last(value)], []))


def fuse(ops: Sequence[OperationIr], fuser: str = "ElementWise") -> FusedGroup:
    """The ops in relative form, as one fused operation."""
    return FusedGroup(fuser, tuple(relative(ops)))


def relative(ops: Sequence[OperationIr]) -> list[OperationIr]:
    ids: dict[int, int] = {}
    sizes = {1: 0}
    counter = itertools.count()
    result = []
    for op in ops:
        nodes = [
            node._replace(
                id=ids.setdefault(node.id, len(ids)),
                shape=tuple(sizes.setdefault(size, len(sizes)) for size in node.shape),
            )
            for node in op.nodes
        ]
        kinds = {argument.name: argument.kind for argument in op.spec.args}
        args = tuple(
            (key, Scalar("UInt", next(counter)) if kinds.get(key) == "scalar" else value)
            for key, value in op.args
        )
        cut = len(op.inputs)
        result.append(OperationIr(op.spec, tuple(nodes[:cut]), tuple(nodes[cut:]), args))
    return result


@dataclass
class Outcome:
    """What a run left behind: every tensor that is alive, and the launches."""

    values: dict[int, Array]
    launches: list[Launch]
    executor: KernelExecutor

    def __getitem__(self, value: TensorIr) -> Array:
        return self.values[value.id]


def start(tape: Tape, mode: KernelMode = KernelMode.COMPILED) -> KernelExecutor:
    """An executor whose handles hold the tape's inputs (copies with the same strides)."""
    handles = HandleContainer()
    for number, array in tape.inputs.items():
        handles.register(number, same_layout(array))
    return KernelExecutor(handles, seed=7, mode=mode)


def same_layout(array: Array) -> Array:
    """A copy that is contiguous exactly if the original is."""
    if array.flags.c_contiguous:
        return array.copy()
    return np.copy(array, order="K", subok=True) if array.size else array


def finish(executor: KernelExecutor, launches: Sequence[Launch | None], tape: Tape) -> Outcome:
    """Free what was used up, as the queue does, and look at what is left."""
    for op in tape.ops:
        for node in op.nodes:
            if node.status is RW and node.id in executor:
                executor.free(node.id)
    values = {number: executor.handles.read(number) for number in executor.handles}
    return Outcome(values, [launch for launch in launches if launch], executor)


def run_fused(
    tape: Tape, fuser: str = "ElementWise", mode: KernelMode = KernelMode.COMPILED
) -> Outcome:
    """All ops of the tape as one fused operation."""
    executor = start(tape, mode)
    return finish(executor, executor.run_fused(fuse(tape.ops, fuser), tape.ops), tape)


def run_unfused(tape: Tape) -> Outcome:
    """All ops of the tape one by one."""
    executor = start(tape)
    return finish(executor, [executor.run_operation(op) for op in tape.ops], tape)


TOLERANCES = {"f": 1e-5, "e": 1e-3, "d": 1e-13}


def assert_same(left: Array, right: Array, dtype: DType, factor: float = 1.0) -> None:
    """Equal within the tolerance of the type; integers and truth values exactly."""
    assert left.dtype == right.dtype
    assert left.shape == right.shape
    if left.dtype.kind != "f":
        np.testing.assert_array_equal(left, right)
        return
    tolerance = factor * (1e-2 if dtype is DType.BF16 else TOLERANCES[left.dtype.char])
    np.testing.assert_allclose(
        left.astype(np.float64), right.astype(np.float64), rtol=tolerance, atol=tolerance
    )


def check(tape: Tape, fuser: str = "ElementWise", factor: float = 1.0) -> Outcome:
    """Fused and un-fused leave the same tensors alive with the same values."""
    fused, unfused = run_fused(tape, fuser), run_unfused(tape)
    assert set(fused.values) == set(unfused.values)
    dtypes = {node.id: node.dtype for op in tape.ops for node in op.nodes}
    for number, value in unfused.values.items():
        assert_same(fused.values[number], value, dtypes.get(number, DType.F32), factor)
    return fused


def options(**fields: ArgValue) -> Options:
    """A record argument."""
    return Options(tuple(sorted(fields.items())))
