"""What a person may do in a room, and what happens then.

In: a token and a wish. Out: a changed room, told to everybody who listens. Every call may block for
a few milliseconds and may be made from any thread: routes call it on a worker, Streamlit pages
directly.

Errors are ``RoomError`` (the room says no), ``TooManyRequests`` and ``StoreUnavailable``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import assert_never

from fusionlab.classroom import logs
from fusionlab.classroom.codes import (
    as_pin,
    hashed,
    is_id,
    is_key,
    is_token,
    new_id,
    new_key,
    new_pin,
    new_token,
)
from fusionlab.classroom.hub import Hub, News, message
from fusionlab.classroom.limits import EVERYBODY, Limits
from fusionlab.classroom.metrics import Metrics
from fusionlab.classroom.model import Move, Prepare, Room, RoomError, after
from fusionlab.classroom.question import Question
from fusionlab.classroom.settings import Settings
from fusionlab.classroom.store import Counted, Notice, Pass, Place, Role, RoomStore, Student
from fusionlab.classroom.wire import Audience, State, own_view, place_view, view

PAIRING_SECONDS = 120.0
LONGEST_NAME = 40
_ATTEMPTS = 8
_WORKERS = 8


class Classroom:
    """All rooms of this server."""

    def __init__(
        self,
        store: RoomStore,
        settings: Settings,
        *,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Serve the rooms of a store."""
        self.store = store
        self.settings = settings
        self.limits = limits or Limits()
        self.metrics = Metrics()
        self.workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="classroom")
        self.hub = Hub(self._news, self.workers, self.metrics)
        self._clock = clock
        store.listen(self.hub.notify)

    def close(self) -> None:
        """Hang up, and let go of the store."""
        self.workers.shutdown(wait=True, cancel_futures=True)
        self.store.close()

    # --- coming in ---------------------------------------------------------------------------

    def open(self, token: str, address: str) -> Room:
        """Open a room for the teacher who holds the token; asking twice opens one."""
        secret = _hashed(token)
        self.limits.opening.take(address)
        for _ in range(_ATTEMPTS):
            try:
                with self._timed():
                    room = self.store.create(Room(new_id(), new_pin(), new_key()), secret)
            except RoomError as taken:
                if taken.code != "pin_taken":
                    raise
                continue
            self.metrics.opened.add()
            logs.note("room_opened", room=room.id)
            return room
        raise RoomError("rooms_full", size=self.settings.rooms)

    def join(self, code: str, token: str, name: str, address: str) -> tuple[Room, Student]:
        """Let somebody in by PIN or key; joining twice with one token is joining once."""
        secret = _hashed(token)
        self.limits.joining.take(address)
        room = self._found(code, address)
        if room.locked and self.store.who(room.id, secret) is None:
            raise RoomError("room_locked")
        newcomer = Student(new_id(), 0, clean_name(name))
        with self._timed():
            student = self.store.join(room.id, secret, newcomer, self.settings.room_people)
        if student.kicked:
            raise RoomError("kicked")
        self.metrics.joined.add()
        logs.note("joined", room=room.id, number=student.number)
        return room, student

    def _found(self, code: str, address: str) -> Room:
        """The open room of a code; a wrong PIN costs, a wrong key cannot be guessed anyway."""
        pin = as_pin(code)
        guesses = ((self.limits.wrong_pins, address), (self.limits.all_wrong_pins, EVERYBODY))
        known = code if is_key(code) else pin
        if pin is not None:
            for bucket, who in guesses:
                bucket.check(who)
        found = self.store.find(known) if known else None
        room = self.store.load(found) if found else None
        if room is None or room.ended:
            for bucket, who in guesses:
                bucket.take(who)
            raise RoomError("code_unknown")
        return room

    def enter(self, room: str, token: str) -> Pass:
        """Who shows this token in this room.

        Raises:
            RoomError: ``not_allowed``, the same for a room that is not there.
        """
        found = self.store.who(room, hashed(token)) if is_id(room) and is_token(token) else None
        if found is None or found.role is Role.PAIRING:
            raise RoomError("not_allowed")
        return found

    def pair(self, room: str) -> str:
        """A code by which the teacher's phone can become a remote; once, and for two minutes."""
        code = new_token()
        self.store.admit(room, hashed(code), Pass(Role.PAIRING), PAIRING_SECONDS)
        return code

    def take_over(self, room: str, code: str, token: str) -> None:
        """Make the holder of a token a teacher too, for a pairing code."""
        secret = _hashed(token)
        if not is_id(room) or not is_token(code):
            raise RoomError("not_allowed")
        found = self.store.who(room, hashed(code))
        if found is None or found.role is not Role.PAIRING:
            raise RoomError("not_allowed")
        if not self.store.revoke(room, hashed(code)):
            raise RoomError("not_allowed")
        self.store.admit(room, secret, Pass(Role.TEACHER))

    # --- what a teacher does -----------------------------------------------------------------

    def act(self, room: str, move: Move, seen: int | None = None) -> Room:
        """Make a move, if the room is still as the teacher saw it (``seq``).

        Raises:
            RoomError: ``stale`` when it is not, and whatever ``after`` says.
        """
        for _ in range(_ATTEMPTS):
            before = self._room(room)
            if seen is not None and seen != before.seq:
                raise RoomError("stale", seq=before.seq)
            now = after(before, move)
            with self._timed():
                saved = self.store.save(now, before.seq)
            if saved:
                logs.note("move", room=room, move=type(move).__name__, seq=now.seq)
                return now
        raise RoomError("stale", seq=before.seq)

    def prepare(self, room: str, token: str, question: Question, *, first: bool = False) -> Room:
        """Put a question into the deck of a room; for pages, which know the token."""
        if self.enter(room, token).role is not Role.TEACHER:
            raise RoomError("not_allowed")
        return self.act(room, Prepare(question, first))

    def show_step(self, room: str, place: Place) -> None:
        """Change the step that everybody who follows sees."""
        with self._timed():
            self.store.move_to(room, place)

    def kick(self, room: str, student: str) -> None:
        """Send a student out."""
        if not self.store.kick(room, student):
            raise RoomError("student_unknown")
        logs.note("kicked", room=room)

    # --- what a student does -----------------------------------------------------------------

    def vote(self, room: str, student: str, ballot: str, choice: int, turn: int) -> None:
        """Count a vote; sending it again changes nothing.

        Raises:
            RoomError: ``round_closed``, ``vote_outdated``, ``kicked``, or ``choice_unknown``.
        """
        self.limits.voting.take(student)
        poll = self._room(room).poll
        if poll is not None and not 0 <= choice < len(poll.question.options):
            raise RoomError("choice_unknown")
        with self._timed():
            counted = self.store.vote(room, ballot, student, choice, turn)
        match counted:
            case Counted.YES:
                self.metrics.votes.add()
            case Counted.OUTDATED:
                raise RoomError("vote_outdated")
            case Counted.NOT_OPEN:
                out = self._student(room, student).kicked
                raise RoomError("kicked" if out else "round_closed")
            case _:
                assert_never(counted)

    # --- what anybody sees -------------------------------------------------------------------

    def state(self, room: str) -> State:
        """A room with its people and the votes of the open question."""
        kept = self._room(room)
        votes = self.store.votes(room, kept.poll.number) if kept.poll else {}
        return State(kept, self.store.students(room), votes, self._clock())

    def greeting(self, room: str, audience: Audience, student: str) -> dict[str, bytes]:
        """Everything that somebody who starts to listen needs to know."""
        state = self.state(room)
        first = {
            "room": message("room", view(state, audience)),
            "place": message("place", place_view(self.store.place(room))),
        }
        if audience is Audience.STUDENT:
            own = next((one for one in state.students if one.id == student), None)
            if own is None or own.kicked:
                raise RoomError("kicked")
            first["own"] = message("own", own_view(state, own))
        return first

    def _news(self, room: str, changed: frozenset[Notice], audiences: frozenset[Audience]) -> News:
        texts: dict[Audience, dict[str, bytes]] = {audience: {} for audience in audiences}
        gone: frozenset[str] = frozenset()
        if Notice.PLACE in changed:
            place = message("place", place_view(self.store.place(room)))
            for audience in audiences:
                texts[audience]["place"] = place
        if changed - {Notice.PLACE}:
            state = self.state(room)
            gone = frozenset(student.id for student in state.students if student.kicked)
            # Students see no counts of an open round, so nothing changes for them.
            silent = {Audience.STUDENT} if Notice.ROOM not in changed else set()
            for audience in audiences - silent:
                texts[audience]["room"] = message("room", view(state, audience))
        return News(texts, gone)

    def _room(self, room: str) -> Room:
        found = self.store.load(room)
        if found is None:
            raise RoomError("not_allowed")
        return found

    def _student(self, room: str, student: str) -> Student:
        found = next((one for one in self.store.students(room) if one.id == student), None)
        return found or Student(student, 0, "", kicked=True)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.metrics.store.add(time.perf_counter() - started)


def clean_name(typed: str) -> str:
    """A name as one short line; nothing invisible, nothing that turns the text around."""
    shown = "".join(letter if letter.isprintable() else " " for letter in typed)
    return " ".join(shown.split())[:LONGEST_NAME].strip()


def _hashed(token: str) -> str:
    if not is_token(token):
        raise RoomError("token_malformed")
    return hashed(token)
