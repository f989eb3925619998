"""The player's payload: one run in one language as plain JSON, in the form of the player's FORMAT.

In: a run, a language. Out: everything that the player shows at any step. The same run and language
give the same bytes. A long run leaves out single answers, a longer one keeps one step a request,
and a very long one shows its first thousand ops.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice
from typing import Any

from fusionlab.events.facts import OpQueued, RunFailed, SyncRequested
from fusionlab.events.run import Run
from fusionlab.i18n import Texts
from fusionlab.views import words
from fusionlab.views.levels import levels_of
from fusionlab.views.narrate import caption
from fusionlab.views.pipeline import op_title
from fusionlab.views.player.frames import frames_of
from fusionlab.views.player.pool import Json, without_nothing
from fusionlab.views.player.programs import names_of_created
from fusionlab.views.player.rounds import rounds_of
from fusionlab.views.player.steps import StepWriter
from fusionlab.views.player.track import Column, Track, track_of

VERSION = 1
MAX_STEPS = 4_000
"""Above this many steps the finest level is left out, then the next one."""
MAX_COLUMNS = 1_000
"""Above this many ops and drains the rest of the run is left out, and the payload says so."""


def stops(payload: Mapping[str, Any], level: int) -> tuple[int, ...]:
    """The steps at which a level stops: position ``n`` of the reader is ``stops[n]``."""
    return tuple(index for index, step in enumerate(payload["steps"]) if step["level"] <= level)


def player_payload(
    run: Run,
    texts: Texts,
    *,
    until: int | None = None,
    max_steps: int = MAX_STEPS,
    max_columns: int = MAX_COLUMNS,
) -> Json:
    """The payload of a run.

    ``until`` is the last event to show: nothing of what comes later is in the payload, so a
    question about it is not answered there.
    """
    if until is not None:
        run = _cut(run, until + 1)
    end = _end(run, texts)
    too_long = _first_event_behind(run, max_columns)
    if too_long is not None:
        run = _cut(run, too_long)
        end = texts("end.too_long", n=max_columns)
    track = track_of(run)
    levels = levels_of(run)
    kept = _kept(levels, max_steps)
    writer = StepWriter(run, track, texts)
    steps = writer.write(levels, kept)
    frames = [_frame_over_steps(frame, kept) for frame in frames_of(run, track, texts)]
    payload: Json = {
        "version": VERSION,
        "lang": texts.lang,
        "run": _name_of(run),
        "name": run.program.name,
        "program": list(run.program.source_lines),
        "max_blocks": run.config.max_blocks or writer.lanes,
        "lanes": writer.lanes,
        "columns": _columns(run, track, kept, texts),
        "rounds": rounds_of(run, track, kept, texts),
        "frames": [frame for frame in frames if frame["from"] < frame["to"]],
        "kinds": writer.kinds,
        **{name: pool.items for name, pool in writer.pools.items()},
        "changes": [list(change) for change in writer.changes],
        "log": [line.text for line in writer.log],
        "steps": steps,
    }
    return payload if end is None else {**payload, "end": end}


def _first_event_behind(run: Run, columns: int) -> int | None:
    """The event that would open one column too many; ``None`` when all fit."""
    asked = (event.step for event in run.events if isinstance(event.fact, OpQueued | SyncRequested))
    return next(islice(asked, columns, None), None)


def _cut(run: Run, count: int) -> Run:
    """The first ``count`` events of a run as a run of their own."""
    lines, states = run.lines[:count], run.states[:count]
    return replace(run, events=run.events[:count], states=states, lines=lines)


def player_json(run: Run, texts: Texts) -> str:
    """The payload as compact JSON text."""
    return json.dumps(player_payload(run, texts), ensure_ascii=False, separators=(",", ":"))


def _kept(levels: Sequence[int], max_steps: int) -> list[int]:
    """The events that are steps: as fine a level as fits."""
    for finest in (2, 1):
        kept = [event for event, level in enumerate(levels) if level <= finest]
        if len(kept) <= max_steps:
            return kept
    return [event for event, level in enumerate(levels) if level == 0]


def _name_of(run: Run) -> str:
    """The same for the same program under the same settings, in every language."""
    config = asdict(run.config)
    config["disabled_fusers"] = sorted(config["disabled_fusers"])
    text = json.dumps([run.program.name, run.program.text, config], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _end(run: Run, texts: Texts) -> str | None:
    last = next((e for e in reversed(run.events) if isinstance(e.fact, RunFailed)), None)
    if last is None:
        return None
    return texts("end.failed", what=caption(run, last.step, texts).what)


def _columns(run: Run, track: Track, kept: list[int], texts: Texts) -> list[Json]:
    names = names_of_created(run.program.source_lines, track.columns)
    rounds = _round_numbers(track)
    return [
        _column(column, names.get(index, ""), rounds[index], kept, texts)
        for index, column in enumerate(track.columns)
    ]


def _round_numbers(track: Track) -> list[int]:
    """A round ends with its drain; reads right behind it belong to it."""
    numbers, number, drained = [], 0, False
    for column in track.columns:
        if column.op is not None and drained:
            number, drained = number + 1, False
        drained = drained or column.op is None
        numbers.append(number)
    return numbers


def _column(column: Column, name: str, number: int, kept: list[int], texts: Texts) -> Json:
    form: Json = {"size": column.size, **_labels(column, name, texts)}
    form["born"] = bisect_left(kept, column.born)
    moves = _moves_over_steps(column.moves, kept)
    if moves:
        form["moves"] = moves
    if column.done is not None:
        form["done"] = bisect_left(kept, column.done)
    if column.plan is not None:
        form["plan"] = f"#{column.plan}"
    if column.stream:
        form["stream"] = int(column.stream)
    form["round"] = number
    if column.op is not None:
        form["title"] = op_title(column.op)
    return form


def _labels(column: Column, name: str, texts: Texts) -> Json:
    if column.op is None:
        label = texts("column.read" if column.reads else "column.sync")
        sub = texts("column.drain") if column.drains else ""
        return without_nothing({"label": label, "sub": sub})
    tensors = column.op.outputs or column.op.inputs
    label = words.short(column.op.kind)
    return {"label": name or label, "sub": " ".join(words.names(tensors[:1]))}


def _moves_over_steps(moves: list[tuple[int, int]], kept: list[int]) -> list[list[int]]:
    """Moves by step; of several between two steps only the last one is seen."""
    seen: dict[int, int] = {}
    for event, lane in moves:
        seen[bisect_left(kept, event)] = lane
    changed: list[list[int]] = []
    for step, lane in seen.items():
        if not changed or changed[-1][1] != lane:
            changed.append([step, lane])
    return changed


def _frame_over_steps(frame: Json, kept: list[int]) -> Json:
    start, end = bisect_left(kept, frame["from"]), bisect_left(kept, frame["to"])
    return {**frame, "from": start, "to": end}
