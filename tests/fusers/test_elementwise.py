"""ElementWise, and the accumulator that all five share: bindings, ops, shapes, views, indices."""

import pytest
from fusers.feeding import answers, feed, last
from notation import op

from fusionlab.fusers import ElementWiseFuser
from fusionlab.fusers.base import ClosingReason, FuserStatus
from fusionlab.fusers.recipes import RECIPES
from fusionlab.ir.opset import OPSET


def fuser(max_bindings: int = 1024) -> ElementWiseFuser:
    return ElementWiseFuser(max_bindings)


# --- which ops ------------------------------------------------------------------------------------

FUSABLE = {
    "base": "Equal EqualElem Cast SwapDims Reshape Ones Zeros Gather Select Cat MaskWhere MaskFill",
    "numeric": (
        "Add Sub Mul Div Rem AddScalar SubScalar MulScalar DivScalar RemScalar Abs Lower LowerElem "
        "Greater GreaterElem LowerEqual LowerEqualElem GreaterEqual GreaterEqualElem Full Clamp"
    ),
    "float": "Exp Log Log1p Powf PowfScalar Cos Sin Tanh Erf Sqrt Recip Dequantize",
    "int": (
        "IntoFloat BitwiseAnd BitwiseOr BitwiseXor BitwiseLeftShift BitwiseRightShift BitwiseNot "
        "BitwiseAndScalar BitwiseOrScalar BitwiseXorScalar BitwiseLeftShiftScalar "
        "BitwiseRightShiftScalar"
    ),
}
CATEGORIES = {
    "base": ("BaseFloat", "BaseInt", "BaseBool"),
    "numeric": ("NumericFloat", "NumericInt"),
    "float": ("Float",),
    "int": ("Int",),
}


def test_the_ops_that_a_kernel_can_hold() -> None:
    allowed = {
        f"{category}::{variant}"
        for family, variants in FUSABLE.items()
        for category in CATEGORIES[family]
        for variant in variants.split()
    }
    assert {spec.name for spec in RECIPES} == allowed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Slice(t0 → t1)", ClosingReason.BASE),
        ("SumDim(t0 → t1[32,1])", ClosingReason.NUMERIC),
        ("Tan(t0 → t1)", ClosingReason.FLOAT),
        ("Int::Matmul(t0, t1 → t2)", ClosingReason.INT),
        ("Bool::Not(t0:bool → t1:bool)", ClosingReason.UNSUPPORTED),
        ("Linear(t0, t1 → t2)", ClosingReason.UNSUPPORTED),
        ("Init( → t0)", ClosingReason.UNSUPPORTED),
        ("Custom(t0 → t1)", ClosingReason.UNSUPPORTED),
        ("Drop(t0)", ClosingReason.DROP),
    ],
)
def test_what_it_says_when_it_closes(text: str, reason: ClosingReason) -> None:
    it = fuser()
    (answer,) = answers(it, text)
    assert answer.status is FuserStatus.CLOSED
    (closing,) = answer.closings
    assert (closing.reason, closing.num_ops, closing.bindings) == (reason, 0, 1)


def test_a_closed_fuser_keeps_what_it_has() -> None:
    it = fuser()
    assert feed(it, "MulScalar(t0 → t1); Exp(!t1 → t2); SumDim(t2 → t3[32,1])")[-1] == "kind"
    state = it.properties()
    assert (state.ready, len(it)) == (True, 2)
    assert state.score == 210


def test_every_op_counts_for_the_length_views_and_drops_too() -> None:
    it = fuser()
    feed(it, "MulScalar(t0 → t1); SwapDims(t0 → t2); Drop(t0)")
    assert len(it) == 3


# --- ops a kernel ---------------------------------------------------------------------------------


def test_sixty_five_ops_fit_because_the_limit_asks_for_more_than_sixty_four() -> None:
    words = feed(fuser(), "66×AddScalar(t0 → t1)")
    assert words == ["taken"] * 65 + ["too_many_ops"]


def test_views_and_drops_do_not_count_for_that_limit() -> None:
    it = fuser()
    text = "AddScalar(t0 → t1000); SwapDims(t0 → t1001); Drop(t1000); 63×AddScalar(t0 → t1)"
    assert set(feed(it, text)) == {"taken"}
    assert last(it, "AddScalar(!t63 → t64)") == "taken"
    assert last(it, "AddScalar(!t64 → t65)") == "too_many_ops"


