"""How often somebody may ask: token buckets that forget whoever has been quiet.

A bucket holds ``burst`` tokens and refills at ``per_second``; each request takes one. Kept in
memory and per server: with N servers behind one address the limits are N times as wide, which the
numbers below allow for.

Why guessing a PIN is useless: there are about 890 million, an address may be wrong 30 times and
then every other second, and all addresses together 300 times and then ten times a second. With a
hundred rooms open, a hit is expected after ten days of guessing from any number of addresses; rooms
live for one. The key in the QR code is not limited, so a class can still come in meanwhile.
"""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from fusionlab.errors import FusionLabError

_KEPT = 20_000
EVERYBODY = "everybody"


class TooManyRequests(FusionLabError):  # noqa: N818 -- says what happened, not what is broken
    """The caller should wait ``seconds`` and ask again."""

    def __init__(self, seconds: float) -> None:
        """Keep how long to wait."""
        super().__init__("too_many", seconds=seconds)
        self.seconds = seconds


class Bucket:
    """One limit for each of many callers."""

    def __init__(
        self,
        burst: float,
        per_second: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        kept: int = _KEPT,
    ) -> None:
        """Allow ``burst`` requests at once and ``per_second`` on the long run."""
        self._burst = burst
        self._rate = per_second
        self._clock = clock
        self._kept = kept
        self._lock = threading.Lock()
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str) -> None:
        """Take one token.

        Raises:
            TooManyRequests: There is none; nothing is taken.
        """
        with self._lock:
            self.check(who)
            self._levels[who] = (self._level(who) - 1.0, self._clock())
            self._levels.move_to_end(who)
            while len(self._levels) > self._kept:
                self._levels.popitem(last=False)

    def check(self, who: str) -> None:
        """Raise what ``take`` would raise, and take nothing."""
        missing = 1.0 - self._level(who)
        if missing > 1e-9:
            raise TooManyRequests(missing / self._rate)

    def _level(self, who: str) -> float:
        level, then = self._levels.get(who, (self._burst, self._clock()))
        return min(self._burst, level + (self._clock() - then) * self._rate)


def neighbourhood(address: str | None) -> str:
    """What one person can easily have of addresses: one of IPv4, a /64 network of IPv6."""
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return "unknown"
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))
    return str(parsed)


@dataclass(frozen=True, slots=True)
class Limits:
    """Every limit of the room routes. A whole school may share one address."""

    opening: Bucket = field(default_factory=lambda: Bucket(40, 40 / 3600))
    joining: Bucket = field(default_factory=lambda: Bucket(400, 10.0))
    wrong_pins: Bucket = field(default_factory=lambda: Bucket(30, 0.5))
    all_wrong_pins: Bucket = field(default_factory=lambda: Bucket(300, 10.0))
    voting: Bucket = field(default_factory=lambda: Bucket(20, 1.0))
    moving: Bucket = field(default_factory=lambda: Bucket(40, 4.0))
    stepping: Bucket = field(default_factory=lambda: Bucket(120, 40.0))
    streaming: Bucket = field(default_factory=lambda: Bucket(30, 1.0))
    strangers: Bucket = field(default_factory=lambda: Bucket(200, 10.0))
