"""The results of a room, for the teacher: a table, or the same as JSON.

In: a room, its people and the votes of every poll. Out: text. People who were sent out are left
out, and so is a round that is still open.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from fusionlab.classroom.model import Poll, Room
from fusionlab.classroom.question import LETTERS, Words
from fusionlab.classroom.store import Student
from fusionlab.classroom.wire import Votes, counts

SCHEMA_VERSION = 1
_COLUMNS = (
    "question",
    "text",
    "student",
    "name",
    "round_1",
    "round_1_answer",
    "round_2",
    "round_2_answer",
    "truth",
    "truth_answer",
)
# A spreadsheet takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def polls_of(room: Room) -> tuple[Poll, ...]:
    """Every question that has been asked, in order."""
    return (*room.past, *([room.poll] if room.poll else []))


def as_json(room: Room, students: Sequence[Student], votes: Mapping[int, Votes], lang: str) -> str:
    """The results as one JSON document."""
    here = [student for student in students if not student.kicked]
    document = {
        "fusionlab_room_results": SCHEMA_VERSION,
        "room": room.pin,
        "students": [{"number": one.number, "name": one.name} for one in here],
        "questions": [_question(poll, here, votes[poll.number], lang) for poll in polls_of(room)],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _question(poll: Poll, here: Sequence[Student], votes: Votes, lang: str) -> dict[str, Any]:
    question = poll.question
    closed = range(1, poll.closed_rounds + 1)
    return {
        "number": poll.number,
        "id": question.id,
        "text": _text(question.text, lang),
        "code": question.code,
        "options": [_text(option.text, lang) for option in question.options],
        "answer": question.answer,
        "rounds": counts(poll, votes, poll.closed_rounds),
        "votes": [
            {"student": one.number, "rounds": [votes.get(r, {}).get(one.id) for r in closed]}
            for one in here
            if any(one.id in votes.get(r, {}) for r in closed)
        ],
    }


def as_csv(room: Room, students: Sequence[Student], votes: Mapping[int, Votes], lang: str) -> str:
    """The results as a table with one line for each student and question."""
    table = io.StringIO()
    # The mark tells spreadsheets that the text is UTF-8.
    table.write("\ufeff")
    writer = csv.writer(table)
    writer.writerow(_COLUMNS)
    here = [student for student in students if not student.kicked]
    for poll in polls_of(room):
        for student in here:
            writer.writerow(map(_cell, _row(poll, student, votes[poll.number], lang)))
    return table.getvalue()


def _row(poll: Poll, student: Student, votes: Votes, lang: str) -> list[str]:
    texts = [_text(option.text, lang) for option in poll.question.options]
    row = [str(poll.number), _text(poll.question.text, lang), str(student.number), student.name]
    for round_ in (1, 2):
        open_or_unused = round_ > poll.closed_rounds
        choice = None if open_or_unused else votes.get(round_, {}).get(student.id)
        row += ["", ""] if choice is None else [LETTERS[choice], texts[choice]]
    return [*row, LETTERS[poll.question.answer], texts[poll.question.answer]]


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _text(words: Words, lang: str) -> str:
    return words.zh if lang == "zh" else words.en
