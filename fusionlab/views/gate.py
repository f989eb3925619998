"""The predict gate: the next decision of a chosen kind as a question, before it is shown.

In: a run, a kind, how much of the run is known. Out: the question, its options, which of them is
true, and the last event that may be shown meanwhile. Options are what could happen at that place;
the true one is read off the run.

What the search looks at while it decides would tell the answer, so it is hidden with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from fusionlab.events import facts as f
from fusionlab.events.run import Run
from fusionlab.i18n import Texts
from fusionlab.views import words
from fusionlab.views.levels import levels_of
from fusionlab.views.moment import Moment
from fusionlab.views.player import player_payload
from fusionlab.views.player.pool import Json
from fusionlab.views.said import Line, line, told

KINDS: Final = ("block", "action", "winner", "plan", "trigger")
"""What can be asked: where an op goes, what the policy answers, who wins, how long the stored plan
is, and what triggers it."""

_TELLING: Final = (
    f.FuserAnswered
    | f.FuserScored
    | f.MergeTried
    | f.MergeJudged
    | f.BlocksMerged
    | f.SettlingStarted
    | f.HeadSettled
    | f.FuserWon
    | f.StrategySelected
    | f.SearchSettled
    | f.HolesFound
    | f.ExplorationCompleted
    | f.CandidatesFound
    | f.CandidateAdvanced
    | f.CandidateDropped
    | f.CandidateMatched
    | f.TriggerChecked
)
"""Facts on the way to a decision."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One question. ``event`` is the decision, ``until`` the last event before the way to it."""

    kind: str
    event: int
    until: int
    asked: Line
    options: tuple[Line, ...]
    answer: int


def next_gate(run: Run, kind: str, seen: int) -> Gate | None:
    """The first question about a decision behind the event ``seen``; ``None``: there is none."""
    for event in run.events[seen + 1 :]:
        found = _gate(Moment(run, event.step), kind)
        if found is not None:
            asked, options, true = found
            until = max(seen, _before_the_way(run, event.step))
            return Gate(kind, event.step, until, asked, options, options.index(true))
    return None


Asked = tuple[Line, tuple[Line, ...], Line]


def _gate(moment: Moment, kind: str) -> Asked | None:
    if moment.stream.scopes and kind != "winner":
        return None  # a search inside the search
    match kind, moment.fact:
        case "block", f.BlockOpened() | f.OpAccepted():
            return _block(moment)
        case "action", f.ActionChosen(action=action) if moment.before.plans:
            options = tuple(line(f"gate.{n}") for n in ("Execute", "Defer", "Explore"))
            return _asked(moment, kind), options, line(f"gate.{type(action).__name__}")
        case "winner", f.FuserWon(fuser=fuser):
            return _winner(moment, fuser)
        case "plan", f.PlanStored(operations=operations):
            return _plan(moment, len(operations))
        case "trigger", f.PlanStored(trigger=trigger) | f.TriggerAdded(trigger=trigger):
            options = tuple(line(f"gate.{n}") for n in ("Always", "OnSync", "OnOperations"))
            return line("gate.ask_trigger"), options, line(f"gate.{type(trigger).__name__}")
        case _:
            return None


def _asked(moment: Moment, kind: str) -> Line:
    op = moment.root_operation
    return line(f"gate.ask_{kind}_drain") if op is None else _about(kind, words.short(op.kind))


def _about(kind: str, op: str) -> Line:
    return line(f"gate.ask_{kind}", op=op)


def _block(moment: Moment) -> Asked | None:
    """Where an op goes; nothing is asked while there is no block to choose."""
    fact, event = moment.fact, moment.event
    if not isinstance(fact, f.BlockOpened | f.OpAccepted) or _parent(moment) != event.parent:
        return None
    there = Moment(moment.run, _before_the_way(moment.run, moment.step)).stream.visible_blocks
    if not there:
        return None
    takes = tuple(line("gate.takes", block=block.number) for block in there)
    merge = (line("gate.merge"),) if len(there) > 1 else ()
    options = (*takes, *merge, line("gate.opens"))
    if isinstance(fact, f.BlockOpened):
        true = line("gate.opens")
    elif _merged_on_the_way(moment):
        true = line("gate.merge")
    else:
        true = line("gate.takes", block=moment.block(fact.blocks[0]).number)
    asked = _about("block", words.short(fact.kind))
    return (asked, options, true) if true in options else None


