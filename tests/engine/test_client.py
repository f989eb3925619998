"""Ownership on the client side: which statuses, ids and drops a use of a handle registers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionlab.engine.client import FusionClient
from fusionlab.errors import InvariantError
from fusionlab.ir.opset import OPSET
from fusionlab.ir.tensor import DType, StreamId

ADD, EXP, RANDOM = (OPSET[name] for name in ("NumericFloat::Add", "Float::Exp", "Float::Random"))
HOME, AWAY = StreamId(0), StreamId(1)
OUT = [((2, 3), DType.F32)]


class Tape:
    """A server that writes down what it is asked: a line each, and each use of a tensor."""

    def __init__(self):
        self.calls = []
        self.uses = []

    def used(self, tensor):
        self.uses.append((tensor.id, tensor.status.value))
        return f"{tensor.status.value}({tensor.id})"

    def register(self, stream, operation):
        shown = " ".join(self.used(tensor) for tensor in operation.inputs)
        made = " ".join(f"{t.status.value}({t.id})" for t in operation.outputs)
        self.calls.append(f"{stream}> {operation.kind}: {shown} -> {made}".strip())

    def drain(self, stream):
        self.calls.append(f"{stream}> drain")

    def upload(self, tensor, data):
        self.calls.append(f"upload {tensor.id} {data.tolist()} {data.dtype}")

    def read(self, stream, tensor):
        self.calls.append(f"{stream}> read {self.used(tensor)}")
        return np.zeros(tensor.shape)

    def share_view(self, source_stream, source, view):
        self.calls.append(f"{source_stream}> share {source} as {view}")

    def foreign_drop(self, stream, tensor):
        self.calls.append(f"{stream}> foreign drop {self.used(tensor)}")


@pytest.fixture
def tape():
    return Tape()


@pytest.fixture
def client(tape):
    return FusionClient(tape)


def random(client, stream=HOME):
    (tensor,) = client.register(stream, RANDOM, [], OUT)
    return tensor


def test_the_only_handle_is_used_for_the_last_time(client, tape):
    client.register(HOME, EXP, [random(client)], OUT)
    assert tape.calls[-1] == "0> Float::Exp: ReadWrite(0) -> NotInit(1)"


def test_a_clone_makes_the_first_use_read_only(client, tape):
    x = random(client)
    client.register(HOME, EXP, [client.clone(HOME, x)], OUT)
    client.register(HOME, EXP, [x], OUT)
    assert tape.calls[1:] == [
        "0> Float::Exp: ReadOnly(0) -> NotInit(1)",
        "0> Float::Exp: ReadWrite(0) -> NotInit(2)",
    ]


def test_of_two_operands_of_one_tensor_only_the_last_can_move(client, tape):
    x = random(client)
    client.register(HOME, ADD, [client.clone(HOME, x), x], OUT)
    assert tape.calls[-1] == "0> NumericFloat::Add: ReadOnly(0) ReadWrite(0) -> NotInit(1)"


def test_a_tensor_that_is_held_elsewhere_is_never_read_write(client, tape):
    x = random(client)
    held = client.clone(HOME, x)
    client.register(HOME, ADD, [client.clone(HOME, x), x], OUT)
    assert tape.calls[-1] == "0> NumericFloat::Add: ReadOnly(0) ReadOnly(0) -> NotInit(1)"
    assert held.can_mut


def test_giving_up_the_last_handle_queues_a_drop(client, tape):
    client.drop(HOME, random(client))
    assert tape.calls[-1] == "0> Drop: ReadWrite(0) ->"


def test_giving_up_one_of_two_handles_queues_nothing(client, tape):
    x = random(client)
    client.drop(HOME, client.clone(HOME, x))
    assert tape.calls[-1].startswith("0> Float::Random")
    client.drop(HOME, x)
    assert tape.calls[-1] == "0> Drop: ReadWrite(0) ->"


def test_a_drop_comes_where_the_handle_is_given_up_not_at_the_last_use(client, tape):
    x = random(client)
    client.register(HOME, EXP, [client.clone(HOME, x)], OUT)
    random(client)
    client.drop(HOME, x)
    assert [call.split(":")[0] for call in tape.calls[1:]] == [
        "0> Float",
        "0> Float",
        "0> Drop",
    ]
    assert "ReadOnly(0)" in tape.calls[1]


def test_ids_are_one_sequence_over_all_streams_and_kinds_of_creation(client):
    first = random(client)
    second = client.from_data(AWAY, (1,), DType.F32, (0.0,))
    third = client.clone(AWAY, first)
    (fourth,) = client.register(AWAY, EXP, [second], OUT)
    assert [tensor.id for tensor in (first, second, third, fourth)] == [0, 1, 2, 3]
    assert client.next_id == 4


def test_numbering_can_go_on_from_an_earlier_run(tape):
    assert random(FusionClient(tape, first_id=7)).id == 7


@pytest.mark.parametrize(
    ("dtype", "values", "written"),
    [
        (DType.F32, (1.5, 2.0), "upload 0 [1.5, 2.0] float32"),
        (DType.BF16, (1.5, 2.0), "upload 0 [1.5, 2.0] float32"),
        (DType.I64, (1, 2), "upload 0 [1, 2] int64"),
        (DType.U8, (1, 2), "upload 0 [1, 2] uint8"),
        (DType.BOOL, (True, False), "upload 0 [True, False] bool"),
    ],
)
def test_known_values_are_uploaded_before_their_init(client, tape, dtype, values, written):
    client.from_data(HOME, (2,), dtype, values)
    assert tape.calls == [written, "0> Init::InitOperationIr:  -> NotInit(0)"]


# --- streams ------------------------------------------------------------------------------------


def test_a_use_away_from_home_reads_a_shared_view(client, tape):
    x = random(client)
    client.register(AWAY, EXP, [client.clone(AWAY, x)], OUT)
    assert tape.calls[1:] == ["0> share 0 as 1", "1> Float::Exp: ReadWrite(1) -> NotInit(2)"]


def test_moving_a_handle_away_drops_the_original_from_there(client, tape):
    client.register(AWAY, EXP, [random(client)], OUT)
    assert tape.calls[1:] == [
        "0> share 0 as 1",
        "0> foreign drop ReadWrite(0)",
        "1> Float::Exp: ReadWrite(1) -> NotInit(2)",
    ]


def test_moving_one_of_two_handles_away_drops_nothing(client, tape):
    x = random(client)
    held = client.clone(HOME, x)
    client.register(AWAY, EXP, [x], OUT)
    assert not any("drop" in call for call in tape.calls)
    assert held.can_mut


def test_each_clone_away_from_home_is_a_view_of_its_own(client, tape):
    x = random(client)
    client.register(AWAY, ADD, [client.clone(AWAY, x), client.clone(AWAY, x)], OUT)
    assert tape.calls[-1] == "1> NumericFloat::Add: ReadWrite(1) ReadWrite(2) -> NotInit(3)"


def test_a_handle_given_up_away_from_home_is_a_foreign_drop(client, tape):
    client.drop(AWAY, random(client))
    assert tape.calls[-1] == "0> foreign drop ReadWrite(0)"


# --- reads --------------------------------------------------------------------------------------


def test_a_read_asks_the_home_stream_with_the_status_of_its_handle(client, tape):
    x = random(client, AWAY)
    client.read(client.clone(AWAY, x))
    client.read(x)
    assert tape.calls[1:] == ["1> read ReadOnly(0)", "1> read ReadWrite(0)"]


def test_a_sync_drains_one_stream(client, tape):
    client.sync(AWAY)
    assert tape.calls == ["1> drain"]


def test_a_handle_cannot_be_used_twice(client):
    x = random(client)
    client.register(HOME, EXP, [x], OUT)
    with pytest.raises(InvariantError, match="handle_spent"):
        client.drop(HOME, x)
    with pytest.raises(InvariantError, match="handle_spent"):
        client.clone(AWAY, x)


# --- laws ---------------------------------------------------------------------------------------


@given(st.data())
def test_a_tensor_is_read_write_exactly_once_and_then_never_seen_again(data):
    server = Tape()
    client = FusionClient(server)
    handles = [random(client) for _ in range(data.draw(st.integers(1, 3)))]
    for _ in range(data.draw(st.integers(0, 12))):
        if not handles:
            break
        handle = handles.pop(data.draw(st.integers(0, len(handles) - 1)))
        stream = StreamId(data.draw(st.integers(0, 1)))
        match data.draw(st.sampled_from(["clone", "use", "drop", "read"])):
            case "clone":
                handles += [client.clone(stream, handle), handle]
            case "use":
                handles += client.register(stream, EXP, [handle], OUT)
            case "drop":
                client.drop(stream, handle)
            case "read":
                client.read(handle)
    for handle in handles:
        client.drop(handle.stream, handle)
    for tensor in range(client.next_id):
        statuses = [status for seen, status in server.uses if seen == tensor]
        assert statuses.count("ReadWrite") == 1
        assert statuses[-1] == "ReadWrite"
