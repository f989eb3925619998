"""The page about the lab language names the words that there are."""

import re
from pathlib import Path

from fusionlab.program import WORDS, parse_program
from fusionlab.program.expressions import STATEMENT_WORDS

PAGE = (Path(__file__).parents[2] / "docs" / "lab_language.md").read_text("utf-8")


def named_words() -> set[str]:
    """The words in the page's code spans: calls, and lists of bare words."""
    spans = re.findall(r"`([^`\n]+)`", PAGE)
    lists = [span for span in spans if re.fullmatch(r"[a-z0-9_ …]+", span)]
    calls = [word for span in spans for word in re.findall(r"(\w+)\(", span)]
    return {word for span in lists for word in span.split()} | set(calls)


def test_every_word_in_the_lists_of_the_page_exists():
    listed = PAGE[PAGE.index("## Words for tensors") : PAGE.index("Burn's tensors never")]
    for line in listed.splitlines():
        for span in re.findall(r"`([a-z0-9_ …]+)`", line.partition(":**")[2].partition("`)")[0]):
            assert set(span.split()) - {"…"} <= set(WORDS)


def test_the_page_names_a_word_for_everything_that_words_do():
    named = {WORDS[word].summary for word in named_words() if word in WORDS}
    missing = {
        word.name
        for word in WORDS.values()
        if word.summary not in named
        and not word.summary.endswith("inputs).")  # rows of the op table, described as such
        and not word.summary.endswith("along a dimension.")  # sum_dim is sum(x, dim=…)
        and not word.summary.endswith("element by element.")  # operators by name
    }
    assert missing == set()


def test_statement_words_are_on_the_page():
    assert all(f"{word}(" in PAGE for word in STATEMENT_WORDS)


def test_the_example_of_the_page_runs():
    example = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    assert len(parse_program(example).instructions) == 14