# --- buffers --------------------------------------------------------------------------------------


def test_as_many_buffers_as_the_limit_fit_and_one_more_does_not() -> None:
    """One for the metadata, two inputs, one output: four."""
    warmed = "Exp(t0 → t1); "
    assert last(fuser(4), warmed + "Add(!t1, t2 → t3)") == "taken"
    assert last(fuser(3), warmed + "Add(!t1, t2 → t3)") == "too_many_bindings"


def test_the_very_first_op_is_not_checked_against_the_limit() -> None:
    it = fuser(1)
    assert feed(it, "Add(t0, t1 → t2)") == ["taken"]
    assert feed(it, "Exp(!t2 → t3)") == ["too_many_bindings"]


def test_a_value_used_up_inside_needs_no_buffer_and_a_kept_one_does() -> None:
    used, kept = fuser(), fuser()
    feed(used, "Exp(t0 → t1); Log(!t1 → t2); Sum(t2 → t3[1])")
    feed(kept, "Exp(t0 → t1); Log(t1 → t2); Sum(t2 → t3[1])")
    assert used.trace.count_bindings() == 3
    assert kept.trace.count_bindings() == 4


def test_a_tensor_read_many_times_is_one_buffer() -> None:
    it = fuser()
    feed(it, "Mul(t0, t0 → t1); Add(!t1, t0 → t2)")
    assert it.trace.count_bindings() == 3


def test_quantised_operands_take_two_buffers_for_every_description() -> None:
    it = fuser()
    assert feed(it, "Dequantize(t0:qfloat → t1)") == ["taken"]
    assert it.trace.count_bindings() == 1 + 2 + 1
    feed(it, "Dequantize(t0:qfloat → t2)")
    assert it.trace.count_bindings() == 1 + 2 + 2
    feed(it, "Dequantize(!t0:qfloat → t3)")
    assert it.trace.count_bindings() == 1 + 4 + 3


def test_a_closing_line_tells_how_full_the_trace_was() -> None:
    it = fuser()
    closing = answers(it, "MulScalar(t0 → t1); Exp(!t1 → t2); Slice(t2 → t3)")[-1].closings[0]
    assert (closing.num_ops, closing.bindings, closing.max_bindings) == (2, 3, 1024)


# --- shapes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "then", "word"),
    [
        ("8,9", "8,9", "taken"),
        ("8,9", "9,8", "shape"),
        ("8,9", "1,9", "taken"),
        ("8,9", "1,1", "taken"),
        ("1,9", "8,9", "taken"),
        ("8,1", "8,9", "taken"),
        ("8,1", "1,9", "shape"),
        ("8,9", "8", "rank"),
        ("8,9", "1,8,9", "rank"),
        ("1,1", "8,9", "taken"),
    ],
)
def test_an_output_fits_when_one_shape_covers_both(first: str, then: str, word: str) -> None:
    text = f"Exp(t0[{first}] → t1[{first}]); Exp(t2[{then}] → t3[{then}])"
    assert last(fuser(), text) == word


def test_a_widened_shape_stays_when_the_op_that_widened_it_is_refused() -> None:
    it = fuser(3)
    text = "Exp(t0[8,1] → t1[8,1]); Add(!t1[8,1], t2[8,9] → t3[8,9])"
    assert last(it, text) == "too_many_bindings"
    assert it.trace.shape == (1, 2)
    assert it.finish(()).max_relative_shape_id == 2


def test_only_the_output_must_fit_inputs_may_be_anything() -> None:
    assert feed(fuser(), "Add(t0[8,1], t1[1,9] → t2[8,9])") == ["taken"]


# --- views ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("SwapDims(t0 → t1)", "view_source"),
        ("Exp(t0 → t1); SwapDims(t1 → t2)", "view_source"),
        ("Exp(t0 → t1); SwapDims(t9 → t2)", "view_source"),
        ("Exp(t0 → t1); SwapDims(t0 → t2)", "taken"),
        ("Exp(t0[8,9] → t1[8,9]); Reshape(t0[8,9] → t2[8,9])", "taken"),
        ("Exp(t0[8,1] → t1[8,1]); Reshape(t1[8,1] → t2[8,1])", "taken"),
        ("Exp(t0[8,9] → t1[8,9]); Reshape(t0[8,9] → t2[72])", "rank"),
    ],
    ids=[
        "its first use",
        "what the kernel makes",
        "never read",
        "read before",
        "a reshape to the same shape is a copy",
        "so is one of a computed value",
        "a lower rank does not even fit",
    ],
)
def test_a_view_is_taken_only_of_an_input_that_was_read_before(text: str, word: str) -> None:
    assert last(fuser(), text) == word


