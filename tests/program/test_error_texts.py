"""Every error that a learner can cause has a sentence in every language, and its values fit."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import fusionlab
from fusionlab.i18n import LANGUAGES, placeholders, texts

PACKAGE = Path(fusionlab.__file__).parent
SHOWN = {"ProgramError", "ExecutionError", "UnsupportedError"}
PLACE = {"line", "column"}


def raised() -> dict[str, list[set[str]]]:
    """For each code, the names of the values that each place in the code gives it."""
    found: dict[str, list[set[str]]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        if PACKAGE / "ui" in path.parents:
            continue  # a page shows what it raises itself
        for code, names in codes_in(ast.parse(path.read_text("utf-8"))):
            found[code].append(names)
    return found


def codes_in(tree: ast.AST) -> Iterator[tuple[str, set[str]]]:
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
            continue
        if node.func.id in SHOWN:
            names = {keyword.arg for keyword in node.keywords if keyword.arg} | PLACE
            for constant in ast.walk(node.args[0]):
                if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
                    yield constant.value, names


RAISED = raised()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_code_has_a_sentence(lang):
    catalog = texts(lang)
    codes = {code for code in RAISED if not code[0].isupper()}
    assert {code for code in codes if f"error.{code}" not in catalog} == set()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_sentence_only_shows_values_that_every_place_gives(lang):
    catalog = texts(lang)
    for code, places in RAISED.items():
        if f"error.{code}" in catalog:
            given = set.intersection(*places)
            assert placeholders(catalog.catalog[f"error.{code}"]) <= given, code


def test_the_languages_show_the_same_values():
    english, chinese = (texts(lang).catalog for lang in ("en", "zh"))
    for code in RAISED:
        key = f"error.{code}"
        if key in english:
            assert placeholders(english[key]) == placeholders(chinese[key]), key


def test_no_sentence_praises_pleads_or_shouts():
    for key, sentence in texts("en").catalog.items():
        if key.startswith("error."):
            words = set(sentence.lower().replace(".", " ").split())
            assert not words & {"please", "sorry", "oops", "simply", "just"}, key
            assert "!" not in sentence, key
