"""Mastery: three right in a row over two sittings, then due after 1, 3, 7 and 21 days."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionlab.errors import ProgramError
from fusionlab.learn.concepts import CONCEPTS
from fusionlab.learn.mastery import Mastery, Progress, from_json, to_json

DAY = 739_000
ANSWERS = st.lists(
    st.tuples(st.sampled_from(CONCEPTS), st.booleans(), st.integers(0, 40), st.sampled_from("ab")),
    max_size=60,
)


def after(*answers: tuple[bool, int, str]) -> Progress:
    """Return the state of one concept after (right, day, sitting) answers."""
    mastery = Mastery()
    for right, day, sitting in answers:
        mastery = mastery.answered("merge", right=right, day=DAY + day, sitting=sitting)
    return mastery.concepts["merge"]


def test_three_in_a_row_over_two_sittings_master_a_concept() -> None:
    done = after((True, 0, "a"), (True, 0, "a"), (True, 1, "b"))
    assert done.mastered
    assert done.filled == 3


def test_one_sitting_is_not_enough() -> None:
    assert not after(*[(True, 0, "a")] * 5).mastered


def test_the_next_sitting_finishes_it() -> None:
    assert after(*[(True, 0, "a")] * 5, (True, 1, "b")).mastered


def test_a_wrong_answer_starts_the_row_again() -> None:
    assert after((True, 0, "a"), (True, 0, "a"), (False, 1, "b"), (True, 1, "b")).row == 1


def test_it_is_due_after_1_3_7_and_21_days() -> None:
    mastery = Mastery()
    for sitting in ("a", "a", "b"):
        mastery = mastery.answered("merge", right=True, day=DAY, sitting=sitting)
    gaps, day = [], DAY
    for _ in range(5):
        due = mastery.concepts["merge"].due
        assert due is not None
        gaps.append(due - day)
        day = due
        assert mastery.due(day) == ("merge",)
        assert mastery.due(day - 1) == ()
        mastery = mastery.answered("merge", right=True, day=day, sitting=f"on {day}")
    assert gaps == [1, 3, 7, 21, 21]


def test_practice_before_it_is_due_changes_nothing() -> None:
    early = after((True, 0, "a"), (True, 0, "a"), (True, 0, "b"), (True, 0, "c"))
    assert early.due == DAY + 1
    assert early.stage == 0


def test_a_forgotten_concept_is_due_tomorrow_and_stays_mastered() -> None:
    forgot = after((True, 0, "a"), (True, 0, "a"), (True, 0, "b"), (True, 1, "c"), (False, 4, "d"))
    assert forgot.mastered
    assert forgot.due == DAY + 5


def test_every_fourth_question_is_a_due_review() -> None:
    mastery = Mastery(
        {**Mastery().concepts, "order": Progress(3, ("a", "b"), mastered=True, due=DAY)}
    )
    asked = [mastery.next_concept(DAY, number) for number in range(8)]
    assert [number for number, concept in enumerate(asked) if concept == "order"] == [0, 4]


def test_without_anything_due_new_concepts_take_turns() -> None:
    asked = [Mastery().next_concept(DAY, number) for number in range(len(CONCEPTS))]
    assert sorted(asked) == sorted(CONCEPTS)


@given(ANSWERS)
def test_a_file_brings_everything_back(answers: list[tuple[str, bool, int, str]]) -> None:
    mastery = Mastery()
    for concept, right, day, sitting in answers:
        mastery = mastery.answered(concept, right=right, day=DAY + day, sitting=sitting)
    assert from_json(to_json(mastery)) == mastery


@given(ANSWERS)
def test_mastered_means_a_review_is_planned(answers: list[tuple[str, bool, int, str]]) -> None:
    mastery = Mastery()
    for concept, right, day, sitting in answers:
        mastery = mastery.answered(concept, right=right, day=DAY + day, sitting=sitting)
    for progress in mastery.concepts.values():
        assert progress.mastered == (progress.due is not None)
        assert 0 <= progress.filled <= 3


def test_a_concept_of_another_version_is_left_out() -> None:
    row = {"row": 1, "sittings": ["a"], "mastered": False, "stage": 0, "due": None}
    told = json.dumps({"version": 1, "concepts": {"merge": row, "astrology": row}})
    assert from_json(told).concepts["merge"].row == 1
    assert "astrology" not in from_json(told).concepts


def with_merge(row: str) -> str:
    return '{"version": 1, "concepts": {"merge": ' + row + "}}"


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "7", "null", "{", '{"version": 2, "concepts": {}}', '{"version": 1}',
        with_merge("5"),
        with_merge('{"row": -1, "sittings": [], "mastered": false, "stage": 0}'),
        with_merge('{"row": "1", "sittings": [], "mastered": false, "stage": 0}'),
        '{"version": 1, "concepts": []}',
        '{"version": 1, "concepts": {}, "pad": "' + "x" * 70_000 + '"}',
    ],
)  # fmt: skip
def test_any_other_file_is_refused(text: str) -> None:
    with pytest.raises(ProgramError, match="mastery_malformed"):
        from_json(text)
