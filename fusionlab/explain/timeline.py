"""The op stream behind a log: which ops were registered in which order, and where it was drained.

In: messages. Out: rows in order of registration, and drains by how many ops were registered before.
A table lists ops as they ran. In which order they were registered is known from the lines of the
search, from the plan that is hit, or from the numbers of the tensors that they make.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fusionlab.explain.messages import Message
from fusionlab.explain.tables import Row, TableError, rows

_PLACES = frozenset({"opened", "dependent", "accepted", "full", "cycle"})


@dataclass(frozen=True, slots=True)
class Ran:
    """One execution: its ops in order of registration. ``drained``: a drain asked for it.

    ``queued`` ops waited when it began (``None``: the log does not say). ``message`` is the index
    of its table.
    """

    message: int
    rows: tuple[Row, ...]
    queued: int | None
    drained: bool
    plan: int | None


@dataclass(slots=True)
class Timeline:
    """What a log says about the stream."""

    runs: list[Ran] = field(default_factory=list)
    broken: dict[int, str] = field(default_factory=dict)
    """Tables that cannot be read, by message, with the reason."""
    max_blocks: int | None = None
    max_bindings: int | None = None
    most_blocks: int = 0
    """The most blocks that the log speaks of at one time."""
    capped_after: int | None = None
    """Explorations that were completed before the first one that was not."""

    @property
    def rows(self) -> list[Row]:
        """All ops in order of registration."""
        return [row for run in self.runs for row in run.rows]

    def drains(self) -> list[int]:
        """Where drains were: behind so many registered ops."""
        found: list[int] = []
        executed = 0
        for run in self.runs:
            total = executed + (len(run.rows) if run.queued is None else run.queued)
            if run.drained and found[-1:] != [total]:
                found.append(total)
            executed += len(run.rows)
        return found


@dataclass(slots=True)
class _Pending:
    """What has been said since the last table."""

    mode: str = "lazy"
    queued: int | None = None
    plan: int | None = None
    completed: bool = False
    places: dict[int, Message] = field(default_factory=dict)
    """The line that placed the op at each position of the segment."""


def timeline(messages: Sequence[Message]) -> Timeline:
    """Read the executions off the messages."""
    found, pending = Timeline(), _Pending()
    orders: dict[int, tuple[int, ...]] = {}
    stored = explorations = 0
    for index, message in enumerate(messages):
        _learn(found, message)
        match message.kind:
            case "explore":
                pending.mode, pending.queued = message.values["mode"], message.number("queued")
                pending.completed = False
            case "hit":
                pending = _Pending(
                    message.values["mode"], message.number("queued"), message.number("plan")
                )
            case "completed":
                pending.completed = True
                explorations += 1
            case "table":
                ran = _table(index, message, pending, orders, found)
                if ran is not None:
                    found.runs.append(ran)
                    if pending.plan is None and pending.completed:
                        orders[stored] = _order_of(ran, message)
                        stored += 1
                    if pending.plan is None and not pending.completed:
                        found.capped_after = found.capped_after or explorations
                pending = _Pending()
            case kind if kind in _PLACES:
                _place(pending, message)
    return found


def _learn(found: Timeline, message: Message) -> None:
    """Settings that a line gives away."""
    if message.kind == "full":
        found.max_blocks = message.number("max_blocks")
    elif message.kind == "closed":
        found.max_bindings = message.number("max_bindings")
    elif "total" in message.values:
        found.most_blocks = max(found.most_blocks, message.number("total"))


def _place(pending: _Pending, message: Message) -> None:
    """The kind of the op at a position. A nested search counts its own positions from 0 again."""
    if message.number("position") == len(pending.places):
        pending.places[len(pending.places)] = message


def _table(
    index: int,
    message: Message,
    pending: _Pending,
    orders: dict[int, tuple[int, ...]],
    found: Timeline,
) -> Ran | None:
    try:
        listed = rows(message.text, message.line)
    except (TableError, ValueError) as problem:
        found.broken[index] = str(problem)
        return None
    known = None if pending.plan is None else orders.get(pending.plan)
    if known is not None and len(known) == len(listed):
        ordered = [listed[at] for at in known]
    else:
        ordered = _registered(listed, pending.places)
    return Ran(index, tuple(ordered), pending.queued, pending.mode == "sync", pending.plan)


def _order_of(ran: Ran, message: Message) -> tuple[int, ...]:
    """For each op in order of registration, its place in the table."""
    listed = rows(message.text, message.line)
    place = {row.line: at for at, row in enumerate(listed)}
    return tuple(place[row.line] for row in ran.rows)


def _registered(listed: Sequence[Row], places: Mapping[int, Message]) -> list[Row]:
    """The ops of a table in order of registration."""
    if all(position in places for position in range(len(listed))):
        placed = _as_told(listed, [places[n] for n in range(len(listed))])
        if placed is not None:
            return placed
    makers = sorted((row for row in listed if row.outputs), key=_first_made)
    return _behind_last_use(makers, [row for row in listed if not row.outputs], listed)


def _first_made(row: Row) -> float:
    return min((tensor.id for tensor in row.outputs), default=float("inf"))


def _as_told(listed: Sequence[Row], places: Sequence[Message]) -> list[Row] | None:
    """The order in which the search told the kinds; ``None`` when there is none.

    An op comes behind those that make what it reads, a drop behind all that use what it gives up.
    Of several that could come next, one that opened a block shares no tensor with those in front,
    one that was accepted does; then the one whose result was numbered first is taken.
    """
    rest = sorted(listed, key=_first_made)
    placed: list[Row] = []
    for place in places:
        kind = place.values["kind"]
        ready = [row for row in rest if row.kind == kind and _is_ready(row, rest)]
        if not ready:
            return None
        shares = place.kind != "opened"
        chosen = next((row for row in ready if _shares(row, placed) == shares), ready[0])
        placed.append(chosen)
        rest.remove(chosen)
    return placed


def _shares(row: Row, placed: Sequence[Row]) -> bool:
    """Whether an op has a tensor in common with those in front of it."""
    own = {tensor.id for tensor in (*row.inputs, *row.outputs)}
    return any(t.id in own for other in placed for t in (*other.inputs, *other.outputs))


def _is_ready(row: Row, rest: Sequence[Row]) -> bool:
    """Whether everything that must come before an op has been placed."""
    read = {tensor.id for tensor in row.inputs}
    for other in rest:
        if other is row:
            continue
        if any(tensor.id in read for tensor in other.outputs):
            return False
        if not row.outputs and any(tensor.id in read for tensor in other.inputs):
            return False
    return True


def _behind_last_use(makers: list[Row], silent: list[Row], listed: Sequence[Row]) -> list[Row]:
    """Nothing says where the drops stood: behind the last use, in the order of the table."""
    placed = list(makers)
    for drop in silent:
        gone = {tensor.id for tensor in drop.inputs}
        users = [
            at
            for at, row in enumerate(placed)
            if any(tensor.id in gone for tensor in (*row.inputs, *row.outputs))
        ]
        if users:
            placed.insert(users[-1] + 1, drop)
            continue
        before = {row.line for row in listed[: listed.index(drop)]}
        at = next((n for n, row in enumerate(placed) if row.line not in before), len(placed))
        placed.insert(at, drop)
    return placed
