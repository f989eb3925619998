"""What a clock said of a launch: kept beside the facts, since no two runs agree on it."""

from __future__ import annotations

from typing import NamedTuple


class Measured(NamedTuple):
    """What a launch took.

    ``waiting``: NumPy did it op by op, because its kernel was still being compiled.
    """

    seconds: float
    waiting: bool
