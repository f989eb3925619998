"""The parts of the classroom that can be looked at alone: limits, mailboxes, results, settings."""

import asyncio
import csv
import io
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from examples import question, room, words
from hypothesis import given
from hypothesis import strategies as st
from phones import play

from fusionlab.classroom import codes, hub, limits, logs, results
from fusionlab.classroom.hub import Hub, Listener, News
from fusionlab.classroom.limits import Bucket, Limits, TooManyRequests, neighbourhood
from fusionlab.classroom.metrics import Metrics
from fusionlab.classroom.model import Poll, Room, RoomError, Stage
from fusionlab.classroom.process import store_of
from fusionlab.classroom.service import Classroom, clean_name
from fusionlab.classroom.settings import Settings, settings_from
from fusionlab.classroom.sqlite_store import SqliteStore
from fusionlab.classroom.store import Notice, StoreUnavailable, Student
from fusionlab.classroom.wire import Audience
from fusionlab.errors import ContentError


class Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


# --- limits ------------------------------------------------------------------------------------


def test_a_bucket_gives_its_burst_and_then_what_flows_in() -> None:
    time = Seconds()
    bucket = Bucket(3, 0.5, clock=time)
    for _ in range(3):
        bucket.take("a")
    with pytest.raises(TooManyRequests) as refused:
        bucket.take("a")
    assert refused.value.seconds == pytest.approx(2.0)
    time.now += 2.0
    bucket.take("a")


def test_one_caller_does_not_use_up_anothers_bucket() -> None:
    bucket = Bucket(1, 0.1, clock=Seconds())
    bucket.take("a")
    bucket.take("b")


def test_a_bucket_forgets_the_one_who_was_quiet_longest() -> None:
    bucket = Bucket(1, 0.001, clock=Seconds(), kept=2)
    for who in ("a", "b", "c"):
        bucket.take(who)
    bucket.take("a")
    with pytest.raises(TooManyRequests):
        bucket.take("c")


@given(st.lists(st.floats(0, 5), max_size=60))
def test_nobody_ever_gets_more_than_burst_and_flow(waits: list[float]) -> None:
    time = Seconds()
    bucket = Bucket(5, 2.0, clock=time)
    given_out = 0
    for wait in waits:
        time.now += wait
        try:
            bucket.take("a")
        except TooManyRequests:
            continue
        given_out += 1
    assert given_out <= 5 + 2.0 * time.now + 1e-6


@pytest.mark.parametrize(
    ("address", "counted_as"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("testclient", "unknown"),
        (None, "unknown"),
    ],
)
def test_what_one_person_can_easily_have_counts_as_one(address: str, counted_as: str) -> None:
    assert neighbourhood(address) == counted_as


@pytest.fixture
def classroom(tmp_path: Path):
    store = SqliteStore(tmp_path / "rooms.sqlite", seconds=3600)
    made = Classroom(store, Settings(data=tmp_path))
    yield made
    made.close()


def guess(classroom: Classroom, pin: str, address: str) -> str:
    try:
        classroom.join(pin, codes.new_token(), "", address)
    except RoomError as wrong:
        return wrong.code
    except TooManyRequests as slower:
        return slower.code
    return "in"


def wrong_pins(classroom: Classroom):
    while True:
        pin = codes.new_pin()
        if classroom.store.find(pin) is None:
            yield pin


def test_guessing_pins_stops_after_thirty_and_then_even_the_right_one_is_refused(
    classroom: Classroom,
) -> None:
    kept = classroom.open(codes.new_token(), "192.0.2.1")
    pins = wrong_pins(classroom)
    said = [guess(classroom, next(pins), "192.0.2.9") for _ in range(40)]
    assert said[:30] == ["code_unknown"] * 30
    assert set(said[31:]) == {"too_many"}
    assert guess(classroom, kept.pin, "192.0.2.9") == "too_many"
    assert guess(classroom, kept.pin, "192.0.2.10") == "in"


def test_many_addresses_together_do_not_guess_faster(classroom: Classroom) -> None:
    pins = wrong_pins(classroom)
    said = [guess(classroom, next(pins), f"192.0.2.{n % 250}") for n in range(400)]
    assert said.count("code_unknown") < 320
    assert said[-1] == "too_many"


def test_the_qr_code_lets_a_class_in_while_somebody_guesses(classroom: Classroom) -> None:
    kept = classroom.open(codes.new_token(), "192.0.2.1")
    pins = wrong_pins(classroom)
    for _ in range(35):
        guess(classroom, next(pins), "192.0.2.9")
    assert guess(classroom, kept.key, "192.0.2.9") == "in"


