"""Be the optimizer: a learner gives the ops of one plan to lanes, and the fusers judge the lanes.

In: the ops of a segment in relative form, and a lane for each (or none: it runs on its own). Out: a
score for each lane and launches for all, beside what the engine found. The fusers are burn's own;
nothing here knows their rules.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fusionlab.config import FusionConfig
from fusionlab.fusers import new_fusers
from fusionlab.fusers.base import OperationFuser, Refusal
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorStatus
from fusionlab.learn.items import Runner
from fusionlab.learn.reading import Reading
from fusionlab.plan import Optimization, leaves
from fusionlab.views import words

_FILE = Path(__file__).resolve().parent.parent / "content" / "challenges" / "boards.toml"
_NO_KERNEL = frozenset({"Init", "Drop", "SwapDims", "Reshape"})

Lanes = Sequence[int | None]
"""For each op the lane it is given to."""


@dataclass(frozen=True, slots=True)
class Board:
    """A program, and the plan whose ops are to be placed."""

    name: str
    program: str
    plan: int


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane as the fusers see it: who takes all of it, with which score.

    Without a fuser, ``stopped_at`` is the op at which the last one refused, and why.
    """

    positions: tuple[int, ...]
    fuser: str | None
    score: int
    stopped_at: int | None = None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A whole assignment. ``legal`` is false when lanes would have to run before each other."""

    lanes: tuple[Lane, ...]
    alone: tuple[int, ...]
    launches: int
    legal: bool

    @property
    def score(self) -> int:
        """What all lanes save together; nothing when they cannot run in any order."""
        return sum(lane.score for lane in self.lanes) if self.legal else 0


@cache
def boards() -> Mapping[str, Board]:
    """All boards by name."""
    rows = tomllib.loads(_FILE.read_text("utf-8"))["board"]
    return {name: Board(name=name, **row) for name, row in rows.items()}


def operations(board: Board, runner: Runner) -> tuple[OperationIr, ...]:
    """The ops to place, in relative form."""
    return Reading(runner(board.program)).plans[board.plan].operations


def engine_lanes(board: Board, runner: Runner) -> tuple[int | None, ...]:
    """The engine's own assignment."""
    plan = Reading(runner(board.program)).plans[board.plan]
    given: list[int | None] = [None] * len(plan.operations)
    fused = [leaf for leaf in leaves(plan.strategy) if isinstance(leaf, Optimization)]
    for lane, leaf in enumerate(fused):
        for position in leaf.ordering:
            given[position] = lane
    return tuple(given)


def judge(ops: Sequence[OperationIr], given: Lanes) -> Verdict:
    """Ask the fusers about each lane, and whether the lanes can run one after the other."""
    max_bindings = FusionConfig().max_bindings
    numbers = sorted({lane for lane in given if lane is not None})
    grouped = [tuple(i for i, lane in enumerate(given) if lane == number) for number in numbers]
    lanes = tuple(_lane(ops, positions, max_bindings) for positions in grouped)
    alone = [i for i, lane in enumerate(given) if lane is None]
    unfused = [*alone, *(i for lane in lanes if lane.fuser is None for i in lane.positions)]
    kernels = sum(words.short(ops[i].kind) not in _NO_KERNEL for i in unfused)
    fused = [lane.positions for lane in lanes if lane.fuser is not None]
    units = [*fused, *((i,) for i in unfused)]
    return Verdict(lanes, tuple(alone), len(fused) + kernels, _is_legal(ops, units))


def _lane(ops: Sequence[OperationIr], positions: tuple[int, ...], max_bindings: int) -> Lane:
    best: Lane | None = None
    stopped: tuple[int, Refusal | None] = (-1, None)
    for fuser in new_fusers(max_bindings):
        at, refusal = _feed(fuser, ops, positions)
        if at is not None:
            stopped = max(stopped, (at, refusal), key=lambda pair: pair[0])
            continue
        state = fuser.properties()
        if state.ready and state.score > (best.score if best is not None else 0):
            best = Lane(positions, fuser.name, state.score)
    return best or Lane(positions, None, 0, stopped[0] if stopped[0] >= 0 else None, stopped[1])


def _feed(
    fuser: OperationFuser, ops: Sequence[OperationIr], positions: tuple[int, ...]
) -> tuple[int | None, Refusal | None]:
    """Offer the ops; the position at which the fuser refused, if it did."""
    for position in positions:
        answer = fuser.fuse(ops[position])
        if answer.refusal is not None:
            return position, answer.refusal
    return None, None


def _is_legal(ops: Sequence[OperationIr], units: Sequence[tuple[int, ...]]) -> bool:
    """Whether the units can be put in an order: makers first, last users last."""
    waiting = set(range(len(units)))
    after = {unit: set(_before(ops, units, unit)) for unit in waiting}
    while waiting:
        ready = {unit for unit in waiting if not after[unit] & waiting}
        if not ready:
            return False
        waiting -= ready
    return True


def _before(
    ops: Sequence[OperationIr], units: Sequence[tuple[int, ...]], unit: int
) -> Iterator[int]:
    """The units that must run before one: they make what it reads, or read what it frees."""
    reads = {t.id for i in units[unit] for t in ops[i].inputs}
    frees = {
        t.id for i in units[unit] for t in ops[i].inputs if t.status is TensorStatus.READ_WRITE
    }
    for other, positions in enumerate(units):
        if other == unit:
            continue
        makes = {t.id for i in positions for t in ops[i].outputs}
        looks = {t.id for i in positions for t in ops[i].inputs}
        if makes & reads or looks & frees:
            yield other
