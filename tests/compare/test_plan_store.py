"""The plan store as a page: index, keys, triggers, strategies, uses, and what was dropped."""

from pathlib import Path

import pytest
from compare.sides import SIX_ROUNDS, decided
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from fusionlab.events import facts as f
from fusionlab.i18n import LANGUAGES, texts
from fusionlab.program.gallery import gallery
from fusionlab.views.plan_store import store_page

PAGE = Path(__file__).parents[2] / "pages" / "plans.py"
EN = texts("en")

ONE_KEY = """\
x = keep(random(8, 8))
read(exp(x) + 1.0)
read(exp(x) * 2.0)
read(exp(x) * 3.0)
"""


def test_plans_stand_under_their_first_op() -> None:
    page = store_page(decided(SIX_ROUNDS), EN)
    assert [(g["key"], [p["id"] for p in g["plans"]]) for g in page["groups"]] == [
        ("Init [0]", ["#0"]),
        ("Random [1,1]", ["#1"]),
        ("Mul [1,1]", ["#2"]),
    ]
    assert page["text"] == "3 plans under 3 keys, 10 hits"


def test_two_plans_that_start_alike_share_a_key_and_the_drop_is_told() -> None:
    page = store_page(decided(ONE_KEY), EN)
    (group,) = [g for g in page["groups"] if g["key"].startswith("Exp")]
    one, two = group["plans"]
    assert (one["use"], two["use"]) == ("1 run, of which 0 hits", "2 runs, of which 1 hit")
    assert [drop["text"] for drop in one["drops"]] == [
        "op 1: its op is AddScalar, this one is MulScalar"
    ]
    assert one["drops"][0]["times"] == "2 times"
    assert two["drops"] == []


def test_a_plan_shows_key_trigger_and_strategy() -> None:
    page = store_page(decided(SIX_ROUNDS), EN)
    plan = page["groups"][2]["plans"][0]
    assert [op["name"] for op in plan["ops"]] == ["Mul", "MulScalar", "Add", "Exp"]
    assert plan["ops"][1]["groups"][-1] == ["rhs=scalar#0"]
    assert plan["triggers"] == ["OnSync"]
    assert plan["strategy"] == {"letter": "E", "head": "ElementWise 630", "ops": [0, 1, 2, 3]}


def test_steps_named_are_steps_at_which_it_happened() -> None:
    run = decided(SIX_ROUNDS)
    plan = store_page(run, EN)["groups"][2]["plans"][0]
    assert isinstance(run.events[plan["stored"]].fact, f.PlanStored)
    assert len(plan["hits"]) == 2
    for step in plan["hits"]:
        fact = run.events[step].fact
        assert isinstance(fact, f.PlanReused)
        assert fact.plan == plan["plan"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("program", gallery(), ids=lambda program: program.id)
def test_every_store_of_the_gallery_can_be_told(program, lang: str) -> None:
    run = decided(program.text)
    page = store_page(run, texts(lang))
    told = [plan["plan"] for group in page["groups"] for plan in group["plans"]]
    assert sorted(told) == list(range(len(run.states[-1].plans)))


def test_the_page_draws_and_says_the_same_in_words() -> None:
    test = AppTest.from_file(PAGE, default_timeout=60).run()
    assert not test.exception
    (words,) = [code.value for code in test.code]
    assert words.startswith("5 plans under 5 keys")


def test_a_broken_address_shows_the_first_program() -> None:
    test = AppTest.from_file(PAGE, default_timeout=60)
    test.query_params["program"] = "z.nothing"
    assert not test.run().exception


def test_a_step_of_the_page_opens_in_the_workbench(open_app) -> None:
    page = open_app("/plans?program=mul_add_exp")
    plan = page.locator("#plan-2")
    expect(plan).to_contain_text("ElementWise 630")
    link = plan.locator("a").first
    number = (link.text_content() or "").split()[-1]
    link.click()
    player = page.get_by_test_id("player")
    expect(player).to_have_attribute("data-step", number)
    expect(player).to_contain_text("plan #2")


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_the_page_does_not_scroll_sideways(open_app, width: int) -> None:
    page = open_app("/plans?program=softmax", viewport={"width": width, "height": 800})
    expect(page.get_by_test_id("plans")).to_be_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    sides = page.get_by_test_id("plans").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert sides[0] <= sides[1]
