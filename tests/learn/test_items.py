"""Quiz items are true, have one right option, and are the same everywhere.

A run looks at a few hundred items; all 10,000 of the promise take about six minutes on one core:
`FUSIONLAB_ITEMS=10000 pytest -n 2 tests/learn/test_items.py`.
"""

import json
import os
import subprocess
import sys
from itertools import islice
from typing import Any

import pytest
from learn.recomputed import READERS, Decided, log_lines

from fusionlab.errors import ContentError
from fusionlab.i18n import LANGUAGES, texts
from fusionlab.lab.decide import decide
from fusionlab.learn.beliefs import READING_RULES
from fusionlab.learn.concepts import CONCEPTS, OF_MISCONCEPTION
from fusionlab.learn.items import (
    TEASER,
    Item,
    item_of,
    items,
    make,
    mark,
    teaser,
    truth,
    variant,
)
from fusionlab.learn.kinds import KINDS
from fusionlab.learn.phrases import option, question
from fusionlab.learn.quiz import as_json
from fusionlab.learn.reading import Reading

WANTED = int(os.environ.get("FUSIONLAB_ITEMS", "380"))
CHUNKS = max(1, WANTED // len(KINDS) // 20)
"""Each kind is asked in chunks of about twenty items, so that workers can share the work."""


def chunk(kind: str, number: int) -> list[Item]:
    size = -(-WANTED // (len(KINDS) * CHUNKS))
    seeds = range(number * size, (number + 1) * size)
    return [make(kind, f"test-{seed}", decide) for seed in seeds]


def recomputed(item: Item, decided: Decided) -> Any:
    if item.kind == "false_line":
        said = log_lines(decided, **item.args)
        (false,) = [line for line in item.options if line not in said]
        return false
    return READERS[item.kind](decided, **item.args)


@pytest.mark.parametrize("number", range(CHUNKS))
@pytest.mark.parametrize("kind", KINDS)
def test_shown_marked_and_recomputed_answers_are_one(kind: str, number: int) -> None:
    for item in chunk(kind, number):
        right = item.options[item.answer]
        assert right == truth(item, decide), item
        assert right == recomputed(item, Decided(item.program)), item
        assert [mark(item, choice, decide) for choice in range(len(item.options))] == [
            choice == item.answer for choice in range(len(item.options))
        ]
        assert_sound(item)


def assert_sound(item: Item) -> None:
    """One right option, at least two wrong ones, all different in words too."""
    assert 3 <= len(item.options) <= 4
    assert [name is None for name in item.misconceptions].count(True) == 1
    assert item.misconceptions[item.answer] is None
    assert item.concept in CONCEPTS
    assert 1 <= item.difficulty.level <= 5
    reading = Reading(decide(item.program))
    for lang in LANGUAGES:
        shown = [option(item.kind, value, reading, texts(lang)) for value in item.options]
        assert len(set(shown)) == len(shown), item
        assert question(item, reading, texts(lang))


@pytest.mark.parametrize("kind", KINDS)
def test_every_wrong_option_is_what_its_misconception_answers(kind: str) -> None:
    for seed in range(4):
        item = make(kind, f"wrong-{seed}", decide)
        for value, name in zip(item.options, item.misconceptions, strict=True):
            if name is None or kind in READING_RULES.get(name, {}) or kind == "why_miss":
                continue
            believed = Decided(item.program, name)
            if kind == "false_line":
                assert value not in log_lines(believed, **item.args)
            else:
                assert READERS[kind](believed, **item.args) == value, (item, name)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_item(kind: str) -> None:
    assert make(kind, "again", decide) == make(kind, "again", decide)
    assert make(kind, "again", decide) != make(kind, "another", decide)


def test_the_same_seed_gives_the_same_items_in_both_languages() -> None:
    english, chinese = (
        [as_json(item, decide, texts(lang)) for item in islice(items(5, decide), 20)]
        for lang in ("en", "zh")
    )
    words = {"question", "options", "explanation"}
    for one, two in zip(english, chinese, strict=True):
        assert {k: v for k, v in one.items() if k not in words} == {
            k: v for k, v in two.items() if k not in words
        }
        assert one["question"] != two["question"]


def test_items_are_the_same_in_another_process() -> None:
    command = [sys.executable, "-m", "fusionlab", "quiz", "--seed", "5", "--count", "6", "--json"]
    told = [
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": salt}, capture_output=True, check=True
        ).stdout
        for salt in ("1", "2")
    ]
    assert told[0] == told[1]
    here = [as_json(item, decide, texts("en")) for item in islice(items(5, decide), 6)]
    assert [json.loads(line) for line in told[0].splitlines()] == here


def test_item_one_is_the_question_of_the_page() -> None:
    item = next(items(123, decide))
    assert item == teaser(decide)
    assert item.options[item.answer] == "explore → #4"
    assert "hit #2" in item.options
    assert "((64, 32), 2.0)" in item.program


def test_a_quiz_goes_round_all_kinds() -> None:
    asked = [item.kind for item in islice(items(7, decide), 1, len(KINDS) + 1)]
    assert sorted(asked) == sorted(KINDS)


def test_a_quiz_of_some_kinds_asks_no_other() -> None:
    chosen = ("triggers", "launches")
    assert {item.kind for item in islice(items(7, decide, chosen), 8)} == set(chosen)


@pytest.mark.parametrize("item_id", [TEASER, "placement.42-7", "false_line.0-1~3"])
def test_an_item_can_be_made_again_from_its_id(item_id: str) -> None:
    item = item_of(item_id, decide)
    assert item.id == item_id
    assert item == item_of(item_id, decide)


@pytest.mark.parametrize("item_id", ["", "placement", "horoscope.1", "placement."])
def test_an_unknown_id_is_refused(item_id: str) -> None:
    with pytest.raises(ContentError, match="item_unknown"):
        item_of(item_id, decide)


def test_a_variant_asks_the_same_of_another_program() -> None:
    item = make("winning_score", "1", decide)
    fresh = [variant(item, number, decide) for number in range(5)]
    assert {one.kind for one in fresh} == {"winning_score"}
    assert len({one.program for one in [item, *fresh]}) == 6


@pytest.fixture(scope="module")
def sample() -> list[Item]:
    """Some items of every kind, more of those that practise several concepts."""
    return [make(kind, f"sample-{seed}", decide) for kind in KINDS for seed in range(8)]


def test_every_concept_is_practised_by_some_kind(sample: list[Item]) -> None:
    assert {item.concept for item in sample} == set(CONCEPTS)


def test_every_misconception_belongs_to_a_concept() -> None:
    named = {name for kind in KINDS.values() for name in (*kind.misconceptions, *kind.crude)}
    assert named <= set(OF_MISCONCEPTION)
    assert set(OF_MISCONCEPTION.values()) <= set(CONCEPTS)


def test_programs_rarely_repeat(sample: list[Item]) -> None:
    assert len({item.program for item in sample}) >= len(sample) * 0.97
