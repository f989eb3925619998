"""In-place reuse: when a result may take the buffer of an input, and when it must not."""

import numpy as np
import pytest
from kernels.tape import FusedGroup, Tape, check, fuse, last, run_fused, start

from fusionlab.kernels.executor import KernelMode


def chain(first_status_last: bool = True) -> tuple[Tape, list[int]]:
    tape = Tape()
    x = tape.input([[1.0, 2.0], [3.0, 4.0]])
    total = tape.op("NumericFloat::AddScalar", last(x) if first_status_last else x, rhs=1.0)
    y = tape.op("NumericFloat::MulScalar", last(total), rhs=2.0)
    return tape, [x.id, y.id]


@pytest.mark.parametrize("mode", list(KernelMode))
def test_a_loop_of_in_place_updates_reuses_its_buffer_every_time(mode):
    """Four times t = (t + 1) * 2, each time read by a copy: at least four reuse events."""
    tape, (x, y) = chain()
    fused = fuse(tape.ops)
    executor = start(tape, mode)
    events, buffers = 0, set()
    for _ in range(4):
        buffers.add(executor.handles.get(x).ctypes.data)
        (launch,) = executor.run_fused(fused, tape.ops)
        events += len(launch.reused)
        assert launch.reused == ((x, y),)
        executor.handles.read(y)
        executor.handles.register(x, executor.handles.get(y))
        executor.handles.free(y)
    assert events >= 4
    assert len(buffers) == 1
    assert executor.handles.get(x).tolist() == [[46.0, 62.0], [78.0, 94.0]]


def test_a_reduce_reuses_the_buffer_of_its_prologue():
    tape = Tape()
    x = tape.input(np.arange(1.0, 9.0).reshape(2, 4))
    o = tape.op(
        "NumericFloat::MulScalar",
        last(tape.op("NumericFloat::AddScalar", last(x), rhs=1.0)),
        rhs=2.0,
    )
    r = tape.op("NumericFloat::SumDim", o, axis=1)
    r = tape.op(
        "NumericFloat::AddScalar",
        last(tape.op("NumericFloat::MulScalar", last(r), rhs=3.0)),
        rhs=1.0,
    )
    outcome = check(tape, "Reduce")
    assert outcome.launches[0].reused == ((x.id, o.id),)
    assert outcome[o].tolist() == [[4.0, 6.0, 8.0, 10.0], [12.0, 14.0, 16.0, 18.0]]
    assert outcome[r].ravel().tolist() == [85.0, 181.0]


def test_an_input_that_is_still_needed_keeps_its_buffer():
    tape, (x, _) = chain(first_status_last=False)
    outcome = check(tape)
    assert outcome.launches[0].reused == ()
    assert outcome.values[x].tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_buffer_that_a_view_looks_into_is_not_reused():
    tape, (x, y) = chain()
    executor = start(tape)
    executor.share(x, 999)
    (launch,) = executor.run_fused(fuse(tape.ops), tape.ops)
    assert launch.reused == ()
    assert executor.handles.get(999).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert executor.handles.get(y).tolist() == [[4.0, 6.0], [8.0, 10.0]]


def test_a_buffer_whose_other_owner_let_go_is_reused():
    tape, (x, _) = chain()
    executor = start(tape)
    executor.share(x, 999)
    executor.handles.let_go(999)
    (launch,) = executor.run_fused(fuse(tape.ops), tape.ops)
    assert len(launch.reused) == 1


def test_a_smaller_input_or_one_of_another_type_is_not_reused():
    tape = Tape()
    small, other = tape.input(np.ones((1, 4))), tape.input(np.ones((3, 4)), "f64")
    wide = tape.op("BaseFloat::Cast", last(other), dtype="f32")
    tape.op("NumericFloat::Add", last(wide), last(small))
    assert check(tape).launches[0].reused == ()


def test_two_outputs_never_share_one_buffer():
    tape = Tape()
    x = tape.input(np.arange(4.0))
    one = tape.op("NumericFloat::AddScalar", x, rhs=1.0)
    two = tape.op("NumericFloat::MulScalar", last(x), rhs=5.0)
    outcome = check(tape)
    assert outcome.launches[0].reused == ((x.id, one.id),)
    assert outcome[one].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert outcome[two].tolist() == [0.0, 5.0, 10.0, 15.0]


def test_an_input_that_is_also_viewed_is_not_reused():
    tape = Tape()
    x = tape.input(np.arange(9.0).reshape(3, 3))
    y = tape.op("NumericFloat::MulScalar", x, rhs=2.0)
    turned = tape.op("BaseFloat::SwapDims", last(x), dim1=0, dim2=1)
    tape.op("NumericFloat::Add", last(y), last(turned))
    assert check(tape).launches[0].reused == ()


def test_reductions_that_are_broadcast_back_never_work_in_place():
    tape = Tape()
    x = tape.input(np.arange(6.0).reshape(2, 3))
    y = tape.op("NumericFloat::MulScalar", last(x), rhs=2.0)
    m = tape.op("NumericFloat::MaxDim", y, axis=1)
    tape.op("NumericFloat::Sub", last(y), last(m))
    assert check(tape, "ReduceBroadcasted").launches[0].reused == ()


def test_read_only_memory_is_never_written():
    tape, (x, y) = chain()
    executor = start(tape)
    executor.handles.get(x).flags.writeable = False
    (launch,) = executor.run_fused(fuse(tape.ops), tape.ops)
    assert launch.reused == ()
    assert executor.handles.get(y).tolist() == [[4.0, 6.0], [8.0, 10.0]]


def test_a_matmul_epilogue_works_in_the_product_without_calling_it_reuse():
    tape = Tape()
    a, b = tape.input(np.eye(3)), tape.input(np.ones((3, 3)))
    y = tape.op("NumericFloat::MulScalar", last(tape.op("Float::Matmul", a, b)), rhs=2.0)
    outcome = run_fused(tape, "Matmul")
    assert outcome.launches[0].reused == ()
    np.testing.assert_array_equal(outcome[y], 2.0)
    assert "takes the buffer" in next(iter(outcome.executor.sources.values()))


def test_a_plan_can_be_run_again_with_other_sharing():
    tape, (x, y) = chain()
    fused: FusedGroup = fuse(tape.ops)
    for shared in (False, True, False):
        executor = start(tape)
        if shared:
            executor.share(x, 999)
        executor.run_fused(fused, tape.ops)
        assert executor.handles.get(y).tolist() == [[4.0, 6.0], [8.0, 10.0]]


def test_an_input_that_the_pooling_op_behind_the_kernel_reads_is_not_reused():
    tape = Tape()
    x = tape.input(np.arange(16.0).reshape(1, 1, 4, 4))
    y = tape.op("NumericFloat::MulScalar", x, rhs=-1.0)
    window = {"kernel_size": (2, 2), "stride": (2, 2), "padding": (0, 0), "dilation": (1, 1)}
    pooled = tape.op("Module::MaxPool2d", last(x), **window, ceil_mode=False)
    outcome = check(tape, "NHWCRelayout")
    assert outcome.launches[0].reused == ()
    assert outcome[pooled].ravel().tolist() == [5.0, 7.0, 13.0, 15.0]
    assert outcome[y].min() == -15.0
