"""Findings as sentences, and the table behind the charts.

In: a measurement and the texts. Out: strings. Which sentence it is, ``bench.findings`` decides.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from html import escape

from fusionlab.bench.findings import Finding
from fusionlab.bench.model import Measurement, Table
from fusionlab.bench.workloads import BY_NAME, Size
from fusionlab.i18n import Texts
from fusionlab.ui.benchmark.style import duration, factor, side

_DURATIONS = {"engine", "numpy", "kernel", "compile", "bare", "headed"}
_FACTORS = {"times", "less"}
_LIBRARIES = {
    "numpy": "NumPy",
    "numexpr": "numexpr",
    "torch_eager": "torch",
    "torch_compile": "torch.compile",
    "jax": "jax.jit",
}
"""Names that are the same in every language."""


def sentence(found: Finding, own: Texts) -> str:
    """A finding in words."""
    return own(f"bench.{found.key}", **{k: _shown(k, v) for k, v in found.values.items()})


def _shown(name: str, value: object) -> object:
    if isinstance(value, Size):
        return side(value)
    if isinstance(value, float) and name in _DURATIONS:
        return duration(value)
    if isinstance(value, float) and name in _FACTORS:
        return factor(value)
    return value


def contender(name: str, own: Texts) -> str:
    """What a contender is called."""
    return _LIBRARIES.get(name) or own(f"bench.contender.{name}")


def about(measured: Measurement, own: Texts) -> Iterator[str]:
    """How, where and when it was measured, and who is missing."""
    machine = measured.machine
    yield own(
        "bench.page.note",
        threads=machine.threads,
        pinned=_pinned(machine.pinned, own),
        spread=round(100 * statistics.median(row.spread for row in measured.rows) / 2, 1),
    )
    if measured.here:
        versions = machine.versions
        yield own("bench.page.here", processor=machine.processor, numpy=versions["numpy"])
        if machine.absent:
            yield own("bench.page.absent", names=own.listed(_called(machine.absent, own)))
    else:
        yield own("bench.page.reference", processor=machine.processor, date=machine.date)


def _pinned(processors: tuple[int, ...], own: Texts) -> str:
    if not processors:
        return own("bench.page.unpinned")
    return own("bench.page.pinned", names=own.listed(map(str, processors)))


def _called(names: tuple[str, ...], own: Texts) -> list[str]:
    return [contender(name, own) for name in names]


def table_html(table: Table, workload: str, own: Texts) -> str:
    """A workload's rows: sizes down, contenders across, medians with their quartiles."""
    names = table.contenders(workload)
    sizes = dict.fromkeys(size for name in names for size in table.sizes(workload, name))
    head = "".join(f'<th scope="col">{escape(contender(name, own))}</th>' for name in names)
    first = escape(own("bench.page.size"))
    lines = [_line(table, workload, size, names, own) for size in sizes]
    caption = escape(f"{workload}: {BY_NAME[workload].formula}")
    return (
        f"<table><caption>{caption}</caption>"
        f'<thead><tr><th scope="col">{first}</th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _line(table: Table, workload: str, size: str, names: tuple[str, ...], own: Texts) -> str:
    cells = []
    for name in names:
        row = table.row(workload, size, name)
        shown = "–"
        if row is not None:
            low, median, high = (duration(us) for us in (row.q1_us, row.median_us, row.q3_us))
            shown = own("bench.page.cell", median=median, low=low, high=high)
        cells.append(f"<td>{escape(shown)}</td>")
    return f'<tr><th scope="row">{escape(size)}</th>{"".join(cells)}</tr>'
