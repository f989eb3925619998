"""Paper: an exercise sheet and a separate answer sheet, for printing.

In: a seed, a number of items, kinds, a language. Out: Markdown or a complete HTML page each. Both
sheets come from the same seed, so a teacher can print either at any time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice

from fusionlab.i18n import Texts
from fusionlab.learn.concepts import CONCEPTS
from fusionlab.learn.explain import explain
from fusionlab.learn.items import Item, Runner, items
from fusionlab.learn.quiz import LETTERS, Asked, asked
from fusionlab.learn.reading import Reading

_PAGE = """<!doctype html>
<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title><style>
@page {{ size: A4 portrait; margin: 16mm }}
body {{ font: 11pt/1.5 "Source Sans 3", "Source Sans Pro", "Noto Sans CJK SC", sans-serif;
  color: #111; max-width: 178mm; margin: 0 auto; padding: 8mm 0 }}
h1 {{ font-size: 15pt; margin: 0 0 2mm }} h2 {{ font-size: 12pt; margin: 0 0 2mm }}
section {{ break-inside: avoid; border-top: 0.6pt solid #999; padding: 4mm 0 }}
pre {{ font: 9.5pt/1.5 "Source Code Pro", monospace; white-space: pre-wrap;
  border-left: 2pt solid #ccc; padding-left: 3mm; margin: 0 0 3mm }}
ol {{ list-style: upper-alpha; padding-left: 7mm; margin: 2mm 0 }} li {{ margin: 1mm 0 }}
.head {{ display: flex; justify-content: space-between; gap: 8mm; color: #444; margin-bottom: 4mm }}
code {{ font-family: "Source Code Pro", monospace }}
</style></head><body>
<h1>{title}</h1><p class="head">{head}</p>
{body}
</body></html>
"""


@dataclass(frozen=True, slots=True)
class Sheets:
    """Both sheets."""

    exercises: str
    answers: str


def sheets(
    seed: int, count: int, kinds: Sequence[str], runner: Runner, texts: Texts, *, html: bool
) -> Sheets:
    """The sheets with the first ``count`` items of a seed."""
    made = list(islice(items(seed, runner, kinds), count))
    readings = [Reading(runner(item.program)) for item in made]
    shown = [asked(item, run, texts) for item, run in zip(made, readings, strict=True)]
    told = [explain(item, run, texts) for item, run in zip(made, readings, strict=True)]
    if html:
        return Sheets(_html_exercises(shown, seed, texts), _html_answers(made, told, seed, texts))
    return Sheets(_exercises(shown, seed, texts), _answers(made, told, seed, texts))


def _head(number: int, item: Asked, texts: Texts) -> str:
    kind = texts(f"learn.kind.{item.kind}")
    concept = texts(f"learn.concept.{item.concept}")
    return f"{number}. {kind} · {concept} · {item.level}/5"


def _exercises(shown: Sequence[Asked], seed: int, texts: Texts) -> str:
    blocks = [f"# {texts('learn.paper.exercises', seed=seed)}"]
    for number, item in enumerate(shown, start=1):
        options = "\n".join(f"- {LETTERS[i]}) {text}" for i, text in enumerate(item.options))
        blocks += [
            f"## {_head(number, item, texts)}",
            f"```python\n{item.program.rstrip()}\n```",
            item.question,
            options,
        ]
    return "\n\n".join(blocks) + "\n"


def _answers(made: Sequence[Item], told: Sequence[str], seed: int, texts: Texts) -> str:
    rows = [f"# {texts('learn.paper.answers', seed=seed)}"]
    for number, (item, because) in enumerate(zip(made, told, strict=True), start=1):
        rows.append(f"{number}. **{LETTERS[item.answer]}** {because}")
    return "\n\n".join(rows) + "\n"


def _html_exercises(shown: Sequence[Asked], seed: int, texts: Texts) -> str:
    sections = []
    for number, item in enumerate(shown, start=1):
        options = "".join(f"<li>{_coded(text)}</li>" for text in item.options)
        sections.append(
            f"<section><h2>{escape(_head(number, item, texts))}</h2>"
            f"<pre>{escape(item.program.rstrip())}</pre>"
            f"<p>{_coded(item.question)}</p><ol>{options}</ol></section>"
        )
    name = escape(texts("learn.paper.name"))
    return _page("exercises", f"<span>{name}</span>", "\n".join(sections), seed, texts)


def _html_answers(made: Sequence[Item], told: Sequence[str], seed: int, texts: Texts) -> str:
    sections = [
        f"<section><h2>{number}. {LETTERS[item.answer]}</h2><p>{_coded(because)}</p></section>"
        for number, (item, because) in enumerate(zip(made, told, strict=True), start=1)
    ]
    return _page("answers", "", "\n".join(sections), seed, texts)


def _page(sheet: str, head: str, body: str, seed: int, texts: Texts) -> str:
    title = escape(texts(f"learn.paper.{sheet}", seed=seed))
    lang = "zh-CN" if texts.lang == "zh" else texts.lang
    count = f"<span>{escape(texts('learn.paper.about', n=len(CONCEPTS)))}</span>"
    return _PAGE.format(lang=lang, title=title, head=head + count, body=body)


def _coded(text: str) -> str:
    """Escaped text in which ```code``` marks are code."""
    pieces = escape(text).split("`")
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))
