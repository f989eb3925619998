"""Words that steer the run instead of computing: ``keep``, ``read``, ``sync``, and ``range``."""

from __future__ import annotations

from typing import Any, Final

from fusionlab.errors import ProgramError
from fusionlab.program.model import Tensor
from fusionlab.program.scope import tensors_in
from fusionlab.program.trace import Trace
from fusionlab.program.words.core import NOTHING, Nothing, WordTable, kind_of

WORDS: Final = WordTable()


@WORDS.word("keep", "value:any, *more:any")
def keep(trace: Trace, value: Any, more: tuple[Any, ...]) -> Any:
    """Hold values beyond the end of the program: no use is their last one, no Drop is queued."""
    values = (value, *more)
    for item in values:
        tensors = list(tensors_in(item))
        if not tensors:
            raise ProgramError(
                "argument_kind", word="keep", name="value", needed="tensor", got=kind_of(item)
            )
        trace.kept.update(tensor.index for tensor in tensors)
    return values if more else value


@WORDS.word("read", "x:tensor, *more:tensor")
def read(trace: Trace, x: Tensor, more: tuple[Tensor, ...]) -> Nothing:
    """Copy tensors to the host. Everything queued on their stream runs first."""
    for tensor in (x, *more):
        trace.read(tensor)
    return NOTHING


@WORDS.word("sync", "")
def sync(trace: Trace) -> Nothing:
    """Run everything that is queued on the current stream."""
    trace.sync()
    return NOTHING


@WORDS.word("range", "start:int, end:int=None, step:int=1")
def counted(trace: Trace, start: int, end: int | None, step: int) -> range:
    """Whole numbers to loop over."""
    if step == 0:
        raise ProgramError("argument_value", op="range", name="step", got=0, needed="≠ 0")
    numbers = range(start) if end is None else range(start, end, step)
    if len(numbers) > trace.limits.operations:
        raise ProgramError("loop_too_long", count=len(numbers), limit=trace.limits.operations)
    return numbers


@WORDS.word("len", "values:any")
def length(_: Trace, values: Any) -> int:
    """How many values a list has."""
    if not isinstance(values, tuple | range):
        raise ProgramError(
            "argument_kind", word="len", name="values", needed="[…]", got=kind_of(values)
        )
    return len(values)
