"""The compare page in a real browser: the design's own example, links, phones, hostile text."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from fusionlab.program.gallery import gallery_program
from fusionlab.ui.share import Shared, Side, query

REUSE = gallery_program("mul_add_exp").text
SQUARE = REUSE.replace("((64, 32), 2.0)", "((32, 32), 2.0)")

Open = Callable[..., Page]


def link(one: str, two: str, **more: str) -> str:
    first, second = Side.of(one), Side.of(two)
    return f"/compare?{query(Shared(first, other=second, change='shape@41=64x32', **more))}"


def rows(page: Page) -> list[list[str]]:
    """Cells of the rows between header and ending, as a reader sees them."""
    found = page.locator("[data-testid=compare] tbody tr.cr:visible").all()
    return [
        [" ".join(cell.inner_text().split()) for cell in row.locator("th,td").all()]
        for row in found
    ]


def test_the_example_of_the_design_comes_out_in_the_engines_numbers(open_app: Open) -> None:
    page = open_app(link(SQUARE, REUSE))
    expect(page.get_by_test_id("parting")).to_have_text(
        "The futures part here. A asks for Random → t0:[1,1], B for Random → t0:[1,2]. "
        "Dimension 2 got a new number in B. "
        "The op hashes differently, so plan #1 is not found in B."
    )
    totals = [side.inner_text() for side in page.locator(".nums").all()]
    assert [re.findall(r"\d+ (?:new )?\w+", side)[:4] for side in totals] == [
        ["4 hits", "0 searches", "0 new plans", "4 defers"],
        ["2 hits", "2 searches", "2 new plans", "0 defers"],
    ]
    assert rows(page) == [
        ["a = random(…)", "#1", "no candidate explore plan #3 stored"],
        ["b = random(…)", "#1", "#3"],
        ["c = random(…)", "#1", "#3"],
        ["Mul", "1 of 4", "no candidate explore new block, total 1"],
        ["MulScalar", "2 of 4", "explore new block, total 2"],
        ["Add", "3 of 4", "explore blocks merge, 1/1"],
        ["Exp", "4 of 4, waits for a drain", "explore accepted, 1/1"],
        ["read(out)", "#2 1 launch", "explore plan #4 stored 1 launch"],
    ]
    expect(page.get_by_test_id("verdict")).to_contain_text(
        "Both end in the same kernel: ElementWise, 630, 4 ops."
    )


def test_the_same_in_chinese_with_the_english_words_marked(open_app: Open) -> None:
    page = open_app(link(SQUARE, REUSE, lang="zh"))
    expect(page.get_by_test_id("parting")).to_contain_text("两条路从这里分开。")
    assert page.get_by_test_id("compare").get_attribute("lang") == "zh-CN"
    assert page.get_by_test_id("parting").locator("[lang=en]").count() > 0


def test_only_differences_leaves_out_what_is_alike(open_app: Open) -> None:
    changed = REUSE.replace("exp(a * b + c * s)", "exp(a * b - c * s)")
    page = open_app(link(REUSE, changed))
    expect(page.get_by_test_id("verdict")).to_be_visible()
    before = rows(page)
    page.get_by_text("Only differences").click()
    expect(page.locator("[data-testid=compare][data-only]")).to_be_visible()
    after = rows(page)
    assert 0 < len(after) < len(before)
    assert [row for row in before if row not in after], "the equal ones are gone"


def test_a_run_writes_its_link_and_a_reload_keeps_everything(open_app: Open) -> None:
    page = open_app("/compare")
    box = page.get_by_role("textbox", name="to")
    box.fill("16×16")
    box.press("Enter")
    page.get_by_role("button", name="Run both").click()
    expect(page).to_have_url(re.compile(r"change=shape(%40|@)41(%3D|=)16x16"))
    expect(page.get_by_test_id("compare")).to_contain_text("what if 16×16")
    expect(page.locator("[data-testid=compare] .bar")).to_be_hidden()
    shown = page.get_by_test_id("compare").inner_text()
    page.reload()
    expect(page.get_by_test_id("compare")).to_contain_text("as it ran")
    assert page.get_by_test_id("compare").inner_text() == shown


def test_what_the_parser_refuses_is_told_over_the_old_comparison(open_app: Open) -> None:
    page = open_app("/compare?program=mul_add_exp&change=shape@41=64x31x7x2")
    page.get_by_role("button", name="Run both").click()
    expect(page.locator("[data-testid=compare] .bar, [data-testid=stAlert]").first).to_be_visible()


HOSTILE = """\
x = keep(random(4, 4))  # <img src=x onerror="document.title='taken'"><script>taken()</script>
read(exp(x))  # **bold** [link](javascript:alert(1))
"""


def test_program_text_never_becomes_markup(open_app: Open) -> None:
    page = open_app(link(HOSTILE, HOSTILE.replace("(4, 4)", "(4, 8)")))
    shown = page.get_by_test_id("compare")
    expect(shown.locator(".src").first).to_contain_text("<img src=x")
    assert shown.locator("img, script, a").count() == 0
    assert page.locator("[data-testid=stMain] a[href^=javascript]").count() == 0
    assert "taken" not in page.title()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844), (320, 640)])
def test_nothing_scrolls_sideways(open_app: Open, scheme: str, width: int, height: int) -> None:
    page = open_app(
        link(SQUARE, REUSE), viewport={"width": width, "height": height}, color_scheme=scheme
    )
    expect(page.get_by_test_id("verdict")).to_be_visible()
    assert page.get_by_test_id("compare").get_attribute("data-theme") == scheme
    inner = page.get_by_test_id("compare").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner[0] <= inner[1]
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width


def test_at_1280_by_720_the_example_needs_no_scrolling(open_app: Open) -> None:
    page = open_app(link(SQUARE, REUSE))
    box = page.get_by_test_id("verdict").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 720
