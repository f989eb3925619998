"""How the player looks and behaves around stepping: languages, themes, sizes, keys, focus."""

import re
from typing import Any

import pytest
from app_server import AppServer
from player_page import (
    OpenPlayer,
    decisions,
    last_of,
    payload_of,
    place_of,
    player_of,
)
from playwright.sync_api import Page, expect

from fusionlab.ui.link import pack

WIDE = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}
PROJECTOR = {"width": 1920, "height": 1080}


def focus(page: Page) -> None:
    player_of(page).focus()


def sideways(page: Page) -> int:
    return int(
        page.evaluate(
            "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
    )


def colour(page: Page, selector: str, name: str) -> str:
    value: str = (
        player_of(page)
        .locator(selector)
        .first.evaluate("(node, name) => getComputedStyle(node)[name]", name)
    )
    return value


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_player_speaks_the_language_of_the_page(open_player: OpenPlayer, lang: str) -> None:
    page = open_player(f"?step=24&lang={lang}")
    sentence = decisions(payload_of(lang=lang))[24]["what"]
    expect(player_of(page).locator(".cap h2")).to_have_text(re.sub(r"\*\*|`", "", sentence))
    html_lang = {"en": "en", "zh": "zh-CN"}[lang]
    expect(page.locator("html")).to_have_attribute("lang", html_lang)
    expect(player_of(page)).to_have_attribute("lang", html_lang)


def test_a_chinese_browser_gets_chinese_and_an_address_overrules_it(
    open_player: OpenPlayer,
) -> None:
    page = open_player(locale="zh-CN")
    expect(player_of(page)).to_have_attribute("lang", "zh-CN")
    page.goto(page.url.split("?")[0] + "?lang=en")
    expect(player_of(page)).to_have_attribute("lang", "en")


def test_english_terms_in_a_chinese_sentence_are_marked_as_english(open_player: OpenPlayer) -> None:
    page = open_player("?step=24&lang=zh")
    terms = player_of(page).locator('.cap h2 [lang="en"]').all_inner_texts()
    assert terms
    assert all(re.fullmatch(r"[\x20-\x7e]+", term) for term in terms)


def test_switching_the_language_keeps_the_step(open_player: OpenPlayer) -> None:
    page = open_player("?step=20")
    page.get_by_role("radio", name="中文").or_(page.get_by_text("中文", exact=True)).first.click()
    expect(player_of(page)).to_have_attribute("lang", "zh-CN")
    assert place_of(page) == 20
    page.wait_for_url(re.compile("lang=zh"))


def test_the_choice_of_language_is_kept_for_the_next_visit(open_player: OpenPlayer) -> None:
    page = open_player("?lang=zh")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    page.goto(page.url.split("?")[0])
    expect(player_of(page)).to_have_attribute("lang", "zh-CN")


@pytest.mark.parametrize(
    ("scheme", "surface"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(23, 25, 29)")]
)
def test_the_player_follows_the_theme_of_the_page(
    open_player: OpenPlayer, scheme: str, surface: str
) -> None:
    page = open_player("?step=20", color_scheme=scheme)
    expect(player_of(page)).to_have_attribute("data-theme", scheme)
    background = player_of(page).evaluate("node => getComputedStyle(node).backgroundColor")
    assert background == surface
    assert colour(page, ".now .box", "stroke") != colour(page, ".ghost .box", "stroke")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_at_1280_by_720_the_whole_player_is_on_the_screen(
    open_player: OpenPlayer, lang: str
) -> None:
    page = open_player(f"?step=20&lang={lang}", viewport=WIDE)
    box = player_of(page).bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 720
    assert sideways(page) == 0


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_on_a_phone_nothing_scrolls_sideways_and_the_buttons_are_thumb_sized(
    open_player: OpenPlayer, lang: str
) -> None:
    page = open_player(f"?step=20&lang={lang}", viewport=PHONE, has_touch=True, is_mobile=True)
    assert sideways(page) == 0
    for name in ("back", "play", "next"):
        box = player_of(page).locator(f'[data-do="{name}"]').bounding_box()
        assert box is not None
        assert box["width"] >= 44
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= PHONE["height"]
    player_of(page).locator('[data-do="next"]').tap()
    expect(player_of(page)).to_have_attribute("data-step", "21")


def test_on_a_phone_the_panes_are_tabs(open_player: OpenPlayer) -> None:
    page = open_player("?step=20", viewport=PHONE)
    expect(player_of(page).locator(".pn-decision")).to_be_visible()
    player_of(page).get_by_role("tab", name="Queue").click()
    expect(player_of(page).locator(".pn-queue")).to_be_visible()
    expect(player_of(page).locator(".pn-decision")).to_be_hidden()


@pytest.mark.parametrize("width", [320, 641, 768, 900, 1024, 1180, 1440, 1920])
def test_no_width_makes_the_page_scroll_sideways(open_player: OpenPlayer, width: int) -> None:
    assert sideways(open_player("?step=20", viewport={"width": width, "height": 800})) == 0


def test_the_projector_mode_fills_the_screen_with_large_type_and_escape_leaves_it(
    open_player: OpenPlayer,
) -> None:
    page = open_player("?step=20&mode=present", viewport=PROJECTOR)
    box = player_of(page).bounding_box()
    assert box == {"x": 0, "y": 0, "width": 1920, "height": 1080}
    assert float(colour(page, ".cap h2", "fontSize").removesuffix("px")) >= 34
    assert float(colour(page, ".cap p", "fontSize").removesuffix("px")) >= 24
    on_top = page.evaluate("() => document.elementFromPoint(1800, 20).tagName")
    assert on_top != "BUTTON"
    focus(page)
    page.keyboard.press("Escape")
    expect(player_of(page)).not_to_have_attribute("data-mode", "present")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("program", ["mul_add_exp", "many_blocks", "layer_norm"])
def test_no_caption_is_cut_off(open_player: OpenPlayer, program: str, lang: str) -> None:
    page = open_player(f"?program={program}&lang={lang}", viewport=WIDE)
    cut = []
    for _ in range(last_of(page) + 1):
        cut += player_of(page).evaluate(
            """player => {
                const end = player.querySelector('.cap').getBoundingClientRect().bottom;
                return [...player.querySelectorAll('.cap h2, .cap p')]
                    .filter(node => node.scrollHeight > node.clientHeight + 2
                        || node.getBoundingClientRect().bottom > end)
                    .map(node => node.textContent);
            }"""
        )
        page.keyboard.press("ArrowRight")
    assert cut == []


def test_a_space_presses_the_button_that_has_the_focus(open_player: OpenPlayer) -> None:
    page = open_player("?step=20")
    player_of(page).locator('[data-do="next"]').focus()
    page.keyboard.press("Space")
    assert place_of(page) == 21
    expect(player_of(page).locator('[data-do="play"]')).to_have_attribute("aria-label", "Play")


def test_a_space_in_the_player_plays_and_any_key_stops(open_player: OpenPlayer) -> None:
    page = open_player("?step=33")
    focus(page)
    page.keyboard.press("Space")
    expect(player_of(page).locator('[data-do="play"]')).to_have_attribute("aria-label", "Pause")
    expect(player_of(page)).to_have_attribute("data-step", "35")
    page.keyboard.press("ArrowRight")
    expect(player_of(page).locator('[data-do="play"]')).to_have_attribute("aria-label", "Play")


def test_playing_pauses_at_an_event_of_a_chosen_kind(open_player: OpenPlayer) -> None:
    stops = decisions(payload_of())
    merge = next(n for n, step in enumerate(stops) if step["kind"] == "merge")
    page = open_player(f"?step={merge - 2}")
    focus(page)
    page.keyboard.press("]")
    page.keyboard.press("]")
    page.keyboard.press("Space")
    expect(player_of(page)).to_have_attribute("data-step", str(merge))
    page.wait_for_timeout(800)
    assert place_of(page) == merge


def test_single_keys_do_nothing_outside_the_player(open_player: OpenPlayer) -> None:
    page = open_player("?step=20")
    page.evaluate("() => document.activeElement.blur()")
    for key in ("p", "t", "g", "?", "ArrowDown", "Home"):
        page.keyboard.press(key)
    assert place_of(page) == 20
    expect(player_of(page).locator(".pop")).to_be_hidden()
    expect(player_of(page)).not_to_have_attribute("data-mode", "present")


def test_arrows_in_the_editor_move_the_cursor_and_not_the_run(open_player: OpenPlayer) -> None:
    page = open_player("?step=20")
    page.get_by_role("button", name="Edit program").click()
    editor = page.get_by_role("textbox", name="Program text")
    editor.click()
    editor.press("ArrowRight")
    editor.press("ArrowRight")
    assert place_of(page) == 20


def test_an_edit_in_the_browser_hatches_the_old_run_until_run_is_pressed(
    open_player: OpenPlayer,
) -> None:
    page = open_player("?step=20")
    page.get_by_role("button", name="Edit program").click()
    editor = page.get_by_role("textbox", name="Program text")
    editor.fill("a = random(4, 4)\nread(exp(a))")
    editor.press("Control+Enter")
    expect(player_of(page).locator(".bar")).to_contain_text("The program changed")
    expect(player_of(page)).to_have_attribute("data-dim", "")
    page.get_by_test_id("stPopoverBody").get_by_role("button", name="Run").click()
    expect(player_of(page).locator(".pn-program .code")).to_contain_text("read(exp(a))")
    expect(player_of(page).locator(".bar")).to_be_hidden()
    assert place_of(page) == 0


def test_the_text_of_a_program_is_never_taken_for_markup(open_player: OpenPlayer) -> None:
    text = '# <img src=x onerror="window.broken=1"> **b** `c`\nx = random(4, 4)\nread(exp(x))'
    page = open_player(f"?program={pack(text)}")
    expect(player_of(page).locator(".code")).to_contain_text(
        '<img src=x onerror="window.broken=1">'
    )
    assert player_of(page).locator("img").count() == 0
    assert page.evaluate("() => window.broken") is None


def test_each_step_is_said_aloud(open_player: OpenPlayer) -> None:
    page = open_player("?step=20")
    live = player_of(page).get_by_role("status")
    page.keyboard.press("ArrowRight")
    expect(live).to_contain_text("step 21")
    expect(live).to_contain_text(player_of(page).locator(".cap h2").inner_text())


def test_the_key_sheet_opens_with_a_question_mark_and_gives_the_focus_back(
    open_player: OpenPlayer,
) -> None:
    page = open_player("?step=20")
    focus(page)
    page.keyboard.press("?")
    dialog = player_of(page).get_by_role("dialog")
    expect(dialog).to_contain_text("next, previous step")
    page.keyboard.press("ArrowRight")
    assert place_of(page) == 20
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("End")
    assert place_of(page) == last_of(page)


def test_go_to_takes_a_number_or_a_word(open_player: OpenPlayer) -> None:
    page = open_player()
    focus(page)
    page.keyboard.press("g")
    page.keyboard.type("37")
    page.keyboard.press("Enter")
    assert place_of(page) == 37
    page.keyboard.press("/")
    page.keyboard.type("wins with")
    page.keyboard.press("Enter")
    expect(player_of(page).locator(".cap h2")).to_contain_text("ElementWise wins with 630")


def test_bookmarks_come_back(open_player: OpenPlayer) -> None:
    page = open_player("?step=20")
    focus(page)
    page.keyboard.press("Shift+Digit3")
    page.keyboard.press("Home")
    page.keyboard.press("Digit3")
    assert place_of(page) == 20


def test_the_lanes_have_a_table_twin_in_the_same_order(open_player: OpenPlayer) -> None:
    page = open_player("?step=20")
    focus(page)
    page.keyboard.press("t")
    rows = player_of(page).locator(".table tbody tr")
    payload = payload_of()
    expect(rows).to_have_count(len(payload["columns"]))
    expect(player_of(page).locator('.table [aria-current="step"]')).to_contain_text("Add")
    page.keyboard.press("ArrowRight")
    expect(player_of(page).locator('.table [aria-current="step"]')).to_contain_text("Exp")


def test_why_no_plan_fits_shows_the_first_token_that_differs(open_player: OpenPlayer) -> None:
    payload = payload_of()
    stops = decisions(payload)
    index = next(
        n
        for n, step in enumerate(stops)
        if "miss" in step
        and len(payload["misses"][step["miss"]]["keys"]) == 2
        and payload["columns"][step["column"]]["label"] == "Mul"
    )
    miss = payload["misses"][stops[index]["miss"]]
    page = open_player(f"?step={index}")
    focus(page)
    page.keyboard.press("w")
    group, token = miss["first"]
    for side, mark in zip(miss["keys"], (".firstref", ".first"), strict=True):
        assert player_of(page).locator(mark).inner_text() == side["groups"][group][token]
    page.keyboard.press("w")
    expect(player_of(page).locator(".missview")).to_be_hidden()


def test_the_same_tensor_is_marked_in_every_pane(open_player: OpenPlayer) -> None:
    page = open_player("?step=20")
    player_of(page).locator('.column[data-t="t4"] .hitarea').hover(position={"x": 3, "y": 9})
    hot = player_of(page).locator(".hot")
    expect(hot).not_to_have_count(0)
    assert set(hot.evaluate_all("nodes => nodes.map(node => node.dataset.t)")) == {"t4"}
    assert player_of(page).locator(".pn-queue .hot").count() >= 2


def test_clicking_an_op_goes_to_the_step_where_it_joined(open_player: OpenPlayer) -> None:
    page = open_player("?step=24")
    player_of(page).locator('.column[data-t="t5"] .hitarea').click(position={"x": 3, "y": 9})
    expect(player_of(page).locator(".cap .st")).to_contain_text("MulScalar")


def test_dragging_on_the_scrub_bar_and_clicking_it_reach_any_step(open_player: OpenPlayer) -> None:
    page = open_player()
    box = player_of(page).locator(".time").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 3, box["y"] + 12)
    assert place_of(page) == last_of(page)
    page.mouse.click(box["x"] + 3, box["y"] + 12)
    assert place_of(page) == 0


def test_motion_stops_for_those_who_ask_for_it(open_player: OpenPlayer) -> None:
    page = open_player("?step=20", reduced_motion="reduce")
    assert colour(page, ".column .body", "transitionDuration") == "0s"


def test_a_new_server_serves_its_first_deep_link_with_our_menu(
    fresh_app_server: AppServer, new_page: Any
) -> None:
    page = new_page()
    page.goto(f"{fresh_app_server.url}/workbench?program=softmax&step=3")
    player_of(page).wait_for(timeout=60_000)
    expect(page.get_by_test_id("stHeader")).to_contain_text("Workbench")
    expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
    assert place_of(page) == 3


def test_the_health_route_answers(app_server: AppServer, page: Page) -> None:
    answer = page.request.get(f"{app_server.url}/healthz")
    assert (answer.status, answer.json()) == (200, {"status": "ok"})


def test_the_first_screen_leads_into_the_reuse_run(open_app: Any) -> None:
    page = open_app("/")
    page.get_by_role("button", name=re.compile("^Start")).click()
    player_of(page).wait_for(timeout=30_000)
    assert "program=mul_add_exp" in page.url


def test_coming_back_from_another_page_finds_the_program_and_the_step(
    open_player: OpenPlayer,
) -> None:
    page = open_player("?program=softmax")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("step=5"))
    page.wait_for_timeout(600)
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("button", name=re.compile("^Start"))).to_be_visible()
    page.get_by_role("link", name="Workbench").click()
    player_of(page).wait_for()
    expect(player_of(page).locator(".pn-program .m")).to_have_text("softmax.lab")
    expect(player_of(page)).to_have_attribute("data-step", "5")


def test_every_pane_that_scrolls_can_be_reached_and_scrolled_with_the_keyboard(
    open_player: OpenPlayer,
) -> None:
    page = open_player("?program=five_chains&step=90")
    focus(page)
    scrolled = 0
    for _ in range(8):
        page.keyboard.press("F6")
        scrolled += page.evaluate(
            """() => {
                const pane = document.activeElement.shadowRoot.activeElement;
                return pane.hasAttribute('data-pane') && pane.tabIndex === 0 ? 1 : 0;
            }"""
        )
    assert scrolled == 8
    code = player_of(page).locator(".code")
    code.focus()
    top = code.evaluate("node => { node.scrollTop = 0; return node.scrollTop }")
    page.keyboard.press("PageDown")
    page.wait_for_timeout(300)
    assert code.evaluate("node => node.scrollTop") > top
    assert place_of(page) == 90
