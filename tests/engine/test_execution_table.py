"""The execution table, byte for byte: columns, widths, plurals and names."""

import pytest
from notation import op, ops

from fusionlab.events.facts import ExecutedBlock
from fusionlab.ir.operation import OperationIr
from fusionlab.views.table import execution_table, tensor_text

CHAIN = ops("MulScalar(t0[2,2] → t1[2,2]); AddScalar(!t1[2,2] → t2[2,2]); Tanh(!t2[2,2] → t3[2,2])")


def block(fuser: str | None, score: int, *operations: OperationIr) -> ExecutedBlock:
    return ExecutedBlock(fuser, score, operations)


THREE_OPS = """\
fusion trace (3 ops, 1 block)
idx  block                                     op                       inputs       outputs····
---  ----------------------------------------  -----------------------  -----------  -----------
0    ▸ fused ElementWise (score=420, 3 ops)    NumericFloat::MulScalar  t0:f32[2,2]  t1:f32[2,2]
1                                              NumericFloat::AddScalar  t1:f32[2,2]  t2:f32[2,2]
2                                              Float::Tanh              t2:f32[2,2]  t3:f32[2,2]"""
"""``·`` is a space at the end of a line."""


def test_three_fused_ops() -> None:
    """Widths count bytes: the block column is two wider than it looks, because ▸ has three."""
    ruler, _, rest = execution_table([block("ElementWise", 420, *CHAIN)]).partition("\n")
    assert ruler == "═" * 96
    assert rest == THREE_OPS.replace("·", " ")


def test_rows_are_numbered_over_all_blocks_and_a_header_stands_on_its_first_row() -> None:
    exp = op("Exp(t9 → t10)")
    rows = execution_table([block("FusedKernel", 42, exp, exp), block(None, 0, exp)]).splitlines()
    assert rows[1] == "fusion trace (3 ops, 2 blocks)"
    assert rows[4].startswith("0    ▸ fused FusedKernel (score=42, 2 ops)")
    assert rows[5].startswith("1     ")
    assert rows[6].startswith("2    ▸ un-fused (1 op)")
    assert set(rows[0]) == {"═"}


def test_one_op_in_one_block_has_no_plural() -> None:
    table = execution_table([block("ElementWise", 100, op("Mul(t0, !t0 → t1)"))])
    assert "fusion trace (1 op, 1 block)" in table
    assert "▸ fused ElementWise (score=100, 1 op)" in table


def test_every_row_is_padded_to_the_last_column() -> None:
    rows = execution_table([block(None, 0, *CHAIN, op("Drop(t3[2,2])"))]).splitlines()[2:]
    assert len({len(row) for row in rows}) == 1
    assert rows[-1].endswith(" " * len("outputs"))


def test_columns_are_at_least_as_wide_as_their_headers() -> None:
    rows = execution_table([block(None, 0, op("Drop(t0[])"))]).splitlines()
    assert rows[3] == f"---  {'-' * 19}  ----  --------  -------"


def test_an_op_without_inputs_or_outputs_has_an_empty_cell() -> None:
    row = execution_table([block(None, 0, op("Ones( → t7[3])"))]).splitlines()[4]
    assert row.split() == ["0", "▸", "un-fused", "(1", "op)", "BaseFloat::Ones", "t7:f32[3]"]


def test_nothing_executed_is_said_in_words() -> None:
    assert execution_table([]) == "fusion block: <empty>"


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        ("t42[2,3,4]", "t42:f32[2,3,4]"),
        ("t2[]", "t2:f32[]"),
        ("t1:bf16", "t1:bf16[32,32]"),
        ("t1:bool", "t1:bool(Native)[32,32]"),
        ("t1:bool(u8)", "t1:bool(U8)[32,32]"),
        ("t1:bool(u32)", "t1:bool(U32)[32,32]"),
        (
            "t1[8]:qfloat",
            (
                "t1:qfloat(QuantScheme { value: Q8F, store: PackedU32(0), mode: Symmetric, "
                "tensor: None, block: None })[8]"
            ),
        ),
    ],
)
def test_a_tensor_is_its_number_type_and_shape(tensor: str, text: str) -> None:
    assert tensor_text(op(f"Exp({tensor} → t9)").inputs[0]) == text
