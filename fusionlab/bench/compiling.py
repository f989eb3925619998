"""What a kernel costs before its first launch: compiled anew, and loaded from disk.

In: nothing. Out: rows. The process is warm: Numba has been loaded and has compiled another kernel.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from fusionlab.bench.fused import LaunchesAlone
from fusionlab.bench.measure import make_inputs, quartiles
from fusionlab.bench.model import FUSIONLAB, Row
from fusionlab.bench.workloads import BY_NAME, COMPILE, DISK_HIT, Size, Workload
from fusionlab.kernels.codegen import KernelSource
from fusionlab.kernels.compile import KernelCompiler
from fusionlab.kernels.kernel_store import KernelStore

PROGRAMS = {"4 ops": "w1", "40 ops": "chain40"}
_SIZE = Size(64, 64)


def compile_rows(threads: int, rounds: int) -> Iterator[Row]:
    """Compiling and loading the kernels of 4 and of 40 ops."""
    for label, name in PROGRAMS.items():
        source = kernel_source(BY_NAME[name])
        yield _row(COMPILE, label, threads, [_seconds(source, None) for _ in range(rounds + 1)])
        with tempfile.TemporaryDirectory() as folder:
            store = KernelStore(Path(folder))
            yield _row(
                DISK_HIT, label, threads, [_seconds(source, store) for _ in range(rounds + 1)]
            )


def kernel_source(workload: Workload) -> KernelSource:
    """The source of the kernel that a workload launches."""
    launches = LaunchesAlone(workload.text(_SIZE), make_inputs(workload, _SIZE, 0))
    return launches.sources[-1]


def _seconds(source: KernelSource, store: KernelStore | None) -> float:
    """How long a compiler that remembers nothing needs."""
    compiler = KernelCompiler(store=store)
    start = perf_counter()
    compiler.get(source)
    return perf_counter() - start


def _row(workload: str, size: str, threads: int, samples: list[float]) -> Row:
    # The first one pays for what all kernels share, or fills the folder.
    low, middle, high = (round(value * 1e6, 1) for value in quartiles(samples[1:]))
    return Row(workload, size, FUSIONLAB, threads, middle, low, high)
