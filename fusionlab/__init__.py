"""FusionLab: how burn decides which tensor ops become one kernel, step by step.

The names here are all that a script needs; importing them loads neither numba nor a user
interface.
"""

from __future__ import annotations

from fusionlab.config import FusionConfig, Limits
from fusionlab.errors import (
    ContentError,
    ExecutionError,
    FusionLabError,
    InvariantError,
    ProgramError,
    UnsupportedError,
)
from fusionlab.events.run import Run
from fusionlab.lab import Lab
from fusionlab.program import parse_program

__all__ = [
    "ContentError",
    "ExecutionError",
    "FusionConfig",
    "FusionLabError",
    "InvariantError",
    "Lab",
    "Limits",
    "ProgramError",
    "Run",
    "UnsupportedError",
    "parse_program",
]
