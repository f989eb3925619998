"""A whole class in a real browser: a teacher, three students, two rounds, the results."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from class_pages import (
    PHONE,
    SMALL_PHONE,
    OpenApp,
    ask_something,
    fits,
    joined,
    opened,
    player,
    press,
    show_program,
    shows_counts,
    step_of,
    steps_of,
    vote,
)
from playwright.sync_api import Page, expect
from services import AppServer, Nginx, RedisServer

VOTES = [(0, 1), (1, 1), (2, 1)]
"""What the three students choose in both rounds."""


def test_a_class_from_the_open_door_to_the_saved_results(open_app: OpenApp) -> None:
    teacher, pin = opened(open_app)
    phones = [
        joined(open_app, pin, "Ada"),
        joined(open_app, pin, **SMALL_PHONE),
        joined(open_app, pin, "小明", color_scheme="dark"),
    ]
    expect(teacher.locator(".count")).to_have_text("3 people here")

    ask_something(teacher)
    for phone, (first, _) in zip(phones, VOTES, strict=True):
        vote(phone, first)
        assert fits(phone)
    expect(teacher.locator(".head")).to_contain_text("3 of 3 voted")
    expect(teacher.locator(".hr .bar")).to_have_count(0)

    press(teacher, "Close the round")
    expect(phones[0].locator(".top")).to_contain_text("Round 1 closed")
    expect(phones[0].locator(".so .bar")).to_have_count(0)
    press(teacher, "Talk it over, 2 min")
    expect(phones[1].locator(".top")).to_contain_text(re.compile("Talk it over · [12]:"))
    press(teacher, "+1 min")
    expect(phones[1].locator(".top")).to_contain_text(re.compile("Talk it over · [23]:"))
    press(teacher, "No timer")
    expect(phones[1].locator(".top span").first).to_have_text("Talk it over")

    press(teacher, "Vote again")
    for phone, (_, second) in zip(phones, VOTES, strict=True):
        expect(phone.locator(".top")).to_contain_text("Round 2 · vote again")
        vote(phone, second)
    press(teacher, "Close the round")
    for page in (teacher, phones[1]):
        shows_counts(page, "10", "13", "10")
    expect(teacher.locator(".bdg.hit")).to_have_count(0)

    press(teacher, "Reveal")
    expect(teacher.locator(".bdg.hit")).to_have_count(1)
    for phone in phones:
        expect(phone.locator(".told b")).to_have_text(
            re.compile("^(Your answer is|Not yet: it is)")
        )
        assert fits(phone)

    rows = saved_table(teacher)
    assert [(row["name"], row["round_1"], row["round_2"]) for row in rows] == [
        ("Ada", "A", "B"),
        ("", "B", "B"),
        ("小明", "C", "B"),
    ]
    truth = teacher.locator(".hr.ok .L").inner_text()
    assert {row["truth"] for row in rows} == {truth}


def saved_table(teacher: Page) -> list[dict[str, str]]:
    """Save the results as CSV and as JSON, see that they agree, and return the table."""
    teacher.locator(".more summary").click()
    texts = {}
    for kind in ("CSV", "JSON"):
        with teacher.expect_download() as saved:
            press(teacher, f"Save as {kind}")
        assert saved.value.suggested_filename.endswith(kind.lower())
        texts[kind] = Path(saved.value.path()).read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(texts["CSV"])))
    document = json.loads(texts["JSON"])
    rounds = document["questions"][0]["rounds"]
    assert [counts[:3] for counts in rounds] == [[1, 1, 1], [0, 3, 0]]
    assert [one["name"] for one in document["students"]] == [row["name"] for row in rows]
    return rows


def test_the_class_follows_and_one_looks_around_alone(open_app: OpenApp) -> None:
    teacher, pin = opened(open_app)
    first, second = joined(open_app, pin), joined(open_app, pin, **SMALL_PHONE)
    show_program(teacher)
    for page in (teacher, first, second):
        assert steps_of(page) > 6
    player(teacher).focus()
    for _ in range(5):
        teacher.keyboard.press("ArrowRight")
    for page in (teacher, first, second):
        expect(player(page)).to_have_attribute("data-step", "5")
    assert fits(second)

    player(first).focus()
    first.keyboard.press("ArrowLeft")
    expect(first.locator(".top")).to_contain_text("On your own")
    teacher.keyboard.press("ArrowRight")
    expect(player(second)).to_have_attribute("data-step", "6")
    assert step_of(first) == "4"
    press(first, "Back to the teacher")
    expect(player(first)).to_have_attribute("data-step", "6")
    expect(first.locator(".top")).to_contain_text("Following your teacher")

    late = joined_late(open_app, pin)
    expect(player(late)).to_have_attribute("data-step", "6")

    player(first).focus()
    first.keyboard.press("ArrowLeft")
    expect(first.locator(".top")).to_contain_text("On your own")
    show_program(teacher, 2)
    expect(first.locator(".top")).to_contain_text("Following your teacher")


def joined_late(open_app: OpenApp, pin: str) -> Page:
    phone = open_app(f"/classroom?room={pin}", **PHONE)
    phone.get_by_role("button", name="Join").click()
    expect(player(phone)).to_be_visible()
    return phone


def test_while_a_question_is_open_no_phone_holds_the_run_beyond_it(open_app: OpenApp) -> None:
    teacher, pin = opened(open_app)
    phone = joined(open_app, pin)
    show_program(teacher)
    steps = steps_of(phone)
    ask_something(teacher, "The program on screen", "Hit or explore")
    expect(player(phone)).to_have_count(0)
    press(phone, "Look at the queue")
    assert 0 < steps_of(phone) < steps
    press(phone, "Back to the question")
    expect(player(phone)).to_have_count(0)
    vote(phone, 0)
    press(teacher, "Close the round")
    press(teacher, "Reveal")
    teacher.locator(".main .btn.pri").click()
    expect(player(teacher)).to_have_attribute("data-step", re.compile("[1-9]"))
    expect(player(phone)).to_have_attribute("data-step", step_of(teacher) or "")


def test_a_whole_lesson_is_prepared_at_once(open_app: OpenApp) -> None:
    teacher, _ = opened(open_app)
    teacher.get_by_role("button", name="Prepare a question").click()
    teacher.get_by_role("radio", name="A whole lesson").click()
    teacher.get_by_role("button", name="Add all to the list").click()
    expect(teacher.locator(".deck")).to_contain_text("5 questions prepared")
    teacher.keyboard.press("Escape")
    expect(teacher.get_by_text("Added.")).to_be_visible()
    # The page has kept its style: the switch stands in the header, at the right.
    switch = teacher.locator(".st-key-language").bounding_box()
    assert switch is not None
    assert switch["x"] > 1000
    assert switch["y"] < 56
    press(teacher, "Ask the next question")
    expect(teacher.locator(".wall h1")).to_contain_text("how many ops wait in the queue")
    expect(teacher.locator(".deck")).to_contain_text("4 questions prepared")


def test_a_reload_keeps_seat_and_vote(open_app: OpenApp) -> None:
    teacher, pin = opened(open_app)
    joined(open_app, pin)
    phone = joined(open_app, pin, "Ada")
    ask_something(teacher)
    vote(phone, 2)
    phone.reload()
    expect(phone.locator(".so.on .L")).to_have_text("C")
    teacher.reload()
    expect(teacher.locator(".head")).to_contain_text("1 of 2 voted")


def test_a_vote_can_be_changed_until_the_round_is_closed(open_app: OpenApp) -> None:
    teacher, pin = opened(open_app)
    phone = joined(open_app, pin)
    ask_something(teacher)
    vote(phone, 0)
    expect(phone.locator(".so").nth(1)).to_be_disabled()
    press(phone, "Change my vote")
    vote(phone, 2)
    press(teacher, "Close the round")
    press(teacher, "Show this result")
    shows_counts(phone, "0", "0", "1")


def test_somebody_is_sent_out_and_the_door_is_closed(open_app: OpenApp) -> None:
    teacher, pin = opened(open_app)
    phone = joined(open_app, pin, "Mallory")
    teacher.locator(".people summary").click()
    expect(teacher.locator(".people li")).to_contain_text("Mallory")
    press(teacher, "Send out")
    expect(phone.get_by_role("heading")).to_have_text("You are out of the room.")
    expect(teacher.locator(".people li")).to_have_count(0)
    press(teacher, "Close the door")
    expect(teacher.locator(".people")).to_contain_text("nobody new comes in")
    late = open_app(f"/classroom?room={pin}", **PHONE)
    late.get_by_role("button", name="Join").click()
    expect(late.locator(".problem")).to_contain_text("closed")


def test_a_phone_is_the_remote(open_app: OpenApp) -> None:
    teacher, _ = opened(open_app)
    show_program(teacher)
    teacher.locator(".more summary").click()
    with teacher.expect_response(re.compile("/pairing$")) as made:
        press(teacher, "Use a phone as remote")
    expect(teacher.locator(".pairing svg")).to_be_visible()
    room = re.search(r"teach=([\w-]+)", teacher.url)
    assert room is not None
    remote = open_app(f"/classroom?remote={room[1]}#{made.value.json()['code']}", **PHONE)
    expect(remote.locator(".steps")).to_contain_text("step 0 of")
    press(remote, "Next step")
    expect(player(teacher)).to_have_attribute("data-step", "1")
    expect(remote.locator(".steps")).to_contain_text("step 1 of")
    assert made.value.json()["code"] not in remote.url

    thief = open_app(f"/classroom?remote={room[1]}#{made.value.json()['code']}", **PHONE)
    expect(thief.locator(".problem")).to_contain_text("does not hold the key")


def test_the_projector_shows_the_wall_alone(open_app: OpenApp) -> None:
    teacher, pin = opened(open_app)
    joined(open_app, pin, "Ada")
    screen = teacher.context.new_page()
    screen.set_viewport_size({"width": 1920, "height": 1080})
    screen.goto(teacher.url.replace("teach=", "screen="))
    expect(screen.locator(".pin")).to_be_visible()
    expect(screen.locator(".stAppHeader")).to_be_hidden()
    assert "Ada" not in screen.content()
    ask_something(teacher)
    expect(screen.locator(".hr").first).to_be_visible()
    size = screen.locator(".wall .head").evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size >= 24


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_question_fits_the_teachers_window(open_app: OpenApp, locale: str, scheme: str) -> None:
    """At 1280 × 720 nothing of the question is cut off, in any dress."""
    teacher = open_app("/classroom", locale=locale, color_scheme=scheme)
    teacher.locator(".open .btn.pri").click()
    expect(teacher.locator(".pin")).to_be_visible()
    teacher.get_by_role("button", name=re.compile("Prepare a question|准备一道题")).click()
    teacher.get_by_role("button", name=re.compile("Ask it now|现在就问")).click()
    expect(teacher.locator(".hr").last).to_be_in_viewport(ratio=0.9)
    assert fits(teacher)


def test_a_wrong_code_says_so(open_app: OpenApp) -> None:
    page = open_app("/classroom")
    page.get_by_label("Room code").fill("ZZZ ZZZ")
    page.get_by_role("button", name="Join").click()
    expect(page.locator(".problem")).to_contain_text("no room with this code")


def test_a_server_that_dies_in_a_vote_is_hardly_noticed(
    tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    """The real app is killed and started again: the pages come back by themselves, votes kept."""
    server = AppServer(tmp_path)
    server.start()
    open_app = opener(new_page, server.port)
    try:
        teacher, pin = opened(open_app)
        phones = [joined(open_app, pin) for _ in range(2)]
        ask_something(teacher)
        vote(phones[0], 1)
        server.kill()
        expect(phones[1].locator(".lost")).to_be_visible()
        phones[1].locator(".so").nth(2).click()
        expect(phones[1].locator(".foot")).to_contain_text("Sending your vote")
        server.start()
        expect(phones[1].locator(".foot")).to_contain_text("Vote counted", timeout=5_000)
        for page in (teacher, *phones):
            expect(page.locator(".lost:visible")).to_have_count(0, timeout=5_000)
        expect(teacher.locator(".head")).to_contain_text("2 of 2 voted")
    finally:
        server.kill()


def opener(new_page: Callable[..., Page], port: int) -> OpenApp:
    """A function that opens a path on a port and waits for the room."""

    def visit(path: str, **options: Any) -> Page:
        page = new_page(**options)
        page.goto(f"http://127.0.0.1:{port}{path}")
        page.get_by_test_id("room").first.wait_for(timeout=60_000)
        return page

    return visit


def test_a_class_behind_nginx_survives_the_death_of_a_server(
    tmp_path: Path, redis_server: RedisServer, new_page: Callable[..., Page]
) -> None:
    """Two real apps share a Redis behind the shipped nginx; one dies in the middle of a vote."""
    servers = [AppServer(tmp_path, redis_server.url) for _ in range(2)]
    for server in servers:
        server.start()
    nginx = Nginx(tmp_path, [server.port for server in servers])
    nginx.start()
    try:
        open_app = opener(new_page, nginx.port)
        teacher, pin = opened(open_app)
        phones = [joined(open_app, pin) for _ in range(3)]
        ask_something(teacher)
        vote(phones[0], 0)
        servers[0].kill()
        for phone in phones[1:]:
            vote(phone, 1)
        for page in (teacher, *phones):
            expect(page.locator(".lost:visible")).to_have_count(0, timeout=5_000)
        expect(teacher.locator(".head")).to_contain_text("3 of 3 voted")
        press(teacher, "Close the round")
        press(teacher, "Reveal")
        shows_counts(teacher, "1", "2")
    finally:
        nginx.stop()
        for server in servers:
            server.kill()
