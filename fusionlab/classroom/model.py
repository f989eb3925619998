"""The rules of a room: which move is allowed when, and what it changes.

In: a room and a move of its teacher. Out: the room after it, or a ``RoomError`` that says why not.
Nothing here knows about clocks, storage or networks; a moment is a number that the move brings
along (seconds since the epoch).

A question is asked in a *poll* of up to two rounds: vote alone, talk it over, vote again, reveal.
The first round stays hidden until it is closed; the truth until it is revealed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import assert_never

from fusionlab.classroom.question import Question
from fusionlab.errors import FusionLabError

DECK_SIZE = 60
"""Questions that may wait in one room."""
POLLS = 200
"""Questions that may be asked in one room."""
LONGEST_TALK = 3600.0
"""Seconds that a discussion timer may run from now."""


class RoomError(FusionLabError):
    """The room cannot do what was asked of it: the visitor's turn, not our bug."""


class Stage(Enum):
    """Where a poll is."""

    VOTING = "voting"
    CLOSED = "closed"
    TALKING = "talking"
    REVEALED = "revealed"


@dataclass(frozen=True, slots=True)
class Poll:
    """One question put to the class. ``number`` counts the polls of a room from 1.

    ``talk_ends`` is a moment while the discussion has a timer. ``shown`` tells whether the class
    may see how it has voted in the rounds that are closed.
    """

    number: int
    question: Question
    round: int = 1
    stage: Stage = Stage.VOTING
    talk_ends: float | None = None
    shown: bool = False

    @property
    def ballot(self) -> str | None:
        """The name of the round that takes votes now, for example ``3/1``."""
        return f"{self.number}/{self.round}" if self.stage is Stage.VOTING else None

    @property
    def closed_rounds(self) -> int:
        """How many rounds have a final result."""
        return self.round - 1 if self.stage is Stage.VOTING else self.round


@dataclass(frozen=True, slots=True)
class Showing:
    """The program on the teacher's screen, named as an address does; ``number`` counts changes."""

    number: int
    program: str


@dataclass(frozen=True, slots=True)
class Room:
    """All that a room is, but its people, their votes and the step that is shown."""

    id: str
    pin: str
    key: str
    seq: int = 0
    showing: Showing = field(default=Showing(0, ""))
    deck: tuple[Question, ...] = ()
    poll: Poll | None = None
    past: tuple[Poll, ...] = ()
    locked: bool = False
    ended: bool = False

    @property
    def ballot(self) -> str | None:
        """The round that takes votes now."""
        return self.poll.ballot if self.poll else None


@dataclass(frozen=True, slots=True)
class Show:
    """Put a program on the screen."""

    program: str


@dataclass(frozen=True, slots=True)
class Prepare:
    """Put a question at the end of the deck, or at its front to be asked next."""

    question: Question
    first: bool = False


@dataclass(frozen=True, slots=True)
class Discard:
    """Take a question out of the deck."""

    question: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Open the first round on a question of the deck; ``None`` means the next one."""

    question: str | None = None


@dataclass(frozen=True, slots=True)
class CloseRound:
    """Take no more votes in this round."""


@dataclass(frozen=True, slots=True)
class Talk:
    """Let the class discuss until a moment, or without a timer."""

    ends: float | None


@dataclass(frozen=True, slots=True)
class Extend:
    """Give the discussion more seconds from its end, or from now if that has passed."""

    seconds: float
    now: float


@dataclass(frozen=True, slots=True)
class StopTimer:
    """Talk on without a timer."""


@dataclass(frozen=True, slots=True)
class VoteAgain:
    """Open the second round."""


@dataclass(frozen=True, slots=True)
class ShowResult:
    """Show the class how it voted, before the truth is told."""


@dataclass(frozen=True, slots=True)
class Reveal:
    """Tell the truth."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Put the question away."""


@dataclass(frozen=True, slots=True)
class Lock:
    """Let nobody else in, or let people in again."""

    locked: bool


@dataclass(frozen=True, slots=True)
class End:
    """Close the room for good; its results can still be read."""


