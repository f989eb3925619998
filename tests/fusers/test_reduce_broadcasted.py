"""ReduceBroadcasted: reductions over the last dimension whose results are broadcast back."""

import pytest
from fusers.feeding import answers, feed, last

from fusionlab.fusers import ReduceBroadcastedFuser
from fusionlab.fusers.reduce_broadcasted import State


def fuser(max_bindings: int = 1024) -> ReduceBroadcastedFuser:
    return ReduceBroadcastedFuser(max_bindings)


SUM = "MulScalar(!t0[8,9] → t1[8,9]); SumDim(t1[8,9] → t2[8,1])"
BACK = f"{SUM}; Div(!t1[8,9], !t2[8,1] → t3[8,9])"


def test_reduce_work_on_the_result_broadcast_back_reduce_again() -> None:
    it = fuser()
    lengths = []
    for text in (
        "Ones( → t0[8,9]); SumDim(!t0[8,9] → t1[8,1])",
        "Add(!t1[8,1], !t2[8,1] → t3[8,1])",
        "Add(!t3[8,1], !t4[8,9] → t5[8,9])",
        "SumDim(!t5[8,9] → t6[8,1])",
    ):
        assert set(feed(it, text)) == {"taken"}
        lengths.append(len(it))
        assert it.is_open
        assert it.is_ready
    assert lengths == [2, 3, 4, 5]
    assert len(it.parts) == 2


def test_an_input_used_on_both_sides_of_the_reduction() -> None:
    it = fuser()
    feed(it, "Ones( → t0[8,9]); Add(!t0[8,9], t2[8,9] → t3[8,9]); SumDim(!t3[8,9] → t1[8,1])")
    assert (len(it), it.is_ready) == (3, True)
    assert last(it, "Add(!t1[8,1], !t2[8,9] → t5[8,9])") == "taken"
    assert (len(it), it.is_open, it.is_ready) == (4, True, True)


def test_before_the_first_reduction_it_is_not_ready() -> None:
    it = fuser()
    feed(it, "MulScalar(!t0[8,9] → t1[8,9])")
    assert (it.state, it.is_ready, it.is_open) == (State.STARTING, False, True)


def test_two_element_wise_parts_without_a_reduction_between_them_are_not_one_kernel() -> None:
    assert last(fuser(), "AddScalar(t0[4,8] → t1[4,8]); MulScalar(t2[5] → t3[5])") == "rank"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (f"{SUM}; Div(!t1[8,9], !t2[8,1] → t3[8,9])", "taken"),
        (f"{SUM}; Add(!t2[8,1], t9[8,7] → t3[8,7])", "new_part"),
        (f"{SUM}; Slice(!t2[8,1] → t3[4,1])", "new_part"),
        (f"{BACK}; SumDim(!t3[8,9] → t4[8,1])", "taken"),
        (f"{BACK}; SumDim(!t3[8,9] → t4[1,9], axis=0)", "taken"),
    ],
    ids=[
        "back to the reduced shape",
        "another shape than the reduced one",
        "what nobody takes",
        "a second reduction over the last dimension",
        "or over another one, which ends it",
    ],
)
def test_what_may_follow_a_reduction(text: str, word: str) -> None:
    assert last(fuser(), text) == word


def test_a_reduction_over_another_dimension_than_the_last_ends_it_for_good() -> None:
    it = fuser()
    feed(it, "MulScalar(!t0[8,9] → t1[8,9]); SumDim(!t1[8,9] → t2[1,9], axis=0)")
    assert (it.state, it.is_open, it.is_ready) == (State.ABORTED, False, False)


def test_a_part_with_a_view_is_the_last_one() -> None:
    text = (
        "MulScalar(t0[9,9] → t1[9,9]); SwapDims(!t0[9,9] → t5[9,9]); "
        "Add(!t1[9,9], !t5[9,9] → t6[9,9]); SumDim(t6[9,9] → t2[9,1]); "
        "Div(!t6[9,9], !t2[9,1] → t3[9,9])"
    )
    assert last(fuser(), text) == "views_before_reduce"


def test_closed_with_one_part_it_offers_that_parts_kernel() -> None:
    it = fuser()
    feed(it, f"{SUM}; Slice(!t2[8,1] → t3[4,1])")
    assert (it.state, it.is_ready, len(it)) == (State.CLOSED, True, 2)


def test_every_line_of_a_step_comes_twice_because_burn_tries_it_on_a_copy_first() -> None:
    first = answers(fuser(), "Slice(t0 → t1)")[0]
    assert len(first.closings) == 2
    behind_a_reduction = answers(fuser(), f"{SUM}; Slice(!t2[8,1] → t3[4,1])")[-1]
    assert len(behind_a_reduction.closings) == 4


def test_parts_that_do_not_fit_one_kernel_are_refused_and_nothing_is_taken() -> None:
    """Each part alone keeps the limit of ops; together they would be too long."""
    before = "40×AddScalar(t0[8,9] → t1[8,9]); SumDim(t40[8,9] → t100[8,1]); "
    back = "Div(!t40[8,9], !t100[8,1] → t200[8,9]); 30×AddScalar(!t200[8,9] → t201[8,9])"
    it = fuser()
    words = feed(it, before + back)
    assert words.count("inconsistent") == 1
    taken = words.index("inconsistent")
    assert words[taken:] == ["inconsistent"] + ["closed"] * (len(words) - taken - 1)
    assert len(it) == taken
    assert it.state is State.CLOSED


def test_the_score_is_the_sum_over_the_parts() -> None:
    it = fuser()
    feed(it, f"{BACK}; Exp(!t3[8,9] → t4[8,9])")
    state = it.properties()
    assert len(state.terms) == 2
    assert state.score == sum(
        max(0, t.reads + t.writes - t.fused_reads - t.fused_writes) * 100 + max(0, t.ops - 1) * 10
        for t in state.terms
    )
