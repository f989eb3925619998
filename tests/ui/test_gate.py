"""The predict gate in a real browser: the answer is nowhere until the reader has committed."""

import json
import re

from player_page import OpenPlayer, decisions, last_of, payload_of, place_of, player_of
from playwright.sync_api import Page, WebSocket, expect

MERGE = "so they merge"
"""Words of the step that decides the second question of the reuse run."""
HELD = "player => JSON.stringify([player.player.run, player.player.data])"


def at_the_question(open_player: OpenPlayer) -> Page:
    """The page at the question about the Add that makes two blocks merge."""
    stops = decisions(payload_of())
    merge = next(n for n, step in enumerate(stops) if MERGE in step["what"])
    page: Page = open_player(f"?predict=block&step={merge}")
    player_of(page).focus()
    page.keyboard.press("End")
    expect(player_of(page)).to_have_attribute("data-kind", "ask")
    return page


def test_what_comes_after_the_question_is_nowhere_in_the_browser(open_player: OpenPlayer) -> None:
    page = at_the_question(open_player)
    assert place_of(page) == last_of(page)
    for text in (page.content(), player_of(page).evaluate(HELD), page.url):
        assert MERGE not in text
        assert "BlocksMerged" not in text
    expect(page.get_by_role("button", name="Export")).to_be_disabled()
    answer(page, 2)
    assert MERGE in player_of(page).evaluate(HELD)


def test_no_message_of_the_server_holds_the_answer_before_it_is_given(
    open_player: OpenPlayer,
) -> None:
    page = at_the_question(open_player)
    heard: list[bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on(
            "framereceived",
            lambda frame: heard.append(frame if isinstance(frame, bytes) else frame.encode()),
        )

    page.wait_for_url(f"**step={last_of(page)}**")
    page.on("websocket", listen)
    page.reload()
    expect(player_of(page)).to_have_attribute("data-kind", "ask", timeout=30_000)
    assert heard
    assert not any(MERGE.encode() in frame for frame in heard)
    answer(page, 2)
    assert any(MERGE.encode() in frame for frame in heard)


def answer(page: Page, option: int) -> None:
    player_of(page).locator(f'[data-answer="{option}"]').click()
    expect(player_of(page).locator(".verdict")).to_be_visible()


def test_a_true_answer_is_confirmed_at_the_step_that_decided(open_player: OpenPlayer) -> None:
    page = at_the_question(open_player)
    answer(page, 2)
    expect(player_of(page).locator(".verdict")).to_have_text(re.compile("^Yes: Blocks merge"))
    assert last_of(page) > place_of(page)


def test_another_answer_is_not_called_wrong_and_the_truth_is_told(open_player: OpenPlayer) -> None:
    page = at_the_question(open_player)
    answer(page, 0)
    verdict = player_of(page).locator(".verdict").inner_text()
    assert verdict.startswith("Not yet: Blocks merge")
    assert verdict.endswith("You said: Block 1 takes it.")


def test_show_me_reveals_without_an_answer(open_player: OpenPlayer) -> None:
    page = at_the_question(open_player)
    answer(page, -1)
    expect(player_of(page).locator(".verdict")).to_have_text(re.compile("^Shown, not counted"))


def test_the_next_question_waits_behind_the_one_that_was_answered(open_player: OpenPlayer) -> None:
    page = at_the_question(open_player)
    answer(page, 2)
    player_of(page).focus()
    page.keyboard.press("End")
    expect(player_of(page)).to_have_attribute("data-kind", "ask")
    expect(player_of(page).locator(".cap h2")).to_have_text("Where does Exp go?")


def test_the_switch_asks_in_the_learners_own_program_too(open_player: OpenPlayer) -> None:
    page = open_player()
    page.get_by_role("button", name="Edit program").click()
    box = page.get_by_label("Program text")
    box.fill("x = random(4, 4)\ny = exp(x)\nz = log(x)\nread(y + z)\n")
    box.press("Control+Enter")
    page.get_by_role("button", name="Run", exact=True).first.click()
    expect(player_of(page).locator(".pn-program")).to_contain_text("my_program.lab")
    page.goto(page.url + "&predict=winner")
    player_of(page).wait_for(timeout=30_000)
    player_of(page).focus()
    page.keyboard.press("End")
    expect(player_of(page)).to_have_attribute("data-kind", "ask")
    expect(player_of(page).locator(".answer.opt")).to_have_count(6)


def test_in_chinese_the_question_is_in_chinese(open_player: OpenPlayer) -> None:
    page = open_player("?predict=trigger&lang=zh")
    player_of(page).focus()
    page.keyboard.press("End")
    expect(player_of(page).locator(".cap h2")).to_have_text("现在存下的计划由什么触发？")
    assert "OnSync" in json.dumps(
        player_of(page).locator(".answer.opt").all_inner_texts(), ensure_ascii=False
    )
