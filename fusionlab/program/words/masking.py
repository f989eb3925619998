"""Words that choose between values: masks, bounds, the larger of two.

Source: burn-backend, ops/tensor.rs (``float_clamp_min``: LowerElem, MaskFill), burn-tensor,
api/orderable.rs (``max_pair``: Lower, MaskWhere).
"""

from __future__ import annotations

from typing import Final

from fusionlab.errors import ProgramError
from fusionlab.program.model import Tensor
from fusionlab.program.trace import Trace
from fusionlab.program.words.arithmetic import Operand, invert
from fusionlab.program.words.core import WordTable
from fusionlab.program.words.helpers import base, numeric, scalar

WORDS: Final = WordTable()


@WORDS.word("mask_fill", "x:tensor, mask:tensor, value:number")
def mask_fill(trace: Trace, x: Tensor, mask: Tensor, value: float) -> Tensor:
    """The tensor, but ``value`` where the mask holds."""
    return trace.emit(f"{base(x)}::MaskFill", x, mask, value=scalar(x, value))


@WORDS.word("mask_where", "x:tensor, mask:tensor, value:tensor")
def mask_where(trace: Trace, x: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    """The tensor, but ``value`` where the mask holds."""
    return trace.emit(f"{base(x)}::MaskWhere", x, mask, value)


@WORDS.word("where", "mask:tensor, x:operand, y:operand")
def where(trace: Trace, mask: Tensor, x: Operand, y: Operand) -> Tensor:
    """The first where the mask holds, else the second."""
    if isinstance(y, Tensor):
        if isinstance(x, Tensor):
            return mask_where(trace, y, mask, x)
        return mask_fill(trace, y, mask, x)
    if isinstance(x, Tensor):
        return mask_fill(trace, x, invert(trace, mask), y)
    raise ProgramError("needs_a_tensor", word="where")


@WORDS.word("clamp_min", "x:tensor, min:number")
def clamp_min(trace: Trace, x: Tensor, least: float) -> Tensor:
    """No element below ``min``."""
    mask = trace.emit(f"{numeric(x, 'clamp_min')}::LowerElem", x, rhs=scalar(x, least))
    return mask_fill(trace, x, mask, least)


@WORDS.word("clamp_max", "x:tensor, max:number")
def clamp_max(trace: Trace, x: Tensor, most: float) -> Tensor:
    """No element above ``max``."""
    mask = trace.emit(f"{numeric(x, 'clamp_max')}::GreaterElem", x, rhs=scalar(x, most))
    return mask_fill(trace, x, mask, most)


@WORDS.word("clamp clip", "x:tensor, min:number=None, max:number=None")
def clamp(trace: Trace, x: Tensor, least: float | None, most: float | None) -> Tensor:
    """No element below ``min`` or above ``max``."""
    if least is not None and most is not None:
        row = f"{numeric(x, 'clamp')}::Clamp"
        return trace.emit(row, x, min=scalar(x, least), max=scalar(x, most))
    if least is not None:
        return clamp_min(trace, x, least)
    if most is not None:
        return clamp_max(trace, x, most)
    raise ProgramError("missing_argument", word="clamp", name="min", signature="clamp(x, min, max)")


@WORDS.word("maximum max_pair", "x:tensor, y:tensor")
def maximum(trace: Trace, x: Tensor, y: Tensor) -> Tensor:
    """The larger of two, element by element (Lower, MaskWhere)."""
    mask = trace.emit(f"{numeric(x, 'maximum')}::Lower", x, y)
    return mask_where(trace, x, mask, y)


@WORDS.word("minimum min_pair", "x:tensor, y:tensor")
def minimum(trace: Trace, x: Tensor, y: Tensor) -> Tensor:
    """The smaller of two, element by element (Greater, MaskWhere)."""
    mask = trace.emit(f"{numeric(x, 'minimum')}::Greater", x, y)
    return mask_where(trace, x, mask, y)
