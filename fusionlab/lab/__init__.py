"""The lab: a program goes in, a run comes out.

In: a parsed program (or its text). Out: a ``Run`` with every fact, state, value and kernel source.
A lab owns the plan store, so a second run can hit what the first one found; tensor ids and
buffers start anew with every run. A program that fails gives the run up to that point, with a
``RunFailed`` fact at its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fusionlab.config import FusionConfig
from fusionlab.engine.client import FusionClient
from fusionlab.engine.dry import HandlesOnly
from fusionlab.engine.execution import Backend
from fusionlab.engine.misconceptions import Misconception
from fusionlab.engine.parts import Parts
from fusionlab.engine.server import FusionServer
from fusionlab.engine.snapshot import plan_states
from fusionlab.engine.store import ExecutionPlanStore
from fusionlab.errors import FusionLabError, InvariantError, ProgramError
from fusionlab.events.facts import RunFailed, TensorRead
from fusionlab.events.log import EventLog
from fusionlab.events.run import ProgramInfo, ReadValue, Run
from fusionlab.events.state import LabState
from fusionlab.program import Program, drive, parse_partial
from fusionlab.program.drive import OnRead

if TYPE_CHECKING:
    from fusionlab.kernels.dtypes import Array
    from fusionlab.lab.reading import Expected


class Lab:
    """One device. ``seed`` makes ``random`` the same in every run."""

    def __init__(
        self,
        config: FusionConfig | None = None,
        seed: int = 0,
        *,
        tiered: bool = False,
        misconception: Misconception | None = None,
    ) -> None:
        """A lab without plans.

        ``tiered``: NumPy does the work of a kernel until a background thread has compiled it, so
        that nobody waits. ``misconception`` switches one rule of its engine.
        """
        self.tiered = tiered
        self.config = config or FusionConfig()
        self.seed = seed
        self.misconception = misconception or Misconception()
        self.store = ExecutionPlanStore()

    def run_text(
        self, text: str, name: str = "", *, execute: bool = True, check: bool = False
    ) -> Run:
        """Run a program from its text; see ``run``.

        A wrong program runs up to its error, which becomes the last fact: nothing is raised.
        """
        program, error = parse_partial(text, name, self.config.limits)
        return self.run(program, execute=execute, check=check, then=error)

    def run(
        self,
        program: Program,
        *,
        execute: bool = True,
        check: bool = False,
        then: ProgramError | None = None,
        replayed: bool = True,
    ) -> Run:
        """Run a program.

        Args:
            program: What to run; its own ``config(…)`` goes over the lab's.
            execute: Compute; else only decide (reads then have no values).
            check: Compare every value that is read with op-by-op NumPy.
            then: The error that ends the run (the program is what came before it).
            replayed: Build the states; without them the run is for readers of facts only.

        Returns:
            Everything that happened. A failure is its last fact.

        Raises:
            InvariantError: The engine broke its own rules: our bug.
        """
        config = self.misconception.configure(program.configure(self.config))
        backend = (
            _backend(self.seed, config.limits.seconds, tiered=self.tiered)
            if execute
            else HandlesOnly()
        )
        parts = self.misconception.parts()
        session = _Session(program, config, backend, self.store, parts)
        initial = LabState(plans=plan_states(self.store))
        error = session.perform(_expected(program, self.seed) if check and execute else None)
        return session.finish(error or then, initial, replayed=replayed)


def _backend(seed: int, seconds: float, *, tiered: bool) -> Backend:
    # NumPy (and numba, at the first kernel) are loaded by the first run that computes.
    from fusionlab.kernels.backend import TimedExecutor  # noqa: PLC0415
    from fusionlab.kernels.device import KernelMode  # noqa: PLC0415

    mode = KernelMode.TIERED if tiered else KernelMode.COMPILED
    return TimedExecutor(seed, mode, seconds)


def _expected(program: Program, seed: int) -> Expected:
    from fusionlab.lab.reading import Expected  # noqa: PLC0415 -- loads NumPy

    return Expected(program, seed)


class _Session:
    """One run while it happens."""

    def __init__(
        self,
        program: Program,
        config: FusionConfig,
        backend: Backend,
        store: ExecutionPlanStore,
        parts: Parts,
    ) -> None:
        self.program = program
        self.config = config
        self.backend = backend
        self.log = EventLog()
        self.server = FusionServer(config, backend, self.log, store, parts=parts)
        self.client = FusionClient(self.server)
        self.lines: dict[int, int] = {}
        self.outputs: list[ReadValue] = []

    def perform(self, expected: Expected | None) -> FusionLabError | None:
        """Perform the instructions; the error that stopped them, if one did."""
        # Whatever is wrong with a program ends here; only our own bugs go further.
        try:
            first, line = 0, 0
            for index in drive(self.program, self.client, self._keep(expected)):
                self._place(first, line)
                first = len(self.log.events)
                line = self.program.instructions[index].at.line
            self._place(first, line)
        except InvariantError:
            raise
        except FusionLabError as error:
            self._place(first, line)
            return error
        return None

    def _place(self, first: int, line: int) -> None:
        """Note the program line of the requests since ``first``."""
        for event in self.log.events[first:]:
            if event.parent is None:
                self.lines[event.step] = line

    def _keep(self, expected: Expected | None) -> OnRead:
        def keep(value: int, array: Array | None) -> None:
            if array is None:
                return
            from fusionlab.lab.reading import first_values  # noqa: PLC0415 -- loads NumPy

            dtype = self.program.values[value].dtype
            agrees = None if expected is None else expected.agrees(array, dtype)
            shape = tuple(array.shape)
            step, tensor = self._last_read()
            self.outputs.append(ReadValue(step, tensor, shape, dtype, first_values(array), agrees))

        return keep

    def _last_read(self) -> tuple[int, int]:
        """The step and the tensor of the read that was recorded last."""
        for event in reversed(self.log.events):
            if isinstance(event.fact, TensorRead):
                return event.step, event.fact.tensor.id
        raise InvariantError("read_without_fact")

    def finish(self, error: FusionLabError | None, initial: LabState, *, replayed: bool) -> Run:
        """Close the record."""
        if error is not None:
            self.lines[len(self.log.events)] = getattr(error, "line", 0)
            self.log.emit(RunFailed(error.code, _plain(error.params)))
        sources: Mapping[str, str] = getattr(self.backend, "sources", {})
        return Run.of(
            ProgramInfo(self.program.name, self.program.text),
            self.config,
            self.log.events,
            initial=initial,
            outputs=self.outputs,
            sources=sources,
            measured=self.log.measured,
            root_lines=self.lines,
            replayed=replayed,
        )


def _plain(params: Mapping[str, object]) -> tuple[tuple[str, str | int | float], ...]:
    return tuple(
        (name, value if isinstance(value, str | int | float) else str(value))
        for name, value in params.items()
    )
