"""Values that fusion engines have got wrong in public, as groups that a fuser would make of them.

The names say what was wrong elsewhere; the numbers are computed by hand or row by row.
"""

import numpy as np
import pytest
from kernels.tape import Tape, check, last, run_fused, run_unfused, start
from kernels.tape import fuse as fuse_ops

from fusionlab.errors import ExecutionError
from fusionlab.ir.operation import Slice

RNG = np.random.default_rng(23)


def test_mean_and_variance_of_a_swapped_input():
    x = np.array(
        [
            [
                [0.03365147, 0.64734447, 0.74192876, 0.06468803],
                [0.39552283, 0.55383015, 0.4253056, 0.8396726],
            ]
        ]
    )
    tape = Tape()
    v = tape.view_input(x.astype(np.float32).swapaxes(1, 2))
    m = tape.op("NumericFloat::MeanDim", tape.op("NumericFloat::MulScalar", v, rhs=1.0), axis=2)
    q = tape.op("Float::PowfScalar", tape.op("NumericFloat::Sub", last(v), m), rhs=2.0)
    s = tape.op(
        "NumericFloat::DivScalar", tape.op("NumericFloat::SumDim", last(q), axis=2), rhs=2.0
    )
    outcome = check(tape, "ReduceBroadcasted")
    np.testing.assert_allclose(
        outcome[m].ravel(), [0.2145872, 0.6005873, 0.5836172, 0.4521803], rtol=1e-6
    )
    np.testing.assert_allclose(
        outcome[s].ravel(), [0.0327377, 0.0021862, 0.0250626, 0.1501503], rtol=1e-4
    )


def test_softmax_of_a_transposed_input():
    tape = Tape()
    t = tape.view_input(np.arange(1.0, 13.0, dtype=np.float32).reshape(3, 4).T)
    shifted = tape.op("NumericFloat::MulScalar", t, rhs=1.0)
    m = tape.op("NumericFloat::MaxDim", shifted, axis=1)
    e = tape.op("Float::Exp", tape.op("NumericFloat::Sub", shifted, last(m)))
    y = tape.op("NumericFloat::Div", e, tape.op("NumericFloat::SumDim", e, axis=1))
    outcome = check(tape, "ReduceBroadcasted")
    for row in outcome[y]:
        np.testing.assert_allclose(row, [3.2932e-4, 1.79803e-2, 0.98169035], rtol=1e-4)


@pytest.mark.parametrize(("dtype", "expected"), [("f32", [255.5, 767.5]), ("f16", [255.5, 767.5])])
def test_two_means_after_a_permute_do_not_overflow_narrow_sums(dtype, expected):
    x = np.arange(1024.0, dtype=np.float32).reshape(2, 2, 256)
    tape = Tape()
    v = tape.view_input(
        x.astype(np.float16 if dtype == "f16" else np.float32).transpose(1, 2, 0), dtype
    )
    one = tape.op("NumericFloat::MeanDim", tape.op("NumericFloat::MulScalar", v, rhs=1.0), axis=0)
    outcome = check(tape, "Reduce")
    np.testing.assert_allclose(outcome[one].mean(axis=1).ravel(), expected, atol=0.5)


def test_a_value_that_the_kernel_itself_made_feeds_its_second_reduction():
    tape = Tape()
    x = tape.input(np.ones((4, 32, 1)))
    squares = tape.op("Float::PowfScalar", x, rhs=2.0)
    g = tape.op("Float::Sqrt", tape.op("NumericFloat::SumDim", squares, axis=2))
    check(tape, "Reduce")
    np.testing.assert_allclose(run_fused(tape, "Reduce")[g], 1.0)


@pytest.mark.parametrize("shape", [(2, 4, 4), (6, 96, 96)])
def test_rows_of_a_masked_softmax_sum_to_one_and_equal_a_host_loop(shape):
    x = np.linspace(-10, 10, int(np.prod(shape))).reshape(shape)
    future = np.triu(np.ones(shape[1:], bool), 1)[None]
    tape = Tape()
    scores, mask = tape.input(x), tape.input(future, "bool")
    filled = tape.op("BaseFloat::MaskFill", last(scores), last(mask), value=-1e4)
    top = tape.op("NumericFloat::MaxDim", filled, axis=2)
    e = tape.op("Float::Exp", last(tape.op("NumericFloat::Sub", last(filled), last(top))))
    y = tape.op("NumericFloat::Div", last(e), last(tape.op("NumericFloat::SumDim", e, axis=2)))
    got = check(tape, "ReduceBroadcasted")[y]
    np.testing.assert_allclose(got.sum(axis=2), 1.0, atol=1e-6)
    for batch, row in ((0, 0), (1, 2), (shape[0] - 1, shape[1] - 1)):
        seen = np.exp(x[batch, row, : row + 1] - x[batch, row, : row + 1].max())
        np.testing.assert_allclose(got[batch, row, : row + 1], seen / seen.sum(), rtol=1e-5)
        assert not got[batch, row, row + 1 :].any()


