"""The lines of a burn log, told apart: one message for each line, one for each execution table.

In: text as ``BURN_FUSION_LOG`` prints it, perhaps with a logger's prefix in front of each line.
Out: messages with what they say. A line of no known form is a message too, of kind ``unknown``.

Source: burn-fusion (``log_fusion`` calls), stream/execution/trace.rs; burn-cubecl-fusion,
engine/fuser.rs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_KIND = r"(?P<kind>\S+)"

FORMS: Final[Mapping[str, str]] = {
    "explore": (
        r"\[explorer\] explore \((?P<mode>lazy|sync)\): "
        r"(?P<deferred>\d+) deferred of (?P<queued>\d+) queued"
    ),
    "left": (
        r"\[explorer\] stopped optimizing after (?P<fed>\d+) new op\(s\); "
        r"(?P<left>\d+) deferred op\(s\) left unprocessed"
    ),
    "settled": (
        rf"\[explorer\] still_optimizing → false after op {_KIND} "
        r"\(explored (?P<explored>\d+) ops\)"
    ),
    "opened": rf"\[stream\] op (?P<position>\d+) {_KIND} → new block \(total: (?P<total>\d+)\)",
    "dependent": (
        rf"\[stream\] op (?P<position>\d+) {_KIND} → new dependent block \(total: (?P<total>\d+)\)"
    ),
    "accepted": (
        rf"\[stream\] op (?P<position>\d+) {_KIND} → "
        r"accepted in (?P<taken>\d+)/(?P<total>\d+) block\(s\)"
    ),
    "dropped": rf"\[stream\] {_KIND} dropped \(optimizer stopped at op (?P<position>\d+)\)",
    "full": (
        r"\[stream\] stopped \(max_blocks=(?P<max_blocks>\d+) reached(?: on dependency)?\) "
        rf"at op (?P<position>\d+) \({_KIND}\)"
    ),
    "cycle": (
        r"\[stream\] stopped \(unresolvable dependency cycle\) "
        rf"at op (?P<position>\d+) \({_KIND}\)"
    ),
    "repair": r"\[repair\] falling back to unfused stream order \((?P<ops>\d+) ops\)",
    "unfit": (
        r"\[plan\] #(?P<plan>\d+) needs relative shape id (?P<needs>\d+) but the stream assigned "
        r"(?P<assigned>\d+); running its (?P<ops>\d+) operations unfused"
    ),
    "short": (
        r"\[plan\] names operation (?P<needs>\d+) but the segment holds (?P<held>\d+); "
        r"running its (?P<ops>\d+) operations unfused"
    ),
    "single": r"selected single strategy",
    "composed": r"selected composed strategy \((?P<parts>\d+) sub-strategies\)",
    "completed": (
        r"\[plan\] exploration completed: (?P<mode>lazy|sync), "
        r"(?P<covered>\d+)/(?P<queued>\d+) ops optimized"
    ),
    "hit": (
        r"\[plan\] cache hit: execute plan #(?P<plan>\d+) "
        r"\((?P<mode>lazy|sync), segment has (?P<queued>\d+) ops\)"
    ),
    "closed": (
        r"\[fuser\] closed on (?P<category>\w+) \((?P<reason>[a-z -]+)\); "
        r"had (?P<ops>\d+) ops, est_bindings=(?P<bindings>\d+)/(?P<max_bindings>\d+)"
    ),
}
"""Every line of burn's fusion log, by a short name."""

_COMPILED: Final = {name: re.compile(form) for name, form in FORMS.items()}
# Where a message may begin behind what a logger has put in front of it.
_START: Final = re.compile(
    r"\[(?:explorer|stream|plan|repair|fuser)\] |selected (?:single|composed) "
    r"|fusion (?:trace|block)|═+"
)
_LAUNCHES: Final = re.compile(r"\s+\d+ launch\(es\)|\s+\d+ [\w:]+::\w+")
_RULE: Final = re.compile(r"═+$")


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``line`` is its first line in the text (from 1); ``values`` what it says."""

    line: int
    kind: str
    text: str
    values: Mapping[str, str] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """A value as a number."""
        return int(self.values[name])


def messages(text: str) -> list[Message]:
    """All messages of a log. Blank lines and the demo's own launch counts are no messages."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return list(_messages(lines))


def _messages(lines: Sequence[str]) -> Iterator[Message]:
    index = 0
    while index < len(lines):
        raw = lines[index].rstrip()
        if not raw or _LAUNCHES.fullmatch(raw):
            index += 1
            continue
        start = _START.search(raw)
        body = raw[start.start() :] if start else raw
        if _RULE.match(body):
            end = _table_end(lines, index + 1)
            text = "\n".join([body, *(line.rstrip() for line in lines[index + 1 : end])])
            yield Message(index + 1, "table", text)
            index = end
            continue
        yield _one(index + 1, body)
        index += 1


def _one(number: int, body: str) -> Message:
    if body == "fusion block: <empty>":
        return Message(number, "table", body)
    for name, form in _COMPILED.items():
        found = form.fullmatch(body)
        if found:
            return Message(number, name, body, found.groupdict())
    return Message(number, "unknown", body)


def _table_end(lines: Sequence[str], start: int) -> int:
    """A table is a title, a header, a row of dashes, then rows that begin with their number."""
    end = start
    while end < len(lines) and end - start < 3:
        if not re.match(r"\s*(?:fusion trace \(|idx +block|-{3})", lines[end]):
            return end
        end += 1
    while end < len(lines) and re.match(r"\d+ ", lines[end]):
        end += 1
    return end
