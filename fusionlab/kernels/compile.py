"""Kernel source text becomes a callable, once for each text.

In: a ``KernelSource``. Out: the compiled function. Compiled kernels are shared by the whole process
and kept in a bounded least-recently-used table; several threads may ask at once. A caller that
does not want to wait asks with ``try_get``: a background thread then compiles, and a later call
finds the kernel. Numba is imported when the first kernel is compiled, never before.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from fusionlab.kernels.codegen.params import KernelSource
from fusionlab.kernels.kernel_store import KernelStore, default_store

Kernel = Callable[..., None]

_CAPACITY: Final = 512
_LOG: Final = logging.getLogger(__name__)


class KernelCompiler:
    """Compiles and remembers. ``compiled`` counts the kernels that were made ready."""

    def __init__(self, capacity: int = _CAPACITY, store: KernelStore | None = None) -> None:
        """``store`` keeps machine code on disk (``None``: in memory only)."""
        self.compiled = 0
        self._capacity = capacity
        self._store = store
        self._kernels: OrderedDict[str, Kernel] = OrderedDict()
        self._pending: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()
        self._waiting: queue.SimpleQueue[KernelSource] = queue.SimpleQueue()
        self._asked: set[str] = set()
        self._worker: threading.Thread | None = None

    def get(self, source: KernelSource) -> Kernel:
        """The callable of a source; compiled now if nobody has yet."""
        with self._lock:
            kernel = self._find(source.text)
            if kernel is not None:
                return kernel
            pending = self._pending.setdefault(source.text, threading.Lock())
        with pending:
            with self._lock:
                kernel = self._find(source.text)
            return kernel if kernel is not None else self._compile(source)

    def try_get(self, source: KernelSource) -> Kernel | None:
        """The callable if it is ready; else it will be soon, because a thread starts on it."""
        with self._lock:
            kernel = self._find(source.text)
            if kernel is None and source.text not in self._asked:
                self._asked.add(source.text)
                self._waiting.put(source)
                self._start_worker()
            return kernel

    def _find(self, text: str) -> Kernel | None:
        if text in self._kernels:
            self._kernels.move_to_end(text)
        return self._kernels.get(text)

    def _compile(self, source: KernelSource) -> Kernel:
        # Numba takes a third of a second to import; a lab that only decides never needs it.
        from fusionlab.kernels.jit import compile_source  # noqa: PLC0415

        kernel: Kernel = compile_source(source, self._store)
        with self._lock:
            self.compiled += 1
            self._kernels[source.text] = kernel
            self._pending.pop(source.text, None)
            self._asked.discard(source.text)
            while len(self._kernels) > self._capacity:
                self._kernels.popitem(last=False)
        return kernel

    def _start_worker(self) -> None:
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, name="kernels", daemon=True)
            self._worker.start()

    def _work(self) -> None:
        """Compile what was asked for, one kernel after the other, for ever."""
        while True:
            source = self._waiting.get()
            try:
                self.get(source)
            except Exception:  # noqa: BLE001 -- the thread must outlive a bad kernel
                # The op itself is computed by NumPy meanwhile; whoever needs the kernel itself
                # meets the error again in ``get``.
                _LOG.exception("kernel %s did not compile", source.source_id)


COMPILER: Final = KernelCompiler(store=default_store())
"""The compiler that all executors of this process share."""
