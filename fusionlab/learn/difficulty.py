"""How hard a question is: measured on the run, not guessed.

In: a run and the step that decides. Out: the counts that make it hard, and a level from 1 to 5.
"""

from __future__ import annotations

from dataclasses import dataclass

from fusionlab.events import facts as f
from fusionlab.learn.reading import Reading, Step

_STEPS_TO_A_POINT = 3
_LEVELS = (2, 4, 7, 11)
"""Points below which the level is 1, 2, 3, 4."""


@dataclass(frozen=True, slots=True)
class Difficulty:
    """What a learner has to keep in mind.

    ``blocks`` is the most blocks that lived at once, ``merges`` the merges that were tried,
    ``candidates`` the stored plans that were compared with one segment, ``distance`` the steps
    from the first op that was waiting to the step that decides.
    """

    blocks: int
    merges: int
    candidates: int
    distance: int

    @property
    def level(self) -> int:
        """1 (one look) to 5 (paper and pencil)."""
        points = max(0, self.blocks - 1) + self.merges + self.candidates
        points += self.distance // _STEPS_TO_A_POINT
        return 1 + sum(points >= bound for bound in _LEVELS)


def difficulty(reading: Reading, deciding: Step) -> Difficulty:
    """The counts up to the step that decides."""
    facts = [event.fact for step in reading.steps[: deciding.index + 1] for event in step.events]
    start = _first_waiting(reading, deciding)
    return Difficulty(
        blocks=max((fact.total for fact in facts if isinstance(fact, f.BlockOpened)), default=0),
        merges=sum(isinstance(fact, f.MergeTried) for fact in facts),
        candidates=max(
            (len(fact.plans) for fact in facts if isinstance(fact, f.CandidatesFound)), default=0
        ),
        distance=deciding.index - start.index,
    )


def _first_waiting(reading: Reading, deciding: Step) -> Step:
    """The step of the first op that was still queued when the deciding step began."""
    for number, step in enumerate(reading.ops):
        runs_at = reading.runs_at.get(number)
        if step.stream == deciding.stream and (runs_at is None or runs_at >= deciding.index):
            return step if step.index <= deciding.index else deciding
    return deciding
