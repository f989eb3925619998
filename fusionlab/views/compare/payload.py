"""A comparison in one language, as the compare screen and its table read it.

In: a comparison, a language. Out: plain JSON data; every sentence, badge and number is in it.
"""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from fusionlab.config import FusionConfig
from fusionlab.events.run import Run
from fusionlab.i18n import Texts
from fusionlab.views import words
from fusionlab.views.compare import Comparison, Row
from fusionlab.views.compare.ending import Ending, RanUnit
from fusionlab.views.compare.requests import Request
from fusionlab.views.compare.sides import Mark
from fusionlab.views.compare.source import SourceLine, changed_lines
from fusionlab.views.compare.totals import Totals
from fusionlab.views.player.programs import names_of_created
from fusionlab.views.player.rounds import rounds_of
from fusionlab.views.player.track import Track
from fusionlab.views.said import told

Json = dict[str, Any]

MOST_ROWS = 240
"""Rows from the parting's round on that are written out; the others are counted."""


def comparison_payload(
    found: Comparison, texts: Texts, titles: tuple[str, str] | None = None
) -> Json:
    """What the compare screen shows.

    Args:
        found: The comparison.
        texts: The language.
        titles: Names of the two sides when they are two programs and not one with a change.
    """
    shown = found.rows[found.start : found.start + MOST_ROWS]
    names = _Names(found)
    one_change = titles is None
    heads = titles or (texts("compare.head.one"), texts("compare.head.two"))
    behind = len(found.rows) - found.start - len(shown)
    return {
        "lang": texts.lang,
        "caption": texts("compare.head.caption"),
        "corner": texts("compare.head.request" if one_change else "compare.head.programs"),
        "heads": [
            {
                "title": heads[side],
                "sub": _subtitle(found, side, texts),
                "totals": _totals(found.totals[side], texts),
            }
            for side in (0, 1)
        ],
        "settings": _settings(found.runs),
        "program": _program(found, texts),
        "before": texts("compare.head.before", n=found.start) if found.start else "",
        "rows": [_row(row, found.start + n, found, names, texts) for n, row in enumerate(shown)],
        "more": texts("compare.head.more", n=behind) if behind else "",
        "why": _why(found, texts),
        "lanes_label": texts("compare.head.lanes"),
        "lanes": [_lanes(end, texts) for end in found.endings],
        "foot": _foot(found, texts),
    }


def comparison_table(payload: Json) -> list[list[str]]:
    """The rows as plain text: what was asked, and what each side did."""
    return [
        [row["label"], *(" · ".join(mark["text"] for mark in row[side]) for side in ("a", "b"))]
        for row in payload["rows"]
    ]


def _totals(totals: Totals, texts: Texts) -> list[list[Any]]:
    counts = {field.name: getattr(totals, field.name) for field in fields(totals)}
    if not (counts["launches"] or counts["accesses"]):
        # Nothing was computed, so there is nothing to count.
        counts = {k: v for k, v in counts.items() if k not in {"launches", "accesses"}}
    return [[n, texts(f"compare.head.{name}", n=n)] for name, n in counts.items()]


def _subtitle(found: Comparison, side: int, texts: Texts) -> str:
    """The shape and the scalars of the round in which the two part."""
    if found.parting is None:
        return ""
    requests = [(row.one, row.two)[side] for row in found.rows[found.start :]]
    first = next((request for request in requests if request is not None), None)
    if first is None:
        return ""
    run = found.runs[side]
    track = Track(columns=[r.column for r in _all(found, side)])
    rounds = rounds_of(run, track, list(range(len(run.events))), texts)
    here = [r for r in rounds if r["columns"][0] <= first.index <= r["columns"][1]]
    return here[0].get("sub", "") if here else ""


def _all(found: Comparison, side: int) -> list[Request]:
    requests = [(row.one, row.two)[side] for row in found.rows]
    return [request for request in requests if request is not None]


def _settings(runs: tuple[Run, Run]) -> list[Json]:
    """Settings that differ."""
    rows = []
    for field in fields(FusionConfig):
        one, two = (_setting(getattr(run.config, field.name)) for run in runs)
        if one != two and field.name != "limits":
            rows.append({"label": field.name, "a": one, "b": two})
    return rows


def _setting(value: object) -> str:
    if isinstance(value, frozenset):
        return ", ".join(sorted(value)) or "–"
    return "–" if value is None else str(value)


