"""The execution table: which kernel ran which ops on which tensors, as burn prints it.

Column widths are UTF-8 byte lengths, padded in characters, as in burn: the ``▸`` of a block
header is three bytes, so that column is two characters wider than it looks.

Source: burn-fusion, stream/execution/trace.rs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fusionlab.events.facts import ExecutedBlock
from fusionlab.ir.tensor import DType, TensorIr

HEADER = ("idx", "block", "op", "inputs", "outputs")

_DTYPE_NAMES = {
    DType.BOOL: "bool(Native)",
    DType.BOOL_U8: "bool(U8)",
    DType.BOOL_U32: "bool(U32)",
    DType.QFLOAT: (
        "qfloat(QuantScheme { value: Q8F, store: PackedU32(0), mode: Symmetric, "
        "tensor: None, block: None })"
    ),
}


def tensor_text(tensor: TensorIr) -> str:
    """A tensor as the table prints it, for example ``t4:f32[64,64]``."""
    extents = ",".join(map(str, tensor.shape))
    return f"t{tensor.id}:{_DTYPE_NAMES.get(tensor.dtype, tensor.dtype.value)}[{extents}]"


def block_text(block: ExecutedBlock) -> str:
    """A block's header, for example ``▸ fused ElementWise (score=630, 4 ops)``."""
    count = len(block.operations)
    ops = f"{count} op" if count == 1 else f"{count} ops"
    if block.fuser is None:
        return f"▸ un-fused ({ops})"
    return f"▸ fused {block.fuser} (score={block.score}, {ops})"


def table_rows(blocks: Sequence[ExecutedBlock]) -> Iterator[tuple[str, str, str, str, str]]:
    """One row an op, in the order of ``HEADER``; a block's header stands on its first op."""
    index = 0
    for block in blocks:
        header = block_text(block)
        for op in block.operations:
            inputs = ", ".join(map(tensor_text, op.inputs))
            outputs = ", ".join(map(tensor_text, op.outputs))
            yield str(index), header, op.kind, inputs, outputs
            index += 1
            header = ""


def execution_table(blocks: Sequence[ExecutedBlock]) -> str:
    """The whole table as one string without a final newline."""
    rows = list(table_rows(blocks))
    if not rows:
        return "fusion block: <empty>"
    cells = [HEADER, *rows]
    widths = [max(len(row[i].encode()) for row in cells) for i in range(len(HEADER))]
    kernels = f"{len(blocks)} block" if len(blocks) == 1 else f"{len(blocks)} blocks"
    ops = f"{len(rows)} op" if len(rows) == 1 else f"{len(rows)} ops"
    lines = [
        "═" * (sum(widths) + 2 * (len(HEADER) - 1)),
        f"fusion trace ({ops}, {kernels})",
        _line(HEADER, widths),
        "  ".join("-" * width for width in widths),
        *(_line(row, widths) for row in rows),
    ]
    return "\n".join(lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