def test_a_reshape_to_a_lower_rank_is_refused_even_when_its_shape_would_fit() -> None:
    it = fuser()
    assert feed(it, "Reshape(t0[1,8] → t1[8])") == ["view_rank"]


def test_a_view_is_no_compute_op_but_costs_a_read_and_fifty_points() -> None:
    it = fuser()
    feed(it, "MulScalar(t0 → t1); SwapDims(t0 → t2)")
    (terms,) = it.properties().terms
    assert (terms.views, terms.fused_reads) == (1, 2)
    assert it.trace.block.compute_ops == 1


# --- operands read by index ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Gather(t0, t1:i32 → t2); Exp(!t2 → t3)", "taken"),
        ("Gather(t0, t1:i32 → t2); Gather(t0, t1:i32 → t3)", "taken"),
        ("Gather(t0, t1:i32 → t2); Add(!t2, t0 → t3)", "read_of_indexed"),
        ("Exp(t0 → t1); Gather(t0, t2:i32 → t3)", "index_of_read"),
        ("Exp(t0 → t1); Gather(t1, t2:i32 → t3)", "index_of_read"),
        ("Cat(t0[16,32], t1[16,32] → t2); MulScalar(!t2 → t3)", "taken"),
    ],
    ids=[
        "the result is an ordinary value",
        "indexed twice",
        "indexed, then read",
        "read, then indexed",
        "made, then indexed",
        "a cat",
    ],
)
def test_a_tensor_is_read_by_index_or_element_by_element_but_not_both(text: str, word: str) -> None:
    assert last(fuser(), text) == word


def test_what_is_read_by_index_is_a_buffer_but_no_read_of_the_score() -> None:
    it = fuser()
    feed(it, "Gather(t0, t1:i32 → t2); Exp(!t2 → t3)")
    (terms,) = it.properties().terms
    assert (terms.reads, terms.fused_reads) == (3, 0)
    assert it.trace.count_bindings() == 4


# --- quantised ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Exp(t0:qfloat → t1)", "quantized"),
        ("Exp(t0 → t1:qfloat)", "quantized"),
        ("Gather(t0:qfloat, t1:i32 → t2)", "quantized"),
        ("Dequantize(t0 → t1)", "quantization_scheme"),
        ("Dequantize(t0:qfloat → t1); Exp(!t1 → t2)", "taken"),
    ],
)
def test_quantised_values_can_only_be_dequantised(text: str, word: str) -> None:
    assert last(fuser(), text) == word


# --- drops ----------------------------------------------------------------------------------------


def test_a_drop_counts_as_one_read_and_one_op_and_spares_a_write() -> None:
    it = fuser()
    feed(it, "AddScalar(t0 → t1); Exp(t1 → t2)")
    before = it.properties().terms[0]
    feed(it, "Drop(t1)")
    after = it.properties().terms[0]
    assert (after.reads, after.ops) == (before.reads + 1, before.ops + 1)
    assert after.fused_writes == before.fused_writes - 1


def test_truth_values_are_held_as_the_type_that_stores_them() -> None:
    """A tensor of u32 and the same tensor as native truth values are one local variable."""
    it = fuser()
    feed(it, "Equal(t0, t1 → t2:bool); MaskFill(t0, !t2:bool → t3)")
    assert it.properties().terms[0].fused_reads == 2
    assert it.trace.block.has_local(op("Exp(t2:u32 → t9)").inputs[0])
    assert not it.trace.block.has_local(op("Exp(t2:u8 → t9)").inputs[0])


def test_a_cast_makes_a_new_value_whatever_the_types() -> None:
    kinds = ("f64", "f32", "f16", "bf16", "i64", "i8", "u8", "bool")
    text = "; ".join(f"Cast(t0:f32 → t{n}:{kind})" for n, kind in enumerate(kinds, 1))
    assert set(feed(fuser(), text)) == {"taken"}


def test_every_fusable_kind_is_in_the_op_table() -> None:
    assert all(OPSET[spec.event_name] is spec for spec in RECIPES)
