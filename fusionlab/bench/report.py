"""A run as text: a table for people, one JSON object a row for programs.

In: rows as they come. Out: lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from fusionlab.bench.model import NUMPY, TWIN, Machine, Row, Table
from fusionlab.bench.workloads import BY_NAME

_HEAD = f"{'contender':18} {'median':>13} {'quartiles':>24} {'x numpy':>9}{'of limit':>9}"


def head(machine: Machine) -> Iterator[str]:
    """What was measured where, with what, and who is missing."""
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    yield f"{machine.processor}, {machine.cores} processor(s); Python {machine.python}, {versions}"
    bound = ", ".join(map(str, machine.pinned))
    how = (
        f"kept on processor {bound} by sched_setaffinity" if bound else "bound by environment only"
    )
    yield f"{machine.threads} thread(s), {how}"
    if machine.absent:
        yield f"not installed, so not measured: {', '.join(machine.absent)}"


def blocks(rows: Sequence[Row]) -> Iterator[str]:
    """A table for each workload and size; what has one contender only takes a line."""
    table = Table(rows)
    for workload, size in dict.fromkeys((row.workload, row.size) for row in rows):
        here = [row for row in rows if (row.workload, row.size) == (workload, size)]
        if workload not in BY_NAME:
            yield from (f"\n{workload}, {size}: {_times_of(row)}" for row in here)
            continue
        yield f"\n{workload} {size}   {BY_NAME[workload].formula}"
        yield _HEAD
        for row in here:
            quicker = table.ratio(workload, size, NUMPY, row.contender)
            share = table.ratio(workload, size, TWIN, row.contender)
            yield f"{row.contender:18} {_times_of(row)} {_shown(quicker, 'x'):>9}{_shown(share):>9}"


def line(row: Row) -> str:
    """A row as one JSON object."""
    return json.dumps(asdict(row))


def _times_of(row: Row) -> str:
    return f"{row.median_us:10.1f} us {row.q1_us:11.1f} .. {row.q3_us:9.1f}"


def _shown(value: float | None, unit: str = "") -> str:
    return "" if value is None else f"{value:.2f}{unit}"
