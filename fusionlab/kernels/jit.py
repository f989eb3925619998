"""The one module that runs Numba. Import it only when a kernel is needed: it is slow to load.

The kernels never use ``prange``: concurrent sessions make better use of the cores, and Numba's own
thread layer ("workqueue") aborts the process when two threads enter it at once.
"""

from __future__ import annotations

import importlib.util
import pickle
import sys
from pathlib import Path
from typing import Any, Final

import numba
from numba import from_dtype, types

from fusionlab.ir.tensor import DType
from fusionlab.kernels.codegen.params import (
    ArrayParam,
    ExtentParam,
    KernelSource,
    Param,
    ScalarParam,
)
from fusionlab.kernels.dtypes import compute_dtype, storage_dtype
from fusionlab.kernels.intrinsics import WORDS
from fusionlab.kernels.kernel_store import KernelStore

_UNREADABLE: Final = (OSError, EOFError, ImportError, LookupError, ValueError, pickle.PickleError)


def compile_source(source: KernelSource, store: KernelStore | None = None) -> Any:
    """Compile one kernel for exactly the types of its parameters, or load it from the store.

    An explicit signature makes one compilation serve Python and NumPy scalars, read-only and
    writable arrays alike.
    """
    file = store.file_for(source) if store is not None else None
    if file is not None:
        try:
            return _compiled(source, _from_file(source, file), cache=True)
        except _UNREADABLE:
            # A damaged file costs a compilation, nothing else.
            pass
    return _compiled(source, _from_text(source), cache=False)


def _compiled(source: KernelSource, function: Any, *, cache: bool) -> Any:
    signature = types.void(*(_numba_type(param) for param in source.params))
    return numba.njit(signature, nogil=True, error_model="numpy", cache=cache)(function)


def _from_text(source: KernelSource) -> Any:
    namespace: dict[str, Any] = dict(WORDS)
    code = compile(source.text, f"<kernel {source.name}>", "exec")
    exec(code, namespace)  # noqa: S102 -- our own generated text, never a user's
    return namespace[source.name]


def _from_file(source: KernelSource, file: Path) -> Any:
    """The function as a module of its own: Numba caches only what it can import again."""
    name = f"fusionlab_kernel_{source.name}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        return _from_text(source)
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(WORDS)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return getattr(module, source.name)


def _numba_type(param: Param) -> Any:
    match param:
        case ArrayParam():
            return _array_type(param)
        case ExtentParam():
            return types.int64
        case ScalarParam():
            return from_dtype(compute_dtype(param.dtype))
        case _:
            return types.float32


def _array_type(param: ArrayParam) -> Any:
    half = param.dtype is DType.F16
    stored = types.uint16 if half else from_dtype(storage_dtype(param.dtype))
    return types.Array(
        stored, param.rank, "A" if param.strided else "C", readonly=not param.writable
    )
