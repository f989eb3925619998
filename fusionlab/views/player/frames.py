"""Frames: blocks and stored plans drawn around columns, each with the steps of its life.

In: a run, its track, a language. Out: frames as the player reads them, over events.
The lines that cross a frame are those that its tab counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fusionlab.events import facts as f
from fusionlab.events.run import Run
from fusionlab.events.state import BlockState, StreamState
from fusionlab.i18n import Texts
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import StreamId
from fusionlab.plan import Optimization, leaves
from fusionlab.views import words
from fusionlab.views.blocks import covered
from fusionlab.views.fusers import leader
from fusionlab.views.player.pool import Json, without_nothing
from fusionlab.views.player.track import Track
from fusionlab.views.traffic import border_of

Key = tuple[StreamId, int, int]


class _Framer:
    """Opens a frame when a block looks new, closes it when it looks different."""

    def __init__(self, run: Run, track: Track, texts: Texts) -> None:
        self.run, self.track, self.texts = run, track, texts
        self.open: dict[Key, Json] = {}
        self.done: list[Json] = []
        self.seen: dict[StreamId, object] = {}
        self.lines: dict[tuple[int, ...], Json] = {}

    def frames(self) -> list[Json]:
        for event in self.run.events:
            stream = self.run.states[event.step].stream(event.stream)
            if stream is None or isinstance(event.fact, f.QueueDrained):
                self._keep(event.stream, {}, event.step)
            elif isinstance(event.fact, f.PlanReused):
                self._keep(event.stream, dict(self._planned(event, event.fact)), event.step)
            elif isinstance(event.fact, f.FuserAnswered | f.FuserScored):
                continue  # the score is of the block with its new op, which joins it a step later
            elif stream.visible_blocks is not self.seen.get(event.stream):
                if stream.visible_blocks or not self._shows_plan(event.stream):
                    self._keep(event.stream, dict(self._blocks(event, stream)), event.step)
                self.seen[event.stream] = stream.visible_blocks
        for key in list(self.open):
            self._close(key, len(self.run.events))
        return sorted(self.done, key=lambda frame: (frame["from"], frame["lane"], frame["columns"]))

    def _shows_plan(self, stream: StreamId) -> bool:
        return any(key[0] == stream and key[1] == 0 for key in self.open)

    def _keep(self, stream: StreamId, wanted: dict[Key, Json], step: int) -> None:
        for key, frame in list(self.open.items()):
            if key[0] == stream and wanted.get(key) != {k: frame[k] for k in frame if k != "from"}:
                self._close(key, step)
        for key, frame in wanted.items():
            if key not in self.open:
                self.open[key] = {"from": step, **frame}

    def _close(self, key: Key, step: int) -> None:
        frame = self.open.pop(key)
        if frame["from"] < step:
            start = frame.pop("from")
            self.done.append({"from": start, "to": step, **frame})

    def _blocks(self, event: f.Event, stream: StreamState) -> Iterator[tuple[Key, Json]]:
        queue = self.track.places[event.step].queue
        for block in stream.visible_blocks:
            positions = [p for p in covered(block) if p < len(queue)]
            if positions:
                ops = [(p, stream.queue.operations[p]) for p in positions]
                yield (event.stream, block.number, 0), self._block(event, block, ops, queue)

    def _block(
        self,
        event: f.Event,
        block: BlockState,
        ops: Sequence[tuple[int, OperationIr]],
        queue: Sequence[int],
    ) -> Json:
        first = leader(block)
        fuser, score = (first.fuser, first.score) if first else ("", 0)
        if block.winner is not None:
            fuser, score = block.winner.fuser or "", block.winner.score
        frame = self._frame(event, block.number, ops, queue, fuser)
        reads, writes = len(frame.get("in", ())), len(frame.get("out", ()))
        key = "blocks.tab" if fuser else "blocks.tab_none"
        frame["tab"] = self.texts(key, score=score, reads=reads, writes=writes)
        return frame

    def _planned(self, event: f.Event, fact: f.PlanReused) -> Iterator[tuple[Key, Json]]:
        """The fused units of a plan around the queued ops."""
        queue = self.track.places[event.step].queue
        state = self.run.states[event.step]
        stream = state.stream(event.stream)
        operations = stream.queue.operations if stream else ()
        for number, unit in enumerate(leaves(state.plans[fact.plan].strategy)):
            if not isinstance(unit, Optimization):
                continue
            ops = [(p, operations[p]) for p in unit.ordering if p < len(operations)]
            frame = self._frame(event, 0, ops, queue, unit.fused.fuser)
            frame["tab"] = self.texts("frame.plan", plan=fact.plan, score=unit.score)
            yield (event.stream, 0, number), frame

    def _frame(
        self,
        event: f.Event,
        lane: int,
        ops: Sequence[tuple[int, OperationIr]],
        queue: Sequence[int],
        fuser: str,
    ) -> Json:
        return without_nothing(
            {
                "lane": lane,
                "fuser": words.letter(fuser),
                **self._lines(ops, tuple(queue[position] for position, _ in ops)),
                "next": self._next(event.step, ops, queue),
                "stream": int(event.stream) or None,
            }
        )

    def _lines(self, ops: Sequence[tuple[int, OperationIr]], columns: tuple[int, ...]) -> Json:
        """The columns and the lines of a group; most steps change neither."""
        known = self.lines.get(columns)
        if known is None:
            border, makers = border_of(ops), self.track.makers
            at = {position: column for (position, _), column in zip(ops, columns, strict=True)}
            known = self.lines[columns] = {
                "columns": sorted(columns),
                "in": [[makers[t], at[p]] for t, p in border.reads if t in makers],
                "inside": [[at[a], at[b]] for _, a, b in border.inside],
                "out": [at[p] for _, p in border.writes],
            }
        return known

    def _next(
        self, step: int, ops: Sequence[tuple[int, OperationIr]], queue: Sequence[int]
    ) -> list[list[int]]:
        """The first op still to come that will read a result of the group."""
        pairs = []
        for position, op in ops:
            for tensor in op.outputs:
                readers = self.track.readers.get(tensor.id, ())
                coming = (c for c in readers if self.track.columns[c].born > step)
                first = next(coming, None)
                if first is not None:
                    pairs.append([queue[position], first])
        return pairs


def frames_of(run: Run, track: Track, texts: Texts) -> list[Json]:
    """All frames of a run, over events, by their first event."""
    return _Framer(run, track, texts).frames()
