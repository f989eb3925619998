"""The decision pane of each step, as the player reads it.

In: a moment and a language. Out: an arena while fusers compete, a match while the policy compares,
an execution while kernels run; else a note that says why nothing is there.
"""

from __future__ import annotations

from fusionlab.events import facts as f
from fusionlab.i18n import Texts
from fusionlab.views import words
from fusionlab.views.fusers import Arena, Card, arena_of, block_in_focus
from fusionlab.views.moment import Moment
from fusionlab.views.plans import Match, plan_match
from fusionlab.views.player.pool import Json, without_nothing
from fusionlab.views.strategy import ExecutionView, execution_view

_EXECUTION = (
    f.ExecutionStarted
    | f.KernelBuilt
    | f.KernelLaunched
    | f.OpExecuted
    | f.QueueDrained
    | f.HandleFreed
    | f.PlanUnfit
)
_POLICY = (
    f.CandidatesFound
    | f.CandidateDropped
    | f.CandidateAdvanced
    | f.CandidateMatched
    | f.TriggerChecked
    | f.PlanReused
)
_READ = f.TensorRead | f.StreamCreated | f.StreamDeleted


def pane_of(moment: Moment, texts: Texts) -> Json:
    """The pane of one step."""
    fact = moment.fact
    if isinstance(fact, _EXECUTION):
        execution = execution_view(moment.run, moment.step, texts)
        if execution is not None:
            return _execution(execution)
    if not isinstance(fact, _POLICY | _READ) and moment.stream.visible_blocks:
        block = block_in_focus(moment)
        if block is not None:
            return _arena(arena_of(moment, block, texts))
    if not isinstance(fact, _READ):
        match = plan_match(moment.run, moment.step, texts)
        if match is not None:
            return _match(match, moment, texts)
    return _note(moment, texts)


def _note(moment: Moment, texts: Texts) -> Json:
    hit = isinstance(moment.fact, f.TensorRead)
    return {
        "type": "note",
        "title": texts("pane.title"),
        "text": "",
        "notes": [texts("pane.read" if hit else "pane.nobody")],
    }


def _arena(arena: Arena) -> Json:
    return {
        "type": "arena",
        "title": arena.title,
        "text": arena.text,
        "cards": [_card(card) for card in arena.cards],
        "notes": [],
    }


def _card(card: Card) -> Json:
    form: Json = {
        "fuser": card.fuser,
        "letter": card.letter,
        "why": card.why,
        "score": card.score,
    }
    if card.leads:
        form["leads"] = True
    if card.score:
        form["ledger"] = [[r.label, r.one_by_one, r.fused, r.saved] for r in card.ledger]
        form["points"] = list(card.points)
    return form


def _match(match: Match, moment: Moment, texts: Texts) -> Json:
    rows = [
        without_nothing(
            {"at": row.position, "ok": row.ok, "op": row.op, "key": row.key, "right": row.right}
        )
        for row in match.rows
    ]
    last = {
        "ok": match.fits,
        "op": _asked(moment, texts),
        "text": match.last,
        "plan": f"#{match.plan}",
    }
    return {
        "type": "match",
        "title": match.title,
        "text": match.text,
        "rows": rows,
        "last": last,
        "notes": list(match.notes),
    }


def _asked(moment: Moment, texts: Texts) -> str:
    """What the policy was asked about: an op, or the drain."""
    op = moment.root_operation
    return words.short(op.kind) if op else texts("column.drain")


def _execution(view: ExecutionView) -> Json:
    return {
        "type": "execution",
        "title": view.title,
        "text": view.text,
        "units": [
            without_nothing(
                {
                    "letter": unit.letter,
                    "head": unit.head,
                    "text": unit.text,
                    "rows": [[row.index, row.op, row.reads, row.makes] for row in unit.rows],
                }
            )
            for unit in view.units
        ],
        "notes": list(view.notes),
    }
