"""What a learner masters, and when it is due again: plain data that fits in a file.

In: answers, each with its concept, the day and the sitting. Out: the next state. A concept is
mastered after three right answers in a row over at least two sittings; then it is due after 1, 3, 7
and 21 days. Skipped answers change nothing; a wrong one starts the row again.

Days are counted by the caller (for example ``date.toordinal()``); a sitting is any name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from fusionlab.errors import ProgramError
from fusionlab.learn.concepts import CONCEPTS

IN_A_ROW = 3
SITTINGS = 2
GAPS = (1, 3, 7, 21)
"""Days from one review to the next; the last gap repeats."""

VERSION = 1
_LONGEST_FILE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a learner stands with one concept.

    ``row`` counts right answers in a row, ``sittings`` are those in which they were given. Once
    mastered, ``due`` is the day of the next review and ``stage`` how many were passed.
    """

    row: int = 0
    sittings: tuple[str, ...] = ()
    mastered: bool = False
    stage: int = 0
    due: int | None = None

    @property
    def filled(self) -> int:
        """How many of the three boxes are full."""
        return IN_A_ROW if self.mastered else min(self.row, IN_A_ROW)


@dataclass(frozen=True, slots=True)
class Mastery:
    """All concepts of one learner."""

    concepts: Mapping[str, Progress] = field(
        default_factory=lambda: dict.fromkeys(CONCEPTS, Progress())
    )
    lessons: frozenset[str] = frozenset()
    """Lessons whose task was done."""

    def answered(self, concept: str, *, right: bool, day: int, sitting: str) -> Mastery:
        """The state after an answer."""
        now = self.concepts[concept]
        new = _right(now, day, sitting) if right else _wrong(now, day)
        return replace(self, concepts={**self.concepts, concept: new})

    def finished(self, lesson: str) -> Mastery:
        """The state after the task of a lesson was done."""
        return replace(self, lessons=self.lessons | {lesson})

    def due(self, day: int) -> tuple[str, ...]:
        """Mastered concepts whose review is due, the longest overdue first."""
        waiting = [
            (progress.due, concept)
            for concept, progress in self.concepts.items()
            if progress.due is not None and progress.due <= day
        ]
        return tuple(concept for _, concept in sorted(waiting))

    def next_concept(self, day: int, number: int) -> str:
        """What to practise as question ``number`` of a sitting: every fourth is a due review."""
        due = self.due(day)
        if due and (number % 4 == 0 or not self._open()):
            return due[0]
        open_concepts = self._open() or CONCEPTS
        return open_concepts[number % len(open_concepts)]

    def _open(self) -> tuple[str, ...]:
        return tuple(concept for concept in CONCEPTS if not self.concepts[concept].mastered)

    @property
    def count(self) -> int:
        """How many concepts are mastered."""
        return sum(progress.mastered for progress in self.concepts.values())


def _right(now: Progress, day: int, sitting: str) -> Progress:
    if now.mastered:
        if now.due is not None and now.due > day:
            return now
        stage = min(now.stage + 1, len(GAPS) - 1)
        return replace(now, stage=stage, due=day + GAPS[stage])
    sittings = now.sittings if sitting in now.sittings else (*now.sittings, sitting)
    row = now.row + 1
    if row >= IN_A_ROW and len(sittings) >= SITTINGS:
        return Progress(row, sittings, mastered=True, stage=0, due=day + GAPS[0])
    return replace(now, row=row, sittings=sittings)


def _wrong(now: Progress, day: int) -> Progress:
    if now.mastered:
        return replace(now, stage=0, due=day + GAPS[0])
    return Progress()


def to_json(mastery: Mastery) -> str:
    """The file that a learner keeps."""
    touched = {
        concept: asdict(progress)
        for concept, progress in mastery.concepts.items()
        if progress != Progress()
    }
    kept = {"version": VERSION, "concepts": touched, "lessons": sorted(mastery.lessons)}
    return json.dumps(kept, ensure_ascii=False)


def from_json(text: str) -> Mastery:
    """The state in a file; concepts that this version does not know are left out.

    Raises:
        ProgramError: ``mastery_malformed``: it is no such file.
    """
    try:
        raw = json.loads(text) if len(text) <= _LONGEST_FILE else {}
        if raw["version"] != VERSION:
            raise ProgramError("mastery_malformed")
        known = {name: _progress(row) for name, row in raw["concepts"].items() if name in CONCEPTS}
        done = frozenset(str(slug)[:60] for slug in raw.get("lessons", [])[:100])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ProgramError("mastery_malformed") from error
    return Mastery({**dict.fromkeys(CONCEPTS, Progress()), **known}, done)


def _progress(row: Mapping[str, Any]) -> Progress:
    due = row.get("due")
    return Progress(
        row=_count(row["row"]),
        sittings=tuple(str(sitting)[:40] for sitting in row["sittings"][-8:]),
        mastered=bool(row["mastered"]),
        stage=min(_count(row["stage"]), len(GAPS) - 1),
        due=None if due is None else _count(due),
    )


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**7:
        raise ValueError(value)
    return value
