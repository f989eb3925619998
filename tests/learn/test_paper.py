"""Paper: an exercise sheet without answers, and an answer sheet from the same seed."""

import re
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from fusionlab.cli import main
from fusionlab.i18n import LANGUAGES, texts
from fusionlab.lab.decide import decide
from fusionlab.learn.explain import explain
from fusionlab.learn.items import items
from fusionlab.learn.paper import sheets
from fusionlab.learn.quiz import LETTERS
from fusionlab.learn.reading import Reading

KINDS = ("winning_score", "triggers")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("html", [False, True])
def test_the_answer_sheet_is_the_key_of_the_exercise_sheet(lang: str, *, html: bool) -> None:
    made = sheets(11, 6, KINDS, decide, texts(lang), html=html)
    pattern = r"<h2>\d+\. ([A-D])</h2>" if html else r"(?m)^\d+\. \*\*([A-D])\*\*"
    key = re.findall(pattern, made.answers)
    assert key == [LETTERS[item.answer] for item in islice(items(11, decide, KINDS), 6)]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_exercise_sheet_does_not_explain(lang: str) -> None:
    exercises = sheets(11, 6, KINDS, decide, texts(lang), html=False).exercises
    for item in islice(items(11, decide, KINDS), 6):
        assert item.program.rstrip() in exercises
        assert explain(item, Reading(decide(item.program)), texts(lang)) not in exercises


class Tags(HTMLParser):
    """Collects what stays open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, _: object) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_sheet_is_a_complete_page_that_asks_nobody_for_anything() -> None:
    made = sheets(3, 4, (), decide, texts("zh"), html=True)
    for page in (made.exercises, made.answers):
        parser = Tags()
        parser.feed(page)
        assert parser.open == []
        assert '<html lang="zh-CN">' in page
        assert "http" not in page


def test_the_command_writes_both_sheets(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.md"
    done = CliRunner().invoke(main, ["quiz", "--seed", "2", "--count", "3", "--paper", str(sheet)])
    assert done.exit_code == 0
    assert sheet.read_text("utf-8").startswith("# Exercises (seed 2)")
    assert (tmp_path / "sheet-answers.md").read_text("utf-8").startswith("# Answers (seed 2)")


def test_the_lessons_command_finds_nothing_wrong() -> None:
    done = CliRunner().invoke(main, ["lessons", "--check"])
    assert done.exit_code == 0
    assert done.output.count("checked") == 12


def test_an_unknown_kind_is_one_clear_line_and_exit_code_2() -> None:
    done = CliRunner().invoke(main, ["quiz", "--kind", "horoscope"])
    assert done.exit_code == 2
    assert "horoscope" in done.output
