"""Which requests of two runs belong together: the same kind of op at the same place in the order.

In: two sequences of tokens. Out: pairs of indexes; an index of ``None`` has no partner.
The shortest way from one sequence to the other is looked for (Myers 1986); what is replaced pairs
up in order. Sequences that differ in too much pair up by their place alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

Pair = tuple[int | None, int | None]

MOST_DIFFERENCES = 400
"""The way is looked for up to this many insertions and removals; its cost grows with the square."""


def aligned(one: Sequence[Hashable], two: Sequence[Hashable]) -> list[Pair]:
    """The pairs, in order on both sides."""
    front = _common(one, two)
    back = _common(one[front:][::-1], two[front:][::-1])
    left, right = one[front : len(one) - back], two[front : len(two) - back]
    middle = _matched(left, right)
    pairs: list[Pair] = [(n, n) for n in range(front)]
    pairs += [(_shifted(a, front), _shifted(b, front)) for a, b in _filled(middle, left, right)]
    pairs += [(len(one) - back + n, len(two) - back + n) for n in range(back)]
    return pairs


def _shifted(index: int | None, by: int) -> int | None:
    return None if index is None else index + by


def _common(one: Sequence[Hashable], two: Sequence[Hashable]) -> int:
    count = 0
    for left, right in zip(one, two, strict=False):
        if left != right:
            break
        count += 1
    return count


def _matched(one: Sequence[Hashable], two: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Equal elements on a shortest way, in order."""
    trail = _trail(one, two)
    if trail is None:
        return [(n, n) for n, (a, b) in enumerate(zip(one, two, strict=False)) if a == b]
    x, y = len(one), len(two)
    found: list[tuple[int, int]] = []
    for depth in range(len(trail) - 1, -1, -1):
        reach, k = trail[depth], x - y
        down = k == -depth or (k != depth and reach.get(k - 1, -1) < reach.get(k + 1, -1))
        before = k + 1 if down else k - 1
        start = reach.get(before, 0) if depth else 0
        entry = (start, start - before) if depth else (0, 0)
        first = (entry[0], entry[1] + 1) if down else (entry[0] + 1, entry[1])
        first = first if depth else (0, 0)
        while x > first[0] and y > first[1]:
            x, y = x - 1, y - 1
            found.append((x, y))
        x, y = entry
    return found[::-1]


def _trail(one: Sequence[Hashable], two: Sequence[Hashable]) -> list[dict[int, int]] | None:
    """How far each diagonal reaches in front of each number of differences."""
    reach: dict[int, int] = {1: 0}
    trail: list[dict[int, int]] = []
    for depth in range(min(len(one) + len(two), MOST_DIFFERENCES) + 1):
        trail.append(dict(reach))
        for k in range(-depth, depth + 1, 2):
            down = k == -depth or (k != depth and reach.get(k - 1, -1) < reach.get(k + 1, -1))
            x = reach.get(k + 1, 0) if down else reach.get(k - 1, 0) + 1
            y = x - k
            while x < len(one) and y < len(two) and one[x] == two[y]:
                x, y = x + 1, y + 1
            reach[k] = x
            if x >= len(one) and y >= len(two):
                return trail
    return None


def _filled(
    middle: Sequence[tuple[int, int]], one: Sequence[Hashable], two: Sequence[Hashable]
) -> list[Pair]:
    """The matches with what lies between them, paired in order as far as it goes."""
    pairs: list[Pair] = []
    a = b = 0
    for x, y in [*middle, (len(one), len(two))]:
        both = min(x - a, y - b)
        pairs += [(a + n, b + n) for n in range(both)]
        pairs += [(n, None) for n in range(a + both, x)]
        pairs += [(None, n) for n in range(b + both, y)]
        if (x, y) != (len(one), len(two)):
            pairs.append((x, y))
        a, b = x + 1, y + 1
    return pairs
