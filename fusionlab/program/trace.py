"""The unrolled program while it is being written: the words of the language add ops to it.

In: row names of ``OPSET``, tensors and arguments. Out: steps in order, and the tensors they make.
Which use of a tensor is its last one is not known yet; ``liveness`` says that at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod
from typing import Any, Final

from fusionlab.config import Limits
from fusionlab.errors import ProgramError
from fusionlab.ir.event_form import complete_args
from fusionlab.ir.operation import Args
from fusionlab.ir.opset import OPSET, OpSpec
from fusionlab.ir.shapes import Described, infer, written
from fusionlab.ir.tensor import DType, Shape, StreamId, TensorIr, TensorStatus
from fusionlab.program.model import Position, Tensor

MAX_RANK: Final = 16
MAX_STREAMS: Final = 64

ELEMENT_BYTES: Final = {
    DType.F64: 8,
    DType.F16: 2,
    DType.BF16: 2,
    DType.I64: 8,
    DType.U64: 8,
    DType.I16: 2,
    DType.U16: 2,
    DType.I8: 1,
    DType.U8: 1,
    DType.BOOL: 1,
    DType.BOOL_U8: 1,
    DType.QFLOAT: 1,
}
"""Bytes an element; what is not listed has 4."""

# Their dtype argument is the element type of the result, not of the input.
_OUTPUT_DTYPE: Final = {"Float::Quantize", "Float::Dequantize"}


@dataclass(frozen=True, slots=True)
class OpStep:
    """An op, with the values that it reads and makes."""

    spec: OpSpec
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    args: Args
    stream: StreamId
    at: Position


@dataclass(frozen=True, slots=True)
class UploadStep:
    """A tensor with the values of the program text."""

    output: int
    values: tuple[float | int | bool, ...]
    stream: StreamId
    at: Position


@dataclass(frozen=True, slots=True)
class ReadStep:
    """A read, on whatever stream the value lives."""

    value: int
    stream: StreamId
    at: Position


@dataclass(frozen=True, slots=True)
class SyncStep:
    """A drain of the current stream."""

    stream: StreamId
    at: Position


@dataclass(frozen=True, slots=True)
class DropStep:
    """A name was given up by ``drop``, ``del`` or the end of its scope."""

    value: int
    stream: StreamId
    at: Position


Step = OpStep | UploadStep | ReadStep | SyncStep | DropStep


def byte_size(shape: Shape, dtype: DType) -> int:
    """The bytes that a tensor takes."""
    return prod(shape) * ELEMENT_BYTES.get(dtype, 4)


class Trace:
    """Collects the steps of one program.

    ``stream`` and ``at`` are where the program is now; ``homes`` says on which stream each value
    was made.
    """

    def __init__(self, limits: Limits) -> None:
        """Start empty, on stream 0."""
        self.limits = limits
        self.steps: list[Step] = []
        self.values: list[Tensor] = []
        self.homes: list[StreamId] = []
        self.used: list[bool] = []
        self.kept: set[int] = set()
        self.stream = StreamId(0)
        self.at = Position(1, 1, 1, 1)

    def emit(
        self,
        name: str,
        *inputs: Tensor,
        shape: Shape | None = None,
        dtype: DType | None = None,
        **args: Any,
    ) -> Tensor:
        """Add an op with one result.

        Args:
            name: The row of ``OPSET``.
            inputs: The tensors that the op reads, in the row's order.
            shape: The result's extents, where nothing else says them.
            dtype: The result's element type, where nothing else says it.
            args: The op's other arguments; the row's defaults fill in the rest.

        Returns:
            The result.

        Raises:
            ProgramError: Shapes or element types do not fit, or a limit is reached.
        """
        (result,) = self.emit_all(OPSET[name], inputs, shape, dtype, args)
        return result

    def emit_all(
        self,
        spec: OpSpec,
        inputs: Sequence[Tensor],
        shape: Shape | None,
        dtype: DType | None,
        args: dict[str, Any],
    ) -> tuple[Tensor, ...]:
        """Add an op with any number of results; see ``emit``."""
        described = [(tensor.shape, tensor.dtype) for tensor in inputs]
        complete = _arguments(spec, described, shape, dtype, args)
        outputs = infer(spec, described, complete, shape=shape, dtype=dtype)
        return self.add_op(spec, inputs, outputs, complete)

    def add_op(
        self, spec: OpSpec, inputs: Sequence[Tensor], outputs: Sequence[Described], args: Args
    ) -> tuple[Tensor, ...]:
        """Add an op whose results are known."""
        for tensor in inputs:
            self.used[tensor.index] = True
        made = tuple(self._new(shape, dtype) for shape, dtype in outputs)
        self.add(
            OpStep(
                spec,
                tuple(tensor.index for tensor in inputs),
                tuple(tensor.index for tensor in made),
                args,
                self.stream,
                self.at,
            )
        )
        return made

    def upload(self, shape: Shape, dtype: DType, values: tuple[float | int | bool, ...]) -> Tensor:
        """Add a tensor with known values, row by row."""
        tensor = self._new(shape, dtype)
        self.add(UploadStep(tensor.index, values, self.stream, self.at))
        return tensor

    def read(self, tensor: Tensor) -> None:
        """Add a read."""
        self.used[tensor.index] = True
        self.add(ReadStep(tensor.index, self.stream, self.at))

    def sync(self) -> None:
        """Add a drain of the current stream."""
        self.add(SyncStep(self.stream, self.at))

    def drop(self, index: int) -> None:
        """Note that a name of the value ends here."""
        self.used[index] = True
        self.add(DropStep(index, self.stream, self.at))

    def add(self, step: Step) -> None:
        """Append a step; raises ``ProgramError`` at the limit of steps."""
        if len(self.steps) >= self.limits.operations:
            raise ProgramError("too_many_operations", limit=self.limits.operations)
        self.steps.append(step)

    def _new(self, shape: Shape, dtype: DType) -> Tensor:
        if len(shape) > MAX_RANK:
            raise ProgramError("rank_too_large", rank=len(shape), limit=MAX_RANK)
        size = byte_size(shape, dtype)
        if size > self.limits.live_bytes:
            raise ProgramError(
                "tensor_too_large",
                shape=written(shape),
                mib=ceil(size / 2**20),
                limit=round(self.limits.live_bytes / 2**20),
            )
        tensor = Tensor(len(self.values), shape, dtype)
        self.values.append(tensor)
        self.homes.append(self.stream)
        self.used.append(False)
        return tensor


def _arguments(
    spec: OpSpec,
    described: Sequence[Described],
    shape: Shape | None,
    dtype: DType | None,
    given: dict[str, Any],
) -> Args:
    if not spec.args and not spec.has_dtype:
        return ()
    inputs = tuple(
        TensorIr(0, *tensor[:1], TensorStatus.READ_ONLY, tensor[1]) for tensor in described
    )
    stated = TensorIr(0, shape or (), TensorStatus.NOT_INIT, dtype or DType.F32)
    if spec.name in _OUTPUT_DTYPE:
        given = {"dtype": dtype or DType.QFLOAT, **given}
    return complete_args(spec, inputs, (stated,), given)
