"""FusionLab: how burn decides which tensor ops become one kernel, step by step.

The names here are all that a script needs. The lab and what it is made of are loaded when they are
first asked for, so that importing this package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from fusionlab.config import FusionConfig, Limits
from fusionlab.errors import (
    ContentError,
    ExecutionError,
    FusionLabError,
    InvariantError,
    ProgramError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from fusionlab.events.run import Run
    from fusionlab.lab import Lab
    from fusionlab.program import parse_program

_LOADED_LATER = {
    "Lab": "fusionlab.lab",
    "Run": "fusionlab.events.run",
    "parse_program": "fusionlab.program",
}

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


def __getattr__(name: str) -> object:
    """Load one of the larger parts at its first use."""
    if name not in _LOADED_LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LOADED_LATER[name]), name)
