"""Start the real app as its users do, wait until it answers, and stop it again."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60


@dataclass(frozen=True, slots=True)
class AppServer:
    """A running app: where it listens, and where it writes what it has to say."""

    url: str
    log_file: Path

    def log(self) -> str:
        """Return what the server has printed so far."""
        return self.log_file.read_text("utf-8", errors="replace")


@contextmanager
def running_app(log_file: Path) -> Iterator[AppServer]:
    """Run `streamlit run app.py` on a free port of this machine."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    options = ["--server.address", "127.0.0.1", "--server.port", str(port)]
    with log_file.open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [*command, *options, "--server.fileWatcherType", "none"],
            cwd=ROOT,
            # Rooms of a test stay with the test.
            env=os.environ | {"FUSIONLAB_DATA": str(log_file.parent)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        server = AppServer(f"http://127.0.0.1:{port}", log_file)
        try:
            wait_until_healthy(server, process)
            yield server
        finally:
            stop(process)


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_healthy(server: AppServer, process: subprocess.Popen[bytes]) -> None:
    """Poll the health route; a server that died or stays silent fails with its own log."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise RuntimeError(f"the app did not start:\n{server.log()}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the server, politely first."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
