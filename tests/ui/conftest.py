"""A fixture for the tests of the pages: the workbench with its player painted."""

from collections.abc import Callable
from typing import Any

import pytest
from player_page import OpenPlayer, player_of
from playwright.sync_api import Page


@pytest.fixture
def open_player(open_app: Callable[..., Page]) -> OpenPlayer:
    """Return a function that opens the workbench at an address and waits for the first paint."""

    def visit(query: str = "", **options: Any) -> Page:
        page = open_app(f"/workbench{query}", **options)
        player_of(page).wait_for(timeout=30_000)
        return page

    return visit
