"""Start a real Redis for a test, and end it the polite or the impolite way."""

import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
from app_server import free_port

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
