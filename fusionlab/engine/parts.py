"""The stations that a stream is built from, so that one of them can be exchanged.

Burn has exactly one of each. The misconception engines swap a single one: the real engine with
one rule switched. Nothing is looked up here while a stream runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fusionlab.engine.block import Block
from fusionlab.engine.execution import Execution
from fusionlab.engine.explorer import Explorer
from fusionlab.engine.optimizer import StreamOptimizer
from fusionlab.engine.policy import Policy
from fusionlab.engine.processor import Processor
from fusionlab.engine.relative import OperationConverter
from fusionlab.fusers import new_fusers
from fusionlab.fusers.base import OperationFuser


@dataclass(frozen=True, slots=True)
class Parts:
    """A class for each station; ``fusers`` makes the competitors (see ``new_fusers``)."""

    converter: type[OperationConverter] = OperationConverter
    policy: type[Policy] = Policy
    processor: type[Processor] = Processor
    explorer: type[Explorer] = Explorer
    optimizer: type[StreamOptimizer] = StreamOptimizer
    block: type[Block] = Block
    execution: type[Execution] = Execution
    fusers: Callable[[int, frozenset[str]], tuple[OperationFuser, ...]] = new_fusers


BURN = Parts()
"""Every rule as burn has it."""
