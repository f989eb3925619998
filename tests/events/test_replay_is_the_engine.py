"""The replay of the facts and a photograph of the live engine agree after every request."""

import json

import pytest
from conformance.corpus import recorded

from fusionlab.conformance import _config, _perform
from fusionlab.engine.dry import DryBackend
from fusionlab.engine.server import FusionServer
from fusionlab.engine.snapshot import snapshot
from fusionlab.events.codec import dump_events, load_events
from fusionlab.events.log import EventLog
from fusionlab.events.replay import step
from fusionlab.events.state import LabState
from fusionlab.ir.tensor import StreamId

STRIDES = {"seed": 1, "curated": 1, "extra": 1, "random": 60, "stress": 10}


@pytest.mark.parametrize("corpus", STRIDES)
def test_the_replay_shows_what_the_engine_holds(corpus: str) -> None:
    for row in recorded(corpus, STRIDES[corpus]):
        log, state = EventLog(), LabState()
        server = FusionServer(_config(row.program.get("config") or {}), DryBackend(), log)
        for number, asked in enumerate(row.program["events"]):
            first = len(log.events)
            stream = StreamId(asked.get("stream", row.program.get("stream") or 0))
            _perform(server, stream, asked)
            for event in log.events[first:]:
                state = step(state, event)
            assert state == snapshot(server), f"{row.label}, event {number}: {json.dumps(asked)}"


def test_a_replay_of_a_written_log_is_the_replay_of_the_log():
    (row, *_) = recorded("seed")
    log = EventLog()
    server = FusionServer(_config({}), DryBackend(), log)
    for asked in row.program["events"]:
        _perform(server, StreamId(0), asked)
    live = written = LabState()
    for event in log.events:
        live = step(live, event)
    for event in load_events(dump_events(log.events)):
        written = step(written, event)
    assert written.streams == live.streams
    assert [plan.operations for plan in written.plans] == [plan.operations for plan in live.plans]
    assert [plan.hits for plan in written.plans] == [plan.hits for plan in live.plans]
