"""The recorded programs, which of them every run looks at, and how two results are compared."""

import json
import lzma
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent.parent / "data" / "conformance"

Json = Any

CORPORA = {"seed": 3, "curated": 52, "extra": 112, "random": 1500, "stress": 200}
"""How many programs each corpus holds."""

STRIDES = {"random": 12, "stress": 4}
"""A short run takes every so-manieth program of these corpora, all of the others."""

ALONE = {"random": {42, 321, 845}, "stress": set()}
"""Lines of programs that a short run takes too: no other of them depends on some rule."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A program and what burn decided on it; ``line`` counts from 1."""

    corpus: str
    line: int
    program: Json
    result: Json

    @property
    def label(self) -> str:
        return f"{self.corpus}.jsonl:{self.line} {self.program.get('name')}"


def recorded(corpus: str, stride: int = 1) -> Iterator[Recorded]:
    """Every ``stride``-th program of a corpus, its first one included."""
    return (row for row in _rows(corpus, lambda line: (line - 1) % stride == 0))


def sample(corpus: str | None = None) -> Iterator[Recorded]:
    """What a short run looks at, of one corpus or of all."""
    for name in CORPORA if corpus is None else (corpus,):
        stride, alone = STRIDES.get(name, 1), ALONE.get(name, set())
        yield from _rows(name, lambda line: (line - 1) % stride == 0 or line in alone)  # noqa: B023


def _rows(corpus: str, wanted: Callable[[int], bool]) -> Iterator[Recorded]:
    with lzma.open(DATA / f"{corpus}.jsonl.xz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if wanted(number):
                row = json.loads(line)
                yield Recorded(corpus, number, row["program"], row["result"])


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two JSON values part."""

    path: str
    want: Json
    got: Json


ABSENT = "(absent)"


def first_difference(want: Json, got: Json, path: str = "") -> Difference | None:
    """Where two JSON values first differ. Numbers of different type (1, 1.0, true) differ."""
    if type(want) is not type(got):
        return Difference(path or "(whole)", want, got)
    if isinstance(want, dict):
        pairs = [
            (f".{key}", want.get(key, ABSENT), got.get(key, ABSENT)) for key in {**want, **got}
        ]
    elif isinstance(want, list):
        longest = max(len(want), len(got))
        pairs = [(f"[{i}]", _at(want, i), _at(got, i)) for i in range(longest)]
    else:
        return None if want == got else Difference(path or "(whole)", want, got)
    found = (first_difference(one, two, path + step) for step, one, two in pairs)
    return next((difference for difference in found if difference), None)


def _at(values: list[Json], index: int) -> Json:
    return values[index] if index < len(values) else ABSENT


def explain(program: Recorded, got: Json) -> str | None:
    """The first difference as a paragraph that names the program and the event; ``None``: equal."""
    difference = first_difference(program.result, got)
    if difference is None:
        return None
    lines = [program.label, f"  at   {difference.path.lstrip('.')}"]
    if event := _event_of(difference.path, program.program["events"]):
        lines.append(f"  in   {event}")
    lines += [f"  want {_short(difference.want)}", f"  got  {_short(difference.got)}"]
    return "\n".join(lines)


def _event_of(path: str, events: list[Json]) -> str | None:
    """The event that a path below ``.events[i]`` is about."""
    if not path.startswith(".events["):
        return None
    index = int(path.removeprefix(".events[").partition("]")[0])
    if index >= len(events):
        return None
    event = events[index]
    ids = [str(tensor["id"]) for tensor in (*event.get("inputs", ()), *event.get("outputs", ()))]
    return f"event {index}: {event.get('op', event['kind'])} {' '.join(ids)}".rstrip()


def _short(value: Json, limit: int = 600) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
