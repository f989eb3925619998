"""Quiz items for readers: in words, and as JSON for machines.

In: items. Out: plain data in one language. Everything but the words is the same in all languages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from fusionlab.i18n import Texts
from fusionlab.learn.explain import explain
from fusionlab.learn.items import Item, Runner, items
from fusionlab.learn.phrases import option, question
from fusionlab.learn.reading import Reading

LETTERS = "ABCD"
"""What the options of an item are called, in order."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An item as it is put to a learner: nothing in it tells the answer."""

    id: str
    kind: str
    concept: str
    level: int
    program: str
    question: str
    options: tuple[str, ...]


def asked(item: Item, reading: Reading, texts: Texts) -> Asked:
    """The item in words."""
    return Asked(
        id=item.id,
        kind=item.kind,
        concept=item.concept,
        level=item.difficulty.level,
        program=item.program,
        question=question(item, reading, texts),
        options=tuple(option(item.kind, value, reading, texts) for value in item.options),
    )


def as_json(item: Item, runner: Runner, texts: Texts) -> dict[str, Any]:
    """The item with its answer, for machines.

    ``answer`` is an index into ``options``; ``misconceptions`` has one name a wrong option, in the
    order of the options.
    """
    reading = Reading(runner(item.program))
    words = asked(item, reading, texts)
    return {
        "id": words.id,
        "kind": words.kind,
        "concept": words.concept,
        "difficulty": words.level,
        "program": words.program,
        "question": words.question,
        "options": list(words.options),
        "answer": item.answer,
        "misconceptions": [name for name in item.misconceptions if name is not None],
        "explanation": explain(item, reading, texts),
    }


def written(
    seed: int, count: int, kinds: Sequence[str], runner: Runner, texts: Texts, *, machine: bool
) -> Iterator[str]:
    """A quiz as text: a JSON object a line for machines, else to read, with the key at the end."""
    made = islice(items(seed, runner, kinds), count)
    if machine:
        for item in made:
            yield json.dumps(as_json(item, runner, texts), ensure_ascii=False)
        return
    key = []
    for number, item in enumerate(made, start=1):
        words = asked(item, Reading(runner(item.program)), texts)
        key.append(f"{number}{LETTERS[item.answer]}")
        yield f"{number}. {texts(f'learn.kind.{item.kind}')} ({words.level}/5)\n"
        yield "\n".join(f"    {line}" for line in words.program.splitlines()) + "\n"
        yield words.question + "\n"
        yield "\n".join(f"  {LETTERS[i]}) {o}" for i, o in enumerate(words.options)) + "\n"
    yield texts("learn.paper.key", key=", ".join(key))
