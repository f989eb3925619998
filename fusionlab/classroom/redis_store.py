"""Rooms in Redis: the keeper for many servers behind one address.

Every change is one script, so it happens as a whole or not at all, and is told to all servers by
publish and subscribe. Redis must write each change to its log before it answers
(``appendonly yes``, ``appendfsync always``); ``warnings`` tells whether it does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from fusionlab.classroom import codec
from fusionlab.classroom import redis_scripts as scripts
from fusionlab.classroom.model import Room, RoomError
from fusionlab.classroom.store import (
    FRESH_SECONDS,
    Counted,
    Listener,
    Notice,
    Pass,
    Place,
    Role,
    StoreUnavailable,
    Student,
)

_PREFIX = "fusionlab"
_CHANNEL = f"{_PREFIX}:notices"
_ROOMS = f"{_PREFIX}:rooms"
_ANSWER_SECONDS = 2.0
_RETRY_SECONDS = 0.3
_FRESH = int(FRESH_SECONDS * 1000)


def _client(url: str, attempts: int) -> Any:
    return redis.Redis.from_url(
        url,
        decode_responses=True,
        socket_timeout=_ANSWER_SECONDS,
        socket_connect_timeout=_ANSWER_SECONDS,
        retry=Retry(NoBackoff(), attempts),
    )


def _key(room: str, kind: str) -> str:
    return f"{_PREFIX}:{room}:{kind}"


class RedisStore:
    """A ``RoomStore`` in a Redis server."""

    def __init__(
        self,
        url: str,
        *,
        seconds: float,
        limit: int = 1000,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Name the server; nothing is asked of it yet.

        Args:
            url: For example ``redis://localhost:6379/0``.
            seconds: How long a room is kept after the last move in it.
            limit: How many rooms may be kept at once.
            clock: The time, in seconds since the epoch.
        """
        self._milliseconds = int(seconds * 1000)
        self._limit = limit
        self._clock = clock
        self._closed = threading.Event()
        self._followers: list[threading.Thread] = []
        # One attempt on a new connection when a kept one turns out to be dead: all calls may be
        # repeated. Longer waits are the browser's business, which asks again anyway.
        self._redis = _client(url, attempts=1)
        # None here: a reconnection that nobody notices would lose notices.
        self._notices = _client(url, attempts=0)
        self._scripts = {
            name: self._redis.register_script(getattr(scripts, name))
            for name in ("CREATE", "SAVE", "JOIN", "KICK", "VOTE", "MOVE_TO")
        }

    @contextmanager
    def _asking(self) -> Iterator[Any]:
        try:
            yield self._redis
        except redis.RedisError as problem:
            raise StoreUnavailable("store_unavailable") from problem

    def _run(self, script: str, keys: Sequence[str], args: Iterable[object]) -> Any:
        with self._asking():
            return self._scripts[script](keys=keys, args=[str(arg) for arg in args])

    def warnings(self) -> list[str]:
        """What of the server's settings would lose votes when it is killed."""
        wanted = {"appendonly": "yes", "appendfsync": "always"}
        with self._asking() as server:
            found = {name: server.config_get(name).get(name) for name in wanted}
        return [f"{name} {found[name]}" for name in wanted if found[name] != wanted[name]]

    def create(self, room: Room, teacher: str) -> Room:
        keys = [_key(room.id, "room"), _key(room.id, "passes")]
        keys += [f"{_PREFIX}:code:{room.pin}", f"{_PREFIX}:code:{room.key}"]
        keys += [f"{_PREFIX}:opened:{teacher}", _ROOMS]
        args: list[object] = [
            room.id,
            room.seq,
            codec.dump(room),
            teacher,
            f"{Role.TEACHER.value} ",
        ]
        args += [min(self._milliseconds, _FRESH), self._limit, self._now()]
        match self._run("CREATE", keys, args):
            case ["new", _]:
                return room
            case ["known", earlier] if known := self.load(earlier):
                return known
            case ["full", _]:
                raise RoomError("rooms_full", size=self._limit)
            case _:
                raise RoomError("pin_taken")

    def _now(self) -> int:
        return int(self._clock() * 1000)

    def load(self, room: str) -> Room | None:
        with self._asking() as server:
            body = server.hget(_key(room, "room"), "body")
        return codec.load(body) if body else None

    def find(self, code: str) -> str | None:
        with self._asking() as server:
            found: str | None = server.get(f"{_PREFIX}:code:{code}")
        return found

    def save(self, room: Room, expected: int) -> bool:
        keys = [_key(room.id, "room"), _ROOMS]
        keys += [_key(room.id, kind) for kind in ("passes", "people", "kicked")]
        keys += [f"{_PREFIX}:code:{room.pin}", f"{_PREFIX}:code:{room.key}"]
        keys += [_key(room.id, f"votes:{poll}") for poll in range(1, len(room.past) + 2)]
        args: list[object] = [room.id, expected, room.seq, room.ballot or "", codec.dump(room)]
        args += [self._milliseconds, self._now(), *_told(room.id, Notice.ROOM)]
        return bool(self._run("SAVE", keys, args))

    def admit(self, room: str, token: str, pass_: Pass, seconds: float | None = None) -> None:
        value = f"{pass_.role.value} {pass_.student}"
        if seconds is not None:
            value += f" {self._now() + int(seconds * 1000)}"
        key = _key(room, "passes")
        with self._asking() as server:
            left = server.pttl(_key(room, "room"))
            if left > 0:
                server.pipeline().hset(key, token, value).pexpire(key, left).execute()

    def revoke(self, room: str, token: str) -> bool:
        valid = self.who(room, token) is not None
        with self._asking() as server:
            return bool(server.hdel(_key(room, "passes"), token)) and valid

    def who(self, room: str, token: str) -> Pass | None:
        with self._asking() as server:
            value = server.hget(_key(room, "passes"), token)
        role, _, rest = (value or "").partition(" ")
        student, _, expires = rest.partition(" ")
        if not role or (expires and int(expires) <= self._now()):
            return None
        return Pass(Role(role), student)

    def join(self, room: str, token: str, student: Student, limit: int) -> Student:
        keys = [_key(room, kind) for kind in ("room", "passes", "people")]
        args = [token, student.id, student.name, limit, *_told(room, Notice.PEOPLE)]
        match self._run("JOIN", keys, args):
            case ["new", number]:
                return Student(student.id, int(number), student.name)
            case ["known", value]:
                known = value.split(" ")[1]
                return next(one for one in self.students(room) if one.id == known)
            case ["full", _]:
                raise RoomError("room_full", size=limit)
            case _:
                raise RoomError("room_unknown")

    def students(self, room: str) -> Sequence[Student]:
        with self._asking() as server:
            reading = server.pipeline(transaction=True)
            reading.hgetall(_key(room, "people")).smembers(_key(room, "kicked"))
            people, kicked = reading.execute()
        everybody = [_student(one, text, kicked) for one, text in people.items()]
        return sorted(everybody, key=lambda student: student.number)

    def kick(self, room: str, student: str) -> bool:
        keys = [_key(room, kind) for kind in ("room", "people", "kicked")]
        return bool(self._run("KICK", keys, [student, *_told(room, Notice.PEOPLE)]))

    def vote(self, room: str, ballot: str, student: str, choice: int, turn: int) -> Counted:
        poll, _, round_ = ballot.partition("/")
        keys = [_key(room, kind) for kind in ("room", "people", "kicked", f"votes:{poll}")]
        args = [ballot, student, round_, choice, turn, *_told(room, Notice.VOTES)]
        return Counted(self._run("VOTE", keys, args))

    def votes(self, room: str, poll: int) -> Mapping[int, Mapping[str, int]]:
        with self._asking() as server:
            reading = server.pipeline(transaction=True)
            reading.hgetall(_key(room, f"votes:{poll}")).smembers(_key(room, "kicked"))
            votes, kicked = reading.execute()
        rounds: dict[int, dict[str, int]] = {1: {}, 2: {}}
        for field, choice in votes.items():
            round_, _, student = field.partition(" ")
            if student not in kicked:
                rounds[int(round_)][student] = int(choice.partition(" ")[0])
        return rounds

    def place(self, room: str) -> Place:
        with self._asking() as server:
            found = server.hmget(_key(room, "room"), "showing", "step", "level", "by")
        if None in found:
            return Place()
        showing, step, level, by = found
        return Place(int(showing), int(step), int(level), by)

    def move_to(self, room: str, place: Place) -> None:
        where = [place.showing, place.step, place.level, place.by]
        self._run("MOVE_TO", [_key(room, "room")], [*where, *_told(room, Notice.PLACE)])

    def listen(self, listener: Listener) -> None:
        follower = threading.Thread(
            target=self._follow, args=(listener,), name="classroom-notices", daemon=True
        )
        self._followers.append(follower)
        follower.start()

    def _follow(self, listener: Listener) -> None:
        while not self._closed.is_set():
            try:
                with self._notices.pubsub() as channel:
                    channel.subscribe(_CHANNEL)
                    self._tell_all(channel, listener)
            except redis.RedisError:
                self._closed.wait(_RETRY_SECONDS)

    def _tell_all(self, channel: Any, listener: Listener) -> None:
        """Pass notices on until the connection breaks, or does not answer when it is asked."""
        heard = asked = time.monotonic()
        while not self._closed.is_set():
            message = channel.get_message(timeout=1.0)
            now = time.monotonic()
            if message is not None:
                heard = now
                _pass_on(message, listener)
            elif now - heard > 2 * _ANSWER_SECONDS:
                raise redis.ConnectionError("silent")
            elif now - asked > _ANSWER_SECONDS:
                asked = now
                channel.ping()

    def ready(self) -> bool:
        try:
            with self._asking() as server:
                return bool(server.ping())
        except StoreUnavailable:
            return False

    def close(self) -> None:
        self._closed.set()
        for follower in self._followers:
            follower.join(2 * _ANSWER_SECONDS)
        self._redis.close()
        self._notices.close()


def _pass_on(message: Mapping[str, Any], listener: Listener) -> None:
    match message["type"]:
        case "subscribe":
            # What happened before now was not heard.
            listener("", Notice.ALL)
        case "message":
            room, _, notice = message["data"].partition(" ")
            listener(room, Notice(notice))


def _told(room: str, notice: Notice) -> tuple[str, str]:
    return _CHANNEL, f"{room} {notice.value}"


def _student(student: str, text: str, kicked: set[str]) -> Student:
    number, _, name = text.partition(" ")
    return Student(student, int(number), name, student in kicked)
