"""What a teacher's browser may ask for, by name.

In: the JSON of a request. Out: a move. Questions do not come this way: they are put into the deck
by the teacher's page, inside the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fusionlab.classroom.http import BadRequest, number_of, text_of
from fusionlab.classroom.model import (
    LONGEST_TALK,
    Ask,
    CloseRound,
    Discard,
    End,
    Extend,
    Finish,
    Lock,
    Move,
    Reveal,
    Show,
    ShowResult,
    StopTimer,
    Talk,
    VoteAgain,
)

Body = Mapping[str, Any]
_LONGEST_ID = 80
_LONGEST_PROGRAM = 24_000
_MOST_SECONDS = int(LONGEST_TALK)


def _talk(data: Body, now: float) -> Move:
    seconds = number_of(data, "seconds", _MOST_SECONDS, 0)
    return Talk(now + seconds if seconds else None)


def _ask(data: Body, _now: float) -> Move:
    return Ask(text_of(data, "question", _LONGEST_ID, "") or None)


_MOVES: dict[str, Callable[[Body, float], Move]] = {
    "show": lambda data, _: Show(text_of(data, "program", _LONGEST_PROGRAM)),
    "discard": lambda data, _: Discard(text_of(data, "question", _LONGEST_ID)),
    "ask": _ask,
    "close": lambda *_: CloseRound(),
    "talk": _talk,
    "extend": lambda data, now: Extend(number_of(data, "seconds", _MOST_SECONDS), now),
    "stop_timer": lambda *_: StopTimer(),
    "again": lambda *_: VoteAgain(),
    "show_result": lambda *_: ShowResult(),
    "reveal": lambda *_: Reveal(),
    "finish": lambda *_: Finish(),
    "lock": lambda *_: Lock(locked=True),
    "unlock": lambda *_: Lock(locked=False),
    "end": lambda *_: End(),
}


def move_of(data: Body, now: float) -> Move:
    """The move that a request asks for.

    Raises:
        BadRequest: There is no such move, or something that it needs is missing.
    """
    make = _MOVES.get(text_of(data, "move", _LONGEST_ID))
    if make is None:
        raise BadRequest("request_malformed", field="move")
    return make(data, now)
