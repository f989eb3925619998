"""docs/fidelity.md says what is so: its tables are fresh, and every test that it names exists."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = (ROOT / "docs" / "fidelity.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`([\w/]+\.py)::(\w+)`", DOCUMENT)))


def test_the_generated_tables_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "fidelity.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(("path", "name"), NAMED, ids=lambda value: value)
def test_a_named_test_exists(path: str, name: str) -> None:
    tree = ast.parse((ROOT / "tests" / path).read_text("utf-8"))
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert name in functions


def test_every_number_of_the_catalogue_is_told_once_and_every_row_has_a_test() -> None:
    rows = re.findall(r"^\| (\d+) \| .*$", DOCUMENT, re.MULTILINE)
    assert len(rows) == len(set(rows)) == 46
    for row in re.findall(r"^\| \d+ \| .*$", DOCUMENT, re.MULTILINE):
        assert "::test_" in row, row


def test_the_number_of_mutants_is_told_right() -> None:
    from mutation.mutants import MUTANTS  # noqa: PLC0415 -- beside this file

    assert f"{len(MUTANTS)} single rules" in DOCUMENT
