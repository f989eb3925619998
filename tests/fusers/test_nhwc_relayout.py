"""NHWCRelayout: element-wise ops that hand their result channels-last to a pooling op."""

import pytest
from fusers.feeding import answers, feed, last

from fusionlab.fusers import NHWCRelayoutFuser


def fuser(max_bindings: int = 1024) -> NHWCRelayoutFuser:
    return NHWCRelayoutFuser(max_bindings)


S = "[1,2,4,4]"
WARM = f"MulScalar(!t0{S} → t1{S})"
POOLS = (
    f"AvgPool2d(!t1{S} → t2[1,2,2,2])",
    f"AdaptiveAvgPool2d(!t1{S} → t2[1,2,2,2])",
    f"MaxPool2d(!t1{S} → t2[1,2,2,2])",
    f"MaxPool2dWithIndices(!t1{S} → t2[1,2,2,2], t3[1,2,2,2]:i32)",
    f"Interpolate(!t1{S} → t2[1,2,2,2])",
    "AvgPool1d(!t1[1,2,8] → t2[1,2,4])",
    "AdaptiveAvgPool1d(!t1[1,2,8] → t2[1,2,4])",
    "MaxPool1d(!t1[1,2,8] → t2[1,2,4])",
    "MaxPool1dWithIndices(!t1[1,2,8] → t2[1,2,4], t3[1,2,4]:i32)",
)


@pytest.mark.parametrize("pool", POOLS, ids=lambda text: text.partition("(")[0])
def test_a_pool_that_uses_its_input_up_is_taken_and_ends_the_kernel_silently(pool: str) -> None:
    warm = WARM if "1d" not in pool else "MulScalar(!t0[1,2,8] → t1[1,2,8])"
    it = fuser()
    answer = answers(it, f"{warm}; {pool}")[-1]
    assert answer.refusal is None
    assert answer.closings == ()
    assert (it.is_open, it.is_ready, len(it)) == (False, True, 2)


def test_a_pool_whose_input_is_still_read_must_keep_its_layout() -> None:
    it = fuser()
    answer = answers(it, f"{WARM}; MaxPool2d(t1{S} → t2[1,2,2,2])")[-1]
    assert answer.refusal.code.value == "kind"
    assert len(answer.closings) == 1
    assert not it.is_ready


@pytest.mark.parametrize(
    "text", ["AdaptiveAvgPool3d(!t1{s} → t2{s})", "AvgPool2dBackward(!t1{s}, t2{s} → t3{s})"]
)
def test_other_pooling_ops_have_no_channels_last_kernel(text: str) -> None:
    assert last(fuser(), f"{WARM}; {text.format(s=S)}") == "kind"


def test_a_pool_with_nothing_before_it_is_not_ready() -> None:
    it = fuser()
    feed(it, f"MaxPool2d(!t1{S} → t2[1,2,2,2])")
    assert (it.is_open, it.is_ready, len(it)) == (False, False, 1)


def test_without_a_pool_it_is_not_ready() -> None:
    it = fuser()
    feed(it, WARM)
    assert (it.is_open, it.is_ready, len(it)) == (True, False, 1)


def test_the_pool_is_worth_a_hundred_points() -> None:
    it = fuser()
    feed(it, f"Add(!t0{S}, !t9{S} → t1{S}); Exp(!t1{S} → t3{S})")
    without = it.properties().score
    feed(it, f"MaxPool2d(!t3{S} → t2[1,2,2,2])")
    assert it.properties().score == without + 100


def test_the_pools_input_is_written_though_it_is_used_up() -> None:
    """The kernel hands it over in memory, channels last."""
    it = fuser()
    feed(it, f"{WARM}; MaxPool2d(!t1{S} → t2[1,2,2,2])")
    assert it.properties().terms[0].fused_writes == 1


def test_nothing_is_taken_behind_the_pool() -> None:
    text = f"{WARM}; MaxPool2d(!t1{S} → t2[1,2,2,2]); Exp(!t2[1,2,2,2] → t3[1,2,2,2])"
    assert last(fuser(), text) == "closed"
