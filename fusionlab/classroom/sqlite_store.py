"""Rooms in one SQLite file: the keeper for one server.

Each call is one transaction in a write-ahead log that is flushed to the disk before the call
returns, so neither a killed process nor a power cut takes back what was acknowledged. One
connection and one lock: a commit takes a few milliseconds, and a class makes some dozens a second.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from fusionlab.classroom import codec
from fusionlab.classroom import sqlite_schema as sql
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

_SWEEP_SECONDS = 60.0


class SqliteStore:
    """A ``RoomStore`` in one file."""

    def __init__(
        self,
        path: Path,
        *,
        seconds: float,
        limit: int = 1000,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the file, make it if there is none.

        Args:
            path: The file; its folder must exist.
            seconds: How long a room is kept after the last move in it.
            limit: How many rooms may be kept at once.
            clock: The time, in seconds since the epoch.

        Raises:
            StoreUnavailable: The file cannot be opened or is no such file.
        """
        self._seconds = seconds
        self._limit = limit
        self._clock = clock
        self._lock = threading.Lock()
        self._listeners: list[Listener] = []
        self._swept = 0.0
        self._db = sql.opened(path)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock:
                yield self._db
        except sqlite3.Error as problem:
            raise StoreUnavailable("store_unavailable") from problem

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def create(self, room: Room, teacher: str) -> Room:
        now = self._clock()
        with self._writing() as db:
            self._sweep(db, now)
            if known := self._opened_by(db, teacher, now):
                return known
            if db.execute("SELECT count(*) FROM rooms").fetchone()[0] >= self._limit:
                raise RoomError("rooms_full", size=self._limit)
            self._insert(db, room, now)
            self._admit(db, room.id, teacher, Pass(Role.TEACHER), None)
        return room

    def _opened_by(self, db: sqlite3.Connection, teacher: str, now: float) -> Room | None:
        found = db.execute("SELECT room FROM passes WHERE token = ?", (teacher,)).fetchone()
        return self._load(db, found[0], now) if found else None

    def _insert(self, db: sqlite3.Connection, room: Room, now: float) -> None:
        row = (room.id, room.pin, room.key, room.seq, room.ballot, codec.dump(room))
        try:
            db.execute(
                "INSERT INTO rooms (id, pin, key, seq, ballot, body, expires)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*row, now + min(self._seconds, FRESH_SECONDS)),
            )
        except sqlite3.IntegrityError as problem:
            raise RoomError("pin_taken") from problem

    def _sweep(self, db: sqlite3.Connection, now: float) -> None:
        if now - self._swept >= _SWEEP_SECONDS:
            db.execute("DELETE FROM rooms WHERE expires <= ?", (now,))
            self._swept = now

    def load(self, room: str) -> Room | None:
        with self._reading() as db:
            return self._load(db, room, self._clock())

    def _load(self, db: sqlite3.Connection, room: str, now: float) -> Room | None:
        found = db.execute(
            "SELECT body FROM rooms WHERE id = ? AND expires > ?", (room, now)
        ).fetchone()
        return codec.load(found[0]) if found else None

    def find(self, code: str) -> str | None:
        with self._reading() as db:
            found = db.execute(
                "SELECT id FROM rooms WHERE (pin = ?1 OR key = ?1) AND expires > ?2",
                (code, self._clock()),
            ).fetchone()
        return found[0] if found else None

    def save(self, room: Room, expected: int) -> bool:
        now = self._clock()
        with self._writing() as db:
            values = (room.seq, room.ballot, codec.dump(room), now + self._seconds)
            changed = db.execute(
                "UPDATE rooms SET seq = ?, ballot = ?, body = ?, expires = ?"
                " WHERE id = ? AND seq = ? AND expires > ?",
                (*values, room.id, expected, now),
            ).rowcount
        if changed:
            self._tell(room.id, Notice.ROOM)
        return bool(changed)

    def admit(self, room: str, token: str, pass_: Pass, seconds: float | None = None) -> None:
        expires = None if seconds is None else self._clock() + seconds
        with self._writing() as db:
            self._admit(db, room, token, pass_, expires)

    def _admit(
        self, db: sqlite3.Connection, room: str, token: str, pass_: Pass, expires: float | None
    ) -> None:
        db.execute(
            "INSERT OR REPLACE INTO passes (room, token, role, student, expires)"
            " VALUES (?, ?, ?, ?, ?)",
            (room, token, pass_.role.value, pass_.student, expires),
        )

    def revoke(self, room: str, token: str) -> bool:
        with self._writing() as db:
            gone = db.execute(
                "DELETE FROM passes WHERE room = ? AND token = ?"
                " AND (expires IS NULL OR expires > ?)",
                (room, token, self._clock()),
            )
            return bool(gone.rowcount)

    def who(self, room: str, token: str) -> Pass | None:
        with self._reading() as db:
            return self._who(db, room, token, self._clock())

    def _who(self, db: sqlite3.Connection, room: str, token: str, now: float) -> Pass | None:
        found = db.execute(sql.WHO, {"room": room, "token": token, "now": now}).fetchone()
        return Pass(Role(found[0]), found[1]) if found else None

    def join(self, room: str, token: str, student: Student, limit: int) -> Student:
        now = self._clock()
        with self._writing() as db:
            earlier = self._who(db, room, token, now)
            if earlier is not None and earlier.student:
                return self._student(db, room, earlier.student)
            number = (
                1
                + db.execute("SELECT count(*) FROM students WHERE room = ?", (room,)).fetchone()[0]
            )
            if number > limit:
                raise RoomError("room_full", size=limit)
            db.execute(
                "INSERT INTO students (room, id, number, name) VALUES (?, ?, ?, ?)",
                (room, student.id, number, student.name),
            )
            self._admit(db, room, token, Pass(Role.STUDENT, student.id), None)
        self._tell(room, Notice.PEOPLE)
        return Student(student.id, number, student.name)

    def _student(self, db: sqlite3.Connection, room: str, student: str) -> Student:
        row = db.execute(
            "SELECT id, number, name, kicked FROM students WHERE room = ? AND id = ?",
            (room, student),
        ).fetchone()
        return Student(row[0], row[1], row[2], bool(row[3]))

    def students(self, room: str) -> Sequence[Student]:
        with self._reading() as db:
            rows = db.execute(
                "SELECT id, number, name, kicked FROM students WHERE room = ? ORDER BY number",
                (room,),
            ).fetchall()
        return [Student(row[0], row[1], row[2], bool(row[3])) for row in rows]

    def kick(self, room: str, student: str) -> bool:
        with self._writing() as db:
            gone = db.execute(
                "UPDATE students SET kicked = 1 WHERE room = ? AND id = ?", (room, student)
            ).rowcount
        self._tell(room, Notice.PEOPLE)
        return bool(gone)

    def vote(self, room: str, ballot: str, student: str, choice: int, turn: int) -> Counted:
        values: dict[str, str | float] = {"room": room, "ballot": ballot, "student": student}
        values |= {"choice": choice, "turn": turn, "now": self._clock()}
        with self._writing() as db:
            if db.execute(sql.VOTE, values).rowcount:
                counted = Counted.YES
            else:
                newer = db.execute(sql.NEWER, values).fetchone()
                counted = Counted.OUTDATED if newer else Counted.NOT_OPEN
        if counted is Counted.YES:
            self._tell(room, Notice.VOTES)
        return counted

    def votes(self, room: str, poll: int) -> Mapping[int, Mapping[str, int]]:
        with self._reading() as db:
            rows = db.execute(
                "SELECT ballot, student, choice FROM votes JOIN students"
                " ON students.room = votes.room AND students.id = votes.student"
                " WHERE votes.room = ? AND ballot IN (?, ?) AND NOT kicked",
                (room, f"{poll}/1", f"{poll}/2"),
            ).fetchall()
        rounds: dict[int, dict[str, int]] = {1: {}, 2: {}}
        for ballot, student, choice in rows:
            rounds[int(ballot.rpartition("/")[2])][student] = choice
        return rounds

    def place(self, room: str) -> Place:
        with self._reading() as db:
            row = db.execute(
                "SELECT showing, step, level, moved_by FROM rooms WHERE id = ?", (room,)
            ).fetchone()
        return Place(*row) if row else Place()

    def move_to(self, room: str, place: Place) -> None:
        with self._writing() as db:
            db.execute(
                "UPDATE rooms SET showing = ?, step = ?, level = ?, moved_by = ? WHERE id = ?",
                (place.showing, place.step, place.level, place.by, room),
            )
        self._tell(room, Notice.PLACE)

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def _tell(self, room: str, notice: Notice) -> None:
        for listener in self._listeners:
            listener(room, notice)

    def ready(self) -> bool:
        try:
            with self._reading() as db:
                db.execute("SELECT 1")
        except StoreUnavailable:
            return False
        return True

    def close(self) -> None:
        with self._lock:
            self._db.close()
