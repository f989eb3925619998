"""Facts of the fusers: their answers, their standings and the winner."""

from __future__ import annotations

from dataclasses import dataclass

from fusionlab.fusers.base import FuserAnswer, FuserStatus, ScoreTerms
from fusionlab.plan import BlockId


@dataclass(frozen=True, slots=True)
class FuserAnswered:
    """A fuser's answer to the op at ``position``. Probes of a fresh fuser have no block."""

    block: BlockId | None
    fuser: str
    position: int
    category: str
    answer: FuserAnswer


@dataclass(frozen=True, slots=True)
class FuserScored:
    """Where a fuser stands in a block after it grew."""

    block: BlockId
    fuser: str
    status: FuserStatus
    ready: bool
    score: int
    length: int
    terms: tuple[ScoreTerms, ...]


@dataclass(frozen=True, slots=True)
class FuserWon:
    """The competition in a block is decided (``fuser`` is ``None``: nobody had a score)."""

    block: BlockId
    fuser: str | None
    score: int
    ordering: tuple[int, ...]
