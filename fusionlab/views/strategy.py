"""How a segment runs: the strategy as a tree, and its execution as units with their ops.

In: a run, a step, a language (or a strategy). Out: nested nodes, and rows of the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from fusionlab.events.facts import ExecutedBlock
from fusionlab.events.run import Run
from fusionlab.events.state import Execution
from fusionlab.i18n import Texts
from fusionlab.plan import Composed, ExecutionStrategy, Operations, Optimization
from fusionlab.views import words
from fusionlab.views.kernels import launches_of
from fusionlab.views.moment import Moment


@dataclass(frozen=True, slots=True)
class StrategyNode:
    """A node of a strategy. ``letter`` is empty when the node is not fused."""

    kind: str
    text: str
    letter: str
    ordering: tuple[int, ...]
    children: tuple[StrategyNode, ...] = ()


def strategy_tree(strategy: ExecutionStrategy, texts: Texts) -> StrategyNode:
    """A strategy as nested nodes; positions are those of the segment."""
    match strategy:
        case Optimization(fused=fused, ordering=ordering, score=score):
            text = texts("strategy.optimization", fuser=fused.fuser, score=score, n=len(ordering))
            return StrategyNode("optimization", text, words.letter(fused.fuser), ordering)
        case Operations(ordering=ordering):
            text = texts("strategy.operations", n=len(ordering))
            return StrategyNode("operations", text, "", ordering)
        case Composed(items=items):
            children = tuple(strategy_tree(item, texts) for item in items)
            ordering = tuple(position for child in children for position in child.ordering)
            text = texts("strategy.composed", n=len(children))
            return StrategyNode("composed", text, "", ordering, children)
        case _:
            assert_never(strategy)


@dataclass(frozen=True, slots=True)
class UnitRow:
    """One op of a unit: its number in the execution, and its tensors as global names."""

    index: int
    op: str
    reads: str
    makes: str


@dataclass(frozen=True, slots=True)
class Unit:
    """One part of an execution: a fused kernel, or ops on their own."""

    letter: str
    head: str
    text: str
    rows: tuple[UnitRow, ...]


@dataclass(frozen=True, slots=True)
class ExecutionView:
    """The last execution."""

    title: str
    text: str
    units: tuple[Unit, ...]
    notes: tuple[str, ...]


def execution_view(run: Run, step: int, texts: Texts) -> ExecutionView | None:
    """The execution that the step is in or has just finished; ``None`` before the first."""
    execution = Moment(run, step).after.execution
    if execution is None:
        return None
    key = "execution.title" if execution.plan is not None else "execution.unplanned"
    notes = (texts("execution.fallback"),) if execution.fallback else ()
    return ExecutionView(
        texts(key, plan=execution.plan or 0),
        texts("execution.launches", n=len(execution.launches)),
        units_of(execution, texts),
        notes,
    )


def units_of(execution: Execution, texts: Texts) -> tuple[Unit, ...]:
    """The units of an execution, ops numbered over all of them."""
    units, first = [], 0
    for block in execution.blocks:
        units.append(_unit(block, first, execution, texts))
        first += len(block.operations)
    return tuple(units)


def _unit(block: ExecutedBlock, first: int, execution: Execution, texts: Texts) -> Unit:
    rows = tuple(
        UnitRow(
            first + offset,
            words.short(op.kind),
            " ".join(words.names(op.inputs)),
            " ".join(words.names(op.outputs)),
        )
        for offset, op in enumerate(block.operations)
    )
    if block.fuser is None:
        return Unit("", texts("execution.unfused"), texts("execution.ops", n=len(rows)), rows)
    own = launches_of(block, execution)
    text = texts("execution.ops", n=len(rows))
    if own:
        text = texts(
            "execution.kernel",
            launches=len(own),
            ops=len(rows),
            reads=sum(len(launch.reads) for launch in own),
            writes=sum(len(launch.writes) for launch in own),
        )
    return Unit(words.letter(block.fuser), f"{block.fuser} {block.score}", text, rows)
