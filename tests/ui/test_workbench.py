"""The workbench without a browser: what an address opens, what an edit does, what is said."""

import html
import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from fusionlab.i18n import texts
from fusionlab.program.gallery import gallery, gallery_program
from fusionlab.ui.link import pack

PAGE = Path(__file__).parents[2] / "pages" / "workbench.py"


def visit(**query: str) -> AppTest:
    """Open the workbench at an address."""
    page = AppTest.from_file(PAGE, default_timeout=60)
    for key, value in query.items():
        page.query_params[key] = value
    page.run()
    assert not page.exception
    return page


def shown(page: AppTest) -> dict[str, Any]:
    """What the player was given."""
    (player,) = page.get("bidi_component")
    data: dict[str, Any] = json.loads(player.proto.json)
    return data


def step_slider(page: AppTest) -> int:
    return int(page.slider[0].value)


def said(page: AppTest) -> str:
    return "\n".join(part.value for part in page.markdown)


def edit(page: AppTest, text: str) -> AppTest:
    page.text_area[0].set_value(text).run()
    assert not page.exception
    return page


def press_run(page: AppTest) -> AppTest:
    page.button(key="run").click().run()
    assert not page.exception
    return page


def test_a_first_visit_shows_the_reuse_run_from_its_start() -> None:
    page = visit()
    assert shown(page)["run"]["name"] == "mul_add_exp.lab"
    assert shown(page)["bar"] is None
    assert step_slider(page) == 0


@pytest.mark.parametrize("program", gallery(), ids=lambda program: program.id)
def test_every_program_of_the_gallery_opens_by_its_id(program: Any) -> None:
    data = shown(visit(program=program.id))
    assert data["run"]["program"] == program.text.splitlines()
    assert data["bar"] is None


def test_a_link_opens_the_program_and_the_step_that_it_names() -> None:
    page = visit(program="softmax", step="7")
    assert shown(page)["run"]["name"] == "softmax.lab"
    assert step_slider(page) == 7


def test_a_link_may_carry_a_whole_program() -> None:
    text = "a = random(4, 4)\nread(exp(a))"
    page = visit(program=pack(text))
    assert shown(page)["run"]["program"] == text.splitlines()
    assert page.selectbox[0].value == "own"
    assert page.text_area[0].value == text


def test_a_packed_program_of_the_gallery_is_recognised() -> None:
    assert visit(program=pack(gallery_program("gelu").text)).selectbox[0].value == "gelu"


@pytest.mark.parametrize("token", ["no_such_program", "z.cut-of", "<script>", "z." + "A" * 500])
def test_a_broken_link_opens_the_first_program_and_says_so(token: str) -> None:
    data = shown(visit(program=token))
    assert data["run"]["name"] == "mul_add_exp.lab"
    assert data["bar"]["text"] == texts("en")("ui.work.bad_program")


@pytest.mark.parametrize("step", ["99999", "-1", "1e3", "x", "٣", ""])
def test_a_step_that_does_not_exist_becomes_the_nearest_one_with_a_notice(step: str) -> None:
    page = visit(step=step)
    assert step_slider(page) in (0, page.slider[0].max)
    assert shown(page)["bar"]["text"] == texts("en")("ui.work.bad_step")


def test_a_step_beyond_the_end_becomes_the_last_one() -> None:
    page = visit(step="99999")
    assert step_slider(page) == page.slider[0].max


def test_the_level_of_a_link_counts_in_its_own_steps() -> None:
    decisions, comparisons = visit(), visit(level="comparisons", step="40")
    assert comparisons.slider[0].max > decisions.slider[0].max
    assert step_slider(comparisons) == 40


def test_picking_a_program_runs_it_and_names_it_in_the_address() -> None:
    page = visit(program="softmax", step="7")
    page.selectbox[0].set_value("five_chains").run()
    assert shown(page)["run"]["name"] == "five_chains.lab"
    assert step_slider(page) == 0
    assert page.query_params["program"] in ("five_chains", ["five_chains"])
    assert "step" not in page.query_params


def test_an_edit_marks_the_run_as_old_until_it_runs_again() -> None:
    page = edit(visit(), "a = random(4, 4)\nread(exp(a))")
    stale = shown(page)
    assert stale["run"]["name"] == "mul_add_exp.lab"
    assert stale["bar"] == {
        "tone": "warn",
        "text": texts("en")("ui.work.stale"),
        "action": "Run",
        "dim": True,
    }
    fresh = shown(press_run(page))
    assert fresh["run"]["program"] == ["a = random(4, 4)", "read(exp(a))"]
    assert fresh["bar"] is None