def test_every_row_behind_a_narrow_matmul_is_right():
    tape = Tape()
    x, w = tape.input(np.arange(45).reshape(5, 9) / 100), tape.input(np.full((9, 1), 1 / 9))
    b = tape.input([[0.5]])
    product = tape.op("Float::Matmul", x, w)
    y = tape.op("Float::Tanh", last(tape.op("NumericFloat::Add", last(product), last(b))))
    expected = [0.492988, 0.5580522, 0.6169093, 0.6695903, 0.7162978]
    np.testing.assert_allclose(check(tape, "Matmul")[y].ravel(), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["f32", "f16"])
@pytest.mark.parametrize("width", [7, 8])
def test_a_single_value_broadcasts_over_rows_of_any_width(width, dtype):
    a = np.arange(2 * width).reshape(2, width)
    tape = Tape()
    s = tape.input([[0.5]], dtype)
    y = tape.op("NumericFloat::Add", tape.input(a, dtype), s)
    three = tape.op("NumericFloat::Full", shape=(2, width), dtype=dtype, value=3.0)
    z = tape.op("NumericFloat::Add", last(three), last(y))
    np.testing.assert_array_equal(check(tape)[z], a + 3.5)


def test_a_padded_buffer_is_read_by_shape_and_its_padding_stays():
    buffer = np.full((3, 8), -1.0, np.float32)
    buffer[:, :5] = np.arange(15).reshape(3, 5)
    tape = Tape()
    x = tape.view_input(buffer[:, :5])
    y = tape.op("NumericFloat::AddScalar", tape.op("NumericFloat::MulScalar", x, rhs=2.0), rhs=1.0)
    executor = start(tape)
    executor.handles.free(x.id)
    executor.handles.register(x.id, buffer[:, :5])
    executor.run_fused(fuse_ops(tape.ops), tape.ops)
    assert executor.handles.get(y.id).ravel().tolist() == list(range(1, 30, 2))
    assert (buffer[:, 5:] == -1.0).all()


def test_a_pooled_value_that_others_still_read_keeps_its_layout():
    tape = Tape()
    x = tape.input(RNG.normal(size=(1, 2, 4, 4)))
    t = tape.op("NumericFloat::AddScalar", last(x), rhs=1.0)
    p = tape.op(
        "Module::MaxPool2d",
        last(tape.op("Float::Exp", t)),
        kernel_size=(2, 2),
        stride=(2, 2),
        padding=(0, 0),
        dilation=(1, 1),
        ceil_mode=False,
    )
    outcome = check(tape, "NHWCRelayout")
    assert len(outcome.launches) == 2
    assert outcome[t].shape == (1, 2, 4, 4)
    assert outcome[p].shape == (1, 2, 2, 2)


def test_a_matrix_times_itself_reads_one_tensor():
    tape = Tape()
    x = tape.input([[1.0, 2.0], [3.0, 4.0]])
    y = tape.op("NumericFloat::AddScalar", last(tape.op("Float::Matmul", x, last(x))), rhs=1.0)
    outcome = check(tape, "Matmul")
    assert outcome[y].tolist() == [[8.0, 11.0], [16.0, 23.0]]
    assert outcome.launches[0].reads == (x.id,)


def test_nan_survives_a_fused_maximum():
    tape = Tape()
    a = tape.input([[1.0, np.nan, 3.0, 2.0], [1.0, 4.0, 3.0, 2.0]])
    same = tape.op("NumericFloat::MulScalar", a, rhs=1.0)
    m = tape.op("NumericFloat::MaxDim", same, axis=1)
    y = tape.op("NumericFloat::AddScalar", tape.op("NumericFloat::Add", last(m), last(a)), rhs=1.0)
    got = check(tape, "ReduceBroadcasted")[y]
    assert np.isnan(got[0]).all()
    assert got[1].tolist() == [6.0, 9.0, 8.0, 7.0]


