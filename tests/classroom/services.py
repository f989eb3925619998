"""Start real servers for a test, and end them the polite or the impolite way."""

import asyncio
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

import pytest
from app_server import ROOT, free_port
from phones import Browser

HINT = "run scripts/services.sh, or install Debian's 'redis-server' and 'nginx-light'"
START_SECONDS = 20.0


def program(name: str) -> str:
    """Path of a server program; its absence is a failure, because a skipped test tells nobody."""
    for folder in (None, "/usr/sbin:/usr/local/sbin:/sbin"):
        if path := shutil.which(name, path=folder):
            return path
    pytest.fail(f"no {name} found: {HINT}")


def listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class RedisServer:
    """A Redis of its own folder and port that keeps each change before it answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [program("redis-server"), "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--dir", str(self.folder), "--save", "", "--appendonly", "yes"]
        command += ["--appendfsync", "always", "--logfile", str(self.folder / "redis.log")]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait_for(lambda: listens(self.port))

    def kill(self) -> None:
        """End it as a power cut would: no chance to save anything."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def wait_for(condition, seconds: float = START_SECONDS, what: str = "a server to start"):
    """Wait until the condition holds and return what it returned."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if answer := condition():
            return answer
        time.sleep(0.02)
    pytest.fail(f"waited {seconds} s for {what}")


class RoomServer:
    """The room routes in a process of their own, which can be killed and started again."""

    def __init__(self, folder: Path, redis_url: str | None = None, *options: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.options = options
        self.log = folder / f"server-{self.port}.log"
        self.environment = {"FUSIONLAB_DATA": str(folder)}
        if redis_url is not None:
            self.environment["FUSIONLAB_REDIS_URL"] = redis_url
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(), cwd=ROOT, env=os.environ | self.environment, stdout=log, stderr=log
            )
        wait_for(lambda: listens(self.port), what=f"the room server, see {self.log}")

    def command(self) -> list[str]:
        script = Path(__file__).parent / "server.py"
        return [sys.executable, str(script), str(self.port), *self.options]

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self) -> float:
        """End it politely and return how long that took."""
        assert self.process is not None
        started = time.monotonic()
        self.process.terminate()
        self.process.wait(20)
        self.process = None
        return time.monotonic() - started

    def cpu_seconds(self) -> float:
        """Processor time that it has used so far."""
        assert self.process is not None
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def opened(self, *questions: str, marker: str = "") -> Browser:
        """Open a room, put questions into its deck, and return its teacher."""
        teacher = Browser(self.port)
        await teacher.open()
        for name in questions:
            path = f"/prepare/{teacher.room}?id={name}&answer=1&marker={marker}"
            await teacher.until_answered("POST", path, None)
        return teacher


class AppServer(RoomServer):
    """The whole app, on a port that it keeps when it is started again."""

    def __init__(self, folder: Path, redis_url: str | None = None, *options: str) -> None:
        super().__init__(folder, redis_url, *options)
        # Servers behind one address must agree on it.
        self.environment["STREAMLIT_SERVER_COOKIE_SECRET"] = "x" * 32

    def command(self) -> list[str]:
        command = [sys.executable, "-m", "streamlit", "run", "app.py"]
        command += ["--server.port", str(self.port), "--server.address", "127.0.0.1"]
        return [*command, "--server.fileWatcherType", "none"]


class Wire:
    """A network between a port of its own and a server.

    It can be cut: bytes are held back, and nobody is told.
    """

    def __init__(self, server: int) -> None:
        self.server = server
        self.port = 0
        self._whole = asyncio.Event()
        self._whole.set()
        self._writers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        self._listening = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = self._listening.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()
        for writer in self._writers:
            writer.close()

    def cut(self) -> None:
        self._whole.clear()

    def mend(self) -> None:
        self._whole.set()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        await self._whole.wait()
        there, back = await asyncio.open_connection("127.0.0.1", self.server)
        self._writers.add(back)
        await asyncio.gather(self._pass(reader, back), self._pass(there, writer))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while part := await reader.read(65536):
                await self._whole.wait()
                writer.write(part)
                await writer.drain()
        writer.close()


class Nginx:
    """The nginx of deploy/nginx.conf in front of servers on this machine."""

    def __init__(self, folder: Path, servers: list[int]) -> None:
        self.folder = folder
        self.port = free_port()
        self.file = folder / "nginx.conf"
        text = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
        shipped = "server app:8501 max_fails=1 fail_timeout=2s;"
        assert shipped in text
        here = [shipped.replace("app:8501", f"127.0.0.1:{port}") for port in servers]
        text = text.replace(shipped, "\n        ".join(here))
        text = text.replace("listen 8080;", f"listen 127.0.0.1:{self.port};")
        text = text.replace("/tmp/nginx", f"{folder}/nginx")  # noqa: S108 -- the container's
        text = text.replace("/dev/stdout", f"{folder}/nginx-access.log")
        text = text.replace("/dev/stderr", f"{folder}/nginx-error.log")
        self.file.write_text(text, "utf-8")
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [program("nginx"), "-c", str(self.file), "-e", str(self.folder / "nginx.log")]
        self.process = subprocess.Popen([*command, "-g", "daemon off;"])
        wait_for(lambda: listens(self.port), what="nginx")

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None
