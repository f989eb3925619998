"""Facts of the plan store and of the execution."""

from __future__ import annotations

from dataclasses import dataclass

from fusionlab.ir.operation import OperationIr
from fusionlab.plan import ExecutionMode, ExecutionStrategy, ExecutionTrigger, PlanId


@dataclass(frozen=True, slots=True)
class PlanStored:
    """A new plan."""

    plan: PlanId
    operations: tuple[OperationIr, ...]
    trigger: ExecutionTrigger
    strategy: ExecutionStrategy
    ordering: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TriggerAdded:
    """A stored plan got one more trigger."""

    plan: PlanId
    trigger: ExecutionTrigger


@dataclass(frozen=True, slots=True)
class PlanReused:
    """A cache hit: the stored plan runs, nothing is searched."""

    plan: PlanId
    mode: ExecutionMode
    queued: int


@dataclass(frozen=True, slots=True)
class PlanUnfit:
    """The plan names a shape id that this segment has not assigned: its ops run un-fused."""

    plan: PlanId
    needs: int
    assigned: int
    ops: int


@dataclass(frozen=True, slots=True)
class ExecutedBlock:
    """A row group of the execution table: global ops; ``fuser`` is ``None`` when un-fused."""

    fuser: str | None
    score: int
    operations: tuple[OperationIr, ...]


@dataclass(frozen=True, slots=True)
class ExecutionStarted:
    """A span: a strategy runs. ``plan`` is ``None`` past the exploration cap."""

    plan: PlanId | None
    strategy: ExecutionStrategy
    blocks: tuple[ExecutedBlock, ...]
    fallback: bool


@dataclass(frozen=True, slots=True)
class KernelBuilt:
    """Source text became a callable; ``cached``: it already was one."""

    source_id: str
    cached: bool


@dataclass(frozen=True, slots=True)
class KernelLaunched:
    """One launch. ``fuser`` is ``None`` for an op that ran on its own.

    ``reads`` and ``writes`` are the tensors that cross memory; ``source_id`` names the
    generated source (``None``: a NumPy call); ``reused`` pairs (input, output) that shared a
    buffer.
    """

    fuser: str | None
    kinds: tuple[str, ...]
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    source_id: str | None
    reused: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class OpExecuted:
    """An op ran as part of a unit that needs no launch of its own (Drop, Init)."""

    kind: str


@dataclass(frozen=True, slots=True)
class HandleFreed:
    """A buffer was given back."""

    tensor: int


@dataclass(frozen=True, slots=True)
class QueueDrained:
    """The first ``executed`` ops left the queue; ``left`` ops start a new segment."""

    executed: int
    left: int


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The run stopped here. ``code`` and ``params`` name the sentence in the catalog."""

    code: str
    params: tuple[tuple[str, str | int | float], ...]
