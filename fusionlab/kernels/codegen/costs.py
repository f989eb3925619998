"""What it costs to compute an op again, in additions: enough to tell cheap from dear."""

from __future__ import annotations

from typing import Final

from fusionlab.kernels.group import Step

CHEAP: Final = 4
"""Up to this it is better to compute a value again than to keep it in memory."""

_COSTS: Final = {"Div": 4, "DivScalar": 4, "Sqrt": 4, "Recip": 4, "Rem": 8, "RemScalar": 8}
_DEAR: Final = frozenset(
    {"Exp", "Log", "Log1p", "Powf", "PowfScalar", "Cos", "Sin", "Tanh", "Erf", "Cat"}
)


def cost_of(step: Step) -> int:
    """The cost of one op for one element, its operands given."""
    name = step.op.spec.variant
    return CHEAP + 1 if name in _DEAR else _COSTS.get(name, 1)
