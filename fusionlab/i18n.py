"""Texts in two languages: TOML catalogs by key, and the sentences made from them.

In: a key and named values. Out: a sentence. Keys come from the code (``fact.OpQueued``,
``refusal.rank``, ``error.unknown_op``), so a test can list what is missing.

A text holds placeholders ``{name}``. Plurals are the catalog's business: ``{n|op|ops}`` writes the
number and the form that goes with it ("1 op", "4 ops"), ``{n?waits|wait}`` the form alone.
A language without plurals writes ``{n} 个 op``.

Files: ``content/locales/<lang>*.toml``, merged. They are parsed once, at first use.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fusionlab.errors import ContentError

LANGUAGES = ("en", "zh")
"""The first one is the fallback for a reader whose language we do not have."""

# A space stands between Han and Latin; when a value turns out to be Han, it has to go.
_HAN_GAP = re.compile(r"(?<=[\u3001-\u303f\u4e00-\u9fff\uff00-\uffef]) (?=[\u4e00-\u9fff])")

MOST_LISTED = 5
"""Longer enumerations end with "and … more"."""

_LOCALES = Path(__file__).parent / "content" / "locales"
_PLACEHOLDER = re.compile(r"\{(\w+)(?:([|?])([^{}|]*)\|([^{}|]*))?\}")

Catalog = Mapping[str, str]


class Texts:
    """The texts of one language. Calling it makes a sentence."""

    def __init__(self, lang: str, catalog: Catalog) -> None:
        """Texts over a catalog of flat keys."""
        self.lang = lang
        self.catalog = catalog

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of a key with its placeholders filled.

        Raises:
            ContentError: ``text_missing`` when there is no such key, ``text_placeholder`` when
                the text names a value that was not given.
        """
        try:
            text = self.catalog[key]
        except KeyError:
            raise ContentError("text_missing", key=key, lang=self.lang) from None
        return text if "{" not in text else _HAN_GAP.sub("", fill(text, values, key))

    def __contains__(self, key: object) -> bool:
        """Whether the language has a text for the key."""
        return key in self.catalog

    def under(self, prefix: str) -> dict[str, str]:
        """The texts whose keys begin with ``prefix``, each by the rest of its key."""
        own = self.catalog.items()
        return {key.removeprefix(prefix): text for key, text in own if key.startswith(prefix)}

    def problem(self, code: str, params: Mapping[str, object]) -> str:
        """The sentence for an error. A code without a text is a mistake of ours, and told so."""
        key = f"error.{code}"
        return self(key, **params) if key in self else self("error.unnamed", code=code)

    def listed(self, items: Iterable[str]) -> str:
        """The items as one enumeration: "a", "a and b", "a, b and c", "a, b, c and 9 more"."""
        parts = list(items)
        if len(parts) < 2:
            return "".join(parts)
        if len(parts) > MOST_LISTED:
            shown = parts[: MOST_LISTED - 1]
            front = self("list.separator").join(shown)
            return self("list.more", front=front, n=len(parts) - len(shown))
        front = self("list.separator").join(parts[:-1])
        return self("list.last", front=front, last=parts[-1])


def fill(text: str, values: Mapping[str, object], key: str = "") -> str:
    """A text with its placeholders replaced; raises ``ContentError`` for a missing value."""

    def replaced(match: re.Match[str]) -> str:
        name, kind, one, other = match.groups()
        if name not in values:
            raise ContentError("text_placeholder", key=key, name=name)
        value = values[name]
        if kind is None:
            return _written(value)
        form = one if value == 1 else other
        return form if kind == "?" else f"{_written(value)} {form}"

    return _PLACEHOLDER.sub(replaced, text)


def placeholders(text: str) -> frozenset[str]:
    """The names of the values that a text shows. A value that only picks a form is not shown."""
    shown = (match for match in _PLACEHOLDER.finditer(text) if match.group(2) != "?")
    return frozenset(match.group(1) for match in shown)


@cache
def texts(lang: str) -> Texts:
    """The texts of one of ``LANGUAGES``.

    Raises:
        ContentError: ``language_unknown``, or a catalog that cannot be read (see ``catalog``).
    """
    if lang not in LANGUAGES:
        raise ContentError("language_unknown", lang=lang)
    return Texts(lang, catalog(sorted(_LOCALES.glob(f"{lang}*.toml"))))


def language_for(wanted: str | None) -> str:
    """The language of ``LANGUAGES`` for a tag such as ``zh-CN`` or ``en_GB``."""
    primary = re.split(r"[-_]", wanted or "")[0].lower()
    return primary if primary in LANGUAGES else LANGUAGES[0]


def catalog(files: Iterable[Path]) -> Catalog:
    """The texts of several TOML files under flat, dotted keys.

    Raises:
        ContentError: ``text_malformed`` (``file``, ``problem``) for a file that is no TOML or a
            value that is no text; ``text_duplicate`` (``key``, ``file``).
    """
    merged: dict[str, str] = {}
    for file in files:
        try:
            tree = tomllib.loads(file.read_text("utf-8"))
        except ValueError as problem:
            raise ContentError("text_malformed", file=file.name, problem=str(problem)) from problem
        for key, text in _flat(tree, file.name):
            if key in merged:
                raise ContentError("text_duplicate", key=key, file=file.name)
            merged[key] = text
    return merged


def _flat(tree: Mapping[str, Any], file: str, prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in tree.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            yield from _flat(value, file, f"{key}.")
        elif isinstance(value, str):
            yield key, value
        else:
            raise ContentError("text_malformed", file=file, problem=f"{key} is not a text")


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
