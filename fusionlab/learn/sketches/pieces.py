"""Pieces that all families use: sizes, scalars and small expressions."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")

SIZES = (2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32, 48, 64, 96, 128)
SCALARS = (0.25, 0.5, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
UNARY = ("exp", "tanh", "sqrt", "abs", "log1p", "sin", "cos")


def size(rng: Random, other_than: Sequence[int] = ()) -> int:
    """An extent that is not 1 and none of those given."""
    return rng.choice([extent for extent in SIZES if extent not in other_than])


def unary(rng: Random, value: str, count: int = 1) -> str:
    """``exp(tanh(x))`` and the like."""
    for name in rng.sample(UNARY, count):
        value = f"{name}({value})"
    return value


def scalar(rng: Random) -> float:
    """A scalar that is written as it is."""
    return rng.choice(SCALARS)


def scaled(rng: Random, value: str) -> str:
    """``x * 2.0``, ``x + 0.5``, …"""
    return f"{grouped(value)} {rng.choice('*+-')} {scalar(rng)}"


def grouped(value: str) -> str:
    """A value that may stand beside any operator."""
    depth = 0
    for character in value:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character in "*+-/@" and depth == 0:
            return f"({value})"
    return value


def step(rng: Random, value: str) -> str:
    """One op on a value."""
    if rng.random() < 0.5:
        return unary(rng, value)
    return scaled(rng, value)


def chain(rng: Random, value: str, length: int) -> str:
    """``length`` ops on a value, nested."""
    for _ in range(length):
        value = step(rng, value)
    return value


def lines(*rows: str) -> str:
    """The program with these lines."""
    return "\n".join(rows) + "\n"


def names(count: int, first: str = "x") -> list[str]:
    """``x``, ``y``, ``z``, then ``w``, ``v``, ``u``."""
    order = {"x": "xyzwvu", "a": "abcdefgh"}[first]
    return list(order[:count])
