"""Blocks and scripted fusers for tests of the search."""

from collections.abc import Sequence

from fakes import ScriptedFuser
from notation import ops

from fusionlab.engine.block import Block
from fusionlab.events.log import NullRecorder
from fusionlab.fusers import new_fusers
from fusionlab.fusers.base import OperationFuser
from fusionlab.ir.operation import OperationIr
from fusionlab.plan import BlockId

BURN = new_fusers(1024)


def scripted(*scripts: Sequence[OperationIr]) -> tuple[ScriptedFuser, ...]:
    """A fuser P0, P1, … for each script."""
    return tuple(ScriptedFuser(number, script) for number, script in enumerate(scripts))


def block(
    text: str | Sequence[OperationIr],
    positions: Sequence[int] | None = None,
    *,
    fusers: Sequence[OperationFuser] = BURN,
    constituent: int | None = None,
    number: int = 0,
) -> Block:
    """A block of ops at these positions (default: 0, 1, …)."""
    operations = ops(text) if isinstance(text, str) else text
    made = Block(BlockId(number), fusers, NullRecorder())
    for op, position in zip(operations, positions or range(len(operations)), strict=True):
        made.register(op, position)
    if constituent is not None:
        made.constituents = {constituent}
    return made
