"""A program performed against a client, one instruction at a time.

In: a program and a client. Out: the index of each instruction *before* it is performed, so that a
screen can follow the program text; whoever drives decides when to go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias, assert_never

from fusionlab.engine.client import FusionClient, FusionTensor
from fusionlab.ir.tensor import StreamId
from fusionlab.program.model import Drop, Instruction, Program, Read, Register, Sync, Upload, Use

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OnRead: TypeAlias = "Callable[[int, NDArray[np.generic] | None], None]"
"""Called with the value that was read and its elements (``None`` when nothing is executed)."""


def drive(program: Program, client: FusionClient, on_read: OnRead | None = None) -> Iterator[int]:
    """Perform a program, announcing each instruction by its index before it happens.

    Handles of kept values live as long as the iterator.

    Raises:
        ExecutionError: An op failed while it ran.
    """
    driver = _Driver(program, client, on_read)
    for index, instruction in enumerate(program.instructions):
        yield index
        driver.perform(instruction)


def execute(program: Program, client: FusionClient, on_read: OnRead | None = None) -> None:
    """Perform a whole program."""
    for _ in drive(program, client, on_read):
        pass


class _Driver:
    """Holds the handle of each value that is alive."""

    __slots__ = ("_client", "_handles", "_on_read", "_program")

    def __init__(self, program: Program, client: FusionClient, on_read: OnRead | None) -> None:
        self._program = program
        self._client = client
        self._on_read = on_read
        self._handles: dict[int, FusionTensor] = {}

    def perform(self, instruction: Instruction) -> None:
        """Do one instruction."""
        match instruction:
            case Register():
                self._register(instruction)
            case Upload(output=output, values=values, stream=stream):
                tensor = self._program.values[output]
                self._handles[output] = self._client.from_data(
                    stream, tensor.shape, tensor.dtype, values
                )
            case Read(use=use, stream=stream):
                # A read in the lab always drains, so that what it shows is the whole queue's end.
                self._client.sync(stream)
                array = self._client.read(self._handle(stream, use))
                if self._on_read is not None:
                    self._on_read(use.value, array)
            case Sync(stream=stream):
                self._client.sync(stream)
            case Drop(value=value, stream=stream):
                self._client.drop(stream, self._handles.pop(value))
            case _:
                assert_never(instruction)

    def _register(self, instruction: Register) -> None:
        # All clones are made before any operand is consumed, as Rust evaluates arguments.
        inputs = [self._handle(instruction.stream, use) for use in instruction.inputs]
        described = [
            (self._program.values[value].shape, self._program.values[value].dtype)
            for value in instruction.outputs
        ]
        made = self._client.register(
            instruction.stream, instruction.spec, inputs, described, instruction.args
        )
        self._handles.update(zip(instruction.outputs, made, strict=True))

    def _handle(self, stream: StreamId, use: Use) -> FusionTensor:
        if use.moves:
            return self._handles.pop(use.value)
        return self._client.clone(stream, self._handles[use.value])