def _program(found: Comparison, texts: Texts) -> Json | None:
    lines = changed_lines(*(run.program.text for run in found.runs))
    if lines is None:
        return None
    return {
        "label": texts("compare.head.program"),
        "none": texts("compare.head.no_line"),
        "a": [_source(line, texts) for line in lines[0]],
        "b": [_source(line, texts) for line in lines[1]],
    }


def _source(line: SourceLine, texts: Texts) -> Json:
    return {
        "line": line.number,
        "title": texts("compare.head.line", line=line.number),
        "text": line.text,
        "mark": [line.start, line.end],
        "alone": line.alone,
    }


def _row(row: Row, index: int, found: Comparison, names: _Names, texts: Texts) -> Json:
    return {
        "label": names.of(row),
        "differs": row.differs,
        "parting": index == found.parting,
        "a": _cell(row, 0, texts),
        "b": _cell(row, 1, texts),
    }


def _cell(row: Row, side: int, texts: Texts) -> list[Json]:
    if (row.one, row.two)[side] is None:
        return [{"tone": "", "icon": "absent", "text": texts("compare.head.absent")}]
    return [_mark(mark, texts) for mark in row.marks(side)]


def _mark(mark: Mark, texts: Texts) -> Json:
    return {"tone": mark.tone, "icon": mark.icon, "text": told(texts, mark.text)}


def _why(found: Comparison, texts: Texts) -> Json | None:
    if found.parting is None:
        return None
    sentences = [told(texts, line) for line in found.why]
    return {"title": texts("compare.why.title"), "text": texts("caption.glue").join(sentences)}


def _lanes(end: Ending | None, texts: Texts) -> Json:
    if end is None:
        return {"label": texts("compare.head.nothing"), "units": []}
    numbers = {unit.block for unit in end.units}
    if numbers == {0}:
        label = texts("compare.head.queue" if end.plan is not None else "compare.head.alone")
    else:
        blocks = [texts("compare.head.block", n=n) for n in sorted(numbers - {0})]
        label = texts.listed(blocks)
    return {"label": label, "units": [_unit(unit, end, texts) for unit in end.units]}


def _unit(unit: RanUnit, end: Ending, texts: Texts) -> Json:
    if unit.fuser is None:
        return {"letter": "", "tab": texts("execution.unfused"), "ops": list(unit.ops)}
    what = f"{unit.fuser} {unit.score}"
    tab = what if end.plan is None else texts("compare.head.plan", plan=end.plan, what=what)
    return {"letter": words.letter(unit.fuser), "tab": tab, "ops": list(unit.ops)}


def _foot(found: Comparison, texts: Texts) -> Json | None:
    if found.parting is None:
        return {
            "letter": "",
            "lead": texts("compare.end.never"),
            "text": texts("compare.end.never_why"),
        }
    if found.verdict is None:
        return None
    lead, meaning = (told(texts, line) for line in found.verdict)
    ends = [tuple(unit.key for unit in end.units) for end in found.endings if end is not None]
    fusers = {fuser for keys in ends for fuser, _, _ in keys}
    only = fusers.pop() if len(fusers) == 1 and ends[0] == ends[-1] else None
    letter = words.letter(only) if only else ""
    return {"letter": letter, "lead": lead, "text": meaning}


_CREATED = {"Init": "tensor", "IntRandom": "random"}
_DRAINS = re.compile(r"\b(?:read|sync)\([^()]*\)")


class _Names:
    """What each row is called: the program's own words where they leave no doubt."""

    def __init__(self, found: Comparison) -> None:
        self._found, self._runs = found, found.runs
        self._created: dict[int, dict[int, str]] = {}

    def of(self, row: Row) -> str:
        """The name of a row; both names when the sides ask for different ops."""
        sides = [(request, side) for side, request in enumerate((row.one, row.two)) if request]
        names = dict.fromkeys(self._name(request, side) for request, side in sides)
        return " / ".join(names)

    def _name(self, request: Request, side: int) -> str:
        lines = self._runs[side].program.source_lines
        if request.operation is None:
            line = request.column.line
            text = lines[line - 1] if 1 <= line <= len(lines) else ""
            calls = _DRAINS.findall(text)
            return calls[0] if len(calls) == 1 else request.name
        created = self._names(side).get(request.index)
        if created is None:
            return request.name
        word = _CREATED.get(request.name, request.name.lower())
        return f"{created} = {word}(…)"

    def _names(self, side: int) -> dict[int, str]:
        if side not in self._created:
            run = self._runs[side]
            columns = [request.column for request in _all(self._found, side)]
            self._created[side] = names_of_created(run.program.source_lines, columns)
        return self._created[side]
