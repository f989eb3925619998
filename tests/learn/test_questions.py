"""Every question kind reads, off a run, what was recorded of burn.

The runs come from the lab text of the recorded programs; the answers were read by another reader
off burn's own decisions.
"""

from functools import cache
from typing import Any

import pytest
from learn.recordings import programs, rows

from fusionlab.engine.misconceptions import MISCONCEPTIONS
from fusionlab.errors import ContentError
from fusionlab.lab import Lab
from fusionlab.learn.beliefs import READING_RULES
from fusionlab.learn.questions import QUESTIONS, answer, grade
from fusionlab.learn.reading import Reading
from fusionlab.program import parse_program

ITEMS = [row for row in rows("items") if row["kind"] != "false_line"]
FALSE_LINES = [row for row in rows("items") if row["kind"] == "false_line"]


@cache
def reading(program: str, engine: str | None = None) -> Reading:
    misconception = MISCONCEPTIONS[engine] if engine else None
    parsed = parse_program(programs()[program]["lab"], program)
    return Reading(Lab(misconception=misconception).run(parsed, execute=False))


def believed(row: Any, engine: str) -> Any:
    """Return what somebody answers who holds a misconception."""
    if row["kind"] in READING_RULES.get(engine, {}):
        return READING_RULES[engine][row["kind"]](reading(row["program"]), **row["args"])
    return answer(row["kind"], reading(row["program"], engine), **row["args"])


@pytest.mark.parametrize("program", sorted(programs()))
def test_every_recorded_answer_is_read_off_the_run(program: str) -> None:
    asked = programs()[program]["facts"].get("checked", [])
    asked += [row for row in rows("claims") if row["program"] == program]
    for row in asked:
        assert answer(row["kind"], reading(program), **row["args"]) == row["equals"], row


@pytest.mark.parametrize("program", sorted(programs()))
def test_steps_and_names_agree_with_the_recorded_requests(program: str) -> None:
    facts, run = programs()[program]["facts"], reading(program)
    assert [answer("queued", run, step=s.index) for s in run.steps] == facts["queued"]
    named = [answer("relative_op", run, op=op) for op in range(len(run.ops))]
    assert named == facts["relative"]
    assert answer("explorations", run) == facts["explorations"]
    assert answer("launches", run) == facts["launches"]
    assert answer("hit_pattern", run) == facts["hit_pattern"]


@pytest.mark.parametrize("row", ITEMS, ids=lambda row: row["id"])
def test_wrong_answers_are_read_off_the_misconception_engines(row: Any) -> None:
    truth = answer(row["kind"], reading(row["program"]), **row["args"])
    assert truth == row["truth"]
    for engine, wrong in row["distractors"].items():
        assert believed(row, engine) == wrong != truth, engine


@pytest.mark.parametrize("row", FALSE_LINES, ids=lambda row: row["id"])
def test_a_false_line_is_what_a_misconception_engine_prints_there(row: Any) -> None:
    said = answer("log_lines", reading(row["program"]), **row["args"])
    assert row["truth"] in said
    for engine, false in row["distractors"].items():
        assert false in answer("log_lines", reading(row["program"], engine), **row["args"])
        assert false not in said


def test_an_answer_is_graded_against_the_run() -> None:
    run = reading("010_worked")
    assert grade("winning_score", run, 630, plan=1)
    assert not grade("winning_score", run, 600, plan=1)


@pytest.mark.parametrize(
    ("kind", "args"), [("cache_hit", {"read": 7}), ("triggers", {"plan": 99}), ("queued", {})]
)
def test_a_question_about_what_is_not_there_is_the_authors_fault(kind: str, args: Any) -> None:
    with pytest.raises(ContentError, match="question_misplaced"):
        answer(kind, reading("010_worked"), **args)


def test_an_unknown_kind_is_the_authors_fault() -> None:
    with pytest.raises(ContentError, match="question_kind_unknown"):
        answer("horoscope", reading("010_worked"))


def test_at_least_twelve_kinds_can_be_asked() -> None:
    assert len({question.read for question in QUESTIONS.values()}) >= 12
