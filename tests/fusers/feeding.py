"""Offering ops to a fuser, one after the other."""

from collections.abc import Iterable

from notation import ops

from fusionlab.fusers.base import FuserAnswer, OperationFuser
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr


def in_shape_ids(operations: Iterable[OperationIr]) -> list[OperationIr]:
    """The same ops with shape ids for extents. Id 0 is extent 1; tensors keep their numbers."""
    ids = {1: 0}

    def renamed(tensor: TensorIr) -> TensorIr:
        shape = tuple(ids.setdefault(extent, len(ids)) for extent in tensor.shape)
        return tensor._replace(shape=shape)

    return [
        op._replace(inputs=tuple(map(renamed, op.inputs)), outputs=tuple(map(renamed, op.outputs)))
        for op in operations
    ]


def answers(fuser: OperationFuser, text: str) -> list[FuserAnswer]:
    """What a fuser says to each op of a text."""
    return [fuser.fuse(op) for op in in_shape_ids(ops(text))]


def feed(fuser: OperationFuser, text: str) -> list[str]:
    """Each answer as a word: ``taken``, or the code of the refusal."""
    return [
        "taken" if answer.refusal is None else answer.refusal.code.value
        for answer in answers(fuser, text)
    ]


def last(fuser: OperationFuser, text: str) -> str:
    """The word for the last op; all before it must be taken."""
    *before, word = feed(fuser, text)
    assert set(before) <= {"taken"}, before
    return word
