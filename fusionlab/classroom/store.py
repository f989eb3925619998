"""What a room needs from whatever keeps it.

Two keepers follow this protocol: ``sqlite_store`` (one server, one file) and ``redis_store`` (many
servers). What both promise:

* A call that has returned is kept, also when the process is killed in the next instant.
* ``save`` changes a room only if nobody else has changed it since it was read.
* ``vote`` checks that the round is open and that the student is in the room, and counts the vote,
  in one indivisible step; a later vote in the same round replaces the earlier one.
* Every call may raise ``StoreUnavailable``; then it may or may not have happened, and asking again
  is safe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from fusionlab.classroom.model import Room
from fusionlab.errors import FusionLabError

FRESH_SECONDS = 7200.0
"""A room in which the teacher has done nothing yet is kept this long at most."""


class StoreUnavailable(FusionLabError):  # noqa: N818 -- a state of the world, not a wrong call
    """The keeper does not answer now; the caller should ask again soon."""


class Role(Enum):
    """What a token allows."""

    TEACHER = "teacher"
    STUDENT = "student"
    PAIRING = "pairing"


@dataclass(frozen=True, slots=True)
class Pass:
    """Who shows a token in a room: the role, and for a student which one."""

    role: Role
    student: str = ""


@dataclass(frozen=True, slots=True)
class Student:
    """Somebody who joined. ``number`` counts the people of a room from 1; the name may be empty."""

    id: str
    number: int
    name: str
    kicked: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """The step on the teacher's screen; ``showing`` is the number of the program it belongs to.

    ``by`` is what the window that moved calls itself, so that it knows its own echo.
    """

    showing: int = 0
    step: int = 0
    level: int = 1
    by: str = ""


class Counted(Enum):
    """What became of a vote."""

    YES = "yes"
    NOT_OPEN = "not_open"
    OUTDATED = "outdated"


class Notice(Enum):
    """What changed in a room; tells readers what to read again.

    ``ALL`` (for the room ``""``) means that notices may have been missed: read every room again.
    """

    ALL = "all"
    ROOM = "room"
    PLACE = "place"
    VOTES = "votes"
    PEOPLE = "people"


Listener = Callable[[str, Notice], None]
"""Called with a room's id after something in it changed, from any thread."""


class RoomStore(Protocol):
    """Keeps rooms, people, votes and steps."""

    def create(self, room: Room, teacher: str) -> Room:
        """Keep a new room of the teacher whose token has that hash.

        Returns:
            The room; an earlier one if that token has already opened one, so that a repeated
            request opens one room.

        Raises:
            RoomError: ``pin_taken``, or ``rooms_full``.
        """

    def load(self, room: str) -> Room | None:
        """The room, unless it never was or has expired."""

    def find(self, code: str) -> str | None:
        """The id of the room with that PIN or key."""

    def save(self, room: Room, expected: int) -> bool:
        """Keep a changed room if its ``seq`` is still the expected one; tells whether it was."""

    def admit(self, room: str, token: str, pass_: Pass, seconds: float | None = None) -> None:
        """Let the token with that hash act as somebody, for some seconds or as long as the room."""

    def revoke(self, room: str, token: str) -> bool:
        """Forget a token's hash; tells whether it was known. Only one caller is told so."""

    def who(self, room: str, token: str) -> Pass | None:
        """Who shows the token with that hash in a room."""

    def join(self, room: str, token: str, student: Student, limit: int) -> Student:
        """Let somebody in; numbers them. The same token again is the same student.

        Raises:
            RoomError: ``room_full``.
        """

    def students(self, room: str) -> Sequence[Student]:
        """Everybody who joined, in that order, those sent out included."""

    def kick(self, room: str, student: str) -> bool:
        """Send a student out; their votes no longer count. Tells whether there is such a one."""

    def vote(self, room: str, ballot: str, student: str, choice: int, turn: int) -> Counted:
        """Count a vote.

        ``turn`` grows each time a student changes their mind: a request that was held up in the
        network and arrives after a newer one is ``OUTDATED``. ``NOT_OPEN`` means that the round
        takes no votes or the student is not in the room.
        """

    def votes(self, room: str, poll: int) -> Mapping[int, Mapping[str, int]]:
        """The votes of a poll: round → student → choice, without those of students sent out."""

    def place(self, room: str) -> Place:
        """The step that is shown."""

    def move_to(self, room: str, place: Place) -> None:
        """Change the step that is shown."""

    def listen(self, listener: Listener) -> None:
        """Have changes of all rooms told, those made by other servers included."""

    def ready(self) -> bool:
        """Whether the keeper answers now."""

    def close(self) -> None:
        """Let go of files and connections."""
