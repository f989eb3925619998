"""A whole run: which workloads at which sizes, one after the other, and how far it has come.

In: a plan. Out: steps, each a line about what comes next or a row.
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fusionlab.bench.compiling import compile_rows
from fusionlab.bench.contenders import absent
from fusionlab.bench.measure import BRIEF, FULL, QUICK, Effort, measure
from fusionlab.bench.model import CONTENDERS, ENGINE, FUSIONLAB, KERNEL, NUMPY, TWIN, Machine, Row
from fusionlab.bench.pinning import available
from fusionlab.bench.workloads import COMPILE, WORKLOADS, Size, Workload

OWN = (FUSIONLAB, ENGINE, KERNEL, NUMPY, "numpy_out", TWIN)
"""The contenders that need nothing but FusionLab's own requirements."""

_LARGEST_QUICK = 2048 * 2048
_LIBRARIES = ("numpy", "numba", "numexpr", "torch", "jax")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, how long, and with how many threads."""

    cells: tuple[tuple[Workload, Size], ...]
    contenders: tuple[str, ...]
    effort: Effort
    threads: int
    compiling: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """Before each part: how many are done, of how many, and which comes next."""

    done: int
    total: int
    workload: str
    size: str


def suite(*, quick: bool, only: str | None, threads: int) -> Plan:
    """The benchmark of the command line; ``only`` names one workload."""
    cells = tuple(
        (workload, size)
        for workload in WORKLOADS
        for size in workload.suite
        if only in (None, workload.name) and not (quick and size.n * size.m > _LARGEST_QUICK)
    )
    effort = QUICK if quick else FULL
    return Plan(cells, CONTENDERS, effort, threads, compiling=only in (None, COMPILE))


def page_plan() -> Plan:
    """The benchmark of the app: every workload over more sizes, nobody but NumPy beside it."""
    cells = tuple((workload, size) for workload in WORKLOADS for size in workload.sweep)
    return Plan(cells, OWN, BRIEF, 1, compiling=True)


def run(plan: Plan) -> Iterator[Progress | Row]:
    """Measure a plan, part by part."""
    total = len(plan.cells) + plan.compiling
    for done, (workload, size) in enumerate(plan.cells):
        yield Progress(done, total, workload.name, str(size))
        yield from measure(workload, size, plan.contenders, plan.threads, plan.effort)
    if plan.compiling:
        yield Progress(total - 1, total, COMPILE, "")
        yield from compile_rows(plan.threads, plan.effort.least)


def machine(threads: int, pinned: tuple[int, ...]) -> Machine:
    """This machine, as the head of a report."""
    versions = {}
    for name in _LIBRARIES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return Machine(
        processor=_processor(),
        cores=available(),
        python=platform.python_version(),
        versions=versions,
        threads=threads,
        pinned=pinned,
        absent=absent(),
        date=datetime.now(UTC).date().isoformat(),
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text("utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
