"""Questions and answers in words.

In: an item, the run of its program, the texts of a language. Out: the question and its options.
Different answers give different words, so no two options of an item ever read the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fusionlab.events import facts as f
from fusionlab.i18n import Texts
from fusionlab.ir.operation import OperationIr
from fusionlab.learn.answers import Answer
from fusionlab.learn.items import Item
from fusionlab.learn.kinds import Args, deciding_step
from fusionlab.learn.reading import Reading, Step
from fusionlab.views import words

_UNIT = re.compile(r"(.+?)(?:\((\d+)\))?\[(.*)\]")
_FIELD = re.compile(r"op (\d+): (?:(inputs|outputs)(?:\[(\d+)\]\.(\w+))?|args\.?(.*)|(kind))")

_ASKED_AS = {
    "queued": "queue_length",
    "relative_shapes": "relative_form",
    "winner": "winning_fuser",
}
"""Kinds of lessons that are asked in the words of a quiz kind."""

_NOTHING = {"runs_at": "learn.option.no_run", "open_fusers": "learn.option.nobody_at_all"}

_WITHOUT_PLACE = frozenset({"hit_pattern", "explorations"})
"""Kinds that ask about the whole program."""


def place(step: Step, texts: Texts) -> str:
    """``request 7 (`Exp`, line 3)``."""
    if step.op is not None:
        op = words.short(step.op.kind)
        return texts("learn.place.op", step=step.index, line=step.line, op=op)
    read = isinstance(step.events[-1].fact, f.TensorRead | f.StreamDeleted)
    key = "learn.place.read" if read else "learn.place.sync"
    return texts(key, step=step.index, line=step.line)


def question(item: Item, reading: Reading, texts: Texts, *, noted: bool = True) -> str:
    """The question, with a note on how requests are counted where it names one."""
    named = f"counts_{item.args['what']}" if item.kind == "counts" else item.kind
    about = _asked_about(item.kind, item.args, reading, texts)
    asked = texts(f"learn.ask.{_ASKED_AS.get(named, named)}", **about)
    if item.kind in _WITHOUT_PLACE or not noted:
        return asked
    return texts("caption.glue").join((asked, texts("learn.place.requests")))


def _asked_about(kind: str, args: Args, reading: Reading, texts: Texts) -> dict[str, object]:
    step = reading.ops[args["op"]] if "op" in args else deciding_step(kind, args, reading)
    values: dict[str, object] = {"place": place(step, texts)}
    if "other" in args:
        values["other"] = place(reading.drains[args["other"]], texts)
    if "plan" in args:
        values["plan"] = args["plan"]
        values["ops"] = listed(reading.plans[args["plan"]].operations)
    values["bindings"] = reading.run.config.max_bindings
    return values


def listed(operations: Sequence[OperationIr]) -> str:
    """``0 Mul, 1 Exp``: the ops of a segment with their positions."""
    return ", ".join(f"{n} {words.short(op.kind)}" for n, op in enumerate(operations))


# --- options -------------------------------------------------------------------------------------


def option(kind: str, value: Answer, reading: Reading, texts: Texts) -> str:
    """One possible answer in words."""
    match kind, value:
        case "cache_hit", str():
            return _cache_hit(value, texts)
        case "why_miss", str():
            return _field(value, texts)
        case "when_runs", int():
            if value < 0 or value >= len(reading.steps):
                return texts("learn.option.never")
            return texts("learn.option.at", place=place(reading.steps[value], texts))
        case "placement", str():
            return _placement(value, texts)
        case (("winning_fuser" | "winner"), str()):
            fuser, _, score = value.rpartition(" ")
            nobody = value.startswith("none")
            return texts("learn.option.nobody") if nobody else _won(fuser, score, texts)
        case (("relative_form" | "relative_shapes"), str()):
            *inputs, output = value.split(" ")
            return f"{', '.join(inputs)} → {output}"
        case (("runs_at" | "open_fusers"), []):
            return texts(_NOTHING[kind])
        case (("partition" | "guard" | "runs_at"), list()):
            return units(value, texts)
        case (("action_now" | "triggers" | "execution_order" | "open_fusers"), list()):
            return _row(kind, value, texts)
        case _:
            return str(value)


def _row(kind: str, value: list[Answer], texts: Texts) -> str:
    if kind == "action_now":
        *front, last = map(str, value)
        return texts("learn.option.then", front=", ".join(front), last=last) if front else last
    return (" + " if kind == "triggers" else ", ").join(map(str, value))


def _won(fuser: str, score: str, texts: Texts) -> str:
    return texts("learn.option.won", fuser=fuser, score=score)


def _cache_hit(value: str, texts: Texts) -> str:
    plan = value.partition("#")[2]
    match value.split(maxsplit=1)[0]:
        case "hit":
            return texts("learn.option.hit", plan=plan)
        case "explore":
            return texts("learn.option.explore", plan=plan)
        case "unfused,":
            return texts("learn.option.unfused_now")
        case "waits":
            return texts("learn.option.waits")
        case _:
            return texts("learn.option.nothing")


def _placement(value: str, texts: Texts) -> str:
    numbers = [int(n) for n in re.findall(r"\d+", value)]
    if value.startswith("new block"):
        return texts("learn.option.new_block", total=numbers[0])
    if value.startswith("new dependent"):
        return texts("learn.option.dependent", total=numbers[0])
    if value.startswith("accepted"):
        return texts("learn.option.accepted", taken=numbers[0], total=numbers[1])
    return texts("learn.option.stopped" if value.startswith("stopped") else "learn.option.silent")


def _field(value: str, texts: Texts) -> str:
    match = _FIELD.fullmatch(value)
    if match is None:
        return texts("learn.option.length" if value == "length" else "learn.option.same")
    n, side, index, part, argument, kind = match.groups()
    if kind is not None:
        return texts("learn.option.field_kind", n=n)
    if side is None:
        return texts("learn.option.field_argument", n=n, name=argument)
    if part is None:
        return texts("learn.option.field_count", n=n)
    tensor = (
        texts("learn.option.input", i=int(index) + 1)
        if side == "inputs"
        else texts("learn.option.output")
    )
    return texts(f"learn.option.field_{part}", n=n, tensor=tensor)


def units(value: list[Answer], texts: Texts) -> str:
    """The units of one execution, or of several one after the other."""
    if value and isinstance(value[0], list):
        several = [units(item, texts) for item in value if isinstance(item, list)]
        *front, last = several
        return texts("learn.option.then", front=", ".join(front), last=last) if front else last
    return " · ".join(unit(str(item), texts) for item in value)


def unit(value: str, texts: Texts) -> str:
    """``ElementWise 210: op 0, 1`` for ``ElementWise(210)[0, 1]``."""
    match = _UNIT.fullmatch(value)
    if match is None:
        return value
    fuser, score, ops = match.groups()
    if score is None:
        return texts("learn.option.unfused", ops=ops)
    return texts("learn.option.fused", fuser=fuser, score=score, ops=ops)
