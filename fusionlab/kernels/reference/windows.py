"""Sliding windows over spatial dimensions: what convolutions, pools and unfold share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from fusionlab.kernels.dtypes import Array

Sizes = Sequence[int]
Index = tuple[Any, ...]


def spatial(parts: Sequence[int | slice]) -> Index:
    """An index into the spatial (last) dimensions."""
    return (..., *parts)


def pad_spatial(x: Array, before: Sizes, after: Sizes, fill: float) -> Array:
    """``x`` [batch, channels, *spatial] with ``fill`` around; negative widths cut off."""
    widths = [(0, 0), (0, 0)] + [(max(b, 0), max(a, 0)) for b, a in zip(before, after, strict=True)]
    padded = np.pad(x, widths, constant_values=fill)
    cuts = [
        slice(max(-b, 0), extent - max(-a, 0))
        for b, a, extent in zip(before, after, padded.shape[2:], strict=True)
    ]
    return padded[spatial(cuts)]


def room_for(size: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes) -> tuple[int, ...]:
    """The padded extents that ``size`` windows need."""
    return tuple(
        (n - 1) * s + d * (k - 1) + 1
        for n, k, s, d in zip(size, kernel, stride, dilation, strict=True)
    )


def fit(
    x: Array,
    size: Sizes,
    kernel: Sizes,
    *,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    fill: float,
) -> Array:
    """``x`` padded so that exactly ``size`` windows fit, wherever the last ones end."""
    needed = room_for(size, kernel, stride, dilation)
    after = [n - p - e for n, p, e in zip(needed, padding, x.shape[2:], strict=True)]
    return pad_spatial(x, padding, after, fill)


def taps(
    size: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes
) -> Iterator[tuple[Index, Index]]:
    """Each place of the kernel with the part of the padded input that all windows see there."""
    for place in product(*(range(k) for k in kernel)):
        starts = [p * d for p, d in zip(place, dilation, strict=True)]
        seen = [
            slice(start, start + (n - 1) * s + 1 if n else start, s)
            for start, n, s in zip(starts, size, stride, strict=True)
        ]
        yield spatial(place), spatial(seen)
