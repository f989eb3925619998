"""Requests (the roots of the tree of facts) and the relative form of queued ops."""

from __future__ import annotations

from dataclasses import dataclass

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr


@dataclass(frozen=True, slots=True)
class OpQueued:
    """An op joined the queue of its stream at ``position`` (``queued`` ops with it)."""

    position: int
    operation: OperationIr
    queued: int


@dataclass(frozen=True, slots=True)
class SyncRequested:
    """A drain of the stream began; ``queued`` ops must run now."""

    queued: int


@dataclass(frozen=True, slots=True)
class TensorRead:
    """A tensor was copied to the host. ``last`` when the reader held the only reference."""

    tensor: TensorIr
    last: bool


@dataclass(frozen=True, slots=True)
class StreamCreated:
    """The stream's first op arrived: fresh policy, explorer and exploration count."""


@dataclass(frozen=True, slots=True)
class StreamDeleted:
    """The stream holds no live tensor any more; its policy and explorer are gone, plans stay."""


@dataclass(frozen=True, slots=True)
class OpRelativized:
    """An op got its relative form.

    ``new_tensors`` maps the global ids first seen here to relative ids; ``new_shapes`` maps
    extents first seen here to shape ids; ``scalars`` are the true values of the placeholders made
    here, in order. ``shapes_assigned`` counts shape ids known after this op (id 0 included).
    ``renumbered`` is set when the op was already queued and the segment in front of it has run.
    """

    position: int
    operation: OperationIr
    new_tensors: tuple[tuple[int, int], ...]
    new_shapes: tuple[tuple[int, int], ...]
    scalars: tuple[float | int | bool, ...]
    shapes_assigned: int
    renumbered: bool
