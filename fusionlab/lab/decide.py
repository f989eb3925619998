"""Decide a program anew, without computing anything: what quizzes and lessons read answers off."""

from __future__ import annotations

from functools import lru_cache

from fusionlab.config import Limits
from fusionlab.engine.misconceptions import MISCONCEPTIONS
from fusionlab.errors import ContentError, ProgramError
from fusionlab.events.run import Run
from fusionlab.lab import Lab
from fusionlab.program import Program, parse_partial


def decide(program: str, misconception: str | None = None) -> Run:
    """The facts of a program text in a new lab; ``misconception`` names the rule that is switched.

    The run has no states: a reader that needs them replays it.

    Raises:
        ContentError: ``misconception_unknown``.
    """
    switched = None
    if misconception is not None:
        switched = MISCONCEPTIONS.get(misconception)
        if switched is None:
            raise ContentError("misconception_unknown", name=misconception)
    parsed, error = _parsed(program)
    return Lab(misconception=switched).run(parsed, execute=False, then=error, replayed=False)


@lru_cache(maxsize=64)
def _parsed(text: str) -> tuple[Program, ProgramError | None]:
    return parse_partial(text, "", Limits())
