"""A room as text and back, for the stores."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fusionlab.classroom.model import Poll, Room, Showing, Stage
from fusionlab.classroom.question import plain, question_from

VERSION = 1


def dump(room: Room) -> str:
    """The room as one line of JSON."""
    body = {
        "version": VERSION,
        "id": room.id,
        "pin": room.pin,
        "key": room.key,
        "seq": room.seq,
        "showing": [room.showing.number, room.showing.program],
        "deck": [plain(question) for question in room.deck],
        "poll": _poll(room.poll) if room.poll else None,
        "past": [_poll(poll) for poll in room.past],
        "locked": room.locked,
        "ended": room.ended,
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def load(text: str) -> Room:
    """The room of such a line."""
    body = json.loads(text)
    return Room(
        id=body["id"],
        pin=body["pin"],
        key=body["key"],
        seq=body["seq"],
        showing=Showing(*body["showing"]),
        deck=tuple(question_from(question) for question in body["deck"]),
        poll=_poll_from(body["poll"]) if body["poll"] else None,
        past=tuple(_poll_from(poll) for poll in body["past"]),
        locked=body["locked"],
        ended=body["ended"],
    )


def _poll(poll: Poll) -> dict[str, Any]:
    return {
        "number": poll.number,
        "question": plain(poll.question),
        "round": poll.round,
        "stage": poll.stage.value,
        "talk_ends": poll.talk_ends,
        "shown": poll.shown,
    }


def _poll_from(body: Mapping[str, Any]) -> Poll:
    return Poll(
        number=body["number"],
        question=question_from(body["question"]),
        round=body["round"],
        stage=Stage(body["stage"]),
        talk_ends=body["talk_ends"],
        shown=body["shown"],
    )
