"""Shared fixtures: golden files, the real app on a free port, and a real browser to drive it.

A test that asks for a browser fixture is marked `browser` by itself. The app is started once for
all of them; only a test about the first visit to a new server asks for `fresh_app_server`.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from app_server import AppServer, running_app
from hypothesis import settings
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "test-report"
GOLDEN = ROOT / "tests" / "golden"
BROWSER_FIXTURES = {"app_server", "fresh_app_server", "browser", "open_app", "chromium_path"}
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_FLAGS = (
    "--no-sandbox",  # continuous integration and containers run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
)

# No deadline: other work on the machine must not fail a property. In continuous integration the
# examples are the same on every run, so a red run is about the change at hand.
settings.register_profile("local", deadline=None, print_blob=True)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the golden files from what the engine says now, then review the diff",
    )
    parser.addoption(
        "--all-recorded",
        action="store_true",
        help="hold the engine against every recorded program, not only a sample",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if BROWSER_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Keep a picture of every open page of a test that failed."""
    report = yield
    if report.when == "call" and report.failed:
        for number, page in enumerate(item.stash.get(OPEN_PAGES, [])):
            REPORT.mkdir(exist_ok=True)
            page.screenshot(path=REPORT / f"{item.name[:80].replace('/', '-')}-{number}.png")
    return report


OPEN_PAGES = pytest.StashKey[list[Page]]()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the file of that name under tests/golden.

    A missing file is a failure too: a golden file is written only when it was asked for.
    """

    def compare(name: str, actual: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(actual, "utf-8")
        assert path.exists(), f"no golden file {name}: make it with `make golden` and review it"
        assert actual == path.read_text("utf-8")

    return compare


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Path of the browser; its absence is a failure, because a skipped test tells nobody."""
    for name in (os.environ.get("CHROMIUM", ""), *CHROMIUM_NAMES):
        path = shutil.which(name)
        if path:
            return path
    pytest.fail("no Chromium found: run scripts/browser.sh, or set CHROMIUM=/path/to/chrome")


@pytest.fixture(scope="session")
def app_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """Start the real app, once for all browser tests, or take the one that FUSIONLAB_URL names."""
    if url := os.environ.get("FUSIONLAB_URL"):
        yield AppServer(url, Path(os.devnull))
        return
    with running_app(tmp_path_factory.mktemp("app") / "server.log") as server:
        yield server


@pytest.fixture
def fresh_app_server(tmp_path: Path) -> Iterator[AppServer]:
    """Start a server that nobody has visited yet."""
    with running_app(tmp_path / "server.log") as server:
        yield server


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def browser(playwright: Playwright, chromium_path: str) -> Iterator[Browser]:
    launched = playwright.chromium.launch(
        executable_path=chromium_path, args=list(CHROMIUM_FLAGS), headless=True
    )
    yield launched
    launched.close()


@pytest.fixture
def new_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Return a function that makes a page with its own cookies and storage.

    Its keyword arguments are those of Playwright's `new_context`, for example `locale="zh-CN"`
    or `color_scheme="dark"`. No page may ask another host for anything, nor leave a script error.
    """
    contexts: list[BrowserContext] = []
    outside: list[str] = []
    script_errors: list[str] = []
    pages = request.node.stash.setdefault(OPEN_PAGES, [])

    def note_request(url: str) -> None:
        if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")):
            outside.append(url)

    def make(**options: Any) -> Page:
        context = browser.new_context(
            **({"viewport": {"width": 1280, "height": 720}, "locale": "en-US"} | options)
        )
        contexts.append(context)
        context.on("request", lambda sent: note_request(sent.url))
        context.on("weberror", lambda error: script_errors.append(str(error.error)))
        page = context.new_page()
        page.on("websocket", lambda socket: note_request(socket.url))
        pages.append(page)
        return page

    yield make
    for context in contexts:
        context.close()
    assert outside == [], "the app must work offline"
    assert script_errors == [], "uncaught errors in the page's scripts"


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


@pytest.fixture
def open_app(app_server: AppServer, new_page: Callable[..., Page]) -> Callable[..., Page]:
    """Return a function that opens a path of the app and waits until it is drawn."""

    def visit(path: str = "/", **options: Any) -> Page:
        page = new_page(**options)
        page.goto(app_server.url + path)
        wait_until_drawn(page)
        return page

    return visit


DRAWN = (
    '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'
    '[data-test-script-state="notRunning"]:has([data-testid="stMain"] .stElementContainer)'
)


def wait_until_drawn(page: Page) -> None:
    """Wait until Streamlit has run the page's script to its end and something stands on it."""
    page.wait_for_selector(DRAWN, timeout=60_000)
