"""How true answers are written: the same short values in lessons, quizzes, tests and JSON.

An answer is an int, a text, or a list of them; it is the same in every language. ``phrases`` turns
it into words.
"""

from __future__ import annotations

from collections.abc import Iterable

from fusionlab.events import facts as f
from fusionlab.ir.operation import ArgValue, OperationIr, Scalar
from fusionlab.ir.tensor import TensorIr, TensorStatus
from fusionlab.plan import (
    Action,
    Always,
    Composed,
    Defer,
    Execute,
    ExecutionStrategy,
    ExecutionTrigger,
    Explore,
    OnOperations,
    OnSync,
    Operations,
    Optimization,
)
from fusionlab.views import words

Answer = int | str | list["Answer"] | dict[str, "Answer"]


def units(strategy: ExecutionStrategy) -> list[Answer]:
    """``["ElementWise(210)[0, 2]", "un-fused[1]"]``: the leaves in execution order."""
    match strategy:
        case Optimization(fused, ordering, score):
            return [f"{fused.fuser}({score}){list(ordering)}"]
        case Operations(ordering):
            return [f"un-fused{list(ordering)}"]
        case Composed(items):
            return [unit for item in items for unit in units(item)]


def trigger(value: ExecutionTrigger) -> str:
    """``OnOperations[SumDim, Custom]``, ``OnSync`` or ``Always``."""
    match value:
        case OnOperations(operations):
            return f"OnOperations[{', '.join(words.short(op.kind) for op in operations)}]"
        case OnSync():
            return "OnSync"
        case Always():
            return "Always"


def action(value: Action) -> str:
    """``Execute #2``, ``Defer`` or ``Explore``."""
    match value:
        case Execute(plan):
            return f"Execute #{plan}"
        case Defer():
            return "Defer"
        case Explore():
            return "Explore"


def placement(fact: f.BlockOpened | f.OpAccepted | f.OptimizerStopped) -> str:
    """What the search did with an op, in the words of burn's log."""
    match fact:
        case f.BlockOpened(total=total, depends_on=None):
            return f"new block (total: {total})"
        case f.BlockOpened(total=total):
            return f"new dependent block (total: {total})"
        case f.OpAccepted(blocks=blocks, total=total):
            return f"accepted in {len(blocks)}/{total} block(s)"
        case f.OptimizerStopped(cause=cause, max_blocks=limit):
            reached = {
                f.StopCause.MAX_BLOCKS: f"max_blocks={limit} reached",
                f.StopCause.MAX_BLOCKS_ON_DEPENDENCY: f"max_blocks={limit} reached on dependency",
                f.StopCause.CYCLE: "unresolvable dependency cycle",
            }
            place = f"at op {fact.position} ({fact.kind})"
            return f"stopped ({reached[cause]}) {place}"


def relative_op(op: OperationIr) -> str:
    """``Add(!t1[1,0,2], t2[0,0,2] → t3[1,0,2])``: ``!`` marks a last use, ``#0`` a placeholder."""
    scalars = [text for _, value in op.args for text in _scalars(value)]
    inputs = ", ".join([*map(_tensor, op.inputs), *scalars])
    outputs = ", ".join(map(_tensor, op.outputs))
    return f"{words.short(op.kind)}({inputs} → {outputs})" if outputs else f"Drop({inputs})"


def shapes(tensors: Iterable[TensorIr]) -> str:
    """``[1,0,2] [0,0,2]``."""
    return " ".join(words.ids(tensor.shape) for tensor in tensors)


def _tensor(tensor: TensorIr) -> str:
    last = "!" if tensor.status is TensorStatus.READ_WRITE else ""
    return f"{last}{words.name(tensor)}{words.ids(tensor.shape)}"


def _scalars(value: ArgValue) -> Iterable[str]:
    match value:
        case Scalar(kind="UInt", value=number):
            yield f"#{number}"
        case Scalar(value=number):
            yield f"{number}"
        case tuple() if not hasattr(value, "_fields"):
            for item in value:
                yield from _scalars(item)
