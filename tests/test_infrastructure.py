"""The app starts, answers, draws, and asks nobody outside."""

import urllib.request
from collections.abc import Callable

from app_server import AppServer
from playwright.sync_api import Page


def test_health_route_answers_ok(app_server: AppServer) -> None:
    with urllib.request.urlopen(f"{app_server.url}/_stcore/health", timeout=10) as answer:
        assert answer.read() == b"ok"


def test_home_is_drawn_without_an_exception_and_without_the_outside(
    open_app: Callable[..., Page], app_server: AppServer
) -> None:
    page = open_app("/")
    assert page.get_by_test_id("stException").count() == 0
    assert page.get_by_test_id("stMain").inner_text().strip()
    assert "Traceback" not in app_server.log()


def test_streamlit_knows_every_setting_of_ours(app_server: AppServer) -> None:
    assert "not a valid config option" not in app_server.log()


def test_the_app_follows_the_colour_scheme_of_the_visitor(open_app: Callable[..., Page]) -> None:
    light, dark = (
        open_app("/", color_scheme=scheme)
        .get_by_test_id("stApp")
        .evaluate("app => getComputedStyle(app).backgroundColor")
        for scheme in ("light", "dark")
    )
    assert light == "rgb(250, 250, 248)"
    assert dark == "rgb(17, 18, 21)"
