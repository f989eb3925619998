"""What a parsed program is: values, and instructions that a driver performs one by one.

Values are numbered in order of creation and know their shape and element type. An instruction
says of each value that it touches whether this is the last use (the handle moves) or not (the
handle is cloned first).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from fusionlab.config import FusionConfig
from fusionlab.ir.operation import Args
from fusionlab.ir.opset import OpSpec
from fusionlab.ir.tensor import DType, Shape, StreamId


class Position(NamedTuple):
    """A piece of the program text; lines and columns count from 1, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Tensor:
    """A value of the program that is a tensor."""

    index: int
    shape: Shape
    dtype: DType


class Use(NamedTuple):
    """A value as one instruction uses it. ``moves``: the last use, which consumes the handle."""

    value: int
    moves: bool


@dataclass(frozen=True, slots=True)
class Register:
    """Queue an op."""

    spec: OpSpec
    inputs: tuple[Use, ...]
    outputs: tuple[int, ...]
    args: Args
    stream: StreamId
    at: Position


@dataclass(frozen=True, slots=True)
class Upload:
    """Make a tensor with the values written in the program, row by row."""

    output: int
    values: tuple[float | int | bool, ...]
    stream: StreamId
    at: Position


@dataclass(frozen=True, slots=True)
class Read:
    """Drain the tensor's home stream and copy the tensor to the host."""

    use: Use
    stream: StreamId
    at: Position


@dataclass(frozen=True, slots=True)
class Sync:
    """Drain a stream."""

    stream: StreamId
    at: Position


@dataclass(frozen=True, slots=True)
class Drop:
    """Give up the last handle of a value that nothing consumed."""

    value: int
    stream: StreamId
    at: Position


Instruction = Register | Upload | Read | Sync | Drop


@dataclass(frozen=True, slots=True)
class Program:
    """A checked and unrolled program.

    ``settings`` holds what ``config(…)`` asked for, by field of ``FusionConfig``; ``values`` the
    shape and element type of each value; ``kept`` the values held beyond the end.
    """

    name: str
    text: str
    settings: Mapping[str, Any]
    instructions: tuple[Instruction, ...]
    values: tuple[Tensor, ...]
    kept: frozenset[int]

    def configure(self, config: FusionConfig) -> FusionConfig:
        """``config`` with what the program's own ``config(…)`` line asks for."""
        return replace(config, **self.settings) if self.settings else config
