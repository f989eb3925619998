"""What every fuser of the registry keeps to: a sixth one is held against this by itself."""

import pytest
from fusers.feeding import in_shape_ids
from hypothesis import given
from hypothesis import strategies as st
from notation import ops

from fusionlab.config import FusionConfig
from fusionlab.engine.dry import DryBackend
from fusionlab.engine.server import FusionServer
from fusionlab.events.log import NullRecorder
from fusionlab.fusers import FUSERS, new_fusers
from fusionlab.fusers.base import (
    Closing,
    FuserProperties,
    FuserStatus,
    OperationFuser,
    Refusal,
    RefusalCode,
    ScoreTerms,
)
from fusionlab.fusers.scoring import evaluate
from fusionlab.ir.operation import OperationIr

NAMES = [make(1024).name for make in FUSERS]

# Every op works on tensors of an 8x9 square or of its column; together they reach each fuser's
# prologue, main op, epilogue, and every way of being refused.
POOL = ops(
    "MulScalar(t0[8,9] → t1[8,9]); Exp(!t1[8,9] → t2[8,9]); Add(t2[8,9], t0[8,9] → t3[8,9]); "
    "SumDim(t3[8,9] → t4[8,1]); Div(!t3[8,9], !t4[8,1] → t5[8,9]); Sqrt(t4[8,1] → t6[8,1]); "
    "Matmul(!t0[8,9], t7[9,9] → t8[8,9]); Add(!t8[8,9], t9[1,9] → t10[8,9]); "
    "SwapDims(t0[8,9] → t11[9,8]); Reshape(t0[8,9] → t12[8,9]); Drop(t0[8,9]); "
    "Gather(t13[8,9], t14[8,9]:i32 → t15[8,9]); Dequantize(t16[8,9]:qfloat → t17[8,9]); "
    "MaxPool2d(!t18[1,2,8,9] → t19[1,2,4,4]); MulScalar(!t20[1,2,8,9] → t18[1,2,8,9]); "
    "Slice(t2[8,9] → t21[4,9]); Init( → t22[8,9]); MaxDim(t0[8,9] → t23[1,9], axis=0); "
    "Exp(t24[3,3] → t25[3,3]); Exp(t16[8,9]:qfloat → t26[8,9])"
)
streams = st.lists(st.sampled_from(in_shape_ids(POOL)), max_size=12)
limits = st.sampled_from([3, 4, 6, 1024])


every_fuser = pytest.mark.parametrize("make", FUSERS, ids=NAMES)


def seen(fuser: OperationFuser) -> tuple:
    """Everything that can be seen of a fuser from outside."""
    return (
        fuser.name,
        fuser.status,
        fuser.is_open,
        fuser.is_ready,
        fuser.properties(),
        len(fuser),
    )


def fed(fuser: OperationFuser, stream: list[OperationIr]) -> OperationFuser:
    for op in stream:
        fuser.fuse(op)
    return fuser


def test_the_names_are_burns_in_burns_order_because_a_tie_goes_to_the_earlier_one() -> None:
    assert NAMES == ["ElementWise", "Matmul", "Reduce", "ReduceBroadcasted", "NHWCRelayout"]


@every_fuser
def test_a_fresh_fuser_is_open_and_has_nothing_to_offer(make) -> None:
    it = make(1024)
    assert it.is_open
    assert it.status is FuserStatus.OPEN
    assert not it.is_ready
    assert it.properties().score == 0


@every_fuser
@given(streams, limits)
def test_after_a_reset_it_behaves_as_a_new_one(make, stream, limit) -> None:
    used, new = fed(make(limit), stream), make(limit)
    used.reset()
    assert seen(used) == seen(new)
    for op in stream:
        assert used.fuse(op) == new.fuse(op)
        assert seen(used) == seen(new)


@every_fuser
@given(streams, streams, limits)
def test_a_copy_goes_its_own_way(make, before, after, limit) -> None:
    original = fed(make(limit), before)
    expected = seen(original)
    copy = original.clone()
    assert seen(copy) == expected
    answers = [copy.fuse(op) for op in after]
    assert seen(original) == expected, "feeding the copy changed the original"
    assert [original.fuse(op) for op in after] == answers
    assert seen(original) == seen(copy)


@every_fuser
@given(streams, streams, limits)
def test_a_closed_fuser_ignores_what_comes(make, before, after, limit) -> None:
    it = fed(make(limit), before)
    if it.is_open:
        return
    at_the_end = seen(it)
    for op in after:
        answer = it.fuse(op)
        assert answer.refusal == Refusal(RefusalCode.CLOSED)
        assert answer.closings == ()
        assert seen(it) == at_the_end


@every_fuser
@given(streams, limits)
def test_its_answers_are_typed_and_agree_with_its_status(make, stream, limit) -> None:
    it = make(limit)
    for op in stream:
        covered, was_open = len(it), it.is_open
        answer = it.fuse(op)
        assert answer.status is it.status
        assert it.is_open is (it.status is FuserStatus.OPEN)
        assert all(isinstance(closing, Closing) for closing in answer.closings)
        if answer.refusal is None:
            assert was_open
            assert len(it) == covered + 1 or it.name == "Matmul"
            assert answer.closings == ()
        else:
            assert isinstance(answer.refusal, Refusal)
            assert isinstance(answer.refusal.code, RefusalCode)
            assert not it.is_open, "a fuser that refuses an op closes"
            assert len(it) == covered


@every_fuser
@given(streams, limits)
def test_its_promises_agree_with_each_other(make, stream, limit) -> None:
    it = make(limit)
    for op in stream:
        it.fuse(op)
        state = it.properties()
        assert isinstance(state, FuserProperties)
        assert state.ready is it.is_ready
        assert state.score >= 0
        assert all(isinstance(terms, ScoreTerms) for terms in state.terms)
        assert state.score == sum(map(evaluate, state.terms))


@every_fuser
@given(streams, limits)
def test_what_it_finishes_covers_what_it_says_it_covers(make, stream, limit) -> None:
    it = make(limit)
    taken = [op for op in stream if it.fuse(op).refusal is None]
    if not it.is_ready:
        return
    assert len(taken) == len(it)
    fused = it.finish(tuple(taken))
    assert fused.fuser == it.name
    assert fused.operations == tuple(taken)
    highest = fused.max_relative_shape_id
    named = [extent for op in stream for tensor in op.nodes for extent in tensor.shape]
    assert highest is None or highest in named


@every_fuser
@given(streams, limits)
def test_an_op_that_cannot_be_fused_never_breaks_a_fuser(make, stream, limit) -> None:
    """Whatever comes, in whatever order: an answer, never an exception."""
    fed(make(limit), stream)


@pytest.mark.parametrize("name", NAMES)
def test_it_can_be_switched_off_by_its_name(name: str) -> None:
    assert [fuser.name for fuser in new_fusers(1024, frozenset({name}))] == [
        each for each in NAMES if each != name
    ]
    config = FusionConfig(disabled_fusers=frozenset(NAMES))
    server = FusionServer(config, DryBackend(), NullRecorder())
    for op in ops("MulScalar(t0 → t1); Exp(!t1 → t2)"):
        server.register(0, op)
    server.drain(0)
    assert [plan.optimization.highest_shape_id for plan in server.store.plans] == [None] * 2


def test_all_of_them_keep_to_the_same_limit_of_buffers() -> None:
    assert {fuser.max_bindings for fuser in new_fusers(7)} == {7}
