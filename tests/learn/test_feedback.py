"""Feedback: a verdict, the true value with its formula, whose answer it was, where to look."""

import pytest

from fusionlab.engine.misconceptions import MISCONCEPTIONS
from fusionlab.events import facts as f
from fusionlab.i18n import LANGUAGES, texts
from fusionlab.lab.decide import decide
from fusionlab.learn.beliefs import READING_RULES
from fusionlab.learn.concepts import OF_MISCONCEPTION
from fusionlab.learn.feedback import NOT_YET, RIGHT, SKIPPED, Feedback, feedback
from fusionlab.learn.items import Item, make, teaser
from fusionlab.learn.kinds import KINDS
from fusionlab.learn.parting import parting
from fusionlab.learn.reading import Reading

EN = texts("en")


def chosen(item: Item, misconception: str) -> Feedback:
    return feedback(item, item.misconceptions.index(misconception), decide, EN)


def test_the_right_answer_is_called_right() -> None:
    item = teaser(decide)
    told = feedback(item, item.answer, decide, EN)
    assert told.verdict == RIGHT
    assert told.belief is None
    assert len(told.others) == len(item.options) - 1


def test_a_wrong_answer_is_told_with_its_rule_and_the_step_where_it_parts() -> None:
    told = chosen(teaser(decide), "rank_only_in_key")
    assert told.verdict == NOT_YET
    assert told.belief is not None
    assert told.belief.title == "Only the rank counts"
    assert told.request == 41
    assert told.burn == "No stored plan starts with this Random."
    assert told.yours == "Plan #1 starts with the same op, so it becomes a candidate."


def test_show_me_counts_as_skipped_and_blames_nobody() -> None:
    told = feedback(teaser(decide), None, decide, EN)
    assert told.verdict == SKIPPED
    assert told.belief is None
    assert "#4" in told.headline


def test_a_score_comes_with_its_ledger() -> None:
    item = make("winning_score", "ledger", decide)
    told = feedback(item, item.answer, decide, EN)
    assert sum(part.score for part in told.ledger) == item.options[item.answer]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_choice_of_every_kind_has_feedback(kind: str, lang: str) -> None:
    item = make(kind, "told", decide)
    for choice in (None, *range(len(item.options))):
        told = feedback(item, choice, decide, texts(lang))
        assert told.headline
        assert told.because
        assert told.burn
        name = item.misconceptions[choice] if choice is not None else None
        assert (told.belief is None) == (name is None)
        if name is not None and kind not in READING_RULES.get(name, {}):
            assert told.request is not None
            assert told.yours


@pytest.mark.parametrize("name", sorted(OF_MISCONCEPTION))
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_misconception_has_words(name: str, lang: str) -> None:
    for part in ("title", "rule", "truth"):
        assert f"misconception.{name}.{part}" in texts(lang)


def test_words_and_engines_name_the_same_misconceptions() -> None:
    assert set(MISCONCEPTIONS) | set(READING_RULES) == set(OF_MISCONCEPTION)


def test_a_run_does_not_part_from_itself() -> None:
    item = teaser(decide)
    assert parting(Reading(decide(item.program)), Reading(decide(item.program))) is None


def test_a_parting_is_at_the_fact_that_differs() -> None:
    program = "x = keep(random(64, 64))\nread(exp(x * 2.0))\n"
    truth = Reading(decide(program))
    found = parting(truth, Reading(decide(program, "launches_forgotten")))
    assert found is not None
    assert found.step == 3
    won = truth.run.events[found.event].fact
    assert isinstance(won, f.FuserWon)
    assert won.score == 210
