"""Start real servers for a test, and end them the polite or the impolite way."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

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
        script = Path(__file__).parent / "server.py"
        command = [sys.executable, str(script), str(self.port), *self.options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=os.environ | self.environment, stdout=log, stderr=log
            )
        wait_for(lambda: listens(self.port), what=f"the room server, see {self.log}")

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
