"""The kernels of an execution: their source, and what crosses memory before and after fusing.

In: a run, a step. Out: one entry a launch. "Before" is every op on its own: each input read, each
output written, one launch an op; ``Drop`` and ``Init`` cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fusionlab.events.facts import ExecutedBlock, KernelLaunched
from fusionlab.events.run import Run
from fusionlab.events.state import Execution
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP, INIT
from fusionlab.views import words
from fusionlab.views.moment import Moment


@dataclass(frozen=True, slots=True)
class Traffic:
    """Tensors that cross memory, and launches."""

    reads: int
    writes: int
    launches: int


@dataclass(frozen=True, slots=True)
class KernelView:
    """One launch. ``inside`` never reaches memory; ``reused`` pairs share one buffer."""

    fuser: str | None
    ops: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    inside: tuple[str, ...]
    reused: tuple[tuple[str, str], ...]
    source_id: str | None
    source: str


@dataclass(frozen=True, slots=True)
class KernelsView:
    """The launches of the last execution so far, and what fusing has changed."""

    kernels: tuple[KernelView, ...]
    before: Traffic
    after: Traffic


def kernels_view(run: Run, step: int) -> KernelsView:
    """The kernels of the execution that the step is in, or of the last one."""
    execution = Moment(run, step).after.execution
    if execution is None:
        return KernelsView((), Traffic(0, 0, 0), Traffic(0, 0, 0))
    launches = execution.launches
    after = Traffic(
        sum(len(launch.reads) for launch in launches),
        sum(len(launch.writes) for launch in launches),
        len(launches),
    )
    before = one_by_one(op for block in execution.blocks for op in block.operations)
    return KernelsView(tuple(_kernel(run, execution, x) for x in launches), before, after)


def one_by_one(operations: Iterable[OperationIr]) -> Traffic:
    """What ops cost when each runs on its own."""
    run = [op for op in operations if op.spec not in (DROP, INIT)]
    reads, writes = sum(len(op.inputs) for op in run), sum(len(op.outputs) for op in run)
    return Traffic(reads, writes, len(run))


def _kernel(run: Run, execution: Execution, launch: KernelLaunched) -> KernelView:
    return KernelView(
        fuser=launch.fuser,
        ops=tuple(words.short(kind) for kind in launch.kinds),
        reads=tuple(words.name(tensor) for tensor in launch.reads),
        writes=tuple(words.name(tensor) for tensor in launch.writes),
        inside=tuple(kept_inside(execution, launch)),
        reused=tuple((words.name(a), words.name(b)) for a, b in launch.reused),
        source_id=launch.source_id,
        source=run.sources.get(launch.source_id or "", ""),
    )


def kept_inside(execution: Execution, launch: KernelLaunched) -> list[str]:
    """Tensors that a fused unit makes and uses without ever writing them to memory.

    A unit may take several launches; they are told at its last one.
    """
    for block in execution.blocks:
        own = launches_of(block, execution)
        if block.fuser is not None and own and own[-1] == launch:
            written = {tensor for other in own for tensor in other.writes}
            return [words.name(tensor) for tensor in sorted(_made(block) - written)]
    return []


def launches_of(block: ExecutedBlock, execution: Execution) -> list[KernelLaunched]:
    """The launches that ran a block: those of its fuser that write its tensors."""
    made = _made(block)
    return [
        launch
        for launch in execution.launches
        if launch.fuser == block.fuser and launch.writes and made.issuperset(launch.writes)
    ]


def _made(block: ExecutedBlock) -> set[int]:
    return {tensor.id for op in block.operations for tensor in op.outputs}
