"""The workloads: each a lab program, and the same formula as users of arrays write it.

In: nothing. Out: ``WORKLOADS``. A program's first line makes the inputs, its other lines are what
is measured; ``{n}`` and ``{m}`` stand for the size. Formulas are in ``formulas``.

A head in front of a reduction, or an op behind it, decides whether burn fuses at all: the bare
softmax is there as well, to show what its absence costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Size(NamedTuple):
    """Rows and columns of the full shape."""

    n: int
    m: int

    def __str__(self) -> str:
        return f"{self.n}x{self.m}"


class Twin(Enum):
    """What the memory-only twin of a workload does."""

    ELEMENTS = "elements"
    """Each result reads its inputs once and is written once."""
    ROWS = "rows"
    """The inputs are read, one number a row is written."""
    COLUMNS = "columns"
    """The inputs are read, one number a column is written."""
    FILL = "fill"
    """The inputs are a row and a column, the result is a whole matrix."""
    NONE = "none"
    """Memory is not what limits it."""


@dataclass(frozen=True, slots=True)
class Workload:
    """One formula. ``title`` is what a reader calls it, ``formula`` the text of the expression.

    ``suite`` are the sizes of the full benchmark, ``sweep`` those of the benchmark page.
    ``twin_reads`` lists, for each result, the inputs of full size that it depends on.
    """

    name: str
    formula: str
    program: str
    suite: tuple[Size, ...]
    sweep: tuple[Size, ...]
    twin: Twin
    twin_reads: tuple[tuple[int, ...], ...] = ()

    def text(self, size: Size) -> str:
        """The lab program at a size."""
        return self.program.replace("{n}", str(size.n)).replace("{m}", str(size.m))


def _squares(*sides: int) -> tuple[Size, ...]:
    return tuple(Size(side, side) for side in sides)


_SWEEP = _squares(16, 64, 128, 256, 512, 1024, 2048)
_ROWS = (Size(4096, 1024),)
_TALL = (Size(256, 256), Size(1024, 1024), Size(4096, 1024))
_FULL = "random({n}, {m})"
_CHAIN = "abs(((x * y + x) * 0.5 - y) * x + 1.0) * y"
_CHAIN_FORMULA = "abs(((x*y + x)*0.5 - y)*x + 1)*y"
_PAIRS = "for x, y in [(a, b), (c, d), (e, f), (g, h), (i, j)]:\n    keep(" + _CHAIN + ")"
_TEN = "a, b, c, d, e, f, g, h, i, j = keep(" + ", ".join([_FULL] * 10) + ")\n"
_BY_PAIRS = tuple((first, first + 1) for first in range(0, 10, 2))

WORKLOADS = (
    Workload(
        "w1",
        "exp(a*b + c*2)",
        f"a, b, c = keep({_FULL}, {_FULL}, {_FULL})\nkeep(exp(a * b + c * 2.0))\n",
        _squares(64, 256, 1024, 2048, 4096),
        _SWEEP,
        Twin.ELEMENTS,
        ((0, 1, 2),),
    ),
    Workload(
        "chain8",
        _CHAIN_FORMULA,
        f"x, y = keep({_FULL}, {_FULL})\nkeep({_CHAIN})\n",
        _squares(256, 2048),
        _SWEEP,
        Twin.ELEMENTS,
        ((0, 1),),
    ),
    Workload(
        "chain40",
        f"5 × {_CHAIN_FORMULA}, one kernel",
        f"{_TEN}{_PAIRS}\n",
        _squares(256, 2048),
        _SWEEP,
        Twin.ELEMENTS,
        _BY_PAIRS,
    ),
    Workload(
        "chain40_5x8",
        f"5 × {_CHAIN_FORMULA}, five kernels",
        f"{_TEN}{_PAIRS}\n    sync()\n",
        _squares(256, 2048),
        _squares(256, 2048),
        Twin.ELEMENTS,
        _BY_PAIRS,
    ),
    Workload(
        "softmax",
        "softmax(x*0.125)",
        f"x = keep({_FULL})\nkeep(softmax(x * 0.125, dim=1))\n",
        _ROWS,
        _TALL,
        Twin.ELEMENTS,
        ((0,),),
    ),
    Workload(
        "layernorm",
        "layer_norm(x*0.5)",
        f"x, g, b = keep({_FULL}, random(1, {{m}}), random(1, {{m}}))\n"
        "x = x * 0.5\n"
        "x = x - mean(x, dim=1)\n"
        "keep(x / sqrt(mean(x * x, dim=1) + 0.00001) * g + b)\n",
        _ROWS,
        _TALL,
        Twin.ELEMENTS,
        ((0,),),
    ),
    Workload(
        "matmul_bias_relu",
        "relu(x @ w + b)",
        "x, w, b = keep(random({n}, {m}), random({m}, {m}), random(1, {m}))\n"
        "keep(relu(x @ w + b))\n",
        _squares(512),
        _squares(128, 512),
        Twin.NONE,
    ),
    Workload(
        "chain8_sum_last",
        f"sum({_CHAIN_FORMULA}, axis=1)*0.5",
        f"x, y = keep({_FULL}, {_FULL})\nkeep(sum({_CHAIN}, dim=1) * 0.5)\n",
        _squares(2048),
        _squares(256, 1024, 2048),
        Twin.ROWS,
        ((0, 1),),
    ),
    Workload(
        "chain8_sum_first",
        f"sum({_CHAIN_FORMULA}, axis=0)*0.5",
        f"x, y = keep({_FULL}, {_FULL})\nkeep(sum({_CHAIN}, dim=0) * 0.5)\n",
        _squares(2048),
        _squares(256, 1024, 2048),
        Twin.COLUMNS,
        ((0, 1),),
    ),
    Workload(
        "broadcast_add",
        "(column + row)*2",
        "x, y = keep(random({n}, 1), random(1, {m}))\nkeep((x + y) * 2.0)\n",
        _squares(256, 2048),
        _squares(256, 1024, 2048),
        Twin.FILL,
    ),
    Workload(
        "softmax_bare",
        "softmax(x)",
        f"x = keep({_FULL})\nkeep(softmax(x, dim=1))\n",
        _ROWS,
        _TALL,
        Twin.ELEMENTS,
        ((0,),),
    ),
)
"""All workloads, in the order of tables."""

FAMILIES = ("w1", "chain8", "chain40")
"""Element-wise programs of 4, 8 and 40 ops: from which size on does fusing pay?"""

BY_NAME = {workload.name: workload for workload in WORKLOADS}

COMPILE, DISK_HIT = "compile", "disk_hit"
"""Two more names for rows: a kernel made ready from its text, and from disk."""