def test_undoing_an_edit_makes_the_run_current_again() -> None:
    page = visit()
    original = page.text_area[0].value
    assert shown(edit(page, "x = 1"))["bar"] is not None
    assert shown(edit(page, original))["bar"] is None


def test_an_own_program_can_be_shared_by_the_address_it_gets() -> None:
    page = press_run(edit(visit(), "a = random(3, 5)\nread(exp(a))"))
    token = page.query_params["program"]
    assert shown(visit(program=token if isinstance(token, str) else token[0]))["run"][
        "program"
    ] == [
        "a = random(3, 5)",
        "read(exp(a))",
    ]


def test_a_program_that_cannot_be_read_keeps_the_old_run_and_the_text() -> None:
    bad = "# a comment\nb = a +"
    page = press_run(edit(visit(), bad))
    assert page.text_area[0].value == bad
    told = html.unescape(page.error[0].value)
    assert "Line 2, column" in told
    data = shown(page)
    assert data["run"]["name"] == "mul_add_exp.lab"
    assert data["bar"]["tone"] == "miss"
    assert data["bar"]["text"] == told


def test_nothing_of_a_program_that_cannot_be_read_becomes_markup() -> None:
    page = press_run(edit(visit(), "b = a + ` ![x](https://example.org/x.png)"))
    assert "example" in page.error[0].value
    assert not set("`[]()!<>") & set(page.error[0].value)


def test_a_program_that_fails_on_its_way_shows_the_steps_before_the_failure() -> None:
    page = press_run(edit(visit(), "a = random(64, 32)\nb = exp(a)\nread(b)\nc = nonsense(a)"))
    data = shown(page)
    assert data["run"]["program"][3] == "c = nonsense(a)"
    assert data["bar"]["text"] == data["run"]["end"]
    assert "Line 4, column" in page.error[0].value
    assert {"execute", "read"} <= {step["kind"] for step in data["run"]["steps"]}


def test_an_empty_program_says_what_to_try() -> None:
    assert shown(press_run(edit(visit(), "# nothing")))["bar"] is not None


def test_the_plain_controls_walk_through_the_run() -> None:
    page = visit()
    page.button(key="next").click().run()
    page.button(key="next").click().run()
    assert (step_slider(page), shown(page)["goto"]) == (2, 2)
    page.slider[0].set_value(40).run()
    assert shown(page)["goto"] == 40
    page.button(key="back").click().run()
    assert step_slider(page) == 39
    assert not page.exception


def test_the_plain_text_is_the_sentence_that_the_player_shows() -> None:
    page = visit(step="24")
    run = shown(page)["run"]
    stops = [step for step in run["steps"] if step["level"] <= 1]
    assert stops[24]["what"] in said(page)


def test_reading_in_the_browser_does_not_send_the_run_again() -> None:
    page = visit()
    before = page.get("bidi_component")[0].proto.json
    page.run()
    assert page.get("bidi_component")[0].proto.json == before


@pytest.mark.parametrize(("lang", "word"), [("en", "Plan store"), ("zh", "计划仓库")])
def test_the_address_chooses_the_language(lang: str, word: str) -> None:
    data = shown(visit(lang=lang))
    assert data["run"]["lang"] == lang
    assert data["labels"]["store"] == word


def test_an_unknown_language_in_the_address_is_ignored() -> None:
    assert shown(visit(lang="xx"))["run"]["lang"] == "en"


def test_switching_the_language_keeps_program_and_step() -> None:
    page = visit(program="softmax", step="5")
    page.button_group[0].set_value("zh").run()
    assert not page.exception
    assert shown(page)["run"]["lang"] == "zh"
    assert shown(page)["run"]["name"] == "softmax.lab"
    assert step_slider(page) == 5


def test_both_languages_name_the_same_run() -> None:
    assert shown(visit(lang="en"))["run"]["run"] == shown(visit(lang="zh"))["run"]["run"]


def test_the_kernel_of_the_last_execution_is_shown_as_it_was_generated() -> None:
    text = "a, b = random(4, 4), random(4, 4)\nread(exp(a * b + 1.0))"
    start = visit(program=pack(text))
    assert not [code for code in start.code if "def elementwise" in code.value]
    end = visit(
        program=pack(text), step=str(len(shown(start)["run"]["steps"]) - 1), level="comparisons"
    )
    (source,) = [code.value for code in end.code if "def elementwise" in code.value]
    assert "exp(" in source
    assert (
        "One by one: 4 reads, 3 writes, 3 launches. As it ran: 2 reads, 1 write, 1 launch."
        in said(end)
    )
