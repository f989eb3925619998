"""Small words that all views share: how a tensor, a size, an op or a fuser is written.

In: values of a fact. Out: text that is the same in every language.
"""

from __future__ import annotations

from collections.abc import Iterable

from fusionlab.ir.operation import ArgValue, OperationIr, Scalar, Slice
from fusionlab.ir.tensor import DType, Shape, TensorIr, TensorStatus

STATUS_LETTERS = {
    TensorStatus.READ_WRITE: "w",
    TensorStatus.READ_ONLY: "o",
    TensorStatus.NOT_INIT: "n",
}
STATUS_MARKS = {
    TensorStatus.READ_WRITE: "RW",
    TensorStatus.READ_ONLY: "RO",
    TensorStatus.NOT_INIT: "NI",
}
FUSER_LETTERS = {
    "ElementWise": "E",
    "Matmul": "M",
    "Reduce": "R",
    "ReduceBroadcasted": "B",
    "NHWCRelayout": "N",
}


def short(kind: str) -> str:
    """``Mul`` for ``NumericFloat::Mul``; ``Init`` for burn's ``Init::InitOperationIr``."""
    name = kind.rpartition("::")[2]
    return name.removesuffix("OperationIr") or name


def name(tensor: TensorIr | int) -> str:
    """``t4``."""
    return f"t{tensor.id if isinstance(tensor, TensorIr) else tensor}"


def names(tensors: Iterable[TensorIr]) -> list[str]:
    """The tensors' names, each once, in order."""
    return list(dict.fromkeys(name(tensor) for tensor in tensors))


def size(shape: Shape) -> str:
    """``64×32``; a single number has no extents: ``[]``."""
    return "×".join(str(extent) for extent in shape) if shape else "[]"


def ids(shape: Shape) -> str:
    """``[1,2]``: shape ids, or extents where a list is meant."""
    return "[" + ",".join(str(extent) for extent in shape) + "]"


def described(tensor: TensorIr) -> str:
    """``t1:f32[64,64]``."""
    return f"{name(tensor)}:{tensor.dtype.value}{ids(tensor.shape)}"


def tensor_list(op: OperationIr) -> str:
    """The player's short form: ``wt1 ot2>nt4`` (status letter, then the name)."""

    def side(tensors: Iterable[TensorIr]) -> str:
        return " ".join(f"{STATUS_LETTERS[t.status]}{name(t)}" for t in tensors)

    return f"{side(op.inputs)}>{side(op.outputs)}"


def value(argument: ArgValue) -> str:
    """An argument as a reader would write it; placeholders read ``scalar#0`` and ``range#0``."""
    match argument:
        case Scalar(kind="UInt", value=number):
            return f"scalar#{number}"
        case Scalar(value=number):
            return str(number)
        case Slice(start=start, end=None):
            return f"range#{start}"
        case Slice(start=start, end=end, step=1):
            return f"{start}..{end}"
        case Slice(start=start, end=end, step=step):
            return f"{start}..{end} step {step}"
        case DType():
            return argument.value
        case tuple() if not hasattr(argument, "_fields"):
            return "[" + ", ".join(value(item) for item in argument) + "]"
        case _:
            return str(argument)


def key(op: OperationIr) -> str:
    """The start of a plan's key, short enough for one line: ``Mul [1,1]``."""
    tensors = op.inputs or op.outputs
    return f"{short(op.kind)} {ids(tensors[0].shape)}" if tensors else short(op.kind)


def letter(fuser: str) -> str:
    """The fuser's letter; a fuser that the design does not know has its own capital."""
    return FUSER_LETTERS.get(fuser, fuser[:1].upper())
