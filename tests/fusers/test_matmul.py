"""Matmul: a matrix product and the element-wise ops behind it."""

import pytest
from fusers.feeding import answers, feed, last

from fusionlab.fusers import MatmulFuser


def fuser(max_bindings: int = 1024) -> MatmulFuser:
    return MatmulFuser(max_bindings)


PRODUCT = "Matmul(!t0[8,4], t1[4,9] → t2[8,9])"


def test_it_starts_with_a_product_and_closes_silently_on_anything_else() -> None:
    it = fuser()
    (answer,) = answers(it, "Exp(t0 → t1)")
    assert answer.refusal.code.value == "not_matmul"
    assert answer.closings == ()
    assert not it.is_open


def test_a_product_alone_is_never_ready() -> None:
    it = fuser()
    assert feed(it, PRODUCT) == ["taken"]
    assert (it.is_ready, it.is_open, len(it)) == (False, True, 1)


def test_with_one_op_behind_it_is_ready_and_covers_both() -> None:
    it = fuser()
    feed(it, f"{PRODUCT}; MulScalar(!t2[8,9] → t3[8,9])")
    state = it.properties()
    assert (state.ready, state.score, len(it)) == (True, 100, 2)


def test_the_product_itself_counts_for_nothing() -> None:
    it = fuser()
    feed(it, PRODUCT)
    (terms,) = it.properties().terms
    assert (terms.reads, terms.writes, terms.ops, terms.fused_reads) == (0, 0, 0, 0)


def test_its_operands_and_its_result_are_buffers() -> None:
    it = fuser()
    feed(it, PRODUCT)
    assert it.trace.count_bindings() == 4


def test_a_drop_right_behind_the_product_closes_it() -> None:
    it = fuser()
    answer = answers(it, f"{PRODUCT}; Drop(t1[4,9])")[-1]
    assert answer.refusal.code.value == "empty_drop"
    assert not it.is_ready


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Add(!t2[8,9], t3[8,9] → t4[8,9])", "taken"),
        ("Add(!t2[8,9], t3[1,9] → t4[8,9])", "taken"),
        ("SwapDims(!t2[8,9] → t3[9,8])", "shape"),
        ("SumDim(!t2[8,9] → t3[8,1])", "kind"),
        ("Matmul(!t2[8,9], t5[9,8] → t6[8,8])", "kind"),
        ("Exp(t0[8,4] → t3[8,4])", "shape"),
    ],
    ids=["bias", "bias over rows", "a view", "a reduction", "a second product", "another shape"],
)
def test_what_may_follow(text: str, word: str) -> None:
    assert last(fuser(), f"{PRODUCT}; {text}") == word


def test_the_epilogue_cannot_grow_beyond_the_products_shape_where_that_is_one() -> None:
    """The main trace never widens; only the fallback would."""
    product = "Matmul(!t0[8,4], t1[4,1] → t2[8,1])"
    assert last(fuser(), f"{product}; Add(!t2[8,1], t3[8,9] → t4[8,9])") == "shape"


def test_integer_products_come_under_the_same_name_and_are_taken() -> None:
    assert feed(fuser(), "Matmul(t0:i32, t1:i32 → t2:i32)") == ["taken"]


def test_a_quantised_operand_takes_two_buffers() -> None:
    it = fuser()
    feed(it, "Matmul(t0, t1:qfloat → t2)")
    assert it.trace.count_bindings() == 1 + 1 + 2 + 1


def test_a_quantised_result_is_refused_silently() -> None:
    """Burn panics here."""
    it = fuser()
    (answer,) = answers(it, "Matmul(t0, t1 → t2:qfloat)")
    assert answer.refusal.code.value == "quantized"
    assert answer.closings == ()
    assert not it.is_ready


def test_both_operands_may_be_one_tensor_and_are_then_one_buffer() -> None:
    it = fuser()
    feed(it, "Matmul(t0, !t0 → t1)")
    assert it.trace.count_bindings() == 3


def test_only_the_trace_that_refused_prints_a_line() -> None:
    answer = answers(fuser(), f"{PRODUCT}; Slice(t2[8,9] → t3[8,9])")[-1]
    (closing,) = answer.closings
    assert (closing.num_ops, closing.bindings) == (0, 4)
