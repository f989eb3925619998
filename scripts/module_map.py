"""Print the module map: each module of the package with the first line of its docstring.

In: the source tree. Out: Markdown on stdout, packages in the order of the data flow.
The order is read from the layers contract in pyproject.toml, so it is told in one place only.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "fusionlab"


def stations() -> list[str]:
    """Return the names of the top-level modules, first station first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = next(c["layers"] for c in contracts["contracts"] if c["type"] == "layers")
    return [name for layer in reversed(layers) for name in re.findall(r"\w+", layer)]


def modules_of(station: str) -> Iterator[Path]:
    """Yield the files of one station, its own `__init__` first."""
    single = PACKAGE / f"{station}.py"
    if single.exists():
        yield single
    yield from sorted((PACKAGE / station).rglob("*.py"), key=lambda p: (p.stem != "__init__", p))


def summary(path: Path) -> str:
    """Return the first line of a module's docstring."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "(no docstring)"
    return docstring.splitlines()[0]


def main() -> None:
    """Print one list item per module."""
    for station in stations():
        print(f"\n## {station}\n")
        for path in modules_of(station):
            print(f"* `{path.relative_to(ROOT)}`: {summary(path)}")


if __name__ == "__main__":
    main()
