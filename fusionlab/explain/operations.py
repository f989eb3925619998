"""A row of a table as an op: what it does not say is read off the shapes, or left at its default.

In: a row, and how each tensor is used. Out: an op in global form. Scalars, ranges and the
parameters of a distribution do not matter for any decision; a dimension does, and mostly shows in
the shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any, Final

from fusionlab.explain.tables import Row, RowTensor
from fusionlab.ir.event_form import complete_args
from fusionlab.ir.operation import OperationIr, Options
from fusionlab.ir.opset import OPSET, OpSpec
from fusionlab.ir.tensor import Shape, TensorIr, TensorStatus

SPECS: Final = {spec.name: spec for spec in OPSET.values()}
"""Every op kind by the name that burn logs."""


def operation(row: Row, statuses: Sequence[TensorStatus]) -> OperationIr:
    """The op of a row; ``statuses`` are those of its inputs.

    Raises:
        KeyError: No op kind has this name.
    """
    spec = SPECS[row.kind]
    inputs = tuple(
        _tensor(tensor, status) for tensor, status in zip(row.inputs, statuses, strict=True)
    )
    outputs = tuple(_tensor(tensor, TensorStatus.NOT_INIT) for tensor in row.outputs)
    given = _arguments(spec, row)
    return OperationIr(spec, inputs, outputs, complete_args(spec, inputs, outputs, given))


def _tensor(tensor: RowTensor, status: TensorStatus) -> TensorIr:
    return TensorIr(tensor.id, tensor.shape, status, tensor.dtype)


def _arguments(spec: OpSpec, row: Row) -> dict[str, Any]:
    before = row.inputs[0].shape if row.inputs else ()
    after = row.outputs[0].shape if row.outputs else ()
    found: dict[str, Any] = {}
    for arg in spec.args:
        match arg.name, arg.kind:
            case "axis" | "dim", _:
                found[arg.name] = _dimension(before, after)
            case "dim1" | "dim2", _:
                found[arg.name] = _swapped(before, after)[arg.name == "dim2"]
            case "axes", _ if spec.variant == "Permute":
                found["axes"] = _permutation(before, after)
            case "k" | "times" | "size", _ if after:
                found[arg.name] = after[_dimension(before, after)]
            case _, "options" | "any" if arg.default is None:
                found[arg.name] = Options(())
    return found


def _dimension(before: Shape, after: Shape) -> int:
    """The dimension that changed; the last one when none did."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((n for n, (old, new) in pairs if old != new), max(0, len(before) - 1))


def _swapped(before: Shape, after: Shape) -> tuple[int, int]:
    changed = [n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b]
    if len(changed) == 2:
        return changed[0], changed[1]
    return max(0, len(before) - 2), max(0, len(before) - 1)


def _permutation(before: Shape, after: Shape) -> tuple[int, ...]:
    """Axes that give the new shape; not the identity, where there is another."""
    if len(before) > 6 or sorted(before) != sorted(after):
        return tuple(range(len(before)))
    fitting = [
        axes
        for axes in permutations(range(len(before)))
        if tuple(before[axis] for axis in axes) == after
    ]
    return fitting[min(1, len(fitting) - 1)] if before == after else fitting[0]
