"""What each kind of reader gets to see of a room.

In: a room, its votes and its people. Out: plain data for JSON. This is the one place that decides
who learns what and when:

* the class (students, and the projector): the question, never the truth before it is revealed, and
  how it voted only after the round is closed and shown;
* the teacher: how the class voted as soon as the round is closed, who is here, what comes next.
  While a round is open nobody sees its distribution, the teacher included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from fusionlab.classroom.model import Poll, Room, Stage
from fusionlab.classroom.question import Words
from fusionlab.classroom.store import Place, Student

Votes = Mapping[int, Mapping[str, int]]
"""Votes of one poll: round → student → choice."""


class Audience(Enum):
    """Kinds of readers."""

    STUDENT = "student"
    SCREEN = "screen"
    TEACHER = "teacher"


@dataclass(frozen=True, slots=True)
class State:
    """A room at one moment with all that belongs to it."""

    room: Room
    students: Sequence[Student]
    votes: Votes
    now: float


def view(state: State, audience: Audience) -> dict[str, Any]:
    """What one kind of reader sees."""
    seen = _shared(state)
    match audience:
        case Audience.STUDENT:
            return seen
        case Audience.SCREEN:
            return seen | _for_screen(state)
        case Audience.TEACHER:
            return seen | _for_screen(state) | _for_teacher(state)


def place_view(place: Place) -> dict[str, Any]:
    """The step that is shown."""
    return asdict(place)


def own_view(state: State, student: Student) -> dict[str, Any]:
    """What a student alone sees: their number, their name, their own votes."""
    poll = state.room.poll
    votes = {
        f"{poll.number}/{round_}": choices[student.id]
        for round_, choices in (state.votes.items() if poll else ())
        if poll and student.id in choices
    }
    return {"number": student.number, "name": student.name, "votes": votes}


def counts(poll: Poll, votes: Votes, rounds: int) -> list[list[int]]:
    """Votes for each option in the first so many rounds."""
    options = range(len(poll.question.options))
    return [
        [sum(choice == option for choice in votes.get(round_, {}).values()) for option in options]
        for round_ in range(1, rounds + 1)
    ]


def _shared(state: State) -> dict[str, Any]:
    room = state.room
    return {
        "seq": room.seq,
        "now": state.now,
        "pin": room.pin,
        "ended": room.ended,
        "showing": {"number": room.showing.number, "program": room.showing.program},
        "poll": _poll(room.poll, state.votes) if room.poll else None,
    }


def _poll(poll: Poll, votes: Votes) -> dict[str, Any]:
    question = poll.question
    seen: dict[str, Any] = {
        "number": poll.number,
        "round": poll.round,
        "stage": poll.stage.value,
        "talk_ends": poll.talk_ends,
        "text": _words(question.text),
        "code": question.code,
        "options": [_words(option.text) for option in question.options],
        "program": question.program,
        "gate": question.gate,
        "counts": counts(poll, votes, poll.closed_rounds) if poll.shown else None,
    }
    if poll.stage is Stage.REVEALED:
        seen["truth"] = {
            "answer": question.answer,
            "because": _words(question.because),
            "rules": [_words(option.rule) if option.rule else None for option in question.options],
            "step": question.step,
            "position": question.position,
        }
    return seen


def _for_screen(state: State) -> dict[str, Any]:
    here = [student for student in state.students if not student.kicked]
    poll = state.room.poll
    return {
        "key": state.room.key,
        "locked": state.room.locked,
        "joined": len(here),
        "voted": len(state.votes.get(poll.round, {})) if poll else 0,
    }


def _for_teacher(state: State) -> dict[str, Any]:
    here = [student for student in state.students if not student.kicked]
    poll = state.room.poll
    return {
        "people": [{"id": one.id, "number": one.number, "name": one.name} for one in here],
        "deck": [{"id": one.id, "text": _words(one.text)} for one in state.room.deck],
        "asked": len(state.room.past) + bool(poll),
        "closed": _closed(poll, state.votes) if poll and poll.closed_rounds else None,
    }


def _closed(poll: Poll, votes: Votes) -> dict[str, Any]:
    """How the closed rounds went: for the decision to talk, and for what to say next."""
    rounds = counts(poll, votes, poll.closed_rounds)
    answer = poll.question.answer
    wrong = [0 if option == answer else count for option, count in enumerate(rounds[0])]
    common = max(range(len(wrong)), key=wrong.__getitem__)
    rule = poll.question.options[common].rule
    return {
        "counts": rounds,
        "right": [one[answer] for one in rounds],
        "of": [sum(one) for one in rounds],
        "common": {
            "option": common,
            "votes": wrong[common],
            "rule": _words(rule) if rule else None,
        },
    }


def _words(text: Words) -> dict[str, str]:
    return asdict(text)
