"""Misconceptions that read a true run wrongly; the others are engines of their own.

A belief of the first sort changes how one kind of question is answered, by the same reader with
one rule switched. Whoever asks what somebody believes first looks here, then runs the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from fusionlab.ir.operation import ArgValue, OperationIr, Scalar
from fusionlab.ir.tensor import DType, TensorIr, TensorStatus
from fusionlab.learn import answers
from fusionlab.learn.answers import Answer
from fusionlab.learn.questions import Reader, differing, segment
from fusionlab.learn.reading import Reading


def only_sync_runs(reading: Reading, op: int) -> int:
    """An op runs at the next drain behind it."""
    step = reading.ops[op]
    later = (d.index for d in reading.drains if d.index > step.index and d.stream == step.stream)
    return next(later, -1)


def registration_order(reading: Reading, plan: int) -> list[Answer]:
    """Ops run in the order in which they were registered: 0, 1, 2, …"""
    return list(range(len(reading.plans[plan].ordering)))


# --- numbering -----------------------------------------------------------------------------------


def _numbered(operations: Iterable[OperationIr]) -> OperationIr:
    """The last of the ops, with ids in order of appearance over all of them."""
    tensors: dict[int, int] = {}
    extents = {1: 0}
    scalars = 0
    renamed: list[OperationIr] = []

    def tensor(t: TensorIr) -> TensorIr:
        number = tensors.setdefault(t.id, len(tensors))
        shape = tuple(extents.setdefault(extent, len(extents)) for extent in t.shape)
        return t._replace(id=number, shape=shape)

    for op in operations:
        inputs, outputs = tuple(map(tensor, op.inputs)), tuple(map(tensor, op.outputs))
        args: list[tuple[str, ArgValue]] = []
        for name, value in op.args:
            if isinstance(value, Scalar):
                args.append((name, Scalar("UInt", scalars)))
                scalars += 1
            else:
                args.append((name, value))
        renamed.append(op._replace(inputs=inputs, outputs=outputs, args=tuple(args)))
    return renamed[-1]


def _restarting(reading: Reading, op: int) -> OperationIr:
    """Numbering begins anew with each op."""
    return _numbered([_registered(reading, op)])


def _never_restarting(reading: Reading, op: int) -> OperationIr:
    """Numbering goes on over executions, as long as the program."""
    return _numbered(_registered(reading, earlier) for earlier in range(op + 1))


def _registered(reading: Reading, op: int) -> OperationIr:
    found = reading.ops[op].op
    if found is None:
        raise IndexError(op)
    return found


Renaming = Callable[[Reading, int], OperationIr]


def _shapes(renamed: Renaming) -> Reader:
    return lambda reading, op: answers.shapes(renamed(reading, op).nodes)


def _whole(renamed: Renaming) -> Reader:
    return lambda reading, op: answers.relative_op(renamed(reading, op))


def _relative(renamed: Renaming) -> Mapping[str, Reader]:
    return {
        "relative_form": _shapes(renamed),
        "relative_shapes": _shapes(renamed),
        "relative_op": _whole(renamed),
    }


# --- what a key leaves out -----------------------------------------------------------------------


def _blind(change: Callable[[TensorIr], TensorIr]) -> Mapping[str, Reader]:
    """Look for the first difference after something was made equal in every tensor."""

    def changed(op: OperationIr) -> OperationIr:
        args = tuple((name, value) for name, value in op.args if not isinstance(value, DType))
        return OperationIr(
            op.spec, tuple(map(change, op.inputs)), tuple(map(change, op.outputs)), args
        )

    def why_miss(reading: Reading, read: int, other: int) -> str:
        there, here = segment(reading, other), segment(reading, read)
        return differing(list(map(changed, there)), list(map(changed, here)))

    return {"why_miss": why_miss}


READING_RULES: Mapping[str, Mapping[str, Reader]] = {
    "only_sync_runs": {"when_runs": only_sync_runs},
    "registration_order": {"execution_order": registration_order},
    "numbering_restarts_each_op": _relative(_restarting),
    "numbering_never_restarts": _relative(_never_restarting),
    "rank_only_in_key": _blind(lambda t: t._replace(shape=(0,) * len(t.shape))),
    "liveness_not_in_key": _blind(lambda t: t._replace(status=TensorStatus.READ_ONLY)),
    "dtype_not_in_key": _blind(lambda t: t._replace(dtype=DType.F32)),
}
"""By name: which kinds of question the belief changes, and how it answers them."""
