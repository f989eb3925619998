"""How two relative ops differ, in words.

In: the path of the first differing field (as ``CandidateDropped`` names it) and both ops.
Out: a line of the catalog, ``difference.<what>``.
"""

from __future__ import annotations

import re

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr
from fusionlab.views import words
from fusionlab.views.said import Line, line

_PATH = re.compile(r"(inputs|outputs)\[(\d+)\]\.(\w+)")


def difference(field: str, expected: OperationIr | None, got: OperationIr) -> Line:
    """The line that says what differs; ``expected`` is the stored op."""
    if expected is None:
        return line("difference.length", got=words.short(got.kind))
    tensor = _PATH.fullmatch(field)
    if tensor is not None:
        side, index, part = tensor.groups()
        here = getattr(got, side)[int(index)]
        return tensor_difference(part, getattr(expected, side)[int(index)], here)
    if field == "kind":
        kinds = words.short(expected.kind), words.short(got.kind)
        # NumericFloat::Add and NumericInt::Add have one short name.
        there, here = kinds if kinds[0] != kinds[1] else (expected.kind, got.kind)
        return line("difference.kind", expected=there, got=here)
    if field.startswith("args."):
        return _argument(field.removeprefix("args."), expected, got)
    return line("difference.count", expected=len(expected.nodes), got=len(got.nodes))


def tensor_difference(part: str, expected: TensorIr, got: TensorIr) -> Line:
    """The line for one differing part of a tensor: ``id``, ``shape``, ``status`` or ``dtype``."""
    tensor = words.name(got)
    match part:
        case "shape":
            there, here = words.ids(expected.shape), words.ids(got.shape)
            return line("difference.shape", tensor=tensor, expected=there, got=here)
        case "status":
            used = f"difference.status_{got.status.value}"
            return line(used, tensor=tensor)
        case "dtype":
            types = expected.dtype.value, got.dtype.value
            return line("difference.dtype", tensor=tensor, expected=types[0], got=types[1])
        case _:
            return line("difference.id", expected=words.name(expected), got=tensor)


def _argument(name: str, expected: OperationIr, got: OperationIr) -> Line:
    there, here = dict(expected.args).get(name), dict(got.args).get(name)
    return line(
        "difference.argument", name=name, expected=words.value(there), got=words.value(here)
    )


def dimension(expected: OperationIr | None, got: OperationIr) -> int | None:
    """The first dimension (from 1) whose shape id differs; ``None`` when the ranks differ too."""
    for left, right in zip(expected.nodes if expected else (), got.nodes, strict=False):
        if left.shape != right.shape and len(left.shape) == len(right.shape):
            pairs = zip(left.shape, right.shape, strict=True)
            return next(n for n, (a, b) in enumerate(pairs, start=1) if a != b)
    return None
