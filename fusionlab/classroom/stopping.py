"""Hang up on listeners when the server is told to stop.

A server that shuts down waits for open answers to end, and an event stream never does by itself. So
whoever listens to the stop signals before us is called after ours.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_watching: set[Callable[[], None]] = set()


def watch(hang_up: Callable[[], None]) -> None:
    """Call ``hang_up`` once when a stop signal comes; only the main thread can watch for it."""
    if hang_up in _watching or threading.current_thread() is not threading.main_thread():
        return
    _watching.add(hang_up)
    for number in _SIGNALS:
        _wrap(number, hang_up)


def _wrap(number: signal.Signals, hang_up: Callable[[], None]) -> None:
    before = signal.getsignal(number)

    def stop(received: int, frame: FrameType | None) -> None:
        hang_up()
        if callable(before):
            before(received, frame)

    if callable(before):
        signal.signal(number, stop)
