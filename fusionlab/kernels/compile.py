"""Kernel source text becomes a callable, once for each text.

In: a ``KernelSource``. Out: the compiled function. Compiled kernels are shared by the whole process
and kept in a bounded least-recently-used table; several threads may ask at once. Numba is imported
when the first kernel is compiled, never before.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from fusionlab.kernels.codegen.params import KernelSource

Kernel = Callable[..., None]

_CAPACITY: Final = 512


class KernelCompiler:
    """Compiles and remembers. ``compiled`` counts real compilations."""

    def __init__(self, capacity: int = _CAPACITY) -> None:
        self.compiled = 0
        self._capacity = capacity
        self._kernels: OrderedDict[str, Kernel] = OrderedDict()
        self._pending: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

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

    def _find(self, text: str) -> Kernel | None:
        if text in self._kernels:
            self._kernels.move_to_end(text)
        return self._kernels.get(text)

    def _compile(self, source: KernelSource) -> Kernel:
        # Numba takes a third of a second to import; a lab that only decides never needs it.
        from fusionlab.kernels.jit import compile_source  # noqa: PLC0415

        kernel: Kernel = compile_source(source)
        with self._lock:
            self.compiled += 1
            self._kernels[source.text] = kernel
            self._pending.pop(source.text, None)
            while len(self._kernels) > self._capacity:
                self._kernels.popitem(last=False)
        return kernel


COMPILER: Final = KernelCompiler()
"""The compiler that all executors of this process share."""
