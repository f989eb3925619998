"""A whole class in real browsers: what its people can see and press."""

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

DRAWN = '[data-testid="stApp"][data-test-script-state="notRunning"]'

OpenApp = Callable[..., Page]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
SMALL_PHONE = {"viewport": {"width": 320, "height": 640}, "has_touch": True}

expect.set_options(timeout=15_000)


def opened(open_app: OpenApp, **options: Any) -> tuple[Page, str]:
    """A teacher's window with a new room, and the room's PIN."""
    teacher = open_app("/classroom", **options)
    teacher.get_by_role("button", name="Open a room").click()
    pin = teacher.locator(".pin")
    expect(pin).to_have_text(re.compile(r"[A-Z2-9]{3} [A-Z2-9]{3}"))
    return teacher, pin.inner_text().replace(" ", "")


def joined(open_app: OpenApp, pin: str, name: str = "", **options: Any) -> Page:
    """A student's phone that is in the room."""
    phone = open_app(f"/classroom?room={pin}", **(PHONE | options))
    if name:
        phone.get_by_label("Your name").fill(name)
    phone.get_by_role("button", name="Join").click()
    expect(phone.get_by_role("heading")).to_have_text("You are in.")
    return phone


def show_program(teacher: Page, number: int = 1) -> None:
    """Put a program of the gallery on the wall."""
    teacher.get_by_role("combobox", name="Show a program").click()
    teacher.get_by_role("option").nth(number).click()
    expect(player(teacher)).to_be_visible()


ASKED = {"The score": "highest score", "Hit or explore": "The queue is drained"}
"""Kinds of questions, and what each of them says."""


def ask_something(teacher: Page, subject: str = "A new program", kind: str = "The score") -> None:
    """Ask a question of a kind whose answers all differ."""
    teacher.get_by_role("button", name="Prepare a question").click()
    window = teacher.get_by_test_id("stPopoverBody")
    window.get_by_role("radio", name=subject).click()
    expect(window.get_by_role("radio", name=subject)).to_be_checked()
    window.get_by_role("combobox").click()
    teacher.get_by_role("option", name=kind).click()
    # Not before it is on the desk: the button asks what can be read there.
    expect(window.get_by_text(ASKED[kind])).to_be_visible()
    teacher.wait_for_selector(DRAWN)
    window.get_by_role("button", name="Ask it now").click()
    expect(teacher.locator(".hr").first).to_be_visible()
    teacher.keyboard.press("Escape")


def player(page: Page):
    return page.get_by_test_id("player")


def step_of(page: Page) -> str | None:
    return player(page).get_attribute("data-step")


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def vote(phone: Page, option: int) -> None:
    phone.locator(".so").nth(option).click()
    expect(phone.locator(".foot")).to_contain_text("Vote counted.")


def fits(page: Page) -> bool:
    """Whether nothing has to be scrolled sideways."""
    width = "e => [e.scrollWidth, e.clientWidth]"
    parts = page.locator(".room").evaluate_all(f"all => all.map({width})")
    whole = page.evaluate(f"({width})(document.scrollingElement)")
    return all(needed <= there for needed, there in [whole, *parts])


def steps_of(page: Page) -> int:
    """How many steps the player on the page has."""
    expect(player(page)).to_have_attribute("data-steps", re.compile("[1-9]"))
    return int(player(page).get_attribute("data-steps") or 0)


def shows_counts(page: Page, *counts: str) -> None:
    """Expect these counts beside the options; the others, if there are more, have no votes."""
    rows = page.locator(".hr .n, .so .n")
    options = page.locator(".hr, .so").count()
    nothing = "0" * len(counts[0])
    expect(rows).to_have_text([*counts, *[nothing] * (options - len(counts))])
