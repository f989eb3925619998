"""The memory pool: buffers are used again, and never while somebody still looks at them."""

import numpy as np
import pytest

from fusionlab.kernels.handles import HandleContainer
from fusionlab.kernels.pool import SMALLEST, BufferPool

F32 = np.dtype(np.float32)
SHAPE = (SMALLEST // 4, 2)


def address(array):
    return array.ctypes.data


def test_a_buffer_that_nobody_looks_at_serves_the_next_result_of_its_size():
    handles = HandleContainer()
    handles.register(1, handles.pool.take(SHAPE, F32))
    where = address(handles.get(1))
    handles.free(1)
    assert address(handles.pool.take((2, SMALLEST // 4), np.dtype(np.int32))) == where


def test_a_buffer_that_a_caller_still_holds_is_not_handed_out():
    handles = HandleContainer()
    handles.register(1, handles.pool.take(SHAPE, F32))
    held = handles.get(1)
    held[:] = 7
    handles.free(1)
    other = handles.pool.take(SHAPE, F32)
    other[:] = 1
    assert (held == 7).all()
    where = address(held)
    del held
    assert address(handles.pool.take(SHAPE, F32)) == where != address(other)


def test_a_view_that_outlives_its_tensor_keeps_the_buffer():
    handles = HandleContainer()
    handles.register(1, handles.pool.take(SHAPE, F32))
    handles.register(2, handles.get(1).T)
    handles.free(1)
    handles.get(2)[:] = 3
    handles.pool.take(SHAPE, F32)[:] = 1
    assert (handles.get(2) == 3).all()
    where = address(handles.get(2))
    handles.free(2)
    assert address(handles.pool.take(SHAPE, F32)) == where


def test_a_tensor_that_let_go_but_is_not_freed_keeps_the_buffer():
    handles = HandleContainer()
    handles.register(1, handles.pool.take(SHAPE, F32))
    handles.register(2, handles.get(1))
    handles.let_go(1)
    handles.free(2)
    handles.get(1)[:] = 3
    handles.pool.take(SHAPE, F32)[:] = 1
    assert (handles.get(1) == 3).all()
    handles.free(1)
    assert handles.pool.held_bytes == np.prod(SHAPE) * 4


def test_large_buffers_begin_at_a_cache_line():
    pool = BufferPool()
    assert [address(pool.take((SMALLEST + odd,), F32)) % 64 for odd in (0, 1, 17)] == [0, 0, 0]


def test_what_numpy_made_is_taken_back_as_well():
    pool = BufferPool()
    made = np.ones(SHAPE, np.float32)
    where = address(made)
    pool.give(made)
    del made
    assert address(pool.take(SHAPE, F32)) == where


@pytest.mark.parametrize(
    "storage",
    [
        np.ones(SMALLEST // 4 - 1, np.float32),
        np.ones((SMALLEST, 4), np.float32)[::2],
        np.frombuffer(bytes(SMALLEST), np.uint8),
        np.ones(SHAPE, np.float32, order="F"),
    ],
    ids=["small", "strided", "read-only", "column-major"],
)
def test_memory_that_cannot_be_written_row_by_row_is_not_kept(storage):
    pool = BufferPool()
    pool.give(storage)
    assert pool.held_bytes == 0


def test_the_pool_holds_no_more_than_its_limit_and_no_buffer_twice():
    pool = BufferPool(most_bytes=2 * SMALLEST)
    buffers = [np.empty(SMALLEST, np.uint8) for _ in range(3)]
    for buffer in (*buffers, buffers[0]):
        pool.give(buffer)
    assert pool.held_bytes == 2 * SMALLEST
    del buffer
    taken = buffers.pop(0)
    where = {address(each) for each in [taken, *buffers]}
    del taken, buffers
    one, two = (pool.take((SMALLEST,), np.dtype(np.uint8)) for _ in range(2))
    assert address(one) != address(two)
    assert {address(one), address(two)} <= where
    assert pool.held_bytes == 0
