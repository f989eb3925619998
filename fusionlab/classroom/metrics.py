"""Counts and times of this server, in the text form that Prometheus reads.

Nothing here names a person, an address or a room.
"""

from __future__ import annotations

import sys
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

try:
    import resource
except ImportError:  # Windows has none
    resource = None  # type: ignore[assignment]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5)
_STARTED = time.time()


class Counted:
    """A number that only grows, one for each combination of labels."""

    def __init__(self, name: str, says: str, *labels: str) -> None:
        """Name it, say what it counts, and name its labels."""
        self.name, self.says, self.labels = name, says, labels
        self._values: Counter[tuple[str, ...]] = Counter()
        self._lock = threading.Lock()

    def add(self, *values: str, by: float = 1.0) -> None:
        """Count one more for these values of the labels."""
        with self._lock:
            self._values[values] += by  # type: ignore[assignment]

    def lines(self) -> Iterator[str]:
        """The metric as text."""
        yield from _head(self.name, self.says, "counter")
        for values, count in sorted(self._values.items()):
            yield f"{self.name}{_labels(self.labels, values)} {count:g}"


class Timed:
    """How long something takes, as a histogram in seconds."""

    def __init__(self, name: str, says: str) -> None:
        """Name it and say what it times."""
        self.name, self.says = name, says
        self._counts = [0] * (len(_BOUNDS) + 1)
        self._sum = 0.0
        self._lock = threading.Lock()

    def add(self, seconds: float) -> None:
        """One more that took so long."""
        with self._lock:
            self._counts[bisect_left(_BOUNDS, seconds)] += 1
            self._sum += seconds

    def lines(self) -> Iterator[str]:
        """The metric as text; buckets count everything up to their bound."""
        yield from _head(self.name, self.says, "histogram")
        total = 0
        for bound, count in zip((*_BOUNDS, float("inf")), self._counts, strict=True):
            total += count
            yield f'{self.name}_bucket{{le="{"+Inf" if bound > 1e9 else f"{bound:g}"}"}} {total}'
        yield f"{self.name}_sum {self._sum:.6f}"
        yield f"{self.name}_count {total}"


class Metrics:
    """What the classroom counts."""

    def __init__(self) -> None:
        """Start at zero."""
        self.requests = Counted(
            "fusionlab_room_requests_total", "Requests at the room routes.", "route", "status"
        )
        self.opened = Counted("fusionlab_rooms_opened_total", "Rooms opened.")
        self.joined = Counted("fusionlab_joins_total", "People who joined a room.")
        self.refused = Counted("fusionlab_refusals_total", "Requests refused, by code.", "code")
        self.votes = Counted("fusionlab_votes_total", "Votes counted, changes included.")
        self.pushed = Counted("fusionlab_pushed_messages_total", "Messages pushed to browsers.")
        self.store = Timed("fusionlab_store_seconds", "Time of one change in the store.")
        self.push = Timed("fusionlab_push_seconds", "From a change to its message for everybody.")
        self.streams = 0

    def text(self) -> str:
        """All metrics."""
        kept = (self.requests, self.opened, self.joined, self.refused, self.votes, self.pushed)
        lines = [line for metric in (*kept, self.store, self.push) for line in metric.lines()]
        lines += _gauge("fusionlab_streams", "Browsers that listen now.", self.streams)
        lines += _process()
        return "\n".join(lines) + "\n"


def _process() -> list[str]:
    lines = [
        *_gauge("process_start_time_seconds", "When the process started.", _STARTED),
        *_head("process_cpu_seconds_total", "Processor time used.", "counter"),
        f"process_cpu_seconds_total {time.process_time():.3f}",
    ]
    if resource is not None:
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        lines += _gauge("fusionlab_peak_memory_bytes", "Highest memory use.", peak)
    return lines


def _gauge(name: str, says: str, value: float) -> list[str]:
    return [*_head(name, says, "gauge"), f"{name} {value:.10g}"]


def _head(name: str, says: str, kind: str) -> list[str]:
    return [f"# HELP {name} {says}", f"# TYPE {name} {kind}"]


def _labels(names: tuple[str, ...], values: tuple[str, ...]) -> str:
    if not names:
        return ""
    return "{" + ",".join(f'{n}="{v}"' for n, v in zip(names, values, strict=True)) + "}"
