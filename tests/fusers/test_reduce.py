"""Reduce: what comes before, one reduction over a dimension, what comes after."""

import pytest
from fusers.feeding import answers, feed, last

from fusionlab.fusers import ReduceFuser
from fusionlab.fusers.reduce import REDUCES


def fuser(max_bindings: int = 1024) -> ReduceFuser:
    return ReduceFuser(max_bindings)


BEFORE = "MulScalar(!t0[8,9] → t1[8,9])"
SUM = f"{BEFORE}; SumDim(!t1[8,9] → t2[8,1])"


def test_the_reductions_that_a_kernel_can_hold() -> None:
    named = {spec.variant for spec in REDUCES}
    assert named == {
        *("SumDim", "MeanDim", "ProdDim", "ArgMax", "ArgMin", "MinDim", "MaxDim", "MaxAbsDim"),
        *("AnyDim", "AllDim"),
    }
    assert {spec.category for spec in REDUCES if spec.variant == "AnyDim"} == {
        *("BaseFloat", "BaseInt", "BaseBool")
    }


@pytest.mark.parametrize(
    "text",
    [
        "TopK(!t1[8,9] → t2[8,3])",
        "Sum(!t1[8,9] → t2[1])",
        "CumSum(!t1[8,9] → t2[8,9])",
        "MaxDimWithIndices(!t1[8,9] → t2[8,1], t3[8,1]:i32)",
    ],
)
def test_other_reductions_close_it(text: str) -> None:
    assert last(fuser(), f"{BEFORE}; {text}") == "kind"


def test_a_reduction_with_nothing_before_it_is_refused_silently() -> None:
    (answer,) = answers(fuser(), "SumDim(t0[8,9] → t1[8,1])")
    assert answer.refusal.code.value == "reduce_input"
    assert answer.closings == ()


def test_a_reduction_of_a_single_number_has_the_empty_shape_and_is_taken() -> None:
    assert feed(fuser(), "SumDim(t0[] → t1[])") == ["taken"]


def test_without_a_reduction_it_is_never_ready() -> None:
    it = fuser()
    feed(it, BEFORE)
    assert (it.is_ready, len(it)) == (False, 1)
    feed(it, "SumDim(!t1[8,9] → t2[8,1])")
    assert (it.is_ready, it.is_open, len(it)) == (True, True, 2)


@pytest.mark.parametrize("axis", [0, 1])
def test_it_reduces_over_any_dimension_and_goes_on(axis: int) -> None:
    out = "[1,9]" if axis == 0 else "[8,1]"
    text = f"{BEFORE}; SumDim(!t1[8,9] → t2{out}, axis={axis}); Exp(!t2{out} → t3{out})"
    assert last(fuser(), text) == "taken"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (f"{BEFORE}; SumDim(t5[9,8] → t2[9,1])", "reduce_input"),
        (f"{BEFORE}; Exp(t5[8,1] → t6[8,1])", "shape"),
        (f"{BEFORE}; Exp(t5[8,9] → t6[8,9]); SumDim(!t1[8,9] → t2[8,1])", "taken"),
        (f"{SUM}; AddScalar(!t2[8,1] → t3[8,1])", "taken"),
        (f"{SUM}; Add(!t2[8,1], t9[8,9] → t3[8,9])", "shape"),
        (f"{SUM}; SumDim(!t2[8,1] → t3[8,1])", "kind"),
    ],
    ids=[
        "it must reduce what has the shape of what is there",
        "everything before has one shape",
        "several values before, one is reduced",
        "what follows has the shape of the result",
        "broadcasting back is not for this fuser",
        "there is one reduction in a kernel",
    ],
)
def test_shapes_before_and_after(text: str, word: str) -> None:
    assert last(fuser(), text) == word


def test_a_drop_right_behind_the_reduction_closes_it() -> None:
    """The fallback that would run the epilogue alone is still empty."""
    it = fuser()
    answer = answers(it, f"{SUM}; Drop(t1[8,9])")[-1]
    assert answer.refusal.code.value == "empty_drop"
    (closing,) = answer.closings
    assert (closing.num_ops, closing.bindings) == (0, 1)
    assert it.is_ready


def test_a_drop_further_behind_is_taken() -> None:
    text = f"{SUM}; AddScalar(t2[8,1] → t3[8,1]); Drop(t2[8,1])"
    assert last(fuser(), text) == "taken"


def test_a_tensor_read_by_index_cannot_be_reduced_in_the_same_kernel() -> None:
    """Burn panics here; we close, with a reason."""
    it = fuser()
    answer = answers(it, "Gather(t0[8,9], t1[8,9]:i32 → t2[8,9]); SumDim(t0[8,9] → t3[8,1])")[-1]
    assert answer.refusal.code.value == "reduce_indexed"
    assert answer.closings == ()
    assert not it.is_open
    assert not it.is_ready


def test_the_reduction_counts_for_nothing_but_its_result_is_written_when_it_survives() -> None:
    it = fuser()
    feed(it, SUM)
    (terms,) = it.properties().terms
    assert (terms.reads, terms.writes, terms.ops) == (1, 1, 1)
    assert (terms.fused_reads, terms.fused_writes) == (1, 1)


def test_the_shape_guard_looks_at_all_three_traces() -> None:
    it = fuser()
    feed(it, f"{SUM}; AddScalar(!t2[8,1] → t3[8,1])")
    assert it.finish(()).max_relative_shape_id == 2
