"""The one module that runs Numba. Import it only when a kernel is needed: it is slow to load.

The kernels never use ``prange``: concurrent sessions make better use of the cores, and Numba's own
thread layer ("workqueue") aborts the process when two threads enter it at once.
"""

from __future__ import annotations

from typing import Any

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


def compile_source(source: KernelSource) -> Any:
    """Compile one kernel for exactly the types of its parameters.

    An explicit signature makes one compilation serve Python and NumPy scalars, read-only and
    writable arrays alike.
    """
    namespace: dict[str, Any] = dict(WORDS)
    code = compile(source.text, f"<kernel {source.name}>", "exec")
    exec(code, namespace)  # noqa: S102 -- our own generated text, never a user's
    signature = types.void(*(_numba_type(param) for param in source.params))
    return numba.njit(signature, nogil=True, error_model="numpy")(namespace[source.name])


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
