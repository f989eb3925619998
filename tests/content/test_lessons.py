"""Every lesson is true: its claims, its texts and its tasks, in both languages.

The numbers in the texts are links to claims, so a wrong number fails here, and so does an engine
that decides otherwise.
"""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from fusionlab import i18n
from fusionlab.i18n import LANGUAGES
from fusionlab.lab.decide import decide
from fusionlab.learn.concepts import CONCEPTS
from fusionlab.learn.goals import GOALS
from fusionlab.learn.lessons import SECTIONS, Claim, Lesson, lesson, lessons, problems
from fusionlab.learn.prose import LINK, PARTS, Prose, headings, statements

FOLDER = Path(i18n.__file__).parent / "content" / "lessons"
BY_SLUG = [pytest.param(one, id=one.slug) for one in lessons()]


def links(one: Lesson, lang: str) -> list[tuple[str, str]]:
    """Return (sort, claim) of every link of a text, in order."""
    prose = one.prose(lang)
    text = "\n".join((prose.title, *prose.parts.values()))
    return [(sort, name) for _, sort, name in LINK.findall(text)]


@pytest.mark.parametrize("one", BY_SLUG)
def test_a_lesson_says_nothing_that_the_engine_does_not(one: Lesson) -> None:
    assert list(problems(one, decide)) == []


@pytest.mark.parametrize("one", BY_SLUG)
def test_both_languages_state_the_same_claims_equally_often(one: Lesson) -> None:
    assert Counter(links(one, "en")) == Counter(links(one, "zh"))


@pytest.mark.parametrize("one", BY_SLUG)
def test_every_claim_is_made_in_the_text(one: Lesson) -> None:
    assert set(one.claims) - {name for _, name in links(one, "en")} == set()


@pytest.mark.parametrize("one", BY_SLUG)
def test_a_lesson_has_a_trace_two_faded_ones_and_a_task(one: Lesson) -> None:
    assert len(one.faded) == 2
    assert all(len(blanks) >= 2 for blanks in one.faded)
    assert one.task.goal in GOALS
    for lang in LANGUAGES:
        prose = one.prose(lang)
        assert tuple(prose.parts) == PARTS
        assert len(headings(FOLDER / one.slug / f"{lang}.md")) == len(PARTS)
        assert prose.parts["worked"].count("](#at-") >= 3, "pins that move the player"


@pytest.mark.parametrize("one", BY_SLUG)
def test_a_text_shows_the_programs_that_it_talks_about(one: Lesson) -> None:
    for lang in LANGUAGES:
        text = "\n".join(one.prose(lang).parts.values())
        shown = re.findall(r"(?s)```python\n(.*?)```", text)
        for blanks in one.faded:
            assert one.programs[blanks[0].program] in shown


def test_there_are_twelve_and_their_numbers_order_them() -> None:
    numbers = [one.number for one in lessons()]
    assert len(numbers) == 12
    assert numbers == sorted(set(numbers))


def test_together_they_cover_the_page_and_every_concept() -> None:
    assert {section for one in lessons() for section in one.covers} == set(SECTIONS)
    assert {concept for one in lessons() for concept in one.concepts} == set(CONCEPTS)


# --- the check itself ------------------------------------------------------------------


def test_a_wrong_claim_is_found() -> None:
    one = lesson("080-the-score")
    wrong = replace(one.claims["page"], equals=640)
    found = list(problems(replace(one, claims={**one.claims, "page": wrong}), decide))
    assert "claim page: says 640, the engine says 630" in found
    assert any("says 630 where claim page says 640" in problem for problem in found)


def test_a_wrong_answer_that_is_right_is_found() -> None:
    one = lesson("010-when-does-it-run")
    spoilt = replace(one, puzzle=replace(one.puzzle, wrong=(4, 1)))
    assert any("4 is not wrong" in problem for problem in problems(spoilt, decide))


def test_a_task_that_is_done_from_the_start_is_found() -> None:
    one = lesson("010-when-does-it-run")
    spoilt = replace(one, task=replace(one.task, start=one.task.solution))
    assert "task: the start reaches the goal already" in list(problems(spoilt, decide))


CLAIM = Claim("p", "queued", {"step": 6}, 4)


@pytest.mark.parametrize(
    ("lang", "text", "complaint"),
    [
        ("en", "It has 4 ops.", "a number without a claim"),
        ("en", "It has [5](#is-four) ops.", "says 5 where claim four says 4"),
        ("en", "[Request 7](#at-four) is next.", "names Request 7 for claim four"),
        ("en", "See [this](#is-nowhere).", "no claim nowhere"),
        ("en", "Three ops wait.", "counts in words"),
        ("zh", "有四个 op。", "counts in words"),
        ("en", "A size of 64×32 is new.", "64×32 is in no program"),
        ("en", "Look at `x * 9.0`.", "`x * 9.0` is in no program"),
        ("en", "Plan #7 runs.", "names plan #7"),
        ("en", "```python\ny = 1\n```", "shows a program that the lesson does not have"),
    ],
)
def test_a_text_that_proves_nothing_is_found(lang: str, text: str, complaint: str) -> None:
    prose = Prose(lang, "Title", {"worked": text})
    found = list(statements(prose, {"four": CLAIM}, {"p": "x = random(64, 64)\n"}))
    assert any(complaint in problem for problem in found), found


@pytest.mark.parametrize(
    "text",
    [
        "[Request 6](#at-four): [4](#is-four) ops wait.",
        "`random(64, 64)` makes 64×64 values, before #5622 and after.",
        "1. A list\n2. has numbers",
    ],
)
def test_a_text_with_proofs_passes(text: str) -> None:
    prose = Prose("en", "Title", {"worked": text})
    assert list(statements(prose, {"four": CLAIM}, {"p": "x = random(64, 64)\n"})) == []
