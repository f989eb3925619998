"""The memory-only twin: reads and writes what a workload must, and computes (almost) nothing.

In: a workload, its inputs, and the arrays that its kernel writes. Out: a function. No kernel on
this machine, whatever it computes, can be expected to be faster; how near a fused kernel comes
says how much of it is arithmetic that does not hide behind memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, assert_never

from fusionlab.bench.workloads import Twin, Workload
from fusionlab.kernels.dtypes import Array

_RELAXED = {"reassoc", "nsz", "contract"}
"""Sums may be reordered, as in the kernels: else a sum cannot use vector registers."""


def memory_twin(
    workload: Workload, inputs: Sequence[Array], outputs: Sequence[Array]
) -> Callable[[], None] | None:
    """The twin of a workload; ``None`` where memory is not the limit."""
    match workload.twin:
        case Twin.NONE:
            return None
        case Twin.ELEMENTS:
            return _elements(workload, inputs, outputs)
        case Twin.ROWS | Twin.COLUMNS:
            return _reduction(workload, inputs, outputs[0])
        case Twin.FILL:
            kernel, column, out = _fill(), inputs[0].reshape(-1), outputs[0]
            return lambda: kernel(column, out)
        case _:
            assert_never(workload.twin)


def _elements(
    workload: Workload, inputs: Sequence[Array], outputs: Sequence[Array]
) -> Callable[[], None]:
    kernel = _flat(workload.twin_reads)
    arrays = [array.reshape(-1) for array in (*_read(workload, inputs), *outputs)]
    return lambda: kernel(*arrays)


def _reduction(workload: Workload, inputs: Sequence[Array], out: Array) -> Callable[[], None]:
    arrays = _read(workload, inputs)
    kernel = (_rows if workload.twin is Twin.ROWS else _columns)(len(arrays))
    flat = out.reshape(-1)
    return lambda: kernel(*arrays, flat)


def _read(workload: Workload, inputs: Sequence[Array]) -> list[Array]:
    return [inputs[i] for i in sorted({i for reads in workload.twin_reads for i in reads})]


def _made(source: str, **options: Any) -> Any:
    import numba  # noqa: PLC0415 -- slow to load, and only a measurement needs it

    namespace: dict[str, Any] = {}
    exec(source, namespace)  # noqa: S102 -- our own text, a few lines above
    return numba.njit(nogil=True, error_model="numpy", **options)(namespace["twin"])


@cache
def _flat(reads: tuple[tuple[int, ...], ...]) -> Any:
    """``out = a + b + …`` for each result, in one loop."""
    names = [f"x{i}" for i in sorted({i for each in reads for i in each})]
    outs = [f"out{k}" for k in range(len(reads))]
    body = "".join(
        f"        {out}[i] = {' + '.join(f'x{i}[i]' for i in each)}\n"
        for out, each in zip(outs, reads, strict=True)
    )
    head = f"def twin({', '.join([*names, *outs])}):\n    for i in range({names[0]}.size):\n"
    return _made(head + body)


@cache
def _rows(count: int) -> Any:
    """The sum of each row over all arrays."""
    names = [f"x{k}" for k in range(count)]
    return _made(
        f"def twin({', '.join(names)}, out):\n"
        "    for i in range(x0.shape[0]):\n"
        f"        total = {' + '.join(f'{name}[i, 0]' for name in names)}\n"
        "        for j in range(1, x0.shape[1]):\n"
        f"            total += {' + '.join(f'{name}[i, j]' for name in names)}\n"
        "        out[i] = total\n",
        fastmath=_RELAXED,
    )


@cache
def _columns(count: int) -> Any:
    """The sum of each column over all arrays, row after row along memory."""
    names = [f"x{k}" for k in range(count)]
    return _made(
        f"def twin({', '.join(names)}, out):\n"
        "    for j in range(x0.shape[1]):\n"
        "        out[j] = 0\n"
        "    for i in range(x0.shape[0]):\n"
        "        for j in range(x0.shape[1]):\n"
        f"            out[j] += {' + '.join(f'{name}[i, j]' for name in names)}\n"
    )


@cache
def _fill() -> Any:
    """A matrix whose rows hold one number each."""
    return _made(
        "def twin(column, out):\n"
        "    for i in range(out.shape[0]):\n"
        "        for j in range(out.shape[1]):\n"
        "            out[i, j] = column[i]\n"
    )
