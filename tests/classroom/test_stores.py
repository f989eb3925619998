"""What both keepers of rooms promise: the file and Redis, held to the same sentences."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
import redis
from examples import DAY, Clock, question, room
from services import wait_for

from fusionlab.classroom.codes import hashed, new_id, new_token
from fusionlab.classroom.model import Ask, CloseRound, Room, RoomError, VoteAgain, after
from fusionlab.classroom.redis_store import RedisStore
from fusionlab.classroom.sqlite_store import SqliteStore
from fusionlab.classroom.store import (
    FRESH_SECONDS,
    Counted,
    Notice,
    Pass,
    Place,
    Role,
    RoomStore,
    Student,
)


def opened(store: RoomStore, **changes: object) -> Room:
    return store.create(room(deck=(question("a"), question("b")), **changes), hashed(new_token()))


def asking(store: RoomStore) -> Room:
    """Open a room whose first question takes votes."""
    before = opened(store)
    now = after(before, Ask())
    assert store.save(now, before.seq)
    return now


def joined(store: RoomStore, where: Room, name: str = "") -> Student:
    return store.join(where.id, hashed(new_token()), Student(new_id(), 0, name), 300)


def test_a_room_is_found_by_pin_and_by_key(store: RoomStore) -> None:
    kept = opened(store)
    assert store.find(kept.pin) == store.find(kept.key) == kept.id
    assert store.load(kept.id) == kept


def test_an_unknown_code_finds_nothing(store: RoomStore) -> None:
    assert store.find("222222") is None
    assert store.load(new_id()) is None


def test_a_teacher_who_asks_twice_opens_one_room(store: RoomStore) -> None:
    token = hashed(new_token())
    first = store.create(room(), token)
    assert store.create(room(), token) == first
    assert store.who(first.id, token) == Pass(Role.TEACHER)


def test_a_pin_belongs_to_one_room(store: RoomStore) -> None:
    kept = opened(store)
    with pytest.raises(RoomError, match="pin_taken"):
        store.create(replace(room(), pin=kept.pin), hashed(new_token()))


def test_a_token_opens_only_its_own_room(store: RoomStore) -> None:
    token = hashed(new_token())
    store.create(room(), token)
    other = opened(store)
    assert store.who(other.id, token) is None


def test_a_room_that_somebody_else_has_changed_is_not_overwritten(store: RoomStore) -> None:
    kept = opened(store)
    mine, theirs = after(kept, Ask("a")), after(kept, Ask("b"))
    assert store.save(theirs, kept.seq)
    assert not store.save(mine, kept.seq)
    assert store.load(kept.id) == theirs


def test_people_are_numbered_as_they_come(store: RoomStore) -> None:
    kept = opened(store)
    names = ["Ada", "小明 Li", ""]
    assert [joined(store, kept, name).number for name in names] == [1, 2, 3]
    assert [one.name for one in store.students(kept.id)] == names


def test_joining_twice_with_one_token_is_joining_once(store: RoomStore) -> None:
    kept, token = opened(store), hashed(new_token())
    first = store.join(kept.id, token, Student(new_id(), 0, "Ada"), 300)
    again = store.join(kept.id, token, Student(new_id(), 0, "Ada"), 300)
    assert again == first
    assert store.who(kept.id, token) == Pass(Role.STUDENT, first.id)


def test_a_room_has_a_last_seat(store: RoomStore) -> None:
    kept = opened(store)
    store.join(kept.id, hashed(new_token()), Student(new_id(), 0, ""), 1)
    with pytest.raises(RoomError, match="room_full"):
        store.join(kept.id, hashed(new_token()), Student(new_id(), 0, ""), 1)


def test_a_vote_counts_once_however_often_it_is_sent(store: RoomStore) -> None:
    kept = asking(store)
    student = joined(store, kept)
    for turn, choice in enumerate((0, 2, 2)):
        assert store.vote(kept.id, "1/1", student.id, choice, turn) is Counted.YES
    assert store.votes(kept.id, 1) == {1: {student.id: 2}, 2: {}}


def test_a_vote_that_was_held_up_does_not_replace_a_newer_one(store: RoomStore) -> None:
    kept = asking(store)
    student = joined(store, kept)
    assert store.vote(kept.id, "1/1", student.id, 3, turn=2) is Counted.YES
    assert store.vote(kept.id, "1/1", student.id, 0, turn=1) is Counted.OUTDATED
    assert store.votes(kept.id, 1)[1] == {student.id: 3}


def test_the_two_rounds_are_kept_apart(store: RoomStore) -> None:
    kept = asking(store)
    student = joined(store, kept)
    store.vote(kept.id, "1/1", student.id, 0, 1)
    again = after(after(kept, CloseRound()), VoteAgain())
    assert store.save(again, kept.seq)
    store.vote(kept.id, "1/2", student.id, 1, 1)
    assert store.votes(kept.id, 1) == {1: {student.id: 0}, 2: {student.id: 1}}


@pytest.mark.parametrize("ballot", ["1/2", "2/1", "", "x"])
def test_a_vote_in_a_round_that_is_not_open_does_not_count(store: RoomStore, ballot: str) -> None:
    kept = asking(store)
    student = joined(store, kept)
    assert store.vote(kept.id, ballot, student.id, 0, 1) is Counted.NOT_OPEN
    assert store.votes(kept.id, 1) == {1: {}, 2: {}}


def test_a_vote_after_the_close_does_not_count(store: RoomStore) -> None:
    kept = asking(store)
    student = joined(store, kept)
    assert store.save(after(kept, CloseRound()), kept.seq)
    assert store.vote(kept.id, "1/1", student.id, 0, 1) is Counted.NOT_OPEN


def test_a_stranger_cannot_vote(store: RoomStore) -> None:
    kept, other = asking(store), asking(store)
    student = joined(store, other)
    assert store.vote(kept.id, "1/1", student.id, 0, 1) is Counted.NOT_OPEN


def test_whoever_is_sent_out_does_not_count(store: RoomStore) -> None:
    kept = asking(store)
    student = joined(store, kept)
    store.vote(kept.id, "1/1", student.id, 0, 1)
    assert store.kick(kept.id, student.id)
    assert store.votes(kept.id, 1)[1] == {}
    assert store.vote(kept.id, "1/1", student.id, 1, 2) is Counted.NOT_OPEN
    assert [one.kicked for one in store.students(kept.id)] == [True]
    assert not store.kick(kept.id, new_id())


def test_votes_of_many_at_once_are_all_counted(store: RoomStore) -> None:
    kept = asking(store)
    people = [joined(store, kept) for _ in range(24)]

    def vote_five_times(student: Student) -> None:
        for choice in range(4):
            assert store.vote(kept.id, "1/1", student.id, choice, choice) is Counted.YES

    threads = [threading.Thread(target=vote_five_times, args=(one,)) for one in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.votes(kept.id, 1)[1] == {one.id: 3 for one in people}


def test_a_round_that_closes_while_all_vote_has_one_result(store: RoomStore) -> None:
    kept = asking(store)
    people = [joined(store, kept) for _ in range(16)]
    counted: list[str] = []

    def vote(student: Student) -> None:
        if store.vote(kept.id, "1/1", student.id, 1, 1) is Counted.YES:
            counted.append(student.id)

    threads = [threading.Thread(target=vote, args=(one,)) for one in people]
    for thread in threads[:8]:
        thread.start()
    assert store.save(after(kept, CloseRound()), kept.seq)
    for thread in threads[8:]:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(store.votes(kept.id, 1)[1]) == set(counted)
    assert not {one.id for one in people[8:]} & set(counted)


def test_a_pairing_serves_once(store: RoomStore) -> None:
    kept, code = opened(store), hashed(new_token())
    store.admit(kept.id, code, Pass(Role.PAIRING), 120.0)
    assert store.who(kept.id, code) == Pass(Role.PAIRING)
    assert [store.revoke(kept.id, code) for _ in range(2)] == [True, False]
    assert store.who(kept.id, code) is None


def test_a_pairing_runs_out(store: RoomStore, clock: Clock) -> None:
    kept, code = opened(store), hashed(new_token())
    store.admit(kept.id, code, Pass(Role.PAIRING), 120.0)
    clock.now += 121.0
    assert store.who(kept.id, code) is None
    assert not store.revoke(kept.id, code)


def test_the_step_on_screen_is_the_last_one_sent(store: RoomStore) -> None:
    kept = opened(store)
    assert store.place(kept.id) == Place()
    for step in (3, 17):
        store.move_to(kept.id, Place(1, step, 2, "window"))
    assert store.place(kept.id) == Place(1, 17, 2, "window")


@pytest.mark.parametrize(
    ("change", "notice"),
    [
        (lambda store, kept, _: store.save(after(kept, CloseRound()), kept.seq), Notice.ROOM),
        (lambda store, kept, one: store.vote(kept.id, "1/1", one.id, 0, 1), Notice.VOTES),
        (lambda store, kept, one: store.kick(kept.id, one.id), Notice.PEOPLE),
        (lambda store, kept, _: joined(store, kept), Notice.PEOPLE),
        (lambda store, kept, _: store.move_to(kept.id, Place(1, 2, 1)), Notice.PLACE),
    ],
    ids=["a move", "a vote", "somebody sent out", "somebody new", "a step"],
)
def test_a_change_is_told(
    store: RoomStore, change: Callable[[RoomStore, Room, Student], object], notice: Notice
) -> None:
    kept = asking(store)
    student = joined(store, kept)
    told: list[tuple[str, Notice]] = []
    store.listen(lambda where, what: told.append((where, what)))
    # Another server's listener first says that it may have missed something.
    if isinstance(store, RedisStore):
        wait_for(lambda: ("", Notice.ALL) in told, what="the subscription")
    change(store, kept, student)
    wait_for(lambda: (kept.id, notice) in told, what=f"the notice {notice}")


def test_there_is_a_limit_of_rooms(tmp_path, clock: Clock) -> None:
    store = SqliteStore(tmp_path / "few.sqlite", seconds=DAY, limit=1, clock=clock)
    opened(store)
    with pytest.raises(RoomError, match="rooms_full"):
        opened(store)
    clock.now += DAY + 1
    opened(store)
    store.close()


def test_a_room_is_forgotten_a_day_after_the_last_move(tmp_path, clock: Clock) -> None:
    store = SqliteStore(tmp_path / "old.sqlite", seconds=DAY, clock=clock)
    kept = asking(store)
    student = joined(store, kept)
    store.vote(kept.id, "1/1", student.id, 0, 1)
    clock.now += DAY + 1
    assert store.load(kept.id) is None
    assert store.find(kept.pin) is None
    opened(store)
    left = "SELECT room FROM passes UNION SELECT room FROM students UNION SELECT room FROM votes"
    assert (kept.id,) not in store._db.execute(left).fetchall()
    store.close()


def test_a_room_that_is_never_used_goes_within_hours(tmp_path, clock: Clock) -> None:
    store = SqliteStore(tmp_path / "unused.sqlite", seconds=DAY, clock=clock)
    unused, used = opened(store), asking(store)
    clock.now += FRESH_SECONDS + 1
    assert store.load(unused.id) is None
    assert store.load(used.id) == used
    store.close()


def test_redis_keeps_an_unused_room_for_hours_and_a_used_one_for_a_day(
    redis_server, clock: Clock
) -> None:
    store = RedisStore(redis_server.url, seconds=DAY, clock=clock)
    client = redis.Redis.from_url(redis_server.url)
    unused, used = opened(store), asking(store)
    left = [client.pttl(f"fusionlab:{one.id}:room") / 1000 for one in (unused, used)]
    assert left == pytest.approx([FRESH_SECONDS, DAY], abs=60)
    client.close()
    store.close()


def test_redis_forgets_every_key_of_a_room(redis_server, clock: Clock) -> None:
    store = RedisStore(redis_server.url, seconds=DAY, clock=clock)
    kept = asking(store)
    student = joined(store, kept)
    store.vote(kept.id, "1/1", student.id, 0, 1)
    store.kick(kept.id, student.id)
    store.admit(kept.id, hashed(new_token()), Pass(Role.PAIRING), 60.0)
    client = redis.Redis.from_url(redis_server.url, decode_responses=True)
    keys = [*client.scan_iter(f"fusionlab:{kept.id}:*"), *client.scan_iter("fusionlab:code:*")]
    assert len(keys) >= 7
    assert {key for key in keys if client.pttl(key) <= 0} == set()
    client.close()
    store.close()


def test_redis_says_when_it_would_lose_votes(redis_server, clock: Clock) -> None:
    store = RedisStore(redis_server.url, seconds=DAY, clock=clock)
    assert store.warnings() == []
    client = redis.Redis.from_url(redis_server.url, decode_responses=True)
    client.config_set("appendfsync", "everysec")
    assert store.warnings() == ["appendfsync everysec"]
    client.config_set("appendfsync", "always")
    client.close()
    store.close()
