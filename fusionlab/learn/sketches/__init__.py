"""Random programs in families: each family makes one thing worth asking about happen often.

In: a random generator. Out: a program text of the lab language, short enough to read in a minute.
The same generator state gives the same text on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fusionlab.learn.sketches import caching, searching, waiting

Family = Callable[[Random], str]

FAMILIES: dict[str, Family] = {
    "rounds": caching.rounds,
    "changes": caching.changes,
    "capped": caching.capped,
    "guarded": caching.guarded,
    "streams": caching.streams,
    "shapes": caching.shapes,
    "closers": waiting.closers,
    "prefixes": waiting.prefixes,
    "triggered": waiting.triggered,
    "chains": searching.chains,
    "crowded": searching.crowded,
    "heads": searching.heads,
    "block": searching.block,
    "contest": searching.contest,
}
"""By name."""
