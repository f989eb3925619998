"""The measurement that an app runs for its visitors: one at a time, in a process of its own.

In: requests to start, look, stop. Out: how far it is, and the last finished measurement. A thread
reads the worker's lines; nobody waits for it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, Final

from fusionlab.bench.model import Machine, Measurement, Row, from_json, machine_from

_SWITCH: Final = "FUSIONLAB_BENCHMARK"
_PACKAGE: Final = Path(__file__).parents[1]
REFERENCE: Final = _PACKAGE / "content" / "bench" / "reference.json"
"""A run that comes with the package, to have something to show before anybody has measured."""


class State(Enum):
    """What became of a job."""

    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Status:
    """A job as a visitor sees it."""

    state: State
    done: int = 0
    total: int = 0
    workload: str = ""
    size: str = ""


class Job:
    """One worker process and the thread that reads it."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start at once."""
        self._lock = threading.Lock()
        self._status = Status(State.RUNNING)
        self._machine: Machine | None = None
        self._rows: list[Row] = []
        path = os.pathsep.join([str(_PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(  # noqa: S603 -- our own module, no shell
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
            text=True,
        )
        self._reader = threading.Thread(target=self._read, name="benchmark", daemon=True)
        self._reader.start()

    @property
    def status(self) -> Status:
        """How far it is."""
        with self._lock:
            return self._status

    def measurement(self) -> Measurement | None:
        """The result, once it is done."""
        with self._lock:
            if self._status.state is not State.DONE or self._machine is None:
                return None
            return Measurement(tuple(self._rows), self._machine)

    def stop(self) -> None:
        """End the worker; a job that has ended already stays what it is."""
        self._end(State.STOPPED)
        self._process.terminate()

    def wait(self, seconds: float) -> None:
        """Wait until the worker has ended, at most so long."""
        self._reader.join(seconds)

    def _end(self, state: State) -> None:
        with self._lock:
            if self._status.state is State.RUNNING:
                self._status = replace(self._status, state=state)

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 -- it is a pipe
        with self._process.stdout as lines:
            for line in lines:
                self._take(json.loads(line))
        self._process.wait()
        # A worker that ends without saying so has failed.
        self._end(State.FAILED)

    def _take(self, told: Mapping[str, Any]) -> None:
        ((kind, value),) = told.items()
        with self._lock:
            if self._status.state is not State.RUNNING:
                return
            if kind == "machine":
                self._machine = machine_from(value)
            elif kind == "row":
                self._rows.append(Row(**value))
            elif kind == "progress":
                self._status = Status(State.RUNNING, **value)
            else:
                self._status = replace(self._status, state=State.DONE)


class Jobs:
    """What the visitors of one server share: a job at a time, and the last result."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._command = command or (sys.executable, "-m", "fusionlab.bench.worker")
        self._lock = threading.Lock()
        self._job: Job | None = None
        self._owner = ""
        self._last: Measurement | None = None

    @property
    def allowed(self) -> bool:
        """Whether visitors may measure here: ``FUSIONLAB_BENCHMARK=off`` forbids it."""
        return os.environ.get(_SWITCH, "") != "off"

    def start(self, owner: str) -> Job | None:
        """Start a job, or give the one that runs; ``None`` where measuring is switched off."""
        with self._lock:
            if not self.allowed:
                return None
            if self._job is None or self._job.status.state is not State.RUNNING:
                self._job, self._owner = Job(self._command), owner
            return self._job

    def stop(self, owner: str) -> None:
        """End the running job, if this visitor has started it."""
        with self._lock:
            if self._job is not None and self._owner == owner:
                self._job.stop()

    def owns(self, owner: str) -> bool:
        """Whether this visitor has started the last job."""
        return self._owner == owner

    @property
    def status(self) -> Status | None:
        """The last job, if there was one."""
        return None if self._job is None else self._job.status

    def measurement(self) -> Measurement:
        """The last finished measurement of this machine, else the one of the package."""
        done = None if self._job is None else self._job.measurement()
        if done is not None:
            self._last = done
        return self._last or from_json(REFERENCE.read_text("utf-8"), here=False)


JOBS: Final = Jobs()
"""The jobs of this server."""
