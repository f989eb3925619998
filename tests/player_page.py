"""The player in a real browser, and the run that it must show: shared by the tests of the pages."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page

from fusionlab.i18n import texts
from fusionlab.lab import Lab
from fusionlab.program.gallery import gallery_program
from fusionlab.views.player import player_payload

OpenPlayer = Callable[..., Page]


def player_of(page: Page) -> Locator:
    """The root of the player, once a step is painted."""
    return page.locator('[data-testid="player"][data-step]')


def place_of(page: Page) -> int:
    """The position that is painted."""
    return int(player_of(page).get_attribute("data-step") or -1)


def last_of(page: Page) -> int:
    """The last position of the present level."""
    return int(player_of(page).get_attribute("data-steps") or -1)


def payload_of(program: str = "mul_add_exp", lang: str = "en") -> dict[str, Any]:
    """What the engine and the views say about a program of the gallery."""
    run = Lab().run_text(gallery_program(program).text, f"{program}.lab")
    return player_payload(run, texts(lang))


def decisions(payload: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps at the level of decisions."""
    return [step for step in payload["steps"] if step["level"] <= 1]