@pytest.mark.parametrize(
    ("left", "right", "out"), [((2, 0), (2, 1), (2, 0)), ((0, 3), (1, 3), (0, 3))]
)
def test_a_size_of_one_against_a_size_of_zero_is_empty(left, right, out):
    tape = Tape()
    a, b = tape.input(np.zeros(left)), tape.input(np.ones(right))
    total = tape.op("NumericFloat::Add", a, b)
    mask = tape.op("NumericFloat::Greater", a, b)
    where = tape.op("BaseFloat::MaskWhere", total, last(mask), b)
    small = tape.op("NumericFloat::MulScalar", b, rhs=2.0)
    outcome = check(tape)
    assert outcome[where].shape == out
    np.testing.assert_array_equal(outcome[small], np.full(right, 2.0))


def test_an_empty_tensor_runs_through_the_kernel_of_a_full_one():
    executors = []
    for shape in ((5, 7), (2, 0)):
        tape = Tape()
        a = tape.input(np.ones(shape))
        tape.op("Float::Exp", tape.op("NumericFloat::MulScalar", a, rhs=2.0))
        executors.append(check(tape).executor)
    assert list(executors[0].sources) == list(executors[1].sources)


def test_a_rounding_boundary_inside_the_kernel_keeps_its_effect():
    tape = Tape()
    v = tape.input([[0.1, 0.3, 0.7], [0.2, 0.9, 0.9]], "f16")
    s = tape.op("NumericFloat::DivScalar", last(v), rhs=1.7)
    m = tape.op("NumericFloat::MaxDim", s, axis=1)
    hits = tape.op("BaseBool::Cast", tape.op("BaseFloat::Equal", s, last(m)), dtype="i32")
    c = tape.op("NumericInt::SumDim", last(hits), axis=1)
    assert check(tape, "ReduceBroadcasted")[c].ravel().tolist() == [1, 2]


def test_150_ops_that_share_a_broadcast_input_in_one_kernel_run_twice():
    tape = Tape()
    value, b = tape.input(np.zeros((4, 8))), tape.input(np.ones((1, 8)))
    for _ in range(150):
        value = tape.op("NumericFloat::Add", last(value), b)
    for _ in range(2):
        np.testing.assert_array_equal(check(tape)[value], 150.0)


def test_an_old_value_stays_readable_until_its_last_reader_is_done():
    tape = Tape()
    a, b = tape.input(np.ones(4)), tape.input(np.ones(4))
    c = tape.op("NumericFloat::AddScalar", last(a), rhs=1.0)
    new_a = tape.op("NumericFloat::AddScalar", last(b), rhs=1.0)
    new_b = tape.op("NumericFloat::MulScalar", last(c), rhs=1.0)
    outcome = check(tape)
    assert outcome[new_a].tolist() == [2.0] * 4
    assert outcome[new_b].tolist() == [2.0] * 4


def test_a_slice_update_does_not_read_its_own_output():
    tape = Tape()
    base = tape.input([1.0, 2.0, 3.0, 4.0])
    part = tape.op("BaseFloat::Slice", base, ranges=(Slice(0, 3, 1),))
    out = tape.op("BaseFloat::SliceAssign", last(base), last(part), ranges=(Slice(1, 4, 1),))
    assert run_unfused(tape)[out].tolist() == [1.0, 1.0, 2.0, 3.0]


def test_only_results_that_are_needed_are_written():
    tape = Tape()
    m, g = tape.input(np.full(4, 2.0)), tape.input(np.ones(4))
    m2 = tape.op("NumericFloat::MulScalar", tape.op("NumericFloat::Add", last(m), g), rhs=0.5)
    p2 = tape.op("NumericFloat::MulScalar", m2, rhs=-0.01)
    tape.ops[1] = tape.ops[1]._replace(inputs=(last(tape.ops[1].inputs[0]),))
    outcome = check(tape)
    assert set(outcome.launches[0].writes) == {m2.id, p2.id}
    np.testing.assert_allclose(outcome[m2], 1.5)


def test_an_index_outside_fails_and_leaves_the_handles_as_they_were():
    tape = Tape()
    x, places = tape.input(np.arange(4.0)), tape.input([0, 9], "i32")
    picked = tape.op("BaseFloat::Select", last(x), places, dim=0)
    tape.op("NumericFloat::MulScalar", last(picked), rhs=2.0)
    executor = start(tape)
    with pytest.raises(ExecutionError) as caught:
        executor.run_fused(fuse_ops(tape.ops), tape.ops)
    assert caught.value.params == {"op": "BaseFloat::Select", "index": 9, "extent": 4}
    assert set(executor.handles) == {x.id, places.id}


def test_a_group_whose_results_nobody_needs_launches_nothing():
    tape = Tape()
    x = tape.input(np.ones(3))
    tape.drop(tape.op("NumericFloat::AddScalar", last(x), rhs=1.0))
    outcome = run_fused(tape)
    assert outcome.launches == []
    assert outcome.values == {}
