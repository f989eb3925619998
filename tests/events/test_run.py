"""A run holds everything that a view sees, and each event knows the line that caused it."""

from recorded import PROGRAM, two_rounds

from fusionlab.config import FusionConfig
from fusionlab.events import facts as f
from fusionlab.events.run import ProgramInfo, Run
from fusionlab.events.state import LabState, PlanState
from fusionlab.plan import Operations

EVENTS = two_rounds()
ROOTS = [event.step for event in EVENTS if event.parent is None]
RUN = Run.of(
    ProgramInfo("two.lab", PROGRAM),
    FusionConfig(),
    EVENTS,
    root_lines={step: 3 for step in ROOTS if not isinstance(EVENTS[step].fact, f.StreamCreated)},
)


def test_a_step_is_an_index():
    assert all(event.step == index for index, event in enumerate(RUN.events))
    assert len(RUN.states) == len(RUN.events)


def test_the_state_before_the_first_step_is_what_the_lab_knew():
    known = LabState(plans=(PlanState((), (), Operations(()), ()),))
    run = Run.of(RUN.program, RUN.config, EVENTS[:1], initial=known)
    assert run.before(0) is known
    assert len(run.states[0].plans) == 1


def test_an_event_inherits_the_line_of_its_request():
    assert RUN.line(0) == 0
    assert {RUN.line(step) for step in range(1, len(EVENTS))} == {3}


def test_lines_of_a_program_count_from_one_in_errors_and_from_zero_here():
    assert RUN.program.source_lines[2].strip() == "read(exp(a * b + c * s))"
