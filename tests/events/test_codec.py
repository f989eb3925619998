"""The event log survives a trip through JSON lines, and a bad log is refused with its place."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import two_rounds

from fusionlab.errors import ContentError
from fusionlab.events.codec import SCHEMA_VERSION, dump_events, load_events, recorded_event
from fusionlab.events.facts import Event, Fact, RunFailed
from fusionlab.events.values import RecordedFused
from fusionlab.ir.operation import OperationIr, Options, Scalar, Slice
from fusionlab.ir.opset import OPSET
from fusionlab.ir.tensor import DType, TensorIr, TensorStatus
from fusionlab.plan import Composed, FusedOperation, Operations, Optimization

NUMBERS = st.integers(-(2**40), 2**40) | st.floats(allow_nan=False) | st.booleans()
TENSORS = st.builds(
    TensorIr,
    st.integers(0, 99),
    st.lists(st.integers(0, 9), max_size=3).map(tuple),
    st.sampled_from(TensorStatus),
    st.sampled_from(DType),
)
SIMPLE_ARGUMENTS = (
    st.none()
    | NUMBERS
    | st.text(max_size=5)
    | st.sampled_from(DType)
    | st.builds(Scalar, st.sampled_from(["Float", "Int", "UInt", "Bool"]), NUMBERS)
    | st.builds(Slice, st.integers(), st.none() | st.integers(), st.integers())
)
NAMES = st.text("abcxyz_", min_size=1, max_size=4)
ARGUMENTS = SIMPLE_ARGUMENTS | st.lists(SIMPLE_ARGUMENTS, max_size=3).map(tuple)
OPTIONS = st.dictionaries(NAMES, ARGUMENTS, max_size=2).map(lambda d: Options(tuple(d.items())))
OPERATIONS = st.builds(
    OperationIr,
    st.sampled_from(sorted(OPSET)).map(OPSET.get),
    st.lists(TENSORS, max_size=2).map(tuple),
    st.lists(TENSORS, max_size=1).map(tuple),
    st.dictionaries(NAMES, ARGUMENTS | OPTIONS, max_size=2).map(lambda d: tuple(d.items())),
)
ORDERINGS = st.lists(st.integers(0, 9), max_size=4).map(tuple)
FUSED = st.builds(
    RecordedFused, NAMES, st.lists(OPERATIONS, max_size=2).map(tuple), st.none() | st.integers(0, 9)
)
STRATEGIES = st.recursive(
    st.builds(Operations, ORDERINGS) | st.builds(Optimization, FUSED, ORDERINGS, st.integers(0)),
    lambda inner: st.builds(Composed, st.lists(inner, max_size=2).map(tuple)),
    max_leaves=3,
)
st.register_type_strategy(OperationIr, OPERATIONS)
st.register_type_strategy(TensorIr, TENSORS)
st.register_type_strategy(FusedOperation, FUSED)
for kind in (Optimization, Operations, Composed):
    st.register_type_strategy(kind, STRATEGIES)
st.register_type_strategy(float, st.floats(allow_nan=False))


def event(fact: Fact, step: int = 0, parent: int | None = None) -> Event:
    return Event(step, parent, 0, fact)


@pytest.mark.parametrize("kind", Fact.__args__, ids=lambda kind: kind.__name__)
@settings(max_examples=25)
@given(st.data())
def test_every_fact_comes_back_equal(kind, data):
    log = (event(data.draw(st.from_type(kind))),)
    back = load_events(dump_events(log))
    assert back == log
    assert repr(back) == repr(log), "2, 2.0 and True are equal, but not the same"


def test_a_whole_recording_comes_back_with_fused_ops_as_plain_values():
    events = two_rounds()
    assert load_events(dump_events(events)) == tuple(recorded_event(e) for e in events)


def test_the_same_events_give_the_same_bytes_again():
    lines = list(dump_events(two_rounds()))
    assert list(dump_events(load_events(lines))) == lines


def test_every_line_is_strict_json():
    def refuse(name):
        raise AssertionError(name)

    minus_infinity = event(RunFailed("code", (("value", float("-inf")),)))
    for line in dump_events((minus_infinity,)):
        json.loads(line, parse_constant=refuse)


HEADER = json.dumps({"fusionlab_events": SCHEMA_VERSION})
GOOD = '{"step":0,"parent":null,"stream":0,"fact":"SyncRequested","queued":4}'


@pytest.mark.parametrize(
    "header", ['{"fusionlab_events": 2}', "{}", "[]", "not json", ""], ids=repr
)
def test_a_log_of_another_version_is_refused(header):
    with pytest.raises(ContentError, match="event_log_version"):
        load_events([header, GOOD])


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[]",
        '{"step":0}',
        GOOD.replace("SyncRequested", "NoSuchFact"),
        GOOD.replace("queued", "waiting"),
        GOOD.replace("4}", '"4"}'),
        GOOD.replace("4}", "true}"),
        GOOD.replace("4}", '4,"more":1}'),
        GOOD.replace('"step":0', '"step":7'),
        GOOD.replace("null", "3"),
        GOOD.replace("null", "[]"),
    ],
)
def test_a_malformed_line_is_refused_with_its_number(line):
    with pytest.raises(ContentError) as refused:
        load_events([HEADER, GOOD, line])
    assert (refused.value.code, refused.value.params["line"]) == ("event_log_line", 3)


def test_blank_lines_are_passed_over():
    assert len(load_events([HEADER, "", GOOD, "  "])) == 1
