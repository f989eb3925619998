"""What ``fusionlab trace`` writes: the burn log, the facts as JSON lines, or the tables alone."""

from __future__ import annotations

from collections.abc import Iterator

from fusionlab.events.codec import dump_events
from fusionlab.events.facts import ExecutionStarted
from fusionlab.events.run import Run
from fusionlab.views.burn_log import LogLevel, burn_log
from fusionlab.views.table import execution_table


def write_trace(run: Run, form: str, level: str) -> Iterator[str]:
    """The texts to print, in order. ``form``: ``burn``, ``json`` or ``table``."""
    match form:
        case "json":
            yield from (line.rstrip("\n") for line in dump_events(run.events))
        case "table":
            for event in run.events:
                if isinstance(event.fact, ExecutionStarted):
                    yield execution_table(event.fact.blocks)
        case _:
            for line in burn_log(run.events, LogLevel[level.upper()]):
                yield line.text
