"""A run: everything that a view, a lesson or an export ever sees.

In: what the lab produced. Out: one frozen value with the events and the state after each.
A run is never changed; whoever wants another one asks the lab.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from fusionlab.config import FusionConfig
from fusionlab.events.facts import Event
from fusionlab.events.measured import Measured
from fusionlab.events.replay import replay
from fusionlab.events.state import LabState
from fusionlab.ir.tensor import DType, Shape


@dataclass(frozen=True, slots=True)
class ProgramInfo:
    """The program as the learner wrote it."""

    name: str
    text: str

    @property
    def source_lines(self) -> tuple[str, ...]:
        """The lines of the text; line ``n`` of an error is ``source_lines[n - 1]``."""
        return tuple(self.text.splitlines())


@dataclass(frozen=True, slots=True)
class ReadValue:
    """A preview of a value that the program read.

    ``step`` is the step of its ``TensorRead``; ``first`` the first values in row-major order.
    ``agrees`` compares with op-by-op NumPy (``None``: not compared, or nothing was executed).
    """

    step: int
    tensor: int
    shape: Shape
    dtype: DType
    first: tuple[float | int | bool, ...]
    agrees: bool | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A program, the settings it ran under, and what happened.

    ``states[k]`` is the state after ``events[k]``; ``initial`` the state before the first.
    ``sources`` maps a ``source_id`` to its text; ``measured`` a step to what its launch took (no
    part of the log); ``lines[k]`` is the program line of event ``k`` (0: none).
    """

    program: ProgramInfo
    config: FusionConfig
    events: tuple[Event, ...]
    states: tuple[LabState, ...]
    initial: LabState = field(default_factory=LabState)
    outputs: tuple[ReadValue, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    measured: Mapping[int, Measured] = field(default_factory=dict)
    lines: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        program: ProgramInfo,
        config: FusionConfig,
        events: Sequence[Event],
        *,
        initial: LabState | None = None,
        outputs: Sequence[ReadValue] = (),
        sources: Mapping[str, str] | None = None,
        measured: Mapping[int, Measured] | None = None,
        root_lines: Mapping[int, int] | None = None,
        replayed: bool = True,
    ) -> Self:
        """Build a run: replays the events and gives each event the line of its root.

        Args:
            program: Name and text.
            config: The settings in force.
            events: All events, in order, steps counting from 0.
            initial: The state of the lab before the run.
            outputs: Previews of what was read.
            sources: Source text by id.
            measured: What each launch took, by step.
            root_lines: Program line (1-based) by the step of a root event.
            replayed: Build the states; without them the run is for readers of facts only.
        """
        start = initial or LabState()
        return cls(
            program=program,
            config=config,
            events=tuple(events),
            states=replay(events, start) if replayed else (),
            initial=start,
            outputs=tuple(outputs),
            sources=dict(sources or {}),
            measured=dict(measured or {}),
            lines=_spread(events, root_lines or {}),
        )

    def before(self, step: int) -> LabState:
        """The state before event ``step``."""
        return self.states[step - 1] if step > 0 else self.initial

    def line(self, step: int) -> int:
        """The program line that caused event ``step``; 0 when it is not known."""
        return self.lines[step] if step < len(self.lines) else 0


def _spread(events: Sequence[Event], root_lines: Mapping[int, int]) -> tuple[int, ...]:
    lines: list[int] = []
    for event in events:
        inherited = 0 if event.parent is None else lines[event.parent]
        lines.append(root_lines.get(event.step, inherited))
    return tuple(lines)