def test_a_hit_is_expected_after_days_though_rooms_live_for_one() -> None:
    pins = len(codes.PIN_LETTERS) ** codes.PIN_LENGTH
    per_second = Limits().all_wrong_pins._rate
    days = pins / 100 / per_second / 86_400
    assert days > 10
    assert Settings().room_hours / 24 <= 1


def test_voting_fast_is_slowed_down(classroom: Classroom) -> None:
    kept = classroom.open(codes.new_token(), "192.0.2.1")
    said: list[str] = []
    for _ in range(30):
        with pytest.raises((RoomError, TooManyRequests)) as refused:
            classroom.vote(kept.id, "student", "1/1", 0, 1)
        said.append(refused.value.code)
    assert said[:20] == ["kicked"] * 20
    assert said[-1] == "too_many"


# --- codes and names ---------------------------------------------------------------------------


@given(st.text(max_size=50))
def test_a_typed_pin_is_a_pin_or_nothing(typed: str) -> None:
    pin = codes.as_pin(typed)
    assert pin is None or (len(pin) == 6 and set(pin) <= set(codes.PIN_LETTERS))


@pytest.mark.parametrize("typed", ["kq7mx3", " KQ7 MX3 ", "kq7-mx3", "KQ7·MX3"])
def test_a_pin_may_be_typed_as_it_is_read(typed: str) -> None:
    assert codes.as_pin(typed) == "KQ7MX3"


def test_no_pin_has_letters_that_look_alike() -> None:
    assert not set("0O1IL") & set(codes.PIN_LETTERS)


@given(st.text(max_size=200))
def test_a_name_is_one_short_visible_line(typed: str) -> None:
    name = clean_name(typed)
    assert len(name) <= 40
    assert name == name.strip()
    assert name.isprintable()


def test_a_name_cannot_turn_the_text_around() -> None:
    assert clean_name("Ada\u202eevil\n\x00") == "Ada evil"
    assert clean_name("  小明  Li ") == "小明 Li"


# --- mailboxes ---------------------------------------------------------------------------------


def test_a_slow_listener_gets_the_newest_of_each_kind() -> None:
    async def scene() -> bytes:
        slow = Listener(Audience.STUDENT)
        for step in range(100):
            slow.put({"place": b"place %d;" % step})
        slow.put({"room": b"room;"})
        return await anext(slow.receive())

    assert play(scene()) == b"place 99;room;"


def test_a_listener_with_nothing_to_hear_gets_signs_of_life(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hub, "PING_SECONDS", 0.01)

    async def scene() -> bytes:
        return await anext(Listener(Audience.STUDENT).receive())

    assert play(scene()).startswith(b":")


def test_a_listener_who_is_sent_out_hears_the_last_word_and_nothing_more() -> None:
    async def scene() -> list[bytes]:
        listener = Listener(Audience.STUDENT)
        listener.put({"room": b"room;"})
        listener.end(b"gone;")
        return [part async for part in listener.receive()]

    assert play(scene()) == [b"room;gone;"]


def told(read, *notices: Notice, seconds: float = 0.5) -> tuple[list[bytes], Metrics]:
    """What one student hears after these notices."""

    async def scene() -> tuple[list[bytes], Metrics]:
        metrics = Metrics()
        with ThreadPoolExecutor(1) as workers:
            made = Hub(read, workers, metrics)
            listener = Listener(Audience.STUDENT, "s")
            made.add("room", listener)
            for notice in notices:
                made.notify("" if notice is Notice.ALL else "room", notice)
            heard: list[bytes] = []
            try:
                async with asyncio.timeout(seconds):
                    async for part in listener.receive():
                        heard += [part]
            except TimeoutError:
                made.remove("room", listener)
            return heard, metrics

    return play(scene())


def test_a_burst_of_changes_is_read_once_or_twice() -> None:
    reads: list[frozenset[Notice]] = []

    def read(_room: str, changed: frozenset[Notice], _who: object) -> News:
        reads.append(changed)
        return News({Audience.STUDENT: {"room": b"news;"}})

    heard, metrics = told(read, *[Notice.VOTES] * 50)
    assert 1 <= len(reads) <= 2
    assert heard
    assert metrics.streams == 0


def test_after_a_gap_every_room_is_read_again() -> None:
    reads: list[Notice] = []

    def read(_room: str, changed: frozenset[Notice], _who: object) -> News:
        reads.extend(changed)
        return News({Audience.STUDENT: {"room": b"news;"}})

    told(read, Notice.ALL)
    assert set(reads) == {Notice.ROOM, Notice.PLACE}


