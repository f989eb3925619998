"""Write the generated parts of docs/fidelity.md: what follows which part of burn, and how far.

In: the modules' docstrings (`Source:`, `Deviation:`) and the recorded programs. Out: the tables
between the markers of the document. `--check` writes nothing and fails when they are out of date.
"""

import ast
import json
import lzma
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "fusionlab"
DOCUMENT = ROOT / "docs" / "fidelity.md"
RECORDED = ROOT / "tests" / "data" / "conformance"
PARTS = ("ir", "fusers", "kernels", "engine", "views")
"""The folders that follow burn; single modules beside them do when they name a source."""


def paragraphs(docstring: str) -> dict[str, str]:
    """Return the texts behind `Source:` and `Deviation:` of a docstring."""
    flat = re.sub(r"\s+", " ", docstring.replace("\n\n", " ¶ "))
    found = re.findall(r"(Source|Deviation): (.*?)(?= ¶ |$| (?:Source|Deviation): )", flat)
    return {name: text.strip().rstrip(" ¶") for name, text in found}


def modules() -> Iterator[tuple[str, str, str]]:
    """Yield module, source and deviation of every module that follows a part of burn."""
    folders = [path for part in PARTS for path in sorted((PACKAGE / part).rglob("*.py"))]
    for path in [*sorted(PACKAGE.glob("*.py")), *folders]:
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        told = paragraphs(docstring)
        if "burn" in told.get("Source", ""):
            yield str(path.relative_to(PACKAGE)), told["Source"], told.get("Deviation", "")


def module_table() -> str:
    """Return the table of modules as Markdown."""
    rows = ["| module | follows | deviation |", "|---|---|---|"]
    for module, source, deviation in modules():
        cells = (f"`{module}`", source.replace("``", "`"), deviation.replace("``", "`"))
        rows.append(f"| {' | '.join(cell.rstrip('.') for cell in cells)} |")
    return "\n".join(rows)


def recorded_kinds() -> set[str]:
    """Return every op kind that occurs in a recorded program."""
    kinds = {"Drop"}
    for path in RECORDED.glob("*.jsonl.xz"):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                events = json.loads(line)["program"]["events"]
                kinds |= {event["op"] for event in events if event["kind"] == "op"}
    return kinds


def missing_kinds() -> str:
    """Return the op kinds that no recorded program registers, by category."""
    sys.path.insert(0, str(ROOT))
    from fusionlab.ir.opset import OPSET  # noqa: PLC0415 -- the package beside this script

    known = recorded_kinds()
    missing: dict[str, list[str]] = {}
    for name, spec in OPSET.items():
        if name not in known:
            missing.setdefault(spec.category, []).append(spec.variant)
    return "\n".join(f"* {category}: {', '.join(names)}" for category, names in missing.items())


def filled(text: str) -> str:
    """Return the document with fresh generated parts."""
    for name, part in {"modules": module_table(), "missing kinds": missing_kinds()}.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}\n{part}\n{end}{after}"
    return text


def main(arguments: list[str]) -> int:
    """Write the document, or only look whether it is up to date."""
    written = DOCUMENT.read_text("utf-8")
    fresh = filled(written)
    if "--check" in arguments:
        if fresh != written:
            print("docs/fidelity.md is out of date: run python scripts/fidelity.py")
        return int(fresh != written)
    DOCUMENT.write_text(fresh, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
