"""Handles: which tensor ids own which buffers.

In: registrations and frees by the executor and the server. Out: arrays, and the answers to "is this
tensor the only owner of its buffer?" (in-place reuse) and "how much memory is alive?".
Several ids may share one buffer (views); the buffer lives until its last id is freed.

Source: burn-ir, handle.rs (``HandleContainer``).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fusionlab.errors import InvariantError
from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.pool import BufferPool


def storage_of(array: Array) -> Array:
    """The array that owns the memory which ``array`` looks into."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class HandleContainer:
    """Tensor id -> array. Registering hands the array over: nobody else may write to it."""

    __slots__ = ("_arrays", "_baseline", "_let_go", "_owners", "_storages", "pool")

    def __init__(self) -> None:
        self._arrays: dict[int, Array] = {}
        self._storages: dict[int, Array] = {}
        self._owners: dict[int, int] = {}
        self._let_go: set[int] = set()
        self._baseline = 0
        self.pool = BufferPool()

    def __contains__(self, tensor: int) -> bool:
        return tensor in self._arrays

    def __len__(self) -> int:
        return len(self._arrays)

    def __iter__(self) -> Iterator[int]:
        return iter(self._arrays)

    def register(self, tensor: int, array: Array) -> None:
        """Give ``tensor`` its buffer.

        Raises:
            InvariantError: The tensor has a buffer already.
        """
        if tensor in self._arrays:
            raise InvariantError("handle_registered_twice", tensor=tensor)
        storage = storage_of(array)
        self._arrays[tensor] = array
        self._storages[tensor] = storage
        self._owners[id(storage)] = self._owners.get(id(storage), 0) + 1

    def get(self, tensor: int) -> Array:
        """The tensor's buffer, not a copy: read it, never write to it.

        Raises:
            InvariantError: The tensor has no buffer (any more).
        """
        try:
            return self._arrays[tensor]
        except KeyError:
            raise InvariantError("handle_missing", tensor=tensor) from None

    def read(self, tensor: int) -> Array:
        """A copy of the tensor's values in row-major order, as for the host."""
        return np.array(self.get(tensor), order="C", subok=True)

    def free(self, tensor: int) -> None:
        """Take the tensor's buffer away.

        Raises:
            InvariantError: The tensor has no buffer (any more): it was freed twice.
        """
        self.get(tensor)
        self.let_go(tensor)
        self._let_go.discard(tensor)
        del self._arrays[tensor]
        storage = self._storages.pop(tensor)
        if id(storage) not in self._owners:
            self.pool.give(storage)

    def let_go(self, tensor: int) -> None:
        """The tensor's last use is over: it owns nothing any more, until ``free`` removes it.

        What it shares its buffer with may then be the only owner.
        """
        if tensor in self._let_go:
            return
        self._let_go.add(tensor)
        storage = id(self._storages[tensor])
        self._owners[storage] -= 1
        if not self._owners[storage]:
            del self._owners[storage]

    def is_sole_owner(self, tensor: int) -> bool:
        """Whether no other tensor looks into this tensor's buffer."""
        self.get(tensor)
        return tensor not in self._let_go and self._owners[id(self._storages[tensor])] == 1

    @property
    def live_bytes(self) -> int:
        """The bytes of all live buffers; shared ones count once."""
        return sum({id(owner): owner.nbytes for owner in self._storages.values()}.values())

    def mark_baseline(self) -> None:
        """Remember how many tensors are alive now."""
        self._baseline = len(self._arrays)

    @property
    def above_baseline(self) -> int:
        """How many more tensors are alive than at the last ``mark_baseline``."""
        return len(self._arrays) - self._baseline
