"""A mistake in a page is one sentence on it: no traceback, and nothing that was typed is lost."""

import importlib
import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from fusionlab.config import FusionConfig
from fusionlab.errors import InvariantError
from fusionlab.events.run import Run
from fusionlab.i18n import texts
from fusionlab.ui import cache
from fusionlab.ui.frame import PAGES as MENU

PAGES = Path(__file__).parents[2] / "pages"
PARTS = {
    "home": ("home", "draw"),
    "workbench": ("widgets", "workbench"),
    "plans": ("plans", "draw"),
    "compare": ("compare.screen", "draw"),
    "classroom": ("classroom.screen", "page"),
    "log": ("log", "draw"),
    "quiz": ("learn.quiz", "draw"),
    "lessons": ("learn.lessons", "draw"),
    "benchmark": ("benchmark.screen", "draw"),
}
BROKEN = texts("en")("ui.app.broken")


def visit(page: str) -> AppTest:
    return AppTest.from_file(PAGES / f"{page}.py", default_timeout=60).run()


def breaking(monkeypatch: pytest.MonkeyPatch, page: str, error: Exception) -> AppTest:
    """Open a page whose main part raises."""

    def part(_: object) -> None:
        raise error

    module, name = PARTS[page]
    monkeypatch.setattr(importlib.import_module(f"fusionlab.ui.{module}"), name, part)
    return visit(page)


def test_no_page_is_forgotten() -> None:
    assert set(PARTS) == set(MENU)


@pytest.mark.parametrize("page", PARTS)
def test_a_page_that_breaks_says_so_and_keeps_its_surroundings(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = breaking(monkeypatch, page, RuntimeError("secret.py, line 1"))
    assert not shown.exception
    assert [part.value for part in shown.error] == [BROKEN]
    assert shown.get("button_group"), "the language switch"


def test_an_error_of_ours_is_told_by_its_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = breaking(monkeypatch, "plans", InvariantError("deferred_in_sync", queued=3))
    assert not shown.exception
    (said,) = shown.error
    assert "FusionLab has made a mistake" in said.value
    assert "deferred&#95;in&#95;sync" in said.value


def test_a_run_that_breaks_leaves_the_text_and_the_last_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "a = random(4, 4)\nread(exp(a))"
    run_of = cache.run_of

    def breaks(name: str, wanted: str, config: FusionConfig) -> Run:
        if wanted == text:
            raise InvariantError("deferred_in_sync")
        return run_of(name, wanted, config)

    monkeypatch.setattr(cache, "run_of", breaks)
    page = visit("workbench")
    page.text_area[0].set_value(text).run()
    page.button(key="run").click().run()
    assert not page.exception
    assert page.text_area[0].value == text
    (player,) = page.get("bidi_component")
    data = json.loads(player.proto.json)
    assert data["run"]["name"] == "mul_add_exp.lab"
    assert "deferred_in_sync" in data["bar"]["text"]
