"""Questions made of quiz items: true, in both languages, and told only when their time comes."""

import json

import pytest

from fusionlab.lab.decide import decide
from fusionlab.learn.kinds import KINDS
from fusionlab.learn.questions import answer
from fusionlab.learn.reading import Reading
from fusionlab.program.gallery import gallery_program
from fusionlab.ui.classroom import plans, programs, questions

TEXT = gallery_program("mul_add_exp").text


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_question_can_be_asked_in_a_room(kind: str) -> None:
    made = questions.any_program(kind, "7")
    for lang in ("en", "zh"):
        texts = [getattr(option.text, lang) for option in made.options]
        assert len(set(texts)) == len(texts) >= 3
        assert getattr(made.text, lang)
        assert getattr(made.because, lang)
    assert made.options[made.answer].rule is None
    assert all(option.rule for n, option in enumerate(made.options) if n != made.answer)


def test_a_question_about_the_screen_is_about_what_is_still_to_come() -> None:
    steps = programs.payload("mul_add_exp", "en")["steps"]  # type: ignore[index]
    seen = steps[len(steps) // 2]["event"]
    for seed in range(4):
        made = questions.this_program(TEXT, "cache_hit", str(seed), seen)
        assert made is not None
        assert made.step is not None
        assert steps[made.step]["event"] > seen


def test_after_the_last_step_there_is_nothing_left_to_ask() -> None:
    steps = programs.payload("mul_add_exp", "en")["steps"]  # type: ignore[index]
    assert questions.this_program(TEXT, "cache_hit", "1", steps[-1]["event"]) is None


@pytest.mark.parametrize("read", range(1, 6))
def test_what_may_be_shown_ends_before_the_read_that_is_asked_about(read: int) -> None:
    """The run up to the gate says nothing about that read: its drain is not in the payload."""
    whole = programs.payload("mul_add_exp", "en")
    assert whole is not None
    gate = gate_of(read)
    cut = programs.payload("mul_add_exp", "en", gate)
    assert cut is not None
    drains = [column for column in whole["columns"] if column["size"] == "drain"]
    known = [column for column in cut["columns"] if column["size"] == "drain"]
    assert (len(drains), len(known)) == (6, read)
    told = str(answer("cache_hit", Reading(decide(TEXT)), read=read))
    number = told.partition("#")[2]
    if told.startswith("explore"):
        assert f'"#{number}"' not in json.dumps(cut)


def gate_of(read: int) -> int:
    """The gate of the question about one read."""
    for seed in range(200):
        made = questions.this_program(TEXT, "cache_hit", str(seed), 0)
        assert made is not None
        assert made.gate is not None
        cut = programs.payload("mul_add_exp", "en", made.gate)
        assert cut is not None
        if sum(column["size"] == "drain" for column in cut["columns"]) == read:
            return made.gate
    pytest.fail(f"no question about read {read} in 200 tries")


@pytest.mark.parametrize("kind", sorted(questions._ANYWHERE & set(KINDS)))
def test_a_question_about_the_whole_run_shows_none_of_it(kind: str) -> None:
    assert questions.any_program(kind, "3").gate is None


@pytest.mark.parametrize("name", ["", "nothing", "z.broken", "../etc/passwd", "z." + "A" * 50])
def test_a_name_that_means_nothing_shows_nothing(name: str) -> None:
    assert programs.payload(name, "en") is None


def test_a_program_of_ones_own_has_a_name_too() -> None:
    name = programs.name_of("read(ones(2) + 1)")
    assert programs.text_of(name) == "read(ones(2) + 1)"
    assert programs.name_of(TEXT) == "mul_add_exp"


@pytest.mark.parametrize("name", [one.id for one in plans.classes()])
def test_every_vote_of_a_class_can_be_asked(name: str) -> None:
    made = plans.questions_of(name)
    assert len(made) == len({question.id for question in made})
    for question in made:
        for lang in ("en", "zh"):
            texts = [getattr(option.text, lang) for option in question.options]
            assert len(set(texts)) == len(texts) >= 3


@pytest.mark.parametrize(
    ("name", "number", "truth"),
    [
        ("hit_or_miss", 1, "4"),
        ("hit_or_miss", 3, "plan #4"),
        ("hit_or_miss", 4, "E H E H E E H"),
        ("hit_or_miss", 5, "100"),
        ("ops_to_kernels", 3, "Explore"),
        ("ops_to_kernels", 5, "1"),
        ("ops_to_kernels", 6, "210"),
        ("ops_to_kernels", 7, "370"),
    ],
)
def test_the_engine_answers_as_the_teachers_plan_expects(
    name: str, number: int, truth: str
) -> None:
    made = plans.questions_of(name)[number - 1]
    assert truth in made.options[made.answer].text.en
