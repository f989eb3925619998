"""A QR code as one SVG path, so that a page can draw it without trusting any markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import segno

LONGEST = 600
"""Characters; longer codes are hard to read across a room."""
_BORDER = 4


def qr(text: str) -> dict[str, object]:
    """The code of a text: ``size`` in modules with the quiet border, and ``path`` in these units.

    Error correction is at least 15 % (level M), more where it costs no size.
    """
    rows = tuple(segno.make(text, error="m", micro=False).matrix)
    path = "".join(_runs(rows))
    return {"size": len(rows) + 2 * _BORDER, "path": path}


def _runs(rows: Sequence[Sequence[int]]) -> Iterator[str]:
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            start = x
            while x < len(row) and row[x]:
                x += 1
            if x > start:
                yield f"M{start + _BORDER} {y + _BORDER}h{x - start}v1h{start - x}z"
            x += 1
