"""Numbers as people write them on the benchmark page."""

from __future__ import annotations

from fusionlab.bench.workloads import Size


def duration(us: float) -> str:
    """Microseconds with the unit that fits, to two or three digits."""
    if us >= 1e6:
        return f"{us / 1e6:.3g} s"
    if us >= 1000:
        return f"{us / 1000:.3g} ms" if us < 1e5 else f"{us / 1000:.0f} ms"
    return f"{us:.2g} µs" if us < 10 else f"{us:.0f} µs"


def megabytes(count: float) -> str:
    """Bytes as megabytes, or kilobytes below one."""
    return f"{count / 1e6:.3g} MB" if count >= 1e6 else f"{count / 1e3:.3g} kB"


def factor(value: float) -> str:
    """A ratio to two or three digits: ``0.54``, ``1.03``, ``2.5``, ``13``."""
    if value >= 9.95:
        return f"{value:.0f}"
    return f"{value:.2f}" if 0.95 < value < 1.1 else f"{value:.2g}"


def side(size: Size) -> str:
    """A size as readers write it: ``64²`` or ``4096×1024``."""
    return f"{size.n}²" if size.n == size.m else f"{size.n}×{size.m}"
