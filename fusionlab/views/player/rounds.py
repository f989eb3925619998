"""Rounds: what belongs together on the track, from one drain to the next.

In: a run and its track. Out: ranges of columns and steps, with sizes and scalars as a subtitle.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import pairwise

from fusionlab.events.run import Run
from fusionlab.i18n import Texts
from fusionlab.ir.operation import Scalar
from fusionlab.views import words
from fusionlab.views.player.pool import Json, without_nothing
from fusionlab.views.player.track import Column, Track


def rounds_of(run: Run, track: Track, kept: list[int], texts: Texts) -> list[Json]:
    """The rounds; ``kept`` are the events that are steps."""
    groups = _groups(track)
    starts = [track.columns[first].born for first, _ in groups]
    bounds = pairwise([*starts, len(run.events)])
    rounds = []
    for number, ((first, last), (start, end)) in enumerate(zip(groups, bounds, strict=True)):
        steps = [bisect_left(kept, start), max(0, bisect_right(kept, end - 1) - 1)]
        rounds.append(
            without_nothing(
                {
                    "label": texts("round.label", n=number + 1),
                    "sub": _subtitle(track.columns[first : last + 1]),
                    "columns": [first, last],
                    "steps": [0 if number == 0 else steps[0], steps[1]],
                }
            )
        )
    return rounds


def _groups(track: Track) -> list[tuple[int, int]]:
    """First and last column of each round. Reads right behind a drain belong to it."""
    groups: list[tuple[int, int]] = []
    first, drained = 0, False
    for index, column in enumerate(track.columns):
        if column.op is not None and drained:
            groups.append((first, index - 1))
            first, drained = index, False
        drained = drained or column.op is None
    if track.columns:
        groups.append((first, len(track.columns) - 1))
    return groups


def _subtitle(columns: list[Column]) -> str:
    """The most frequent shape of the round's ops and its scalars: ``64×64 · 2.0``."""
    ops = [column.op for column in columns if column.op is not None and column.size == "op"]
    shapes = Counter(tensor.shape for op in ops for tensor in op.outputs)
    scalars = dict.fromkeys(
        words.value(value) for op in ops for _, value in op.args if isinstance(value, Scalar)
    )
    parts = [words.size(shape) for shape, _ in shapes.most_common(1)]
    return " · ".join([*parts, *list(scalars)[:2]])
