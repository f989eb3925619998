"""An execution table read back: which kernel ran which ops on which tensors.

In: the table's text. Out: rows. The widths of the columns are those of the row of dashes.

Source: burn-fusion, stream/execution/trace.rs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fusionlab.ir.tensor import DType, Shape, TensorIr, TensorStatus
from fusionlab.views.table import tensor_text

_TENSOR = re.compile(r"t(\d+):(.+?)\[((?:\d+(?:,\d+)*)?)\](?:, |$)")


def _written(dtype: DType) -> str:
    """How a table writes an element type."""
    text = tensor_text(TensorIr(0, (), TensorStatus.NOT_INIT, dtype))
    return text.removeprefix("t0:").removesuffix("[]")


_NAMES = {_written(dtype): dtype for dtype in DType}


@dataclass(frozen=True, slots=True)
class RowTensor:
    """A tensor as a row names it: no row says how it is used."""

    id: int
    shape: Shape
    dtype: DType


@dataclass(frozen=True, slots=True)
class Row:
    """One op of a table. ``line`` is its line in the log."""

    line: int
    kind: str
    inputs: tuple[RowTensor, ...]
    outputs: tuple[RowTensor, ...]


class TableError(ValueError):
    """The text is no execution table; the message names what is wrong with it."""


def rows(text: str, line: int) -> list[Row]:
    """The ops of a table, in the order in which they ran.

    Raises:
        TableError: The columns do not line up, or a tensor cannot be read.
    """
    lines = text.split("\n")
    if len(lines) < 4:
        return []
    spans = [match.span() for match in re.finditer(r"-+", lines[3])]
    if len(spans) != 5:
        raise TableError("five columns are expected")
    return [_row(content, spans, line + 4 + n) for n, content in enumerate(lines[4:])]


def _row(content: str, spans: list[tuple[int, int]], line: int) -> Row:
    # The last column may have lost its padding, or be longer than what is left of the dashes.
    cells = [content[start:end].strip() for start, end in spans[:-1]]
    cells.append(content[spans[-1][0] :].strip())
    if not cells[2]:
        raise TableError("a row without an op")
    return Row(line, cells[2], _tensors(cells[3]), _tensors(cells[4]))


def _tensors(cell: str) -> tuple[RowTensor, ...]:
    found, end = [], 0
    while end < len(cell):
        match = _TENSOR.match(cell, end)
        if match is None:
            raise TableError(f"{cell[end:]!r} is no tensor")
        shape = tuple(int(extent) for extent in match[3].split(",")) if match[3] else ()
        found.append(RowTensor(int(match[1]), shape, _dtype(match[2])))
        end = match.end()
    return tuple(found)


def _dtype(name: str) -> DType:
    if name not in _NAMES:
        raise TableError(f"{name!r} is no element type")
    return _NAMES[name]
