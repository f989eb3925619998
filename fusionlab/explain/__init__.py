"""A log of the real burn, explained: the run behind it, and every line that FusionLab cannot place.

In: text printed under ``BURN_FUSION_LOG=full``. Out: a run that can be stepped through like any
other, and a report. The ops are read off the execution tables; the engine then decides on them
anew, and its log is held against the pasted one message by message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fusionlab.events.run import ProgramInfo, Run
from fusionlab.explain.messages import Message, messages
from fusionlab.explain.operations import SPECS
from fusionlab.explain.rebuild import Attempt, config_of, rebuild, same
from fusionlab.explain.timeline import Timeline, timeline
from fusionlab.i18n import Texts
from fusionlab.views.compare.align import aligned

__all__ = ["Explanation", "Remark", "explain", "report"]

MOST_BYTES = 4 * 1024 * 1024
"""A longer log is cut there: what is in front of the cut is explained."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A message that is not explained. ``code`` says why, ``expected`` what the engine prints."""

    line: int
    text: str
    code: str
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a log holds, and what of it is understood.

    ``total`` messages, of which ``explained`` come out of the rebuilt run word for word.
    ``missing`` are messages of the rebuilt run that the log does not have.
    """

    run: Run
    total: int
    explained: int
    remarks: tuple[Remark, ...]
    missing: tuple[str, ...]
    operations: int
    executions: int
    problem: str = ""

    @property
    def complete(self) -> bool:
        """Whether every message is explained and nothing is missing."""
        return not self.remarks and not self.missing and self.total > 0


def explain(text: str, name: str = "burn.log") -> Explanation:
    """Rebuild the run behind a log and hold the two against each other."""
    read = messages(text[:MOST_BYTES])
    known = [message for message in read if message.kind != "unknown"]
    found = timeline(known)
    best = rebuild(known, found)
    run = Run.of(
        ProgramInfo(name, text[:MOST_BYTES]),
        config_of(found, best.guess),
        best.events,
        root_lines=_root_lines(known, best),
    )
    held, missing = _held(known, found, best)
    strange = [Remark(m.line, m.text, "unknown") for m in read if m.kind == "unknown"]
    remarks = sorted([*strange, *held], key=lambda remark: remark.line)
    return Explanation(
        run=run,
        total=len(read),
        explained=len(read) - len(remarks),
        remarks=tuple(remarks),
        missing=tuple(missing),
        operations=len(found.rows),
        executions=len(found.runs),
        problem=best.problem,
    )


def _root_lines(known: list[Message], best: Attempt) -> dict[int, int]:
    """The line of the log at which each request begins to speak; most waiting ops are silent."""
    lines: dict[int, int] = {}
    for message, line in zip(known[: best.agreed], best.lines, strict=False):
        event = best.events[line.step]
        while event.parent is not None:
            event = best.events[event.parent]
        lines.setdefault(event.step, message.line)
    return lines


def _held(known: list[Message], found: Timeline, best: Attempt) -> tuple[list[Remark], list[str]]:
    """Messages without a partner on the other side."""
    one = [_plain(message.text) for message in known]
    two = [_plain(line.text) for line in best.lines]
    remarks: list[Remark] = []
    missing: list[str] = []
    for a, b in aligned(one, two):
        if a is not None and b is not None and one[a] == two[b]:
            continue
        expected = "" if b is None else two[b]
        if a is None:
            missing.append(expected)
            continue
        remarks.append(Remark(known[a].line, one[a], _why(known, a, found), expected))
    return remarks, missing


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _why(known: list[Message], index: int, found: Timeline) -> str:
    """What is the matter with a message that the engine does not print."""
    message = known[index]
    if index in found.broken:
        return "broken_table"
    if message.kind == "table" and any(word not in SPECS for word in _kinds(message)):
        return "unknown_op"
    last = max((ran.message for ran in found.runs), default=-1)
    if index > last:
        return "cut_off"
    stored = sum(m.kind == "completed" for m in known[:index])
    if message.kind == "hit" and message.number("plan") >= stored:
        return "earlier_plan"
    return "differs"


def _kinds(message: Message) -> Iterator[str]:
    from fusionlab.explain.tables import TableError, rows  # noqa: PLC0415 -- only for a report

    try:
        yield from (row.kind for row in rows(message.text, message.line))
    except TableError:
        return


def report(found: Explanation, texts: Texts, most: int = 40) -> str:
    """The findings in words: a summary, then one paragraph for each message not explained."""
    if not found.total:
        return texts("explain.empty")
    lines = [
        texts("explain.read", n=found.total, ops=found.operations, runs=found.executions),
        texts("explain.all" if found.complete else "explain.some", n=found.explained),
    ]
    for remark in found.remarks[:most]:
        first = remark.text.split("\n")[0]
        lines += ["", texts("explain.line", line=remark.line, text=first)]
        lines.append(f"  {texts(f'explain.{remark.code}')}")
        if remark.expected:
            lines.append(f"  {texts('explain.expected', text=_first_difference(remark))}")
    if len(found.remarks) > most:
        lines += ["", texts("explain.more", n=len(found.remarks) - most)]
    if found.missing:
        lines += ["", texts("explain.missing", n=len(found.missing))]
        lines += [f"  {text.split(chr(10))[0]}" for text in found.missing[:most]]
    return "\n".join(lines)


def _first_difference(remark: Remark) -> str:
    """The expected line beside the first one that differs (a table has many)."""
    one, two = remark.text.split("\n"), remark.expected.split("\n")
    return next((b for a, b in zip(one, two, strict=False) if not same(a, b)), two[0])