def _parent(moment: Moment) -> int | None:
    """The request: what is decided in a trial or a search of holes is a child of those."""
    return moment.root.step


def _merged_on_the_way(moment: Moment) -> bool:
    start = _before_the_way(moment.run, moment.step)
    return any(isinstance(e.fact, f.BlocksMerged) for e in moment.run.events[start : moment.step])


def _winner(moment: Moment, fuser: str | None) -> Asked | None:
    fact = moment.fact
    assert isinstance(fact, f.FuserWon)  # noqa: S101 -- the caller matched it
    block = moment.block(fact.block)
    if not any(standing.score for standing in block.fusers):
        return None
    names = tuple(standing.fuser for standing in block.fusers)
    options = (*(line("gate.wins", fuser=name) for name in names), line("gate.nobody"))
    true = line("gate.nobody") if fuser is None else line("gate.wins", fuser=fuser)
    return line("gate.ask_winner", block=block.number), options, true


def _plan(moment: Moment, covered: int) -> Asked | None:
    queued = len(moment.stream_before.queue)
    if queued < 2:
        return None
    sizes = sorted({1, queued // 2, queued - 1, queued, covered} - {0})
    options = tuple(line("gate.covers", n=size) for size in sizes)
    return line("gate.ask_plan", n=queued), options, line("gate.covers", n=covered)


def _before_the_way(run: Run, event: int) -> int:
    """The last event before the search or the comparison that led to a decision."""
    root = Moment(run, event).root.step
    before: Iterator[int] = iter(range(event - 1, -1, -1))
    for step in before:
        found = run.events[step]
        if step <= root or (found.parent == root and not isinstance(found.fact, _TELLING)):
            return step
    return 0


# --- what the player shows ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Said:
    """What a reader said: an option, or ``None`` for "show me"."""

    gate: Gate
    option: int | None

    @property
    def is_true(self) -> bool:
        """Whether it is what the engine decided."""
        return self.option == self.gate.answer


def gated_payload(run: Run, texts: Texts, gate: Gate | None, said: tuple[Said, ...] = ()) -> Json:
    """The player's payload up to a question, which is its last step, with the verdicts so far."""
    payload = player_payload(run, texts, until=None if gate is None else gate.until)
    # Where a cut run ends is no stop of the whole run; a link must name the same step in both.
    for step, level in zip(payload["steps"], _levels(run, payload), strict=True):
        step["level"] = level
    for one in said:
        _verdict(payload, one, texts)
    if gate is not None and payload["steps"]:
        _ask(payload, gate, texts)
    return payload


def _levels(run: Run, payload: Json) -> list[int]:
    levels = levels_of(run)
    return [levels[step["event"]] for step in payload["steps"]]


def _ask(payload: Json, gate: Gate, texts: Texts) -> None:
    question = told(texts, [gate.asked])
    pane = {
        "type": "ask",
        "title": question,
        "text": "",
        "options": [told(texts, [option]) for option in gate.options],
        "notes": [texts("gate.commit")],
    }
    payload["kinds"]["ask"] = {"badge": texts("gate.badge"), "tone": "explore", "icon": "ask"}
    payload["panes"].append(pane)
    now = {k: v for k, v in payload["steps"][-1].items() if k not in ("was", "note", "miss")}
    payload["steps"].append(
        now
        | {"level": 0, "kind": "ask", "what": question, "why": texts("gate.why")}
        | {"pane": len(payload["panes"]) - 1}
    )


def _verdict(payload: Json, said: Said, texts: Texts) -> None:
    """Write a verdict into the pane of the step that decided, and of the op's last step."""
    steps = payload["steps"]
    at = next((n for n, step in enumerate(steps) if step["event"] >= said.gate.event), None)
    if at is None:
        return
    truth = told(texts, [said.gate.options[said.gate.answer]])
    if said.option is None:
        words_ = texts("gate.shown", answer=truth)
    elif said.is_true:
        words_ = texts("gate.yes", answer=truth)
    else:
        mine = told(texts, [said.gate.options[said.option]])
        words_ = texts("gate.not_yet", answer=truth, said=mine)
    verdict = {"tone": "hit" if said.is_true else "defer", "text": words_}
    stop = next((n for n in range(at, len(steps)) if steps[n]["level"] == 0), at)
    for n in {at, stop}:
        pane = payload["panes"][steps[n]["pane"]]
        payload["panes"].append({**pane, "verdict": verdict})
        steps[n] = {**steps[n], "pane": len(payload["panes"]) - 1}