def test_a_store_that_does_not_answer_is_asked_again() -> None:
    attempts: list[int] = []

    def read(_room: str, _changed: object, _who: object) -> News:
        attempts.append(1)
        if len(attempts) < 3:
            raise StoreUnavailable("store_unavailable")
        return News({Audience.STUDENT: {"room": b"at last;"}})

    heard, _ = told(read, Notice.ROOM, seconds=1.5)
    assert heard == [b"at last;"]


# --- results -----------------------------------------------------------------------------------

ADA, LI = Student("a", 1, "Ada"), Student("b", 2, "=1+2")
GONE = Student("c", 3, "Eve", kicked=True)
VOTES = {1: {1: {"a": 0, "b": 3}, 2: {"a": 1}}}


def finished(stage: Stage = Stage.REVEALED) -> Room:
    return room(poll=Poll(1, question(), round=2, stage=stage))


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def test_the_table_has_a_line_for_each_student_and_question() -> None:
    rows = table(results.as_csv(finished(), [ADA, LI, GONE], VOTES, "en"))
    assert [(row["student"], row["round_1"], row["round_2"], row["truth"]) for row in rows] == [
        ("1", "A", "B", "B"),
        ("2", "D", "", "B"),
    ]


def test_a_name_never_becomes_a_formula_in_a_spreadsheet() -> None:
    rows = table(results.as_csv(finished(), [LI], VOTES, "en"))
    assert rows[0]["name"] == "'=1+2"


def test_an_open_round_is_not_in_the_results() -> None:
    rows = table(results.as_csv(finished(Stage.VOTING), [ADA], VOTES, "en"))
    assert (rows[0]["round_1"], rows[0]["round_2"]) == ("A", "")


def test_the_results_speak_the_teachers_language() -> None:
    assert words("630").zh in results.as_csv(finished(), [ADA], VOTES, "zh")
    document = json.loads(results.as_json(finished(), [ADA, LI, GONE], VOTES, "zh"))
    assert document["questions"][0]["rounds"] == [[1, 0, 0, 1], [0, 1, 0, 0]]
    assert document["questions"][0]["options"][1] == words("630").zh
    assert "Eve" not in json.dumps(document)


# --- settings, metrics, logs -------------------------------------------------------------------


def test_settings_come_from_the_environment() -> None:
    made = settings_from({"FUSIONLAB_ROOM_HOURS": "2", "FUSIONLAB_DATA": "/data"})
    assert (made.room_seconds, made.data, made.redis_url) == (7200.0, Path("/data"), None)


@pytest.mark.parametrize("value", ["many", "0", "-3", "1e12", "nan"])
def test_a_setting_that_is_no_number_stops_the_server(value: str) -> None:
    with pytest.raises(ContentError, match="setting_malformed"):
        settings_from({"FUSIONLAB_ROOMS": value})


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ContentError, match="data_unwritable"):
        store_of(Settings(data=tmp_path / "file" / "below"))


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rooms.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(ContentError, match="data_unwritable"):
        store_of(Settings(data=tmp_path))


def test_metrics_are_what_prometheus_reads(classroom: Classroom) -> None:
    classroom.open(codes.new_token(), "192.0.2.1")
    text = classroom.metrics.text()
    assert "fusionlab_rooms_opened_total 1" in text
    assert 'fusionlab_store_seconds_bucket{le="+Inf"} 1' in text
    for line in text.splitlines():
        name, _, value = line.rpartition(" ")
        assert line.startswith("# ") or (name and float(value) >= 0)


def test_the_log_holds_nothing_personal(
    classroom: Classroom, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("fusionlab.classroom"), "propagate", True)
    caplog.set_level(logging.INFO, "fusionlab.classroom")
    token, address = codes.new_token(), "192.0.2.1"
    kept = classroom.open(token, address)
    pupil = codes.new_token()
    classroom.join(kept.pin, pupil, "Ada Lovelace", address)
    lines = [logs._Line().format(record) for record in caplog.records]
    assert [json.loads(line)["event"] for line in lines] == ["room_opened", "joined"]
    for secret in (token, pupil, kept.pin, kept.key, "Ada", address):
        assert secret not in "".join(lines)


def test_limits_have_room_for_a_class_behind_one_address() -> None:
    made = Limits()
    for _ in range(100):
        made.joining.take("192.0.2.1")
        made.strangers.take("192.0.2.1")
    assert limits.EVERYBODY
