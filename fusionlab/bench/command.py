"""``python -m fusionlab bench``: the suite on the terminal, as a table or as JSON lines.

In: the options. Out: lines of text, as soon as they are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fusionlab.bench.pinning import available, pin
from fusionlab.bench.workloads import BY_NAME, COMPILE
from fusionlab.errors import FusionLabError

Tell = Callable[[str], None]


def bench_lines(
    *, quick: bool, only: str | None, threads: int, machine_readable: bool, tell: Tell
) -> Iterator[str]:
    """Measure and write.

    Args:
        quick: Fewer rounds, and no size above 2048².
        only: The name of one workload, or ``None`` for all.
        threads: How many threads every contender may use.
        machine_readable: JSON lines, one a row, instead of tables.
        tell: Called with a line about what is measured next.

    Raises:
        FusionLabError: ``bench_workload`` for a name that is none, ``bench_threads`` for more
            threads than there are processors.
    """
    known = (*BY_NAME, COMPILE)
    if only is not None and only not in known:
        raise FusionLabError("bench_workload", name=only, known=", ".join(known))
    if threads > available():
        raise FusionLabError("bench_threads", wanted=threads, there=available())
    pinned = pin(threads)
    return _lines(
        quick=quick,
        only=only,
        threads=threads,
        pinned=pinned,
        machine_readable=machine_readable,
        tell=tell,
    )


def _lines(
    *,
    quick: bool,
    only: str | None,
    threads: int,
    pinned: tuple[int, ...],
    machine_readable: bool,
    tell: Tell,
) -> Iterator[str]:
    # Loads NumPy: only after the threads are settled.
    from fusionlab.bench import report  # noqa: PLC0415
    from fusionlab.bench.model import Row  # noqa: PLC0415
    from fusionlab.bench.run import machine, run, suite  # noqa: PLC0415

    if not machine_readable:
        yield from report.head(machine(threads, pinned))
    rows: list[Row] = []
    for step in run(suite(quick=quick, only=only, threads=threads)):
        if isinstance(step, Row):
            if machine_readable:
                yield report.line(step)
            rows.append(step)
            continue
        if rows and not machine_readable:
            yield from report.blocks(rows)
        rows = []
        tell(f"{step.done + 1}/{step.total} {step.workload} {step.size}")
    if rows and not machine_readable:
        yield from report.blocks(rows)
