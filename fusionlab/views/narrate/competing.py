"""Captions of station 7: the fusers answer, score, and one of them wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from fusionlab.events import facts as f
from fusionlab.events.state import BlockState, FuserStanding
from fusionlab.fusers.base import FuserStatus, Refusal, RefusalCode
from fusionlab.views import words
from fusionlab.views.arithmetic import saved
from fusionlab.views.moment import Moment
from fusionlab.views.said import Line, Said, line

FuserFact = f.FuserAnswered | f.FuserScored | f.FuserWon


def competed(moment: Moment, fact: FuserFact) -> Said:
    """One fuser's answer, its score, or the end of the competition in a block."""
    match fact:
        case f.FuserAnswered():
            return _answered(moment, fact)
        case f.FuserScored():
            return _scored(moment, fact)
        case f.FuserWon():
            return _won(moment, fact)
        case _:
            assert_never(fact)


def refusal_line(refusal: Refusal, tensors: Sequence[int]) -> Line:
    """Why a fuser did not take an op. ``tensors[r]`` is the tensor behind relative id ``r``."""
    detail = dict(refusal.detail)
    key = refusal.code.value
    if refusal.code is RefusalCode.SHAPE and detail.get("axis") == -1:
        key = "shape_several"
    relative = detail.get("tensor")
    if isinstance(relative, int):
        detail["tensor"] = words.name(tensors[relative] if relative < len(tensors) else relative)
    return line(f"refusal.{key}", **detail)


def not_ready_line(fuser: str) -> Line:
    """Why a fuser could not make a kernel now."""
    return line(f"not_ready.{fuser if fuser in words.FUSER_LETTERS else 'other'}")


def _answered(moment: Moment, fact: f.FuserAnswered) -> Said:
    op = moment.operation(moment.segment_position(fact.position))
    values = {
        "fuser": fact.fuser,
        "op": words.short(op.kind) if op else fact.category,
    }
    probe = "probe_" if fact.block is None else ""
    refusal = fact.answer.refusal
    if refusal is not None:
        reason = refusal_line(refusal, moment.stream.queue.tensors)
        what = line(f"fact.FuserAnswered.{probe}refused", reason=reason, **values)
        return Said("closes", what)
    closed = fact.answer.status is FuserStatus.CLOSED
    variant = f"{probe}last" if closed else f"{probe}accepted"
    return Said("answer", line(f"fact.FuserAnswered.{variant}", **values))


def _scored(moment: Moment, fact: f.FuserScored) -> Said:
    values = {
        "fuser": fact.fuser,
        "score": fact.score,
        "block": moment.block(fact.block).number,
        "ops": fact.length,
    }
    if fact.ready:
        reads_writes, launches = saved(fact.terms)
        why = line("fact.FuserScored.why", accesses=reads_writes, launches=launches)
        variant = "closed" if fact.status is FuserStatus.CLOSED else "what"
        return Said("scored", line(f"fact.FuserScored.{variant}", **values), (why,))
    reason = not_ready_line(fact.fuser)
    variant = "not_ready" if fact.score else "nothing"
    return Said("scored", line(f"fact.FuserScored.{variant}", reason=reason, **values))


def _won(moment: Moment, fact: f.FuserWon) -> Said:
    block = moment.block(fact.block)
    if fact.fuser is None:
        return _nobody(block, len(fact.ordering))
    standing = block.standing(fact.fuser)
    accesses, launches = saved(standing.terms) if standing else (0, 0)
    ties = [s.fuser for s in block.fusers if _ties(s, fact)]
    if ties:
        what = line(
            "fact.FuserWon.tie", fuser=fact.fuser, others=ties, score=fact.score, n=len(ties) + 1
        )
    else:
        what = line(
            "fact.FuserWon.what",
            fuser=fact.fuser,
            score=fact.score,
            accesses=accesses,
            launches=launches,
        )
    left = len(block.positions) - len(fact.ordering)
    why = (line("fact.FuserWon.left", left=left),) if left > 0 else ()
    return Said("won", what, (line("fact.FuserWon.why", block=block.number), *why))


def _ties(standing: FuserStanding, fact: f.FuserWon) -> bool:
    return standing.ready and standing.score == fact.score and standing.fuser != fact.fuser


def _nobody(block: BlockState, ops: int) -> Said:
    key = "zero" if any(s.ready for s in block.fusers) else "nobody"
    what = line(f"fact.FuserWon.{key}", block=block.number, ops=ops)
    return Said("lost_all", what, (line(f"fact.FuserWon.{key}_why"),))
