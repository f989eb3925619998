"""The exported file in a real browser, opened from the disk."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from fusionlab.export import run_html
from fusionlab.i18n import texts
from fusionlab.lab import Lab
from fusionlab.program.gallery import gallery_program

HOSTILE = """\
x = keep(random(4, 4))  # </script><script>document.title = "taken"</script>
read(exp(x))            # <img src=x onerror="document.title = 'taken'">
"""


@pytest.fixture
def open_file(browser: Browser, tmp_path: Path) -> Callable[..., Page]:
    """Open a run's file; any request but the file itself, and any script error, fails the test."""
    pages: list[Page] = []
    outside: list[str] = []
    errors: list[str] = []

    def visit(text: str, lang: str = "en", **options: object) -> Page:
        path = tmp_path / "run.html"
        run = Lab().run_text(text, "run.lab", execute=False)
        path.write_text(run_html(run, texts(lang)), "utf-8")
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 720}} | options))
        context.set_offline(True)
        page = context.new_page()
        page.on("request", lambda sent: outside.append(sent.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.goto(path.as_uri())
        pages.append(page)
        return page

    yield visit
    for page in pages:
        page.context.close()
    assert errors == []
    assert [url for url in outside if not url.startswith("file:")] == []


def test_the_file_steps_with_the_arrow_keys_without_a_network(
    open_file: Callable[..., Page],
) -> None:
    page = open_file(gallery_program("mul_add_exp").text)
    player = page.get_by_test_id("player")
    expect(player).to_have_attribute("data-step", "0")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(player).to_have_attribute("data-step", "5")
    page.keyboard.press("ArrowLeft")
    expect(player).to_have_attribute("data-step", "4")
    page.keyboard.press("End")
    last = player.get_attribute("data-steps")
    assert last is not None
    expect(player).to_have_attribute("data-step", last)
    expect(page.locator("svg.drawing")).to_be_visible()


def test_a_hundred_quick_presses_are_a_hundred_steps(open_file: Callable[..., Page]) -> None:
    page = open_file(gallery_program("mul_add_exp").text)
    page.keyboard.press("Home")
    for _ in range(100):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("player")).to_have_attribute("data-step", "100")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_file_follows_the_readers_theme_and_screen(
    open_file: Callable[..., Page], scheme: str, width: int
) -> None:
    page = open_file(
        gallery_program("softmax").text,
        "zh",
        color_scheme=scheme,
        viewport={"width": width, "height": 800},
    )
    expect(page.get_by_test_id("player")).to_have_attribute("data-theme", scheme)
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width


def test_hostile_program_text_stays_text(open_file: Callable[..., Page]) -> None:
    page = open_file(HOSTILE)
    expect(page.get_by_test_id("player")).to_contain_text("<img src=x")
    assert page.title() == "run.lab · FusionLab"
    assert page.locator("main img").count() == 0
