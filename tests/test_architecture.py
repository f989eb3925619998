"""The rules of the house that a tool can check."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fusionlab.cli import main

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "fusionlab"
MODULES = sorted(PACKAGE.rglob("*.py"))
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]
REQUIREMENTS = [ROOT / f"requirements{kind}.txt" for kind in ("", "-redis", "-dev")]
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ADRS = sorted((ROOT / "docs" / "adr").glob("*.md"))

# Written in pieces, because this file is searched too.
FOREIGN = re.compile(
    "|".join(
        [
            r"(?<![\w.])/" + r"work/",
            r"(?<![\w.])/" + r"root/",
            r"(?<![\w.])/" + r"home/\w",
            r"(?<![\w.])/" + r"opt/(pypi|wheels)",
            r"\.lib" + r"rary/",
            r"pypi" + r"\.org",
            r"python" + r"hosted\.org",
            r"registry\." + r"npmjs",
            r"deb\." + r"debian\.org",
            r"docker" + r"\.io",
        ]
    )
)


def named(paths: list[Path]) -> list:
    """Turn paths into test parameters that read well in a report."""
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in paths]


def lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def imports(path: Path) -> Iterator[str]:
    """Yield every module name that a file imports, those inside functions too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def roots(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imports(path)}


def files_of_the_tree() -> list[Path]:
    """Return what is, or is about to be, under version control."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def pinned(path: Path) -> list[str]:
    """Return the requirement lines of a file, without comments and references to other files."""
    rows = (row.split("#")[0].strip() for row in path.read_text("utf-8").splitlines())
    return [row for row in rows if row and not row.startswith("-r ")]


@pytest.mark.parametrize("path", named(MODULES))
def test_a_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text("utf-8")))


@pytest.mark.parametrize("path", named(MODULES))
def test_a_module_can_be_read_in_one_sitting(path: Path) -> None:
    assert lines(path) <= 400


@pytest.mark.parametrize("path", named(PAGES))
def test_a_page_is_a_thin_script_without_classes(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert lines(path) <= 40
    assert not [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def test_only_the_user_interface_imports_streamlit() -> None:
    knowing = {path for path in MODULES if "streamlit" in roots(path)}
    assert {path for path in knowing if PACKAGE / "ui" not in path.parents} == set()


@pytest.mark.parametrize("heavy", ["streamlit", "numba", "plotly", "pandas"])
def test_importing_the_package_does_not_load(heavy: str) -> None:
    code = f"import sys, fusionlab; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_every_third_party_import_is_a_requirement() -> None:
    known = set(sys.stdlib_module_names) | {"fusionlab"}
    rows = [*pinned(REQUIREMENTS[0]), *pinned(REQUIREMENTS[1])]
    declared = {row.partition("==")[0].replace("-", "_") for row in rows}
    used = set().union(*(roots(path) for path in [*MODULES, *PAGES]))
    assert used - known - declared == set()


@pytest.mark.parametrize("path", named(REQUIREMENTS))
def test_requirements_are_pinned_and_the_readme_says_what_each_is_for(path: Path) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    for row in pinned(path):
        name, _, version = row.partition("==")
        assert re.fullmatch(r"[\w.]+", version), f"{row} is not pinned"
        assert f"| `{name}` |" in readme, f"{name} is missing in the README's table"


def test_constraints_agree_with_the_requirements() -> None:
    locked = set(pinned(ROOT / "constraints.txt"))
    assert {row for path in REQUIREMENTS for row in pinned(path)} - locked == set()


def test_nothing_in_the_tree_names_the_machine_it_was_written_on() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in files_of_the_tree()
        if (match := FOREIGN.search(path.read_bytes().decode("utf-8", errors="ignore")))
    }
    assert found == set()


@pytest.mark.parametrize("path", named(DOCS))
def test_links_in_the_documents_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text("utf-8"))
    local = [target for target in targets if not target.startswith(("http://", "https://"))]
    assert [target for target in local if not (path.parent / target).exists()] == []


@pytest.mark.parametrize("path", named(ADRS))
def test_a_decision_record_fits_on_a_card(path: Path) -> None:
    assert lines(path) <= 20


def test_decision_records_are_numbered_without_gaps() -> None:
    numbers = [int(path.name.partition("-")[0]) for path in ADRS]
    assert numbers == list(range(1, len(ADRS) + 1))


def test_the_readme_tells_every_command_and_no_other() -> None:
    rows = re.findall(
        r"^\| `(\w+)[^|`]*` \|", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE
    )
    told = [row for row in rows if row in main.commands]
    assert sorted(told) == sorted(main.commands)


def test_the_readme_links_to_every_page_of_the_documentation() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    pages = sorted((ROOT / "docs").glob("*.md"))
    assert [path.name for path in pages if f"docs/{path.name}" not in readme] == []
