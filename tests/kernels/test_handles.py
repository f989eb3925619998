"""Who owns a buffer, when it goes, and how much is alive."""

import numpy as np
import pytest
from kernels.tape import Tape, fuse, last, start

from fusionlab.errors import InvariantError
from fusionlab.kernels.handles import HandleContainer


def test_views_share_a_buffer_that_lives_until_its_last_owner_goes():
    handles = HandleContainer()
    array = np.zeros((4, 8), np.float32)
    handles.register(1, array)
    handles.register(2, array.T)
    assert not handles.is_sole_owner(1)
    assert handles.live_bytes == 128
    handles.free(1)
    assert handles.is_sole_owner(2)
    assert handles.live_bytes == 128
    handles.free(2)
    assert handles.live_bytes == 0


def test_freeing_twice_and_registering_twice_are_our_own_bugs():
    handles = HandleContainer()
    handles.register(1, np.zeros(2))
    with pytest.raises(InvariantError):
        handles.register(1, np.zeros(2))
    handles.free(1)
    with pytest.raises(InvariantError):
        handles.free(1)


def test_what_is_read_is_a_copy_in_row_major_order():
    handles = HandleContainer()
    handles.register(1, np.arange(6.0).reshape(2, 3).T)
    copy = handles.read(1)
    copy[:] = -1
    assert copy.flags.c_contiguous
    assert handles.get(1)[0, 1] == 3.0


def test_a_hundred_selections_without_a_read_leave_no_handle_behind():
    tape = Tape()
    big, places = tape.input(np.arange(20.0).reshape(10, 2)), tape.input([1, 3], "i32")
    part = tape.op("BaseFloat::Select", big, places, dim=0)
    total = tape.op("NumericFloat::Sum", last(part))
    tape.drop(total)
    executor = start(tape)
    executor.handles.mark_baseline()
    for _ in range(100):
        for op in tape.ops:
            executor.run_operation(op)
        executor.free(total.id)
    assert executor.handles.above_baseline == 0
    assert set(executor.handles) == {big.id, places.id}


def test_a_fused_unit_frees_what_it_used_up_and_what_it_dropped():
    tape = Tape()
    x, kept = tape.input(np.ones(3)), tape.input(np.ones(3))
    y = tape.op("NumericFloat::Add", x, kept)
    tape.drop(x)
    executor = start(tape)
    (launch,) = executor.run_fused(fuse(tape.ops), tape.ops)
    assert launch.freed == (x.id,)
    assert set(executor.handles) == {kept.id, y.id}


def test_an_op_that_only_looks_differently_at_memory_is_no_launch():
    tape = Tape()
    x = tape.input(np.ones((2, 3)))
    tape.op("BaseFloat::SwapDims", last(x), dim1=0, dim2=1)
    executor = start(tape)
    assert executor.run_operation(tape.ops[0]) is None
    assert x.id in executor


def test_uploads_are_converted_and_the_last_fetch_frees():
    tape = Tape()
    x = tape.input(np.ones(2))
    executor = start(Tape())
    executor.upload(x, np.array([1, 2]))
    assert executor.fetch(x).dtype == np.float32
    assert executor.fetch(last(x)).tolist() == [1.0, 2.0]
    assert x.id not in executor
