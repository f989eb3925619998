"""Steps: what the player shows at each event, mostly as indexes into pools.

In: a run with its track, a language. Out: one step an event, in order.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from fusionlab.events import facts as f
from fusionlab.events.run import Run
from fusionlab.events.state import QueueState, StreamState
from fusionlab.i18n import Texts
from fusionlab.ir.tensor import StreamId
from fusionlab.views import words
from fusionlab.views.arithmetic import saved
from fusionlab.views.burn_log import burn_log
from fusionlab.views.diff import changes
from fusionlab.views.fusers import block_in_focus, leader
from fusionlab.views.moment import Moment
from fusionlab.views.narrate import Caption, caption
from fusionlab.views.pipeline import numbering, queue_row
from fusionlab.views.plans import PlanMark, PlanRow, store_view
from fusionlab.views.player.missing import asks_for_a_plan, miss_of
from fusionlab.views.player.panes import pane_of
from fusionlab.views.player.pool import Json, Pool, without_nothing
from fusionlab.views.player.programs import place_of
from fusionlab.views.player.track import Place, Track
from fusionlab.views.traffic import border_of

SHOWN_PLANS = 10
POOLS = ("places", "segments", "queues", "rows", "panes", "stores", "plans", "misses")
_MISSES = frozenset({"miss", "none", "lost"})
_STORE_FACTS = (
    f.CandidatesFound
    | f.CandidateDropped
    | f.CandidateAdvanced
    | f.CandidateMatched
    | f.PlanStored
    | f.TriggerAdded
    | f.PlanReused
    | f.ExecutionStarted
    | f.QueueDrained
)


class StepWriter:
    """Writes the steps of one run and fills the pools that they point into."""

    def __init__(self, run: Run, track: Track, texts: Texts) -> None:
        """Prepare empty pools and the log."""
        self.run, self.track, self.texts = run, track, texts
        self.lanes = max((lane for c in track.columns for _, lane in c.moves), default=1)
        self.pools = {name: Pool() for name in POOLS}
        self.log = list(burn_log(run.events))
        self.kinds: dict[str, Json] = {}
        self.rows: dict[tuple[int, bool], int] = {}
        self._stores: dict[StreamId, int] = {}
        self._queues: dict[StreamId, tuple[QueueState, tuple[int, ...], int]] = {}
        self._misses: dict[StreamId, int] = {}
        self.changes: list[tuple[str, str]] = []
        self._changes: dict[tuple[str, str], int] = {}

    def write(self, levels: Sequence[int], kept: Sequence[int]) -> list[Json]:
        """The steps of the events that are kept; ``levels`` has a level for each event."""
        printed = [line.step for line in self.log]
        steps = [
            self._step(Moment(self.run, event), levels[event], bisect_right(printed, event))
            for event in kept
        ]
        for step, before, event in zip(steps, (-1, *kept), kept, strict=False):
            diff = self._diff(before + 1, event)
            if diff:
                step["diff"] = diff
        self._resolve_ghosts()
        return steps

    def _step(self, moment: Moment, level: int, printed: int) -> Json:
        said = caption(self.run, moment.step, self.texts)
        place, stream = self.track.places[moment.step], moment.stream
        self._name_kind(said)
        focus = block_in_focus(moment) if stream.visible_blocks else None
        return {
            "level": level,
            "kind": said.kind.name,
            **without_nothing(
                {
                    "column": place.column,
                    "head": said.head,
                    "what": said.what,
                    "why": said.why,
                    "event": moment.step,
                    "log": printed,
                    "place": self._program_place(place),
                    "segment": self._segment(place, stream),
                    "queue": self._queue(place, stream),
                    "pane": self.pools["panes"].add(pane_of(moment, self.texts)),
                    "store": self._store(moment),
                    "miss": self._miss(moment, said),
                    "block": focus.number if focus else None,
                    "matched": _matched(stream) or None,
                    **self._remarks(moment),
                }
            ),
        }

    def _diff(self, first: int, last: int) -> list[int]:
        """What the events of a step changed, as indexes into ``changes``."""
        found = [
            (change.how, change.text)
            for event in range(first, last + 1)
            for change in changes(self.run, event, self.texts)
        ]
        for change in found:
            if change not in self._changes:
                self._changes[change] = len(self.changes)
                self.changes.append(change)
        return [self._changes[change] for change in found]

    def _name_kind(self, said: Caption) -> None:
        kind = said.kind
        if kind.name not in self.kinds:
            self.kinds[kind.name] = {"badge": said.badge, "tone": kind.tone, "icon": kind.icon}

    def _program_place(self, place: Place) -> int | None:
        if place.column is None:
            return None
        found = place_of(self.run.program.source_lines, self.track.columns[place.column])
        return None if found is None else self.pools["places"].add(found)

    def _segment(self, place: Place, stream: StreamState) -> int | None:
        queued = len(stream.queue)
        if not queued:
            return None
        columns = list(place.segment.columns)
        text = self.texts("segment.text", queued=queued, total=len(columns))
        return self.pools["segments"].add({"columns": columns, "text": text})

    # --- queue ---------------------------------------------------------------------------------

    def _queue(self, place: Place, stream: StreamState) -> int:
        known = self._queues.get(stream.stream)
        ahead = place.segment.columns
        if known is not None and known[0] is stream.queue and known[1] == ahead:
            return known[2]
        index = self.pools["queues"].add(self._queue_form(place, stream))
        self._queues[stream.stream] = (stream.queue, ahead, index)
        return index

    def _queue_form(self, place: Place, stream: StreamState) -> Json:
        queue = stream.queue
        # After an execution the track still lists what has just left.
        columns = place.queue[len(place.queue) - len(queue) :] if len(queue) else ()
        rows = [self._row(queue, position, column) for position, column in enumerate(columns)]
        ghosts = [column for column in place.segment.columns if column not in columns]
        facts = [[n.what, n.value, n.number] for n in numbering(queue, self.texts)]
        text = self.texts("queue.waiting" if rows else "queue.empty", n=len(rows))
        return {"text": text, "rows": rows, "ghosts": ghosts if rows else [], "facts": facts}

    def _row(self, queue: QueueState, position: int, column: int) -> int:
        row = queue_row(queue, position)
        form = {
            "column": column,
            "op": row.op,
            "global": row.asked,
            "relative": row.relative,
            "title": row.title,
        }
        index = self.pools["rows"].add(without_nothing(form))
        self.rows.setdefault((column, bool(row.relative)), index)
        return index

    def _resolve_ghosts(self) -> None:
        """Give each ghost the row that its op gets when it is queued."""
        for queue in self.pools["queues"].items:
            rows = (self.rows.get((c, True), self.rows.get((c, False))) for c in queue["ghosts"])
            queue["ghosts"] = [row for row in rows if row is not None]

    # --- store and misses ----------------------------------------------------------------------

    def _store(self, moment: Moment) -> int:
        stream = moment.event.stream
        known = self._stores.get(stream)
        changed = moment.before.plans is not moment.after.plans
        if known is None or changed or isinstance(moment.fact, _STORE_FACTS):
            view = store_view(self.run, moment.step, self.texts, SHOWN_PLANS)
            plans = [self.pools["plans"].add(_plan_form(row)) for row in view.rows]
            known = self.pools["stores"].add(
                {"text": view.text, "plans": plans, "notes": list(view.notes)}
            )
            # Another stream's view is not renewed by this event, but its plans may be newer.
            self._stores = {stream: known} if changed else {**self._stores, stream: known}
        return known

    def _miss(self, moment: Moment, said: Caption) -> int | None:
        stream = moment.event.stream
        if isinstance(moment.fact, f.QueueDrained):
            self._misses.pop(stream, None)
        elif said.kind.name in _MISSES and asks_for_a_plan(moment):
            view = miss_of(moment, self.texts)
            if view is not None:
                self._misses[stream] = self.pools["misses"].add(view)
        return self._misses.get(stream)

    # --- remarks -------------------------------------------------------------------------------

    def _remarks(self, moment: Moment) -> Json:
        match moment.fact:
            case f.BlocksMerged():
                return self._merged(moment, moment.fact)
            case f.OpAccepted():
                return self._saved(moment)
            case f.PlanReused():
                lines = [self.texts("note.no_block"), self.texts("note.hit")]
                return {"note": {"lines": lines, "lane": 1}}
            case _:
                return {}

    def _merged(self, moment: Moment, fact: f.BlocksMerged) -> Json:
        queue = self.track.places[moment.step].queue
        kept = moment.block(fact.into).number
        gone = [
            block
            for block in moment.stream_before.visible_blocks
            if block.block in (fact.into, *fact.absorbed) and block.number != kept
        ]
        if not gone:
            return {}
        columns = sorted(queue[p] for p in gone[0].positions if p < len(queue))
        lane = gone[0].number
        text = self.texts("note.was", block=lane)
        return {"was": {"columns": columns, "lane": lane, "to": kept, "text": text}}

    def _saved(self, moment: Moment) -> Json:
        """A remark on what stays inside the block that took an op, in a lane that is free."""
        block = block_in_focus(moment)
        first = None if block is None else leader(block)
        if block is None or first is None:
            return {}
        taken = {b.number for b in moment.stream.visible_blocks}
        lane = next((n for n in range(1, self.lanes + 1) if n not in taken), None)
        accesses, _ = saved(first.terms)
        ops = [moment.operation(position) for position in block.positions]
        border = border_of([(at, op) for at, op in enumerate(ops) if op is not None])
        inside = list(dict.fromkeys(words.name(tensor) for tensor, _, _ in border.inside))
        if lane is None or not accesses or not inside:
            return {}
        lines = [
            self.texts("note.inside", tensors=self.texts.listed(inside), n=len(inside)),
            self.texts("note.saved", n=accesses),
        ]
        return {"note": {"lines": lines, "lane": lane, "inside": words.letter(first.fuser)}}


def _plan_form(row: PlanRow) -> Json:
    form = {
        "id": f"#{row.plan}",
        "key": row.key,
        "trigger": row.trigger,
        "sub": row.sub,
        "state": row.mark.value if row.mark is not PlanMark.IDLE else None,
    }
    return without_nothing(form)


def _matched(stream: StreamState) -> int:
    """How many ops of the segment, from its first, the best plan has matched."""
    return max(
        [c.matched for c in stream.candidates] + [a.size for a in stream.availables], default=0
    )
