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
from fusionlab.ir.tensor import TensorIr
from fusionlab.learn.explain import explain
from fusionlab.learn.items import Item, Runner, items
from fusionlab.learn.kinds import deciding_step
from fusionlab.learn.phrases import option, question
from fusionlab.learn.reading import Reading
from fusionlab.views import words

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


def requests(item: Item, reading: Reading) -> list[dict[str, Any]]:
    """The program's requests as rows: what each op reads and makes, in the player's short form.

    The request that the question is about is marked. Nothing in the rows is a decision.
    """
    about = _about(item, reading)
    return [
        {
            "n": step.index,
            "op": "read" if step.op is None else words.short(step.op.kind),
            "reads": [] if step.op is None else _short(step.op.inputs),
            "makes": [] if step.op is None else _short(step.op.outputs),
            "sizes": "" if step.op is None else words.size(step.op.nodes[-1].shape),
            "asked": step.index in about,
        }
        for step in reading.steps
    ]


def _short(tensors: Sequence[TensorIr]) -> list[str]:
    return [f"{words.STATUS_LETTERS[tensor.status]}{words.name(tensor)}" for tensor in tensors]


def _about(item: Item, reading: Reading) -> set[int]:
    """The requests that the question names."""
    args = item.args
    named = {args["step"]} if "step" in args else set()
    named |= {reading.drains[args[name]].index for name in ("read", "other") if name in args}
    if "op" in args:
        named.add(reading.ops[args["op"]].index)
    if "plan" in args:
        named.add(deciding_step(item.kind, args, reading).index)
    return named


def as_json(item: Item, runner: Runner, texts: Texts) -> dict[str, Any]:
    """The item with its answer, for machines.

    ``answer`` is an index into ``options``; ``misconceptions`` has one name a wrong option, in the
    order of the options.
    """
    reading = Reading(runner(item.program))
    shown = asked(item, reading, texts)
    return {
        "id": shown.id,
        "kind": shown.kind,
        "concept": shown.concept,
        "difficulty": shown.level,
        "program": shown.program,
        "question": shown.question,
        "options": list(shown.options),
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
        shown = asked(item, Reading(runner(item.program)), texts)
        key.append(f"{number}{LETTERS[item.answer]}")
        yield f"{number}. {texts(f'learn.kind.{item.kind}')} ({shown.level}/5)\n"
        yield "\n".join(f"    {line}" for line in shown.program.splitlines()) + "\n"
        yield shown.question + "\n"
        yield "\n".join(f"  {LETTERS[i]}) {o}" for i, o in enumerate(shown.options)) + "\n"
    yield texts("learn.paper.key", key=", ".join(key))
