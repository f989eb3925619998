"""The story of the first screen, read off a run: ops arrive, blocks merge, a fuser wins, calls hit.

In: a run of a program that reads one expression several times. Out: what the picture shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fusionlab.events.facts import (
    BlocksMerged,
    Event,
    ExecutionStarted,
    FuserScored,
    FuserWon,
    PlanReused,
    SyncRequested,
)
from fusionlab.events.run import Run
from fusionlab.ir.operation import OperationIr, Scalar
from fusionlab.ir.tensor import Shape
from fusionlab.plan import BlockId
from fusionlab.views import words
from fusionlab.views.arithmetic import Ledger, ledger


@dataclass(frozen=True, slots=True)
class Call:
    """One evaluation of the expression: its extents, its scalar, and whether a stored plan ran."""

    shape: Shape
    scalar: float | int | bool | None
    hit: bool


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """The picture's content.

    ``ops`` are short names; the op at ``merging`` joins two blocks, and those at ``moved`` change
    theirs.
    """

    ops: tuple[str, ...]
    merging: int
    moved: tuple[int, ...]
    winner: str
    ledger: Ledger
    calls: tuple[Call, ...]


def first_screen(run: Run) -> FirstScreen | None:
    """The story; ``None`` when nothing merges or no fuser wins in the run's first drain."""
    drains = [event for event in run.events if isinstance(event.fact, SyncRequested)]
    executed = [found for drain in drains if (found := _execution(run, drain)) is not None]
    merge = next((e for e in run.events if isinstance(e.fact, BlocksMerged)), None)
    won = next((e.fact for e in run.events if isinstance(e.fact, FuserWon) and e.fact.fuser), None)
    if not executed or merge is None or won is None or won.fuser is None:
        return None
    positions = _positions_before(run, merge)
    operations = executed[0][1]
    return FirstScreen(
        ops=tuple(words.short(op.kind) for op in operations),
        merging=1 + max(position for block in positions.values() for position in block),
        moved=positions[max(positions)],
        winner=won.fuser,
        ledger=_winning_ledger(run, won),
        calls=tuple(Call(_shape(ops), _scalar(ops), hit) for hit, ops in executed),
    )


def _execution(run: Run, drain: Event) -> tuple[bool, tuple[OperationIr, ...]] | None:
    """What a drain executed first, and whether a stored plan said how."""
    hit = False
    for event in run.events[drain.step + 1 :]:
        if event.parent is None:
            return None
        if isinstance(event.fact, PlanReused):
            hit = True
        if isinstance(event.fact, ExecutionStarted):
            return hit, tuple(op for block in event.fact.blocks for op in block.operations)
    return None


def _positions_before(run: Run, merge: Event) -> dict[BlockId, tuple[int, ...]]:
    """The ops of the blocks that are about to merge."""
    stream = run.before(merge.step).stream(merge.stream)
    blocks = stream.blocks if stream is not None else ()
    fact = merge.fact
    joined = (fact.into, *fact.absorbed) if isinstance(fact, BlocksMerged) else ()
    return {block.block: block.positions for block in blocks if block.block in joined}


def _winning_ledger(run: Run, won: FuserWon) -> Ledger:
    scored = (e.fact for e in run.events if isinstance(e.fact, FuserScored))
    terms = next(f.terms for f in scored if f.fuser == won.fuser and f.score == won.score)
    return ledger(terms[0])


def _shape(operations: tuple[OperationIr, ...]) -> Shape:
    return operations[-1].outputs[0].shape


def _scalar(operations: tuple[OperationIr, ...]) -> float | int | bool | None:
    return next(_scalars(operations), None)


def _scalars(operations: tuple[OperationIr, ...]) -> Iterator[float | int | bool]:
    for op in operations:
        for _, value in op.args:
            if isinstance(value, Scalar):
                yield value.value
