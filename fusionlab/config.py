"""The settings of one lab: what burn reads from ``burn.toml`` plus the limits of the lab.

Source: burn-std, config/fusion (``[fusion.beam_search]``); cubecl, hardware limits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

LEAST: Final = {"max_blocks": 1, "max_explorations": 0, "max_bindings": 1}
"""The settings of the search that a program may change, with the least value of each."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds that keep a program from hanging or exhausting the server."""

    program_bytes: int = 64 * 1024
    operations: int = 20_000
    live_bytes: int = 1 << 30
    seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class FusionConfig:
    """What the search may do.

    ``max_blocks`` is the cap on blocks of one search (``None``: no cap, only burn's own unit
    tests do that). ``max_explorations`` caps the searches of one stream (``None``: no cap).
    ``max_bindings`` is the number of buffers that one kernel may bind (1024 on CUDA).
    ``disabled_fusers`` holds display names of fusers that take no part in the competition.
    """

    max_blocks: int | None = 5
    max_explorations: int | None = None
    max_bindings: int = 1024
    disabled_fusers: frozenset[str] = frozenset()
    limits: Limits = field(default_factory=Limits)
