"""The run behind a log, made again by the engine and held against the log line by line.

In: messages and their timeline. Out: a run with all facts, and which messages it explains.
No line says whether a use of a tensor was its last. A tensor that is dropped was not moved; for the
others the last use in the log is taken for the last one at all, and where the log then says
something else, single tensors are taken for kept until nothing gets better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from fusionlab.config import FusionConfig
from fusionlab.engine.dry import DryBackend
from fusionlab.engine.server import FusionServer
from fusionlab.errors import FusionLabError
from fusionlab.events.facts import Event
from fusionlab.events.log import EventLog
from fusionlab.explain.messages import Message
from fusionlab.explain.operations import SPECS, operation
from fusionlab.explain.tables import Row
from fusionlab.explain.timeline import Timeline
from fusionlab.ir.opset import DROP
from fusionlab.ir.tensor import StreamId, TensorStatus
from fusionlab.views.burn_log import LogLine, burn_log

MOST_TRIES = 160
MOST_WORK = 24_000
"""How often the engine runs the stream again with another guess: less often for a long log."""

_RO, _RW = TensorStatus.READ_ONLY, TensorStatus.READ_WRITE


@dataclass(frozen=True, slots=True)
class Guess:
    """What no line says: tensors that somebody still holds, and ``max_blocks``."""

    kept: frozenset[int] = frozenset()
    max_blocks: int | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of the engine. ``agreed`` messages from the first on are as in the log."""

    events: tuple[Event, ...]
    lines: tuple[LogLine, ...]
    agreed: int
    guess: Guess
    problem: str = ""


def config_of(found: Timeline, guess: Guess) -> FusionConfig:
    """The settings that the log gives away, then the guess, then burn's defaults."""
    plain = FusionConfig()
    return FusionConfig(
        max_blocks=found.max_blocks or guess.max_blocks or plain.max_blocks,
        max_explorations=found.capped_after,
        max_bindings=found.max_bindings or plain.max_bindings,
    )


def rebuild(messages: Sequence[Message], found: Timeline) -> Attempt:
    """The run that agrees longest with the log."""
    search = _Search([message.text for message in messages], found)
    for guess in _first_guesses(found):
        search.try_out(guess)
    while search.goes_on:
        if not any(search.try_out(guess) for guess in _neighbours(found, search.best)):
            break
    return search.best


class _Search:
    """Keeps the best attempt and counts how many more there may be."""

    def __init__(self, told: Sequence[str], found: Timeline) -> None:
        self._told, self._found = told, found
        self._tries = min(MOST_TRIES, max(8, MOST_WORK // (len(told) + 1)))
        self.best = Attempt((), (), -1, Guess())

    @property
    def goes_on(self) -> bool:
        """Whether something is left to explain, and tries are left for it."""
        return self.best.agreed < len(self._told) and self._tries > 0

    def try_out(self, guess: Guess) -> bool:
        """Run the engine with a guess; whether that explains more than ever before."""
        if not self.goes_on:
            return False
        self._tries -= 1
        attempt = _attempt(self._told, self._found, guess)
        if attempt.agreed <= self.best.agreed:
            return False
        self.best = attempt
        return True


def _first_guesses(found: Timeline) -> Iterator[Guess]:
    """Guesses about everything at once: what is kept, and how many blocks there may be."""
    rows = [row for row in found.rows if row.kind in SPECS]
    made = {tensor.id for row in rows for tensor in row.outputs}
    read = {tensor.id for row in rows for tensor in row.inputs}
    created = {tensor.id for row in rows if not row.inputs for tensor in row.outputs}
    for kept in (frozenset[int](), frozenset(created | (read - made)), frozenset(read)):
        yield Guess(kept)
    if found.max_blocks is None:
        for kept in (frozenset[int](), frozenset(created | (read - made))):
            for blocks in range(1, found.most_blocks + 2):
                yield Guess(kept, blocks)


def _neighbours(found: Timeline, best: Attempt) -> Iterator[Guess]:
    """The guess changed for few tensors: those in use where the log first says something else.

    What follows a plan decides with it whether it runs, so one line may hang on two tensors.
    """
    around = list(dict.fromkeys(_in_use(found, best.agreed)))
    nearest = around[:_TOGETHER]
    for together in (1, 2, 3):
        for chosen in combinations(around if together == 1 else nearest, together):
            yield replace(best.guess, kept=best.guess.kept ^ frozenset(chosen))


_TOGETHER = 7
"""Among so many tensors pairs and triples are tried too."""


def _in_use(found: Timeline, message: int) -> Iterator[int]:
    """Tensors read in the two executions behind a message, then in those in front of it."""
    later = [ran for ran in found.runs if ran.message >= message][:2]
    earlier = [ran for ran in found.runs if ran.message < message][::-1][:6]
    for ran in [*later, *earlier]:
        for row in reversed(ran.rows):
            if row.kind != DROP.name:
                yield from (tensor.id for tensor in row.inputs)


def _attempt(told: Sequence[str], found: Timeline, guess: Guess) -> Attempt:
    recorder = EventLog()
    problem = ""
    try:
        _perform(found, recorder, guess)
    except FusionLabError as error:
        problem = str(error)
    lines = tuple(burn_log(recorder.events))
    agreed = 0
    for mine, theirs in zip(lines, told, strict=False):
        if same(mine.text, theirs):
            agreed += 1
        else:
            break
    return Attempt(tuple(recorder.events), lines, agreed, guess, problem)


def same(mine: str, theirs: str) -> bool:
    """Whether two messages are equal, apart from blanks at the ends of lines."""
    if mine == theirs:
        return True
    one, two = mine.split("\n"), theirs.split("\n")
    return [line.rstrip() for line in one] == [line.rstrip() for line in two]


def _perform(found: Timeline, recorder: EventLog, guess: Guess) -> None:
    server = FusionServer(config_of(found, guess), DryBackend(), recorder)
    stream = StreamId(0)
    rows = found.rows
    statuses = _statuses(rows, guess.kept)
    drains = found.drains()
    for count, (row, uses) in enumerate(zip(rows, statuses, strict=True)):
        while drains and drains[0] <= count:
            server.drain(stream)
            drains.pop(0)
        if row.kind in SPECS:
            server.register(stream, operation(row, uses))
    for _ in drains:
        server.drain(stream)


def _statuses(rows: Sequence[Row], kept: frozenset[int]) -> list[tuple[TensorStatus, ...]]:
    """How each op uses its inputs: the last use of a tensor moves it, unless it is kept."""
    last: dict[int, tuple[int, int]] = {}
    dropped: set[int] = set()
    for at, row in enumerate(rows):
        for place, tensor in enumerate(row.inputs):
            last[tensor.id] = (at, place)
        if row.kind == DROP.name:
            dropped |= {tensor.id for tensor in row.inputs}
    return [
        tuple(_status(row, at, place, last, dropped | kept) for place in range(len(row.inputs)))
        for at, row in enumerate(rows)
    ]


def _status(
    row: Row, at: int, place: int, last: Mapping[int, tuple[int, int]], held: set[int]
) -> TensorStatus:
    if row.kind == DROP.name:
        return _RW
    tensor = row.inputs[place].id
    return _RW if last[tensor] == (at, place) and tensor not in held else _RO
