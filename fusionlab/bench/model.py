"""What a measurement yields: rows, the machine they come from, and how both are written.

A row is one contender on one workload at one size. Everything else that a reader may want (ops,
bytes, what a share of the limit is) follows from rows and workloads.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

FUSIONLAB = "fusionlab"
ENGINE = "fusionlab_engine"
KERNEL = "fusionlab_kernel"
NUMPY = "numpy"
TWIN = "memory_twin"

CONTENDERS = (
    FUSIONLAB,
    ENGINE,
    KERNEL,
    NUMPY,
    "numpy_out",
    "numexpr",
    "torch_eager",
    "torch_compile",
    "jax",
    TWIN,
)
"""In the order of tables. ``fusionlab`` is a stored plan that the executor runs: arguments, new
memory, launches. ``fusionlab_engine`` comes to that plan op by op, as every program does;
``fusionlab_kernel`` are the launches alone. ``memory_twin`` touches the same memory, no more."""


@dataclass(frozen=True, slots=True)
class Row:
    """One contender on one workload; times in microseconds a call."""

    workload: str
    size: str
    contender: str
    threads: int
    median_us: float
    q1_us: float
    q3_us: float

    @property
    def spread(self) -> float:
        """The distance of the quartiles as a share of the median."""
        return (self.q3_us - self.q1_us) / self.median_us


@dataclass(frozen=True, slots=True)
class Machine:
    """Where rows were measured, and how. ``pinned`` are the processors that it was kept on."""

    processor: str
    cores: int
    python: str
    versions: Mapping[str, str]
    threads: int
    pinned: tuple[int, ...]
    absent: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """A whole run. ``here`` tells a run on this machine from the one that is shipped."""

    rows: tuple[Row, ...]
    machine: Machine
    here: bool = True


def to_json(measurement: Measurement) -> str:
    """A run as one JSON document."""
    return json.dumps(
        {
            "machine": asdict(measurement.machine),
            "rows": [asdict(row) for row in measurement.rows],
        },
        ensure_ascii=False,
        indent=1,
    )


def from_json(text: str, *, here: bool) -> Measurement:
    """A run from its JSON document."""
    tree = json.loads(text)
    return Measurement(
        tuple(Row(**row) for row in tree["rows"]), machine_from(tree["machine"]), here
    )


def machine_from(tree: Mapping[str, Any]) -> Machine:
    """A machine from its JSON object."""
    return Machine(**{**tree, "absent": tuple(tree["absent"]), "pinned": tuple(tree["pinned"])})


class Table:
    """Rows by workload, size and contender."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = {(row.workload, row.size, row.contender): row for row in rows}

    def row(self, workload: str, size: str, contender: str) -> Row | None:
        """The row, if it was measured."""
        return self._rows.get((workload, size, contender))

    def us(self, workload: str, size: str, contender: str) -> float | None:
        """Its median in microseconds."""
        row = self.row(workload, size, contender)
        return None if row is None else row.median_us

    def ratio(self, workload: str, size: str, slow: str, fast: str) -> float | None:
        """How many times as long ``slow`` takes as ``fast``."""
        one, other = self.us(workload, size, slow), self.us(workload, size, fast)
        return None if one is None or other is None else one / other

    def sizes(self, workload: str, contender: str) -> tuple[str, ...]:
        """The sizes at which a contender was measured, in the order of measuring."""
        return tuple(s for w, s, c in self._rows if w == workload and c == contender)

    def contenders(self, workload: str) -> tuple[str, ...]:
        """Who was measured on a workload, in the order of tables."""
        found = {c for w, _, c in self._rows if w == workload}
        return tuple(name for name in CONTENDERS if name in found)

    def workloads(self) -> tuple[str, ...]:
        """The workloads that were measured, in order."""
        return tuple(dict.fromkeys(w for w, _, _ in self._rows))
