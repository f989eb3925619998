"""Links in the real app: they open program and step, and say so when they cannot."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from fusionlab.program.gallery import gallery_program
from fusionlab.ui.share import Shared, Side, query

Open = Callable[..., Page]
OWN = Side('x = keep(random(4))  # <img src=x onerror="document.title=1">\nread(exp(x) + 1.0)\n')


def test_a_link_opens_program_step_level_and_language(open_app: Open) -> None:
    link = query(Shared(OWN, step=2, level="ops", lang="zh"))
    page = open_app(f"/workbench?{link}")
    player = page.get_by_test_id("player")
    expect(player).to_have_attribute("data-step", "2")
    expect(player).to_have_attribute("data-level", "0")
    expect(player).to_contain_text("<img src=x")
    expect(player.locator(".bar")).to_be_hidden()
    assert page.locator("html").get_attribute("lang") == "zh-CN"


def test_the_link_that_is_offered_opens_the_same_place_for_somebody_else(open_app: Open) -> None:
    page = open_app("/workbench?program=softmax&step=4")
    page.get_by_test_id("player").press("ArrowRight")
    expect(page).to_have_url(re.compile(r"step=5"))
    page.get_by_role("button", name="Copy link").click()
    address = page.locator("[data-testid=stPopoverBody] code").inner_text().strip()
    assert "v=1&program=softmax" in address
    other = open_app(address[address.index("/workbench") :])
    expect(other.get_by_test_id("player")).to_contain_text("softmax.lab")
    expect(other.get_by_test_id("player")).to_have_attribute("data-step", "5")


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ("v=2&program=softmax&step=9", "This link is from a newer version"),
        ("v=1&program=softmax&step=2&c=0000000", "its program has changed since"),
        (f"program=z.{'A' * 17_000}", "too long"),
        ("program=z.AAAA", "no program that can be read"),
    ],
    ids=["newer", "changed", "oversized", "unreadable"],
)
def test_a_link_that_cannot_be_kept_whole_says_so(open_app: Open, params: str, told: str) -> None:
    page = open_app(f"/workbench?{params}")
    expect(page.get_by_test_id("player").locator(".bar")).to_contain_text(told)


def test_a_newer_link_opens_the_program_at_its_beginning(open_app: Open) -> None:
    page = open_app("/workbench?v=2&program=softmax&step=9")
    player = page.get_by_test_id("player")
    expect(player).to_contain_text("softmax.lab")
    expect(player).to_have_attribute("data-step", "0")


def test_the_export_menu_saves_every_kind_of_file(open_app: Open) -> None:
    page = open_app("/workbench?program=softmax&step=3")
    page.get_by_role("button", name="Export").click()
    for name, ending in [
        ("Picture (SVG)", ".svg"),
        ("Picture (PNG)", ".png"),
        ("Strip of four steps (SVG)", "-strip.svg"),
        ("Player in one file (HTML)", ".html"),
        ("Facts (JSON lines)", ".jsonl"),
        ("burn log (text)", ".log"),
    ]:
        with page.expect_download() as saved:
            page.get_by_role("button", name=name).click()
        assert saved.value.suggested_filename == f"softmax{ending}"
        content = saved.value.path().read_bytes()
        if ending == ".png":
            assert content.startswith(b"\x89PNG")
        if ending == ".svg":
            assert b"step 3 of" in content
        if ending == ".html":
            assert gallery_program("softmax").text.splitlines()[0].encode() in content


def test_what_if_takes_the_program_along(open_app: Open) -> None:
    page = open_app("/workbench?program=softmax")
    page.get_by_role("button", name="What if…").click()
    expect(page).to_have_url(re.compile(r"/compare\?.*program=softmax"))
    expect(page.get_by_test_id("compare")).to_contain_text("as it ran")
