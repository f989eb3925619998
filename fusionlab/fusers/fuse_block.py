"""One part of a fused kernel's inner program: what it computes and where its operands come from.

A kernel has one block, or several when a reduction splits it. Blocks belong to an immutable
``FuseTrace``: they are changed only while a new trace is being built.

Source: burn-cubecl-fusion, engine/trace/block.rs (``FuseBlockBuilder``).
"""

from __future__ import annotations

from enum import Enum
from typing import Self

from fusionlab.ir.tensor import DType, Shape, TensorIr


class Source(Enum):
    """Where a block reads an operand from; each entry is one read of the score."""

    INPUT = "input"
    """A tensor that exists before the kernel."""
    OUTPUT = "output"
    """A tensor that an earlier block of the same kernel wrote to memory."""
    VIEW = "view"
    """An input read through other indices."""


# Truth values are computed as the integer type that stores them.
_FUSE_TYPE = {DType.BOOL: DType.U32, DType.BOOL_U8: DType.U8, DType.BOOL_U32: DType.U32}


class FuseBlock:
    """The ops of one part, as the fusers account for them."""

    __slots__ = ("compute_ops", "local_inputs", "locals", "outputs", "reads", "shape_ref")

    def __init__(self) -> None:
        """An empty block."""
        self.locals: set[tuple[int, DType]] = set()
        self.compute_ops = 0
        self.reads: dict[int, tuple[Source, ...]] = {}
        self.outputs: tuple[int, ...] = ()
        self.local_inputs: frozenset[int] = frozenset()
        self.shape_ref: Shape = ()

    def copy(self) -> Self:
        """A copy to change while the next trace is built."""
        new = object.__new__(type(self))
        new.locals = self.locals.copy()
        new.compute_ops = self.compute_ops
        new.reads = self.reads.copy()
        new.outputs = self.outputs
        new.local_inputs = self.local_inputs
        new.shape_ref = self.shape_ref
        return new

    def has_local(self, tensor: TensorIr) -> bool:
        """Whether the block holds the tensor in a local variable."""
        return (tensor.id, _FUSE_TYPE.get(tensor.dtype, tensor.dtype)) in self.locals

    def add_local(self, tensor: TensorIr) -> None:
        """Hold the tensor in a local variable from here on."""
        self.locals.add((tensor.id, _FUSE_TYPE.get(tensor.dtype, tensor.dtype)))

    def add_read(self, tensor: TensorIr, source: Source) -> None:
        """Account for one operand that is read from memory."""
        self.reads[tensor.id] = (*self.reads.get(tensor.id, ()), source)

    def count_reads(self) -> int:
        """Operands read from memory, views included."""
        return sum(map(len, self.reads.values()))

    def count_views(self) -> int:
        """Operands read through a view."""
        return sum(sources.count(Source.VIEW) for sources in self.reads.values())
