"""The programs that the picker offers, in the order in which a newcomer should meet them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PROGRAMS = Path(__file__).parent.parent / "content" / "programs"

DEFAULT = "mul_add_exp"
"""The program of the first visit: six rounds of one expression, with three hits and a miss."""

_ORDER = (
    DEFAULT,
    "five_chains",
    "softmax",
    "linear_relu",
    "many_blocks",
    "moving_shapes",
    "two_streams",
)


@cache
def ids() -> tuple[str, ...]:
    """The ids of the programs; each has a title ``ui.program.<id>`` in the catalog."""
    return tuple(name for name in _ORDER if _file(name).exists())


@cache
def text(name: str) -> str:
    """The text of a program of the gallery."""
    return _file(name).read_text("utf-8")


def _file(name: str) -> Path:
    return _PROGRAMS / f"{name}.lab"
