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

__all__ = [
    "ContentError",
    "ExecutionError",
    "FusionConfig",
    "FusionLabError",
    "InvariantError",
    "Limits",
    "ProgramError",
    "UnsupportedError",
]
