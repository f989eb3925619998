"""Where two relative ops first differ, as a path that the texts can explain."""

from __future__ import annotations

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr


def first_difference(expected: OperationIr | None, got: OperationIr) -> str:
    """The first differing field: ``length``, ``kind``, ``args.dim``, ``inputs[0].shape``, …

    Tensors are compared in the order in which relative form visits them; the kind comes first,
    arguments last. ``expected`` is ``None`` when the plan is shorter than the segment.
    """
    if expected is None:
        return "length"
    if expected.spec is not got.spec:
        return "kind"
    for side, one, two in (
        ("inputs", expected.inputs, got.inputs),
        ("outputs", expected.outputs, got.outputs),
    ):
        if len(one) != len(two):
            return side
        for index, (left, right) in enumerate(zip(one, two, strict=True)):
            if left != right:
                return f"{side}[{index}].{_tensor_field(left, right)}"
    two_args = dict(got.args)
    for name, value in expected.args:
        if two_args.get(name) != value:
            return f"args.{name}"
    return "args"


def _tensor_field(left: TensorIr, right: TensorIr) -> str:
    for field in TensorIr._fields:
        if getattr(left, field) != getattr(right, field):
            return field
    return "id"
