"""Memory that was given back, kept for the results to come.

In: a shape and a type, or a buffer whose last tensor is gone. Out: an array with undefined values.
A large array costs the system a fresh page for every 4 KiB of it, which takes longer than the
kernel that fills it; burn keeps its buffers for the same reason.

A buffer may still be looked at from outside (a value that a caller holds, an argument of the
launch that is just ending). It stays in the pool but is not handed out before nobody else has it.

Source: cubecl-runtime, memory_management (``SlicedPool``); here one buffer serves one tensor.
"""

from __future__ import annotations

import sys
from math import prod
from typing import Any, Final

import numpy as np

from fusionlab.kernels.dtypes import Array

SMALLEST: Final = 1 << 16
"""Bytes below which the C library has memory at hand anyway."""
MOST_BYTES: Final = 1 << 28
"""What the pool of one run may hold back."""
_ALIGNMENT: Final = 64


class BufferPool:
    """Free buffers by their size in bytes."""

    __slots__ = ("_free", "_held", "_most")

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._free: dict[int, list[Array]] = {}
        self._held = 0
        self._most = most_bytes

    @property
    def held_bytes(self) -> int:
        """The bytes that wait for another use."""
        return self._held

    def take(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """An array for a result; what is in it is undefined.

        Raises:
            MemoryError: There is not so much memory.
        """
        size = prod(shape) * dtype.itemsize
        if size < SMALLEST:
            return np.empty(shape, dtype)
        buffer = self._unused(size)
        return np.ndarray(shape, dtype, _new_buffer(size) if buffer is None else buffer)

    def _unused(self, size: int) -> Array | None:
        waiting = self._free.get(size, ())
        for place in range(len(waiting) - 1, -1, -1):
            if _references(waiting, place) == _ALONE:
                self._held -= size
                return self._free[size].pop(place)
        return None

    def give(self, storage: Array) -> None:
        """Take back the memory of a tensor that is gone."""
        size = storage.nbytes
        if size < SMALLEST or self._held + size > self._most:
            return
        flags = storage.flags
        if not (flags.c_contiguous and flags.writeable and type(storage) is np.ndarray):
            return
        waiting = self._free.setdefault(size, [])
        if all(other is not storage for other in waiting):
            waiting.append(storage)
            self._held += size


def _new_buffer(size: int) -> Array:
    """Bytes that begin at a cache line, so that no vector of a kernel straddles two."""
    raw = np.empty(size + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    # Through a memoryview the buffer is an array without a base: the owner of its memory.
    return np.frombuffer(raw.data[start : start + size], np.uint8)


def _references(buffers: Any, place: int) -> int:
    return sys.getrefcount(buffers[place])


_ALONE: Final = _references([np.empty(0)], 0)
"""What the interpreter counts when only the list knows the buffer."""
