"""Why the true answer is true: the formula with its numbers, and the sentence of the deciding fact.

In: an item and a run of its program. Out: one short paragraph in the reader's language. The
sentences about single facts are those of the player, so both say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from fusionlab.events import facts as f
from fusionlab.events.facts import Event
from fusionlab.events.state import BlockState
from fusionlab.i18n import Texts
from fusionlab.learn import answers
from fusionlab.learn.items import Item
from fusionlab.learn.kinds import Args, deciding_step
from fusionlab.learn.lookups import settled_first, winning_terms
from fusionlab.learn.phrases import place, unit
from fusionlab.learn.phrases import units as units_in_words
from fusionlab.learn.questions import answer, hit_pattern, segment
from fusionlab.learn.reading import Reading, Step
from fusionlab.plan import Explore
from fusionlab.views.arithmetic import Ledger, ledger
from fusionlab.views.narrate import caption

Because = Callable[[Item, Reading, Texts], Iterator[str]]


def explain(item: Item, reading: Reading, texts: Texts) -> str:
    """The paragraph."""
    sentences = _BECAUSE[item.kind](item, reading, texts)
    return texts("caption.glue").join(sentence for sentence in sentences if sentence)


def decisive(kind: str, args: Args, reading: Reading) -> int:
    """The number of the event at which the answer to a question can be seen."""
    step = deciding_step(kind, args, reading)
    events = step.events if args else reading.run.events
    for kinds in _SHOWN.get(kind, ()):
        found = [event.step for event in events if isinstance(event.fact, kinds)]
        if found:
            return found[-1]
    return step.last


_SHOWN: dict[str, tuple[type, ...]] = {
    "cache_hit": (f.PlanReused, f.PlanStored, f.ExplorationCapped),
    "relative_form": (f.OpRelativized,),
    "relative_op": (f.OpRelativized,),
    "when_runs": (f.ExecutionStarted,),
    "queue_length": (f.QueueDrained, f.ActionChosen),
    "action_now": (f.ActionChosen,),
    "placement": (f.OpAccepted, f.BlockOpened, f.OptimizerStopped),
    "blocks_now": (f.BlocksMerged, f.OpAccepted, f.BlockOpened),
    "partition": (f.PlanStored,),
    "winning_fuser": (f.FuserWon,),
    "winning_score": (f.FuserWon,),
    "execution_order": (f.PlanStored,),
    "triggers": (f.PlanStored,),
    "launches": (f.ExecutionStarted,),
    "guard": (f.PlanUnfit,),
    "relative_shapes": (f.OpRelativized,),
    "output_shape": (f.OpRelativized,),
    "queued": (f.QueueDrained, f.ActionChosen),
    "winner": (f.FuserWon,),
    "counts": (f.FuserWon,),
    "runs_at": (f.ExecutionStarted,),
    "block_members": (f.BlocksMerged, f.OpAccepted, f.BlockOpened),
    "open_fusers": (f.FuserAnswered,),
    "fuser_scores": (f.FuserWon,),
    "score_of": (f.FuserWon,),
    "stop_line": (f.OptimizerStopped,),
    "guard_line": (f.PlanUnfit,),
}


def _step(item: Item, reading: Reading) -> Step:
    return deciding_step(item.kind, item.args, reading)


def _told(reading: Reading, event: Event, texts: Texts) -> Iterator[str]:
    """What the player says at an event, and why."""
    run = reading.run if reading.run.states else replace(reading.run, states=reading.states)
    said = caption(run, event.step, texts)
    yield said.what
    yield said.why


def _told_last(
    reading: Reading, step: Step, kinds: tuple[type, ...], texts: Texts
) -> Iterator[str]:
    found = [event for event in step.events if isinstance(event.fact, kinds)]
    if found:
        yield from _told(reading, found[-1], texts)


# --- the cache -----------------------------------------------------------------------------------


def _cache_hit(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    step, read = _step(item, reading), item.args["read"]
    told = str(answer("cache_hit", reading, read=read))
    count, plan = len(segment(reading, read)), told.partition("#")[2]
    match told.split(maxsplit=1)[0]:
        case "hit":
            yield texts("learn.because.hit", n=count, plan=plan)
            yield from _told_last(reading, step, (f.TriggerAdded,), texts)
        case "explore":
            yield texts("learn.because.explore", n=count, plan=plan)
            yield from _first_miss(reading, step, count, texts)
        case "unfused,":
            cap = reading.run.config.max_explorations
            yield texts("learn.because.capped", cap=cap)
        case "waits":
            yield texts("learn.because.waits")
        case _:
            yield texts("learn.because.empty")


def _first_miss(reading: Reading, drain: Step, count: int, texts: Texts) -> Iterator[str]:
    """The first time the policy said Explore about the segment that the drain runs."""
    ops = [step for step in reading.ops if step.stream == drain.stream]
    segment_steps = [step for step in ops if step.index < drain.index][-count:]
    for step in [*segment_steps, drain]:
        for event in step.events:
            fact = event.fact
            if isinstance(fact, f.ActionChosen) and isinstance(fact.action, Explore):
                yield from _told(reading, event, texts)
                return


def _pattern(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:  # noqa: ARG001
    letters: dict[object, str] = {}
    forms = []
    for read in range(len(reading.drains)):
        key = tuple(segment(reading, read))
        named = letters.setdefault(key, chr(ord("a") + len(letters))) if key else "-"
        forms.append(named)
    yield texts("learn.because.pattern", forms=" ".join(forms), pattern=hit_pattern(reading))
    capped = reading.facts(f.ExplorationCapped)
    if capped:
        yield texts("learn.because.capped", cap=capped[0].explorations)


def _why_miss(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    there, here = segment(reading, item.args["other"]), segment(reading, item.args["read"])
    for position, (stored, queued) in enumerate(zip(there, here, strict=False)):
        if stored != queued:
            yield texts(
                "learn.because.miss",
                n=position,
                there=answers.relative_op(stored),
                here=answers.relative_op(queued),
            )
            return


def _explorations(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:  # noqa: ARG001
    ended = [step for step in reading.steps if step.facts(f.ExplorationCompleted)]
    count = len(reading.facts(f.ExplorationCompleted))
    numbers = ", ".join(str(step.index) for step in ended)
    yield texts("learn.because.exploration_count", steps=numbers, total=count)
    capped = reading.facts(f.ExplorationCapped)
    if capped:
        yield texts("learn.because.capped", cap=capped[0].explorations)


def _triggers(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    plan = item.args["plan"]
    for step in reading.steps:
        for event in step.events:
            fact = event.fact
            if isinstance(fact, f.PlanStored | f.TriggerAdded) and fact.plan == plan:
                named = answers.trigger(fact.trigger)
                yield texts("learn.because.trigger", trigger=named, place=place(step, texts))


# --- the relative form ---------------------------------------------------------------------------


def _relative(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    step = reading.ops[item.args["op"]]
    yield from _told_last(reading, step, (f.OpRelativized,), texts)
    named = answers.relative_op(reading.relative[item.args["op"]])
    yield texts("learn.because.names", op=named)


# --- when things run -----------------------------------------------------------------------------


def _when_runs(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    step = _step(item, reading)
    yield from _told_last(reading, step, (f.SearchSettled, f.PlanReused, f.SyncRequested), texts)
    ran = answer("runs_at", reading, step=step.index)
    shown = units_in_words(ran, texts) if isinstance(ran, list) and ran else ""
    yield texts("learn.because.runs", place=place(step, texts), units=shown) if shown else ""


def _queue_length(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    step = _step(item, reading)
    kinds = (f.ActionChosen, f.PlanReused, f.SearchSettled)
    yield from _told_last(reading, step, kinds, texts)
    yield texts("learn.because.queue", n=reading.queued(step))


def _action_now(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    for event in _step(item, reading).events:
        if isinstance(event.fact, f.ActionChosen):
            yield from _told(reading, event, texts)


# --- the search ----------------------------------------------------------------------------------


def _placed(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    step = _step(item, reading)
    for kinds in ((f.BlocksMerged,), (f.OpAccepted, f.BlockOpened, f.OptimizerStopped)):
        yield from _told_last(reading, step, kinds, texts)


def _strategy(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    step = _step(item, reading)
    for kinds in ((f.HeadSettled,), (f.BlocksMerged, f.MergeJudged)):
        yield from _told_last(reading, step, kinds, texts)
    stored = answers.units(reading.plans[item.args["plan"]].strategy)
    shown = " · ".join(unit(str(value), texts) for value in stored)
    yield texts("learn.because.units", units=shown)


def _launches(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    step = _step(item, reading)
    blocks = [block for ran in step.facts(f.ExecutionStarted) for block in ran.blocks]
    fused = sum(block.fuser is not None for block in blocks)
    total = answer("launches", reading, step=step.index)
    kernels = sum(2 if block.fuser == "NHWCRelayout" else 1 for block in blocks if block.fuser)
    lone = int(total) - kernels if isinstance(total, int) else 0
    yield texts("learn.because.launch_count", fused=fused, lone=lone, total=total)
    ran = answer("runs_at", reading, step=step.index)
    if isinstance(ran, list) and ran:
        yield texts("learn.because.units", units=units_in_words(ran, texts))


def _won(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    block = settled_first(reading, _step(item, reading))
    shown = texts.listed(_standing(block, texts))
    yield texts("learn.because.standings", standings=shown)
    yield from _told_last(reading, _step(item, reading), (f.FuserWon,), texts)


def _standing(block: BlockState, texts: Texts) -> Iterator[str]:
    for fuser in block.fusers:
        key = "learn.because.standing" if fuser.ready else "learn.because.not_ready"
        yield texts(key, fuser=fuser.fuser, score=fuser.score)


def _score(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    parts = [ledger(terms) for terms in winning_terms(reading, _step(item, reading))]
    for part in parts:
        yield from _counted(part, texts)
    if parts:
        yield texts("learn.because.total", score=sum(part.score for part in parts))
    else:
        yield from _won(item, reading, texts)


def _counted(part: Ledger, texts: Texts) -> Iterator[str]:
    yield texts(
        "learn.because.ledger",
        reads=part.reads[0],
        writes=part.writes[0],
        fused_reads=part.reads[1],
        fused_writes=part.writes[1],
        saved=max(0, part.reads[2] + part.writes[2]),
        launches=part.launches[2],
    )
    if part.views:
        yield texts("learn.because.views", views=part.views)
    if part.bonus:
        yield texts("learn.because.bonus", bonus=part.bonus)


def _guard(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    step = _step(item, reading)
    yield from _told_last(reading, step, (f.PlanUnfit,), texts)
    ran = answer("runs_at", reading, step=step.index)
    if isinstance(ran, list):
        place_, shown = place(step, texts), units_in_words(ran, texts)
        yield texts("learn.because.runs", place=place_, units=shown)


def _false_line(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    said = answer("log_lines", reading, step=item.args["step"])
    false = str(item.options[item.answer])
    start = false.partition(" ")[0]
    true = [line for line in said if str(line).startswith(start)] if isinstance(said, list) else []
    shown = [line for line in true if line not in item.options] or true
    key = "learn.because.false_line" if shown else "learn.because.false_nothing"
    rule = texts(f"misconception.{item.origin}.title")
    yield texts(key, rule=rule, truth=shown[0] if shown else "")


def _ran(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    step = _step(item, reading)
    for kinds in (
        (f.SearchSettled, f.PlanReused, f.PlanUnfit),
        (f.HeadSettled,),
        (f.BlocksMerged, f.MergeJudged),
    ):
        yield from _told_last(reading, step, kinds, texts)
    ran = answer("runs_at", reading, step=step.index)
    if isinstance(ran, list) and ran:
        place_, shown = place(step, texts), units_in_words(ran, texts)
        yield texts("learn.because.runs", place=place_, units=shown)
    else:
        yield texts("learn.because.queue", n=reading.queued(step))


def _seen(item: Item, reading: Reading, texts: Texts) -> Iterator[str]:
    event = decisive(item.kind, item.args, reading)
    yield from _told(reading, reading.run.events[event], texts)


_BECAUSE: dict[str, Because] = {
    "cache_hit": _cache_hit,
    "hit_pattern": _pattern,
    "why_miss": _why_miss,
    "relative_form": _relative,
    "relative_op": _relative,
    "when_runs": _when_runs,
    "queue_length": _queue_length,
    "action_now": _action_now,
    "placement": _placed,
    "blocks_now": _placed,
    "partition": _strategy,
    "winning_fuser": _won,
    "winning_score": _score,
    "execution_order": _strategy,
    "triggers": _triggers,
    "launches": _launches,
    "explorations": _explorations,
    "guard": _guard,
    "false_line": _false_line,
    "relative_shapes": _relative,
    "queued": _queue_length,
    "runs_at": _ran,
    "winner": _won,
    "counts": _score,
    "open_fusers": _seen,
}
"""How each kind is explained."""
