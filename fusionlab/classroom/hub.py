"""One broadcaster for all browsers that listen to this server.

In: notices that something changed, from any thread. Out: to each listener the newest state, as
bytes ready to send. A room is read once for a change, however many listen; a listener that is slow
skips what is outdated and never holds up the others, since its mailbox keeps only the newest
message of each kind.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from fusionlab.classroom import logs
from fusionlab.classroom.metrics import Metrics
from fusionlab.classroom.store import Notice, StoreUnavailable
from fusionlab.classroom.wire import Audience

PING_SECONDS = 3.0
"""A sign of life this often, so that a browser notices a dead connection within seconds."""
CALM_SECONDS = 0.15
"""Counts of votes and people are told at most this often."""
AGAIN_SECONDS = 0.3
"""Time until the store is asked again after it did not answer."""

_PING = b": here\n\n"
_CALM = frozenset({Notice.VOTES, Notice.PEOPLE})


def message(kind: str, data: Mapping[str, Any]) -> bytes:
    """One event of an event stream."""
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"event: {kind}\ndata: {body}\n\n".encode()


@dataclass(frozen=True, slots=True)
class News:
    """What was read after a change: messages for everybody, for some, and who has to go."""

    messages: Mapping[Audience, Mapping[str, bytes]]
    gone: frozenset[str] = frozenset()


Reader = Callable[[str, frozenset[Notice], frozenset[Audience]], News]
"""Reads what the notices say has changed in a room, for the kinds of readers that listen."""


class Listener:
    """One browser that listens."""

    def __init__(self, audience: Audience, student: str = "") -> None:
        """Somebody of that kind; a student is known by id."""
        self.audience = audience
        self.student = student
        self._mail: dict[str, bytes] = {}
        self._news = asyncio.Event()
        self._over = False

    def put(self, messages: Mapping[str, bytes]) -> None:
        """Leave messages; the newest of each kind stays."""
        for kind, text in messages.items():
            # Put in front of what is new, so that the order is the order of changes.
            self._mail.pop(kind, None)
            self._mail[kind] = text
        self._news.set()

    def end(self, *messages: bytes) -> None:
        """Say the last word and hang up."""
        self._mail.update({f"last {n}": text for n, text in enumerate(messages)})
        self._over = True
        self._news.set()

    async def receive(self) -> AsyncIterator[bytes]:
        """Everything that is left for this listener, until it is over."""
        while True:
            try:
                async with asyncio.timeout(PING_SECONDS):
                    await self._news.wait()
            except TimeoutError:
                yield _PING
                continue
            self._news.clear()
            mail, self._mail = self._mail, {}
            if mail:
                yield b"".join(mail.values())
            if self._over:
                return


@dataclass(slots=True)
class _Channel:
    listeners: set[Listener] = field(default_factory=set)
    changed: set[Notice] = field(default_factory=set)
    since: float = 0.0
    urgent: asyncio.Event = field(default_factory=asyncio.Event)
    pump: asyncio.Task[None] | None = None


class Hub:
    """Tells listeners what changed. All methods but ``notify`` belong to the event loop."""

    def __init__(self, read: Reader, workers: Executor, metrics: Metrics) -> None:
        """Read with ``read``, on one of the workers."""
        self._read = read
        self._workers = workers
        self._metrics = metrics
        self._channels: dict[str, _Channel] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing = False

    def notify(self, room: str, notice: Notice) -> None:
        """Something changed; may be called from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._notice, room, notice)

    def add(self, room: str, listener: Listener) -> None:
        """Let somebody listen; what they do not know yet is read for them."""
        self._loop = asyncio.get_running_loop()
        self._channels.setdefault(room, _Channel()).listeners.add(listener)
        self._metrics.streams += 1
        if self._closing:
            listener.end()

    def remove(self, room: str, listener: Listener) -> None:
        """Let somebody go."""
        channel = self._channels[room]
        channel.listeners.discard(listener)
        self._metrics.streams -= 1
        if not channel.listeners:
            if channel.pump is not None:
                channel.pump.cancel()
            del self._channels[room]

    def close(self) -> None:
        """Hang up on everybody, so that the server can stop."""
        self._closing = True
        for channel in self._channels.values():
            for listener in channel.listeners:
                listener.end()

    def _notice(self, room: str, notice: Notice) -> None:
        if notice is Notice.ALL:
            for known in tuple(self._channels):
                self._notice(known, Notice.ROOM)
                self._notice(known, Notice.PLACE)
            return
        channel = self._channels.get(room)
        if channel is None:
            return
        channel.since = channel.since or time.perf_counter()
        channel.changed.add(notice)
        if notice not in _CALM:
            channel.urgent.set()
        if channel.pump is None or channel.pump.done():
            channel.pump = asyncio.create_task(self._pump(room, channel))

    async def _pump(self, room: str, channel: _Channel) -> None:
        while channel.changed:
            changed, channel.changed = frozenset(channel.changed), set()
            since, channel.since = channel.since, 0.0
            channel.urgent.clear()
            audiences = frozenset(listener.audience for listener in channel.listeners)
            try:
                news = await self._loop_read(room, changed, audiences)
            except StoreUnavailable:
                channel.changed |= changed
                await asyncio.sleep(AGAIN_SECONDS)
                continue
            except Exception as problem:  # noqa: BLE001 -- one bad room must not silence the others
                logs.failed("push_failed", problem, room=room)
                return
            self._deliver(channel.listeners, news)
            self._metrics.push.add(time.perf_counter() - since)
            if changed <= _CALM:
                await self._calm(channel)

    async def _loop_read(
        self, room: str, changed: frozenset[Notice], audiences: frozenset[Audience]
    ) -> News:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._workers, self._read, room, changed, audiences)

    def _deliver(self, listeners: Iterable[Listener], news: News) -> None:
        for listener in listeners:
            if listener.student in news.gone:
                listener.end(message("gone", {"why": "kicked"}))
            elif messages := news.messages.get(listener.audience):
                listener.put(messages)
                self._metrics.pushed.add(by=len(messages))

    async def _calm(self, channel: _Channel) -> None:
        try:
            async with asyncio.timeout(CALM_SECONDS):
                await channel.urgent.wait()
        except TimeoutError:
            return
