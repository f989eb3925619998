"""What the shared trace does with each op kind: one row an op that can be fused.

A recipe binds the op's tensors to the trace in burn's order and counts the op; an op kind
without a recipe is refused. Also here: the words of the closing line for each category.

Source: burn-cubecl-fusion, engine/fuser.rs (``fuse_base``, ``fuse_numeric``, ``fuse_float``,
``fuse_int``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from fusionlab.fusers.base import ClosingReason, Refusal, RefusalCode
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import OPSET, OpSpec

if TYPE_CHECKING:
    from fusionlab.fusers.fuse_trace import FuseTrace

Recipe = Callable[["FuseTrace", OperationIr], None]


class RefusedError(Exception):
    """Raised inside a recipe: the op cannot be bound. Never leaves the fusers."""

    def __init__(self, refusal: Refusal) -> None:
        """Keep the typed reason."""
        super().__init__(refusal.code.value)
        self.refusal = refusal


def _element_wise(*order: int) -> Recipe:
    """Read every input (in ``order`` when given), then make the output."""

    def recipe(trace: FuseTrace, op: OperationIr) -> None:
        for tensor in [op.inputs[i] for i in order] if order else op.inputs:
            trace.read(tensor)
        trace.write(op.outputs[0])
        trace.block.compute_ops += 1

    return recipe


def _indexed(trace: FuseTrace, op: OperationIr) -> None:
    for tensor in op.inputs:
        trace.read_indexed(tensor)
    trace.write(op.outputs[0])
    trace.block.compute_ops += 1


def _dequantize(trace: FuseTrace, op: OperationIr) -> None:
    trace.read_quantized(op.inputs[0])
    trace.write(op.outputs[0])
    trace.block.compute_ops += 1


def _view(trace: FuseTrace, op: OperationIr) -> None:
    trace.view(op.inputs[0], op.outputs[0])


def _reshape(trace: FuseTrace, op: OperationIr) -> None:
    """A reshape to the same relative shape is a plain copy; to a lower rank it is refused."""
    source, out = op.inputs[0], op.outputs[0]
    if source.shape == out.shape:
        _copy(trace, op)
    elif len(source.shape) > len(out.shape):
        detail = (("rank", len(source.shape)), ("got", len(out.shape)))
        raise RefusedError(Refusal(RefusalCode.VIEW_RANK, detail))
    else:
        _view(trace, op)


_plain: Final = _element_wise()
_copy: Final = _plain

_BASE: Final[dict[str, Recipe]] = {
    **dict.fromkeys(("Equal", "EqualElem", "Cast", "Ones", "Zeros"), _plain),
    **dict.fromkeys(("Gather", "Select", "Cat"), _indexed),
    "SwapDims": _view,
    "Reshape": _reshape,
    "MaskWhere": _element_wise(1, 0, 2),
    "MaskFill": _element_wise(1, 0),
}
_NUMERIC: Final = (
    "Add Sub Mul Div Rem AddScalar SubScalar MulScalar DivScalar RemScalar Abs Lower LowerElem "
    "Greater GreaterElem LowerEqual LowerEqualElem GreaterEqual GreaterEqualElem Full Clamp"
).split()
_FLOAT: Final = "Exp Log Log1p Powf PowfScalar Cos Sin Tanh Erf Sqrt Recip".split()
_INT: Final = (
    "IntoFloat BitwiseNot BitwiseAnd BitwiseOr BitwiseXor BitwiseLeftShift BitwiseRightShift "
    "BitwiseAndScalar BitwiseOrScalar BitwiseXorScalar BitwiseLeftShiftScalar "
    "BitwiseRightShiftScalar"
).split()


def _rows() -> dict[OpSpec, Recipe]:
    base = {
        f"{category}::{variant}": recipe
        for category in ("BaseFloat", "BaseInt", "BaseBool")
        for variant, recipe in _BASE.items()
    }
    plain = [
        *(f"{category}::{v}" for category in ("NumericFloat", "NumericInt") for v in _NUMERIC),
        *(f"Float::{v}" for v in _FLOAT),
        *(f"Int::{v}" for v in _INT),
    ]
    named = {**base, **dict.fromkeys(plain, _plain), "Float::Dequantize": _dequantize}
    return {OPSET[name]: recipe for name, recipe in named.items()}


RECIPES: Final[Mapping[OpSpec, Recipe]] = _rows()
"""How each fusable op kind is bound; the other kinds are refused."""

CLOSING_REASONS: Final[Mapping[str, ClosingReason]] = {
    **dict.fromkeys((spec.category for spec in OPSET.values()), ClosingReason.UNSUPPORTED),
    "BaseFloat": ClosingReason.BASE,
    "BaseInt": ClosingReason.BASE,
    "BaseBool": ClosingReason.BASE,
    "NumericFloat": ClosingReason.NUMERIC,
    "NumericInt": ClosingReason.NUMERIC,
    "Float": ClosingReason.FLOAT,
    "Int": ClosingReason.INT,
}
"""The words of the closing line for each category."""
