"""The track: one column for each registered op and each drain, once for the whole run.

In: a run. Out: columns in registration order over all streams, and for each event the column that
it is about, the queue as columns, and its segment. Nothing here has a language but two labels.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fusionlab.events import facts as f
from fusionlab.events.run import Run
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP
from fusionlab.ir.tensor import StreamId
from fusionlab.plan import PlanId
from fusionlab.views.blocks import covered
from fusionlab.views.moment import Moment, positional


@dataclass(slots=True)
class Column:
    """A column. ``op`` is ``None`` for a drain or a read. ``moves`` are (event, lane).

    ``born`` is the event at which it becomes real, ``done`` the one that ended its execution.
    """

    born: int
    stream: StreamId
    op: OperationIr | None = None
    position: int = 0
    drains: bool = False
    reads: bool = False
    line: int = 0
    done: int | None = None
    plan: PlanId | None = None
    unplanned: bool = False
    moves: list[tuple[int, int]] = field(default_factory=list)

    @property
    def size(self) -> str:
        """The width class: ``small`` (it reads nothing), ``op``, ``drop`` or ``drain``."""
        if self.op is None:
            return "drain"
        if self.op.spec is DROP:
            return "drop"
        return "op" if self.op.inputs else "small"


@dataclass(slots=True)
class Segment:
    """The columns of a segment by the time that it runs; filled when it has."""

    columns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event is: its column, the queue of its stream as columns, its segment.

    At the end of an execution ``queue`` still holds what has run; ``segment`` is the next one.
    """

    column: int | None
    queue: tuple[int, ...]
    segment: Segment


@dataclass(slots=True)
class Track:
    """All columns, and the place of each event.

    ``makers`` maps a tensor to the column that makes it, ``readers`` to those that read it.
    """

    columns: list[Column] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    makers: dict[int, int] = field(default_factory=dict)
    readers: dict[int, list[int]] = field(default_factory=dict)


class _Walker:
    """Follows the queues from event to event."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.track = Track()
        self.queues: dict[StreamId, tuple[int, ...]] = {}
        self.segments: dict[StreamId, Segment] = {}
        self.of_root: dict[int, int] = {}
        self.plan: dict[StreamId, PlanId | None] = {}

    def walk(self) -> Track:
        for event in self.run.events:
            self._take(event)
            root = event.step if event.parent is None else Moment(self.run, event.step).root.step
            queue = self.queues.get(event.stream, ())
            column = self._about(event, queue, self.of_root.get(root))
            if isinstance(event.fact, f.QueueDrained):
                self._drain(event, event.fact)
            segment = self.segments.setdefault(event.stream, Segment())
            self.track.places.append(Place(column, queue, segment))
        for stream, segment in self.segments.items():
            segment.columns = self.queues.get(stream, ())
        return self.track

    def _take(self, event: f.Event) -> None:
        match event.fact:
            case f.OpQueued(operation=op, position=position):
                index = self._open(event, op)
                self.track.columns[index].position = position
                self.queues[event.stream] = (*self.queues.get(event.stream, ()), index)
                for tensor in op.outputs:
                    self.track.makers[tensor.id] = index
                for tensor in op.inputs:
                    self.track.readers.setdefault(tensor.id, []).append(index)
            case f.SyncRequested():
                self.track.columns[self._open(event, None)].drains = True
            case f.TensorRead():
                self._read(event)
            case f.ExecutionStarted(plan=plan):
                self.plan[event.stream] = plan
            case _:
                pass

    def _open(self, event: f.Event, op: OperationIr | None) -> int:
        line = self.run.line(event.step)
        self.track.columns.append(Column(event.step, event.stream, op, line=line))
        self.of_root[event.step] = len(self.track.columns) - 1
        return len(self.track.columns) - 1

    def _read(self, event: f.Event) -> None:
        """A read shares the column of the drain that it has caused just before."""
        last = self.track.columns[-1] if self.track.columns else None
        own = last is not None and last.op is None and not last.reads
        if own and last is not None and last.stream == event.stream:
            self.of_root[event.step] = len(self.track.columns) - 1
        else:
            self._open(event, None)
        self.track.columns[-1].reads = True
        self.track.columns[-1].done = event.step

    def _about(self, event: f.Event, queue: tuple[int, ...], root: int | None) -> int | None:
        position = positional(event.fact)
        if position is None:
            return root
        position = Moment(self.run, event.step).segment_position(position)
        return queue[position] if position < len(queue) else root

    def _drain(self, event: f.Event, fact: f.QueueDrained) -> None:
        queue = self.queues.get(event.stream, ())
        plan = self.plan.get(event.stream)
        for index in queue[: fact.executed]:
            column = self.track.columns[index]
            column.done, column.plan, column.unplanned = event.step, plan, plan is None
        self.segments.setdefault(event.stream, Segment()).columns = queue
        self.segments[event.stream] = Segment()
        self.queues[event.stream] = queue[fact.executed :]


def track_of(run: Run) -> Track:
    """Walk through a run once."""
    track = _Walker(run).walk()
    for column in track.columns:
        if column.op is None and column.done is None:
            column.done = _last_of(run, column.born)
    _place_in_lanes(run, track)
    for column in track.columns:
        if column.op is not None:
            _appear_in_place(column, _last_of(run, column.born))
    return track


def _last_of(run: Run, root: int) -> int:
    end = root + 1
    while end < len(run.events) and run.events[end].parent is not None:
        end += 1
    return end - 1


def _place_in_lanes(run: Run, track: Track) -> None:
    """Lane 0 is the queue; an op moves when the block that holds it changes its number."""
    lanes: dict[int, int] = {}
    seen: object = None
    for event, place in zip(run.events, track.places, strict=True):
        if isinstance(event.fact, f.QueueDrained):
            # What has run stays where it was; what is left waits again.
            for index in place.queue[event.fact.executed :]:
                _move(track, lanes, index, event.step, 0)
            continue
        stream = run.states[event.step].stream(event.stream)
        blocks = () if stream is None else stream.visible_blocks
        if blocks is seen and not isinstance(event.fact, f.OpQueued):
            continue
        seen = blocks
        where = {position: b.number for b in blocks for position in covered(b)}
        for position, index in enumerate(place.queue):
            _move(track, lanes, index, event.step, where.get(position, 0))


def _appear_in_place(column: Column, last: int) -> None:
    """An op that its own request puts into a block appears there: ghosts do not jump."""
    if len(column.moves) > 1 and column.moves[0][1] == 0 and column.moves[1][0] <= last:
        column.moves[:2] = [(column.born, column.moves[1][1])]


def _move(track: Track, lanes: dict[int, int], index: int, step: int, lane: int) -> None:
    if lanes.get(index) != lane:
        lanes[index] = lane
        track.columns[index].moves.append((step, lane))
