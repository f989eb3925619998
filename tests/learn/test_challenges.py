"""Flip challenges: any program counts that the engine confirms; edits are counted in tokens."""

import pytest

from fusionlab.i18n import LANGUAGES, texts
from fusionlab.lab.decide import decide
from fusionlab.learn.challenges import attempt, distance, flips
from fusionlab.learn.concepts import CONCEPTS

RECORDED = {
    "hit": 1, "miss": 3, "split": 1, "join": 1, "nothing": 1, "lone": 1, "tie": 2, "trigger": 3,
    "full": 1, "dependent": 14, "one": 1, "broadcasted": 2,
}  # fmt: skip


@pytest.mark.parametrize("name", flips())
def test_the_start_does_not_reach_the_goal_and_the_solution_does(name: str) -> None:
    flip = flips()[name]
    assert not attempt(flip, flip.start, decide).reached
    solved = attempt(flip, flip.solution, decide)
    assert solved.reached
    assert solved.distance == RECORDED[name]


OTHER_WAYS = {
    "hit": """
x = keep(random(64, 64))
read(exp(x * 2.0))
y = keep(random(9, 9))
read(exp(y * 7.0))
""",
    "nothing": """
x = keep(random(64, 64))
read(exp(x))
""",
    "lone": """
x = keep(random(64, 64))
read(x - x)
""",
    "split": """
x, y = keep(random(64, 64), random(8, 64))
keep(exp(x * 2.0), exp(y * 2.0))
sync()
""",
}


@pytest.mark.parametrize(("name", "program"), OTHER_WAYS.items())
def test_another_way_counts_too(name: str, program: str) -> None:
    flip = flips()[name]
    assert program != flip.solution
    assert attempt(flip, program, decide).reached


@pytest.mark.parametrize(
    ("name", "program"),
    [
        # The same reads, but of another op: names must stay.
        ("miss", "x = keep(random(64, 64))\nread(exp(x * 2.0))\nread(tanh(x * 3.0))\n"),
        # A hit because the other read is gone.
        ("hit", "x = keep(random(64, 64))\nread(exp(x * 2.0))\n"),
        # 100 points, with an op more.
        ("lone", "x = keep(random(64, 64))\nread((x + x) * 2.0)\n"),
    ],
)
def test_a_way_around_the_task_does_not_count(name: str, program: str) -> None:
    assert not attempt(flips()[name], program, decide).reached


@pytest.mark.parametrize("program", ["", "x = ", "read(", "import os\n", "x = random(0.5)\n"])
def test_a_program_that_does_not_run_reaches_nothing(program: str) -> None:
    assert not attempt(flips()["hit"], program, decide).reached


def test_a_wrong_program_says_what_stopped_it() -> None:
    failed = attempt(flips()["hit"], "x = nosuch(1)\n", decide).failed
    assert failed is not None
    assert f"error.{failed.code}" in texts("en")


@pytest.mark.parametrize(
    ("one", "two", "tokens"),
    [
        ("x = a + b\n", "x = a + b\n", 0),
        ("x = a + b  # sum\n", "\nx = a+b\n", 0),
        ("x = a + b\n", "x = a * b\n", 1),
        ("read(x)\n", "read(exp(x))\n", 3),
        ("read(exp(x))\n", "read(x)\n", 3),
        ("for n in [1]:\n    read(x)\n", "read(x)\n", 9),
    ],
)
def test_the_distance_counts_tokens(one: str, two: str, tokens: int) -> None:
    assert distance(one, two) == distance(two, one) == tokens


@pytest.mark.parametrize("name", flips())
def test_every_challenge_has_words_and_a_concept(name: str) -> None:
    assert flips()[name].concept in CONCEPTS
    for lang in LANGUAGES:
        assert f"learn.flip.{name}.ask" in texts(lang)
        assert f"learn.flip.{name}.hint" in texts(lang)