Move = (
    Show
    | Prepare
    | Discard
    | Ask
    | CloseRound
    | Talk
    | Extend
    | StopTimer
    | VoteAgain
    | ShowResult
    | Reveal
    | Finish
    | Lock
    | End
)


def after(room: Room, move: Move) -> Room:
    """The room after a move; ``seq`` counts the moves.

    Raises:
        RoomError: ``room_ended``, ``deck_full``, ``deck_empty``, ``question_gone``,
            ``poll_open``, ``polls_full``, ``no_poll``, or ``not_now`` with the ``stage``.
    """
    if room.ended:
        raise RoomError("room_ended")
    return replace(_moved(room, move), seq=room.seq + 1)


def _moved(room: Room, move: Move) -> Room:
    match move:
        case Show(program=program):
            return replace(room, showing=Showing(room.showing.number + 1, program))
        case Prepare() | Discard():
            return replace(room, deck=_deck(room.deck, move))
        case Ask(question=wanted):
            return _asked(room, wanted)
        case Finish():
            return replace(room, poll=None, past=(*room.past, _poll(room)))
        case Lock(locked=locked):
            return replace(room, locked=locked)
        case End():
            past = (*room.past, room.poll) if room.poll else room.past
            return replace(room, poll=None, past=past, ended=True)
        case _:
            return replace(room, poll=_turned(_poll(room), move))


def _poll(room: Room) -> Poll:
    if room.poll is None:
        raise RoomError("no_poll")
    return room.poll


def _deck(deck: tuple[Question, ...], move: Prepare | Discard) -> tuple[Question, ...]:
    match move:
        case Prepare(question=question, first=first):
            if len(deck) >= DECK_SIZE:
                raise RoomError("deck_full", size=DECK_SIZE)
            others = tuple(one for one in deck if one.id != question.id)
            return (question, *others) if first else (*others, question)
        case Discard(question=wanted):
            return tuple(one for one in deck if one.id != wanted)
        case _:
            assert_never(move)


def _asked(room: Room, wanted: str | None) -> Room:
    if room.poll is not None:
        raise RoomError("poll_open")
    if len(room.past) >= POLLS:
        raise RoomError("polls_full", size=POLLS)
    if not room.deck:
        raise RoomError("deck_empty")
    found = [one for one in room.deck if wanted in (None, one.id)]
    if not found:
        raise RoomError("question_gone")
    deck = tuple(one for one in room.deck if one is not found[0])
    return replace(room, deck=deck, poll=Poll(len(room.past) + 1, found[0]))


_Turn = CloseRound | Talk | Extend | StopTimer | VoteAgain | ShowResult | Reveal


def _turned(poll: Poll, move: _Turn) -> Poll:
    match move:
        case CloseRound():
            _require(poll, Stage.VOTING)
            # Nothing is voted on after the second round, so its result can be seen at once.
            return replace(poll, stage=Stage.CLOSED, shown=poll.shown or poll.round == 2)
        case Talk(ends=ends):
            _require(poll, Stage.CLOSED, rounds=1)
            return replace(poll, stage=Stage.TALKING, talk_ends=ends)
        case Extend(seconds=seconds, now=now):
            _require(poll, Stage.TALKING)
            ends = max(now, poll.talk_ends or now) + seconds
            return replace(poll, talk_ends=min(ends, now + LONGEST_TALK))
        case StopTimer():
            _require(poll, Stage.TALKING)
            return replace(poll, talk_ends=None)
        case VoteAgain():
            _require(poll, Stage.CLOSED, Stage.TALKING, rounds=1)
            return replace(poll, round=2, stage=Stage.VOTING, talk_ends=None)
        case ShowResult():
            _require(poll, Stage.CLOSED, Stage.TALKING)
            return replace(poll, shown=True)
        case Reveal():
            _require(poll, Stage.CLOSED, Stage.TALKING)
            return replace(poll, stage=Stage.REVEALED, talk_ends=None, shown=True)
        case _:
            assert_never(move)


def _require(poll: Poll, *stages: Stage, rounds: int = 2) -> None:
    if poll.stage not in stages or poll.round > rounds:
        raise RoomError("not_now", stage=poll.stage.value)
