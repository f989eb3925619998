"""What the hosting files and pages say is what the code does."""

import re
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from app_server import ROOT
from services import Nginx, program

from fusionlab.classroom.limits import Limits
from fusionlab.classroom.settings import Settings

PAGES = [ROOT / "docs" / f"{name}.md" for name in ("hosting", "hosting.zh")]
BOTH = pytest.mark.parametrize("page", PAGES, ids=["English", "Chinese"])


def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]


def variables(text: str) -> set[str]:
    return set(re.findall(r"FUSIONLAB_[A-Z_]+", text))


@BOTH
def test_every_setting_is_explained_with_its_default(page: Path) -> None:
    row = re.compile(r"^\| `FUSIONLAB_([A-Z_]+)` \| `?([^`|]+)`? \|", re.MULTILINE)
    rows = dict(row.findall(page.read_text("utf-8")))
    plain = Settings()
    assert rows.keys() == {field.name.upper() for field in fields(Settings)}
    for name in ("room_people", "rooms", "streams", "room_hours"):
        assert float(rows[name.upper()]) == getattr(plain, name)


@BOTH
def test_the_limits_on_the_page_are_those_of_the_code(page: Path) -> None:
    text, limits = page.read_text("utf-8"), Limits()
    for bucket, then in [
        (limits.wrong_pins, 1 / limits.wrong_pins._rate),
        (limits.all_wrong_pins, limits.all_wrong_pins._rate),
        (limits.opening, 1 / limits.opening._rate),
        (limits.joining, limits.joining._rate),
    ]:
        assert re.search(rf"\| {bucket._burst}\b.* {then:.0f} ", text)


def test_no_page_and_no_file_names_a_setting_that_is_not_there() -> None:
    known = {f"FUSIONLAB_{field.name.upper()}" for field in fields(Settings)}
    # It is only handed on, to Streamlit.
    known |= {"FUSIONLAB_COOKIE_SECRET"}
    for path in (*PAGES, ROOT / "compose.yaml", ROOT / "deploy" / "nginx.conf"):
        assert variables(path.read_text("utf-8")) <= known, path


@pytest.mark.parametrize("name", ["teaching", "hosting"])
def test_both_languages_have_the_same_sections(name: str) -> None:
    def marks(path: Path) -> list[str]:
        return re.findall(r"^(#+|\||\* |\d\.|```)", path.read_text("utf-8"), re.MULTILINE)

    docs = ROOT / "docs"
    assert marks(docs / f"{name}.md") == marks(docs / f"{name}.zh.md")


def test_the_shipped_redis_loses_no_vote() -> None:
    command = " ".join(compose()["redis"]["command"])
    assert "--appendonly yes" in command
    assert "--appendfsync always" in command
    assert "noeviction" in command


def test_the_parts_of_the_compose_file_fit_together() -> None:
    services = compose()
    nginx = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
    exposed = re.search(r"^EXPOSE (\d+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert exposed is not None
    assert f"server app:{exposed[1]} " in nginx
    assert services["nginx"]["ports"] == ["8080:8080"]
    assert "listen 8080;" in nginx
    assert services["app"]["environment"]["FUSIONLAB_REDIS_URL"].startswith("redis://redis:")
    assert "ports" not in services["app"]
    assert "ports" not in services["redis"]
    for name in ("app", "nginx"):
        assert services[name]["read_only"] is True


def test_nginx_accepts_the_shipped_configuration(tmp_path: Path) -> None:
    file = Nginx(tmp_path, [8501]).file
    checked = subprocess.run(
        [program("nginx"), "-t", "-c", str(file), "-e", str(tmp_path / "log")],
        capture_output=True,
        check=False,
        text=True,
    )
    assert checked.returncode == 0, checked.stderr
    assert "warn" not in checked.stderr
