"""Runs for tests of the reading side: recorded programs through the real engine, decisions only."""

from collections.abc import Iterator
from functools import cache

from conformance.corpus import Recorded, recorded

from fusionlab.conformance import _config, _perform
from fusionlab.engine.dry import DryBackend
from fusionlab.engine.server import FusionServer
from fusionlab.events.log import EventLog
from fusionlab.events.run import ProgramInfo, Run
from fusionlab.ir.tensor import StreamId

SAMPLES = (("seed", 1), ("curated", 1), ("extra", 1), ("stress", 29), ("random", 97))
"""Corpora with the step between the programs that the tests of the views look at."""


def run_of(row: Recorded) -> Run:
    """The run of one recorded program."""
    program, log = row.program, EventLog()
    config = _config(program.get("config") or {})
    server = FusionServer(config, DryBackend(), log)
    for event in program["events"]:
        stream = event.get("stream", program.get("stream") or 0)
        _perform(server, StreamId(stream), event)
    return Run.of(ProgramInfo(row.label, ""), config, log.events)


@cache
def sample() -> tuple[Run, ...]:
    """Some two hundred runs that together reach every rule."""
    return tuple(run_of(row) for corpus, stride in SAMPLES for row in recorded(corpus, stride))


@cache
def page_run() -> Run:
    """The six rounds of ``exp(a * b + c * s)``."""
    return run_of(next(iter(recorded("seed"))))


def named(name: str, corpus: str = "curated") -> Run:
    """The run of the recorded program of that name."""
    rows: Iterator[Recorded] = recorded(corpus)
    return run_of(next(row for row in rows if row.program.get("name") == name))
