"""The burn log page: paste, read the report, step through the run behind the log."""

from pathlib import Path

from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from fusionlab.lab import Lab
from fusionlab.program.gallery import gallery_program
from fusionlab.views.burn_log import burn_log

PAGE = Path(__file__).parents[2] / "pages" / "log.py"


def log_of(name: str) -> str:
    run = Lab().run_text(gallery_program(name).text, name, execute=False)
    return "".join(f"{line.text}\n" for line in burn_log(run.events))


def opened() -> AppTest:
    test = AppTest.from_file(PAGE, default_timeout=60).run()
    assert not test.exception
    return test


def explained(test: AppTest, log: str) -> str:
    test.text_area[0].set_value(log).run()
    test.button(key="log_run").click().run()
    assert not test.exception
    return str(test.code[0].value)


def test_a_pasted_log_is_explained() -> None:
    assert "FusionLab explains every line" in explained(opened(), log_of("softmax"))


def test_a_line_that_does_not_fit_is_shown_as_text() -> None:
    told = explained(opened(), "<img src=x onerror=alert(1)>\n" + log_of("softmax"))
    assert "Line 1: <img src=x onerror=alert(1)>" in told


def test_nothing_pasted_is_no_error() -> None:
    assert "no line of a fusion log" in explained(opened(), "")


def test_the_example_is_there_for_who_has_no_log() -> None:
    test = opened()
    test.button(key="log_example").click().run()
    assert not test.exception
    assert "FusionLab explains every line" in test.code[0].value


def test_the_rebuilt_run_steps_like_any_other(open_app) -> None:
    page = open_app("/log")
    page.get_by_role("button", name="Show an example").click()
    player = page.get_by_test_id("player")
    expect(player).to_have_attribute("data-step", "0")
    player.press("End")
    expect(player).not_to_have_attribute("data-step", "0")
    expect(player.locator(".code")).to_contain_text("[explorer] explore (lazy)")
