"""The recorded programs, claims, items and partings of the teaching side."""

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent.parent / "data" / "learn"

Json = Any


@cache
def rows(name: str) -> tuple[Json, ...]:
    """Return every line of one recording."""
    with lzma.open(DATA / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


@cache
def programs() -> dict[str, Json]:
    """Return the recorded programs by name."""
    return {row["id"]: row for row in rows("programs")}
