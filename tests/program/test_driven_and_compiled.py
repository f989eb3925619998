"""Driving a program and deciding its compiled stream come to the same decisions."""

from hypothesis import given
from strategies import programs

from fusionlab.config import FusionConfig
from fusionlab.conformance import run_program
from fusionlab.engine.client import FusionClient
from fusionlab.engine.dry import HandlesOnly
from fusionlab.engine.server import FusionServer
from fusionlab.events.log import EventLog
from fusionlab.program import compile_program, execute, parse_program
from fusionlab.views.burn_log import burn_log


def driven(text):
    program, log = parse_program(text), EventLog()
    config = program.configure(FusionConfig())
    execute(program, FusionClient(FusionServer(config, HandlesOnly(), log)))
    return [line.text for line in burn_log(log.events)]


def compiled(text):
    events = run_program(compile_program(parse_program(text)))["events"]
    return [line for event in events for line in event["log"]]


@given(programs(streams=1))
def test_on_one_stream_both_ways_log_the_same(text):
    assert driven(text) == compiled(text)
