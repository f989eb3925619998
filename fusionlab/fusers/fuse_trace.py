"""The accumulator that all five fusers share: a kernel's inner program, one op at a time.

A trace is an immutable value: ``fuse`` returns the next trace or a refusal. So trial runs and
clones cost nothing, and the equal traces inside the five fusers are one and the same object
(ADR 9). The rules for each op kind are in ``recipes``.

Source: burn-cubecl-fusion, engine/fuser.rs (``TraceOperationFuser``), engine/trace/fuser.rs
(``TraceFuser``). Deviation: burn mutates and clones; the reasons of refusals are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from fusionlab.fusers.base import Closing, ClosingReason, Refusal, RefusalCode, ScoreTerms
from fusionlab.fusers.fuse_block import FuseBlock, Source
from fusionlab.fusers.recipes import CLOSING_REASONS, RECIPES, RefusedError
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP
from fusionlab.ir.tensor import DType, Shape, TensorIr, TensorStatus

MAX_COMPUTE_OPS = 64
"""A trace that already holds more compute ops takes no other: so 65 fit."""

_READ_WRITE = TensorStatus.READ_WRITE


@dataclass(frozen=True, slots=True)
class FuseSettings:
    """Which output shapes a block takes.

    ``broadcast``: an output may have extent 1 where the block's shape is larger.
    ``shape_updates``: an output may be larger where the block's shape is 1.
    """

    broadcast: bool
    shape_updates: bool


ELEMENTWISE_SETTINGS = FuseSettings(broadcast=True, shape_updates=True)


@dataclass(frozen=True, slots=True)
class Fused:
    """What became of an op: the trace afterwards, and why it was refused if it was.

    After a refusal ``trace`` is the closed trace; a caller that only tried ignores it.
    """

    trace: FuseTrace
    refusal: Refusal | None = None
    closing: Closing | None = None


@lru_cache(maxsize=64)
def empty_trace(settings: FuseSettings, max_bindings: int) -> FuseTrace:
    """The empty trace: one object for all fusers, so that their equal traces stay one object."""
    return FuseTrace(settings, max_bindings)


class FuseTrace:
    """What one kernel would read, compute and write."""

    __slots__ = (
        "_last", "added", "block", "buffers", "closed", "closed_blocks", "indexed", "input_status",
        "max_bindings", "num_ops", "num_views", "output_status", "quantized", "settings", "shape",
        "unfused_ops", "unfused_reads", "unfused_writes",
    )  # fmt: skip

    def __init__(self, settings: FuseSettings, max_bindings: int) -> None:
        """An empty, open trace."""
        self.settings = settings
        self.max_bindings = max_bindings
        self.shape: Shape = ()
        """The output shape of the current block; empty until the first op."""
        self.closed = False
        self.added = False
        """Whether any op was ever attempted: the first one is not checked against the limits."""
        self.num_ops = 0
        self.num_views = 0
        self.unfused_reads = self.unfused_writes = self.unfused_ops = 0
        self.closed_blocks: tuple[FuseBlock, ...] = ()
        self.block = FuseBlock()
        self.input_status: dict[int, TensorStatus] = {}
        self.output_status: dict[int, TensorStatus] = {}
        self.quantized: frozenset[TensorIr] = frozenset()
        self.indexed: frozenset[int] = frozenset()
        self.buffers: tuple[int, ...] = ()
        """Tensors that a later block reads back from memory, so they must be written."""
        self._last: tuple[OperationIr, Fused] | None = None

    # --- fusing --------------------------------------------------------------------------------

    def fuse(self, op: OperationIr) -> Fused:
        """Offer one op. The last answer is remembered: equal traces are offered the same ops."""
        last = self._last  # read once: another thread may be using the same empty trace
        if last is not None and last[0] is op:
            return last[1]
        fused = self._fuse(op)
        self._last = (op, fused)
        return fused

    def _fuse(self, op: OperationIr) -> Fused:
        if self.closed:
            return Fused(self, Refusal(RefusalCode.CLOSED))
        if op.spec is DROP:
            return self._fuse_drop(op)
        recipe = RECIPES.get(op.spec)
        if recipe is None:
            return self._refused(self, op, Refusal(RefusalCode.KIND))
        widened = self._fit_shape(op.outputs[0].shape)
        if isinstance(widened, Refusal):
            return self._refused(self, op, widened)
        new = self._copy(op)
        new.shape = widened
        try:
            self._check_op_count()
            new.added = True
            recipe(new, op)
            if self.added:
                new.check_bindings()
        except RefusedError as refused:
            # Burn applies the very first op without a copy, and the shape before the attempt:
            # both stay behind in a trace that refused.
            rest = new if not self.added else self._with_shape(widened)
            return self._refused(rest, op, refused.refusal)
        return Fused(new)

    def _fuse_drop(self, op: OperationIr) -> Fused:
        if self.num_ops == 0:
            return self._refused(self, op, Refusal(RefusalCode.EMPTY_DROP))
        tensor = op.inputs[0]
        new = self._copy(op)
        new.update_output(tensor)
        new.update_input(tensor)
        return Fused(new)

    def _refused(self, rest: FuseTrace, op: OperationIr, refusal: Refusal) -> Fused:
        """The trace closes; the line tells how full it was before the op."""
        reason = ClosingReason.DROP if op.spec is DROP else CLOSING_REASONS[op.spec.category]
        bindings = rest.count_bindings()
        closing = Closing(op.spec.category, reason, self.num_ops, bindings, self.max_bindings)
        closed = rest.copy()
        closed.closed = True
        closed.num_ops, closed.num_views = self.num_ops, self.num_views
        closed.unfused_reads, closed.unfused_writes = self.unfused_reads, self.unfused_writes
        closed.unfused_ops = self.unfused_ops
        return Fused(closed, refusal, closing)

    def _check_op_count(self) -> None:
        count = self.block.compute_ops + sum(block.compute_ops for block in self.closed_blocks)
        if count > MAX_COMPUTE_OPS:
            detail = (("ops", count), ("max", MAX_COMPUTE_OPS + 1))
            raise RefusedError(Refusal(RefusalCode.TOO_MANY_OPS, detail))

    def check_bindings(self) -> None:
        """Raise ``RefusedError`` when the kernel would bind too many buffers."""
        count = self.count_bindings()
        if count > self.max_bindings:
            detail = (("bindings", count), ("max", self.max_bindings))
            raise RefusedError(Refusal(RefusalCode.TOO_MANY_BINDINGS, detail))

    def _fit_shape(self, shape: Shape) -> Shape | Refusal:
        """The block's shape after an output of ``shape``, or why that output does not fit.

        Shape ids, not extents: id 0 is extent 1.
        """
        current = self.shape
        if not current or current == shape:
            return shape
        if len(current) != len(shape):
            return Refusal(RefusalCode.RANK, (("rank", len(current)), ("got", len(shape))))
        widened = list(current)
        for axis, (have, want) in enumerate(zip(current, shape, strict=True)):
            if have == want:
                continue
            smaller = self.settings.broadcast and want == 0
            larger = self.settings.broadcast and have == 0 and self.settings.shape_updates
            if larger and not smaller:
                widened[axis] = want
            elif not smaller:
                return Refusal(RefusalCode.SHAPE, (("axis", axis),))
        if tuple(widened) == current:
            return current
        if tuple(widened) != shape:
            return Refusal(RefusalCode.SHAPE, (("axis", -1),))
        return shape

    # --- building the next trace ---------------------------------------------------------------

    def copy(self) -> Self:
        """A copy that may be changed until it is published."""
        new = object.__new__(type(self))
        new.settings, new.max_bindings = self.settings, self.max_bindings
        new.shape, new.closed, new.added = self.shape, self.closed, self.added
        new.num_ops, new.num_views = self.num_ops, self.num_views
        new.unfused_reads, new.unfused_writes = self.unfused_reads, self.unfused_writes
        new.unfused_ops = self.unfused_ops
        new.closed_blocks, new.block = self.closed_blocks, self.block.copy()
        new.input_status = self.input_status.copy()
        new.output_status = self.output_status.copy()
        new.quantized, new.indexed, new.buffers = self.quantized, self.indexed, self.buffers
        new._last = None
        return new

    def _copy(self, op: OperationIr) -> Self:
        """A copy that already counts the op as taken."""
        new = self.copy()
        new.num_ops += 1
        new.unfused_reads += len(op.inputs)
        new.unfused_writes += len(op.outputs)
        new.unfused_ops += 1
        return new

    def _with_shape(self, shape: Shape) -> FuseTrace:
        if shape == self.shape:
            return self
        new = self.copy()
        new.shape = shape
        return new

    def close(self) -> FuseTrace:
        """The same trace, taking no more ops. Burn logs nothing for this."""
        if self.closed:
            return self
        new = self.copy()
        new.closed = True
        return new

    def update_output(self, tensor: TensorIr) -> None:
        """Note the latest status of a tensor that the kernel makes."""
        if tensor.id in self.output_status:
            self.output_status[tensor.id] = tensor.status

    def update_input(self, tensor: TensorIr) -> None:
        """Note the latest status of a tensor that the kernel reads."""
        if tensor.id in self.input_status:
            self.input_status[tensor.id] = tensor.status

    def read(self, tensor: TensorIr, block: FuseBlock | None = None) -> None:
        """Use a tensor as an element-wise operand of ``block`` (default: the current one)."""
        block = block or self.block
        if tensor.dtype is DType.QFLOAT:
            raise RefusedError(Refusal(RefusalCode.QUANTIZED, (("tensor", tensor.id),)))
        self.update_output(tensor)
        if tensor.id in self.indexed:
            raise RefusedError(Refusal(RefusalCode.READ_OF_INDEXED, (("tensor", tensor.id),)))
        if tensor.id in block.local_inputs:
            return
        if block.has_local(tensor):
            self.update_input(tensor)
            return
        if tensor.id in self.output_status:
            if tensor.id not in self.buffers:
                self.buffers = (*self.buffers, tensor.id)
            source = Source.OUTPUT
        else:
            self.input_status.setdefault(tensor.id, tensor.status)
            source = Source.INPUT
        block.add_local(tensor)
        block.add_read(tensor, source)

    def write(self, tensor: TensorIr) -> None:
        """Make a tensor in the current block."""
        if tensor.id in self.indexed:
            raise RefusedError(Refusal(RefusalCode.READ_OF_INDEXED, (("tensor", tensor.id),)))
        if tensor.dtype is DType.QFLOAT:
            raise RefusedError(Refusal(RefusalCode.QUANTIZED, (("tensor", tensor.id),)))
        if not self.block.has_local(tensor):
            self.block.add_local(tensor)
            self.block.outputs = (*self.block.outputs, tensor.id)
            self.output_status.setdefault(tensor.id, tensor.status)

    def read_indexed(self, tensor: TensorIr) -> None:
        """Use a tensor as an operand that is read by index (no read of the score)."""
        if tensor.dtype is DType.QFLOAT:
            raise RefusedError(Refusal(RefusalCode.QUANTIZED, (("tensor", tensor.id),)))
        if tensor.id in self.indexed:
            self.update_output(tensor)
            return
        if tensor.id in self.input_status or tensor.id in self.output_status:
            raise RefusedError(Refusal(RefusalCode.INDEX_OF_READ, (("tensor", tensor.id),)))
        self.input_status[tensor.id] = tensor.status
        self.indexed |= {tensor.id}

    def read_unhandled(self, tensor: TensorIr) -> None:
        """Bind an operand that the kernel's main routine reads (a matmul's)."""
        self.update_output(tensor)
        self.input_status.setdefault(tensor.id, tensor.status)

    def read_quantized(self, tensor: TensorIr) -> None:
        """Bind a quantised operand: its values and its scales, once for each description."""
        self.update_output(tensor)
        if tensor.dtype is not DType.QFLOAT:
            raise RefusedError(Refusal(RefusalCode.QUANTIZATION_SCHEME, (("tensor", tensor.id),)))
        self.quantized |= {tensor}

    def write_unhandled(self, tensor: TensorIr) -> None:
        """Make the tensor that the kernel's main routine computes."""
        if not self.shape or sum(self.shape) < sum(tensor.shape):
            self.shape = tensor.shape
        self.write(tensor)

    def view(self, tensor: TensorIr, out: TensorIr) -> None:
        """Read an input, already read once, a second time through other indices."""
        if tensor.dtype is DType.QFLOAT:
            raise RefusedError(Refusal(RefusalCode.QUANTIZED, (("tensor", tensor.id),)))
        self.update_output(tensor)
        known = self.block.has_local(tensor) and tensor.id in self.input_status
        if not known or tensor.id in self.output_status:
            raise RefusedError(Refusal(RefusalCode.VIEW_SOURCE, (("tensor", tensor.id),)))
        self.update_input(tensor)
        self.write(out)
        self.block.add_read(tensor, Source.VIEW)
        self.num_views += 1

    # --- several blocks ------------------------------------------------------------------------

    def next_block(self, settings: FuseSettings, handed_on: tuple[TensorIr, ...] = ()) -> FuseTrace:
        """Start another block; ``handed_on`` are tensors of this one that it reads.

        Raises:
            RefusedError: A tensor to hand on is read by index in this kernel.
        """
        new = self.copy()
        new.block.shape_ref = self.shape
        new.closed_blocks = (*self.closed_blocks, new.block)
        new.block = FuseBlock()
        new.shape = ()
        new.settings = settings
        new.closed = False
        for tensor in handed_on:
            new.read_from_block(tensor, len(new.closed_blocks) - 1)
        return new

    def read_from_block(self, tensor: TensorIr, index: int) -> None:
        """Let the current block read a tensor that closed block ``index`` holds."""
        block = self.closed_blocks[index]
        if tensor.id not in block.local_inputs and not block.has_local(tensor):
            block = block.copy()
            self.closed_blocks = (
                *self.closed_blocks[:index],
                block,
                *self.closed_blocks[index + 1 :],
            )
            self.read(tensor, block)
        self.update_output(tensor)
        self.block.local_inputs |= {tensor.id}

    # --- reading the trace ---------------------------------------------------------------------

    def blocks(self) -> tuple[FuseBlock, ...]:
        """Every block, in order."""
        return (*self.closed_blocks, self.block)

    def count_writes(self) -> int:
        """Tensors that the kernel writes: those still alive, and those read back by a block."""
        written: set[int] = set()
        count = 0
        status, buffers = self.output_status, self.buffers
        for block in self.blocks():
            for tensor in block.outputs:
                if status[tensor] is not _READ_WRITE:
                    count += 1
                elif buffers and tensor in buffers and tensor not in written:
                    written.add(tensor)
                    count += 1
        return count

    def count_bindings(self) -> int:
        """Buffers that the kernel binds, one for its metadata included."""
        inputs = len(self.input_status) + 2 * len(self.quantized)
        return 1 + self.count_writes() + inputs

    def terms(self, bonus: int = 0) -> ScoreTerms:
        """The counts behind the score."""
        return ScoreTerms(
            reads=self.unfused_reads,
            writes=self.unfused_writes,
            ops=self.unfused_ops,
            fused_reads=sum(block.count_reads() for block in self.blocks()),
            fused_writes=self.count_writes(),
            views=sum(block.count_views() for block in self.blocks()),
            bonus=bonus,
        )

    def max_shape_id(self) -> int | None:
        """The highest shape id that a block's reference shape names."""
        ids = [i for block in self.closed_blocks for i in block.shape_ref]
        return max([*ids, *self.shape], default=None)
