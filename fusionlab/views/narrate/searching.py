"""Captions of station 6: ops are placed in blocks, blocks merge, and the search settles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from fusionlab.events import facts as f
from fusionlab.events.state import BlockState, ScopeKind
from fusionlab.fusers.base import FuserStatus
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP
from fusionlab.plan import BlockId
from fusionlab.views import words
from fusionlab.views.moment import Moment
from fusionlab.views.said import Line, Said, line

PlacementFact = f.BlockOpened | f.OpAccepted | f.OpForced | f.OpDropped | f.OptimizerStopped
MergeFact = f.MergeTried | f.MergeJudged | f.BlocksMerged
SettlingFact = (
    f.SettlingStarted | f.HeadSettled | f.StrategySelected | f.HolesFound | f.OrderRepaired
)


def placed(moment: Moment, fact: PlacementFact) -> Said:
    """Where an op went."""
    op = words.short(fact.kind)
    match fact:
        case f.BlockOpened(depends_on=None):
            return _opened(moment, fact, op)
        case f.BlockOpened(block=block, depends_on=needs):
            what = line(
                "fact.BlockOpened.dependent",
                op=op,
                blocks=_numbers(moment, needs or ()),
                n=len(needs or ()),
                block=moment.block(block).number,
            )
            return Said("dependent", what, (line("fact.BlockOpened.dependent_why"),))
        case f.OpAccepted(blocks=blocks, position=position):
            return _accepted(moment, blocks, position, op)
        case f.OpForced(block=block):
            number = moment.block(block).number
            return Said("forced", line("fact.OpForced.what", op=op, block=number))
        case f.OpDropped():
            return Said("dropped", line("fact.OpDropped.what", op=op))
        case f.OptimizerStopped(cause=cause, max_blocks=limit):
            what = line(
                f"fact.OptimizerStopped.{cause.value}",
                op=op,
                limit=limit or 0,
                next=(limit or 0) + 1,
            )
            return Said("stopped", what, (line("fact.OptimizerStopped.why", op=op),))
        case _:
            assert_never(fact)


def _opened(moment: Moment, fact: f.BlockOpened, op: str) -> Said:
    block = moment.block(fact.block).number
    others = _others(moment, fact.block)
    if not others:
        what = line("fact.BlockOpened.first", op=op, block=block)
    elif len(others) == 1:
        what = line("fact.BlockOpened.what", op=op, block=block, other=others[0])
    else:
        what = line("fact.BlockOpened.what_many", op=op, block=block, n=len(others))
    return Said("new", what, (line("fact.BlockOpened.why"),))


def _others(moment: Moment, block: BlockId) -> list[int]:
    stream = moment.stream
    blocks = stream.scopes[-1].blocks if stream.scopes else stream.blocks
    return sorted(b.number for b in blocks if b.block != block)


def _numbers(moment: Moment, blocks: Sequence[BlockId]) -> list[str]:
    return [str(number) for number in sorted(moment.block(block).number for block in blocks)]


def _accepted(moment: Moment, blocks: Sequence[BlockId], position: int, op: str) -> Said:
    block = moment.block(blocks[0])
    position = moment.segment_position(position)
    asked = moment.operation(position)
    if asked is None:
        return Said("accept", line("fact.OpAccepted.what", op=op, block=block.number))
    others = [moment.operation(p) for p in block.positions if p != position]
    key, tensors = _shared([other for other in others if other], asked)
    what = line(f"fact.OpAccepted.{key}", op=op, block=block.number, tensors=tensors)
    why = line("fact.OpAccepted.why", ops=len(block.positions), open=_open(block))
    return Said("accept", what, (why,))


def _shared(others: Sequence[OperationIr], asked: OperationIr) -> tuple[str, list[str]]:
    """How an op hangs together with other ops, as a key of the catalog, and by which tensors."""
    made = {tensor.id for op in others for tensor in op.outputs}
    held = made | {tensor.id for op in others for tensor in op.inputs}
    if asked.spec is DROP:
        return "drops", words.names(asked.inputs)
    made_there = words.names(tensor for tensor in asked.inputs if tensor.id in made)
    if made_there:
        return "reads", made_there
    return "shares", words.names(tensor for tensor in asked.nodes if tensor.id in held)


def _open(block: BlockState) -> int:
    return sum(s.status is FuserStatus.OPEN for s in block.fusers)


def merging(moment: Moment, fact: MergeFact) -> Said:
    """Two blocks are tried as one."""
    into = moment.block(fact.into).number
    match fact:
        case f.MergeTried(other=other):
            number = moment.block(other).number
            what = line("fact.MergeTried.what", into=into, other=number)
            return Said("tried", what, (line("fact.MergeTried.why", into=into, other=number),))
        case f.MergeJudged(other=other, verdict=verdict):
            return _judged(moment, verdict, sorted((into, moment.block(other).number)))
        case f.BlocksMerged():
            return _merged(moment, fact)
        case _:
            assert_never(fact)


_KEPT = (f.MergeVerdict.KEPT_OPEN, f.MergeVerdict.KEPT_NEWLY_READY)


def _judged(moment: Moment, verdict: f.MergeVerdict, numbers: list[int]) -> Said:
    scopes = moment.stream.scopes
    copy = scopes[-1].blocks[0] if scopes and scopes[-1].kind is ScopeKind.MERGE else None
    values = {
        "one": numbers[0],
        "other": numbers[-1],
        "open": _open(copy) if copy else 0,
        "fusers": len(copy.fusers) if copy else 0,
    }
    if verdict in _KEPT:
        return Said("judged", line(f"fact.MergeJudged.{verdict.value}", **values))
    settling = any(scope.kind is ScopeKind.SETTLING for scope in scopes)
    return Said(
        "apart" if settling else "refused", line(f"fact.MergeJudged.{verdict.value}", **values)
    )


def _merged(moment: Moment, fact: f.BlocksMerged) -> Said:
    parts = [_before(moment, block) for block in sorted((fact.into, *fact.absorbed))]
    numbers = [str(block.number) for block in sorted(parts, key=lambda b: b.number)]
    made = [_made(moment, block) for block in parts]
    op = moment.operation_in_hand
    reads = {tensor.id for tensor in op.nodes} if op else set()
    meeting = [tensors & reads for tensors in made]
    why = _stays_open(moment, fact)
    if op is not None and all(meeting):
        key = "drops" if op.spec is DROP else "what"
        what = line(f"fact.BlocksMerged.{key}", op=words.short(op.kind), blocks=numbers)
        meet = line(
            "fact.BlocksMerged.meet",
            first=parts[0].number,
            one=_named(meeting[0]),
            second=parts[-1].number,
            other=_named(meeting[-1]),
        )
        return Said("merge", what, (meet, why))
    if op is not None:
        what = line("fact.BlocksMerged.room", blocks=numbers, op=words.short(op.kind))
        return Said("merge", what, (why,))
    what = line("fact.BlocksMerged.settling", blocks=numbers)
    strangers = line("fact.BlocksMerged.strangers")
    return Said("merge", what, (why,) if made[0] & made[-1] else (why, strangers))


def _before(moment: Moment, block: BlockId) -> BlockState:
    stream = moment.stream_before
    for scope in reversed(stream.scopes):
        if scope.kind is not ScopeKind.MERGE:
            return next((b for b in scope.blocks if b.block == block), moment.block(block))
    return next((b for b in stream.blocks if b.block == block), moment.block(block))


def _made(moment: Moment, block: BlockState) -> set[int]:
    ops = (moment.operation(position) for position in block.positions)
    return {tensor.id for op in ops if op for tensor in op.nodes}


def _named(ids: set[int]) -> list[str]:
    return [words.name(tensor) for tensor in sorted(ids)]


def _stays_open(moment: Moment, fact: f.BlocksMerged) -> Line:
    copy = moment.stream.trial
    still, fusers = (_open(copy), len(copy.fusers)) if copy else (0, 0)
    key = "open" if still else "ready"
    return line(f"fact.BlocksMerged.{key}", open=still, fusers=fusers, ops=len(fact.positions))


def settled(moment: Moment, fact: SettlingFact) -> Said:
    """Blocks become a strategy."""
    match fact:
        case f.SettlingStarted(blocks=blocks):
            what = line("fact.SettlingStarted.what", n=len(blocks))
            why = (line("fact.SettlingStarted.why"),) if len(blocks) > 1 else ()
            return Said("settling", what, why)
        case f.HeadSettled(block=block, settled=count, left=left):
            number = moment.block(block).number
            variant, kind = ("front", "head") if left else ("whole", "whole")
            what = line(f"fact.HeadSettled.{variant}", block=number, settled=count)
            return Said(kind, what, (line("fact.HeadSettled.why", left=left),) if left else ())
        case f.StrategySelected(blocks=1):
            return Said("selected", line("fact.StrategySelected.single"))
        case f.StrategySelected(blocks=blocks):
            return Said("selected", line("fact.StrategySelected.composed", n=blocks))
        case f.HolesFound(positions=positions):
            listed = [str(p) for p in moment.stream.scopes[-1].positions or positions]
            what = line("fact.HolesFound.what", positions=listed, n=len(positions))
            return Said("holes", what, (line("fact.HolesFound.why"),))
        case f.OrderRepaired(outcome=outcome, ops=ops):
            return Said("repaired", line(f"fact.OrderRepaired.{outcome.value}", ops=ops))
        case _:
            assert_never(fact)
