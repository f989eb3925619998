"""The classroom's page alone: every address draws some screen."""

from pathlib import Path

import pytest
from app_server import ROOT
from streamlit.testing.v1 import AppTest

from fusionlab.classroom import process
from fusionlab.classroom.codes import new_id, new_key

PAGE = str(ROOT / "pages" / "classroom.py")


@pytest.fixture(autouse=True)
def own_rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUSIONLAB_DATA", str(tmp_path))
    process._classroom.cache_clear()


@pytest.mark.parametrize(
    ("address", "view"),
    [
        ({}, "door"),
        ({"room": new_key()}, "door"),
        ({"room": "KQ7MX3"}, "door"),
        ({"room": "<script>"}, "door"),
        ({"teach": "x"}, "door"),
        ({"teach": new_id()}, "teacher"),
        ({"in": new_id()}, "student"),
        ({"screen": new_id()}, "screen"),
        ({"remote": new_id()}, "remote"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value) or "nothing",
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_address_opens_a_screen(address: dict[str, str], view: str, lang: str) -> None:
    page = AppTest.from_file(PAGE)
    for name, value in (address | {"lang": lang}).items():
        page.query_params[name] = value
    page.run(timeout=60)
    assert not page.exception
    assert page.session_state["classroom_here"].screen == view
