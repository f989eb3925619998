"""Browsers without a screen: what a page of the classroom does on the network, and nothing else.

Plain asyncio over one connection each, so that a hundred of them cost less than the server that
they try. Like the page, they repeat what was not acknowledged and come back by themselves.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fusionlab.classroom.codes import new_token

API = "/api/rooms"
T = TypeVar("T")
SILENCE_SECONDS = 7.0
AGAIN_SECONDS = 0.25


@dataclass(slots=True)
class Answer:
    """What a request came back with."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.text)


def play(scene: Coroutine[Any, Any, T]) -> T:
    """Run a scene to its end, in a thread of its own.

    The thread of the tests has a running event loop as soon as one of them has driven a browser.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, scene).result()


async def ask(
    port: int,
    method: str,
    path: str,
    data: object = None,
    *,
    token: str = "",
    seconds: float = 5.0,
    headers: dict[str, str] | None = None,
    source: str = "127.0.0.1",
) -> Answer:
    """One request on its own connection; raises ``OSError`` or ``TimeoutError`` when it fails."""
    body = b"" if data is None else json.dumps(data).encode()
    async with asyncio.timeout(seconds):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
        try:
            writer.write(head(method, path, token, len(body), headers) + body)
            status, given = await read_head(reader)
            text = await read_body(reader, given)
        finally:
            writer.close()
    return Answer(status, given, text.decode())


def head(
    method: str, path: str, token: str, length: int, headers: dict[str, str] | None = None
) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "host: localhost", "connection: close"]
    lines += [f"content-length: {length}", "content-type: application/json"]
    if token:
        lines.append(f"authorization: Bearer {token}")
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


async def read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    status = (await reader.readline()).split()
    if len(status) < 2:
        raise ConnectionResetError("no answer")
    headers = {}
    while line := (await reader.readline()).decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return int(status[1]), headers


async def read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if "content-length" in headers:
        return await reader.readexactly(int(headers["content-length"]))
    return b"".join([part async for part in chunks(reader)])


async def chunks(reader: asyncio.StreamReader):
    while size := int((await reader.readline()).strip() or b"0", 16):
        yield await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readline()


@dataclass
class Browser:
    """One page that is in a room: it listens, and it asks until it gets an answer."""

    port: int
    token: str = field(default_factory=new_token)
    room: str = ""
    pin: str = ""
    key: str = ""
    number: int = 0
    turn: int = 0
    seen: dict[str, Any] = field(default_factory=dict)
    heard: list[tuple[float, str, Any]] = field(default_factory=list)
    connected: float = 0.0
    connections: int = 0
    gone: bool = False
    _task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Become the teacher of a new room."""
        given = await self.until_answered("POST", f"{API}/open", {"token": self.token})
        self.room, self.pin, self.key = given.json["room"], given.json["pin"], given.json["key"]

    async def join(self, code: str, name: str = "") -> None:
        """Become a student."""
        data = {"token": self.token, "code": code, "name": name}
        given = await self.until_answered("POST", f"{API}/join", data)
        self.room, self.number = given.json["room"], given.json["number"]

    async def vote(self, ballot: str, choice: int) -> Answer:
        self.turn += 1
        data = {"ballot": ballot, "choice": choice, "turn": self.turn}
        return await self.until_answered("POST", f"{API}/{self.room}/votes", data)

    async def move(self, name: str, **args: object) -> Answer:
        return await self.until_answered("POST", f"{API}/{self.room}/moves", {"move": name, **args})

    async def step(self, step: int, showing: int = 0) -> Answer:
        data = {"showing": showing, "step": step, "level": 1}
        return await self.until_answered("POST", f"{API}/{self.room}/step", data)

    async def get(self, what: str) -> Answer:
        return await ask(self.port, "GET", f"{API}/{self.room}/{what}", token=self.token)

    async def until_answered(self, method: str, path: str, data: object) -> Answer:
        """Ask again until the server says yes or no; only a definite answer counts."""
        while True:
            with contextlib.suppress(OSError, TimeoutError, EOFError):
                given = await ask(self.port, method, path, data, token=self.token, seconds=4.0)
                if given.status not in (429, 502, 503, 504):
                    return given
            await asyncio.sleep(AGAIN_SECONDS)

    # --- listening ---------------------------------------------------------------------------

    def listen(self, audience: str = "") -> None:
        """Listen from now on, and come back whenever the connection is lost."""
        query = f"?as={audience}" if audience else ""
        self._task = asyncio.create_task(self._listen_on(f"{API}/{self.room}/events{query}"))

    async def _listen_on(self, path: str) -> None:
        while not self.gone:
            with contextlib.suppress(
                OSError, TimeoutError, asyncio.IncompleteReadError, ValueError
            ):
                await self._listen_once(path)
            await asyncio.sleep(AGAIN_SECONDS)

    async def _listen_once(self, path: str) -> None:
        async with asyncio.timeout(3.0):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(head("GET", path, self.token, 0))
            async with asyncio.timeout(3.0):
                status, _ = await read_head(reader)
            if status != 200:
                self.gone = status == 403
                return
            await self._read_events(reader)
        finally:
            writer.close()

    async def _read_events(self, reader: asyncio.StreamReader) -> None:
        parts, rest = chunks(reader), b""
        while True:
            async with asyncio.timeout(SILENCE_SECONDS):
                part = await anext(parts, None)
            if part is None:
                return
            if not self.connected:
                self.connections += 1
            self.connected = self.connected or time.monotonic()
            *events, rest = (rest + part).split(b"\n\n")
            for event in events:
                self._hear(event)

    def _hear(self, event: bytes) -> None:
        if event.startswith(b":"):
            return
        kind, _, data = event.partition(b"\ndata: ")
        name = kind.removeprefix(b"event: ").decode()
        self.seen[name] = json.loads(data)
        self.heard.append((time.monotonic(), name, self.seen[name]))
        self.gone = self.gone or name == "gone"

    async def sees(self, condition, seconds: float = 5.0, what: str = "") -> Any:
        """Wait until what is seen fulfils the condition; return what that returned."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with contextlib.suppress(KeyError, TypeError):
                if found := condition(self.seen):
                    return found
            await asyncio.sleep(0.01)
        raise AssertionError(f"not seen within {seconds} s: {what}; seen: {self.seen}")

    async def leave(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
