"""The why-miss view of a step, as the player reads it.

In: a moment at which nothing stored fits, and a language. Out: two keys token by token, how sizes
got their numbers, the nearest plans, and shapes that would have hit.
"""

from __future__ import annotations

from fusionlab.events.facts import OpQueued
from fusionlab.i18n import Texts
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import Shape
from fusionlab.plan import PlanId
from fusionlab.views import words
from fusionlab.views.miss import (
    ARROW,
    KeyComparison,
    Nearest,
    compare_keys,
    nearest_plans,
    numbers_of,
    shapes_that_would,
    stored_at,
    tokens,
)
from fusionlab.views.moment import Moment
from fusionlab.views.player.pool import Json
from fusionlab.views.said import told

SHOWN_PLANS = 6


def miss_of(moment: Moment, texts: Texts) -> Json | None:
    """The why-miss view; ``None`` when nothing is stored or nothing differs."""
    compared = compare_keys(moment.run, moment.step)
    if compared is None:
        return None
    near = nearest_plans(moment.run, moment.step, SHOWN_PLANS)
    view: Json = {
        "title": texts("miss.title"),
        "text": texts("miss.text", position=compared.position),
        "keys": _keys(moment, compared, texts),
        "first": list(compared.differing[0]),
        "later": [list(place) for place in compared.differing[1:]],
        "mark": texts("miss.mark"),
        "nearest": _nearest(near, moment, texts),
    }
    shapes = _differing_shapes(compared, moment)
    if shapes is not None:
        view["sizes"] = _sizes(moment, compared, shapes, texts)
        would = _would(shapes, compared.plan, texts)
        if would:
            view["would"] = would
    return view


def _keys(moment: Moment, compared: KeyComparison, texts: Texts) -> list[Json]:
    step = stored_at(moment.run, compared.plan)
    where = texts("miss.earlier") if step is None else texts("miss.stored", step=step)
    asked = _asked(moment, compared.position)
    here = words.size(_first_shape(asked)) if asked else ""
    return [
        {
            "name": texts("miss.plan", plan=compared.plan),
            "text": where,
            "groups": _groups(compared.stored),
        },
        {"name": texts("miss.queue"), "text": here, "groups": _groups(compared.asked)},
    ]


def _groups(op: OperationIr) -> list[list[str] | str]:
    return [">" if group == ARROW else list(group) for group in tokens(op)]


def _asked(moment: Moment, position: int) -> OperationIr | None:
    return moment.operation(position)


def _first_shape(op: OperationIr) -> Shape:
    tensors = op.nodes
    return tensors[0].shape if tensors else ()


def _nearest(near: tuple[Nearest, ...], moment: Moment, texts: Texts) -> Json:
    plans = moment.before.plans
    rows = []
    for index, found in enumerate(near):
        row: Json = {
            "id": f"#{found.plan}",
            "key": words.key(plans[found.plan].operations[0]),
            "sub": _parting(found, texts),
        }
        if index == 0:
            row["state"] = "on"
        rows.append(row)
    candidates = len(moment.stream.candidates)
    return {
        "title": texts("miss.nearest"),
        "text": texts("store.text", plans=len(plans), candidates=candidates),
        "plans": rows,
    }


def _parting(found: Nearest, texts: Texts) -> str:
    if found.difference is None:
        return texts("miss.same")
    if found.matched == 0 and not found.same_kind:
        return texts("miss.other_op")
    said = told(texts, found.difference)
    if found.matched == 0:
        return said
    return texts("miss.parts", matched=found.matched, difference=said)


Shapes = tuple[Shape, Shape, Shape]


def _differing_shapes(compared: KeyComparison, moment: Moment) -> Shapes | None:
    """The first differing shape: as stored (ids), as asked (ids), as asked (extents)."""
    asked = _asked(moment, compared.position)
    if asked is None:
        return None
    pairs = zip(compared.stored.nodes, compared.asked.nodes, asked.nodes, strict=False)
    for stored, relative, tensor in pairs:
        if stored.shape != relative.shape:
            return stored.shape, relative.shape, tensor.shape
        if stored != relative:
            return None
    return None


def _sizes(moment: Moment, compared: KeyComparison, shapes: Shapes, texts: Texts) -> Json:
    stored, relative, asked = shapes
    rows: list[Json] = []
    known = _stored_extents(moment, compared, stored)
    if known is not None:
        name = texts("miss.plan", plan=compared.plan)
        rows.append({"cells": [name, _listed(known), _listed(stored), ""]})
    changed = [
        f"**{number}**" if at >= len(stored) or stored[at] != number else str(number)
        for at, number in enumerate(relative)
    ]
    first = next((i for i, number in enumerate(changed) if number.startswith("**")), 0)
    remark = _remark(asked, relative, first, texts)
    rows.append(
        {"cells": [texts("miss.queue"), _listed(asked), ", ".join(changed), remark], "on": True}
    )
    rows.append({"cells": [texts("miss.rule"), "1", "0", texts("miss.always_zero")]})
    head = ["", texts("miss.sizes_met"), texts("miss.numbers"), ""]
    return {"title": texts("miss.sizes"), "head": head, "rows": rows}


def _remark(asked: Shape, relative: Shape, at: int, texts: Texts) -> str:
    if at >= len(asked):
        return ""
    extent, number = asked[at], relative[at]
    if extent == 1:
        return texts("miss.always_zero")
    seen = number in relative[:at]
    return texts("miss.seen" if seen else "miss.new", extent=extent, number=number)


def _stored_extents(moment: Moment, compared: KeyComparison, stored: Shape) -> Shape | None:
    """The extents that the plan's own segment had for this shape, when this run stored it."""
    step = stored_at(moment.run, compared.plan)
    if step is None:
        return None
    extents = Moment(moment.run, step).stream.queue.extents
    # By the rules of a misconception a key may hold other things than size numbers.
    if max(stored, default=0) >= len(extents):
        return None
    return tuple(extents[number] for number in stored)


def _would(shapes: Shapes, plan: PlanId, texts: Texts) -> Json | None:
    """Shapes that would and would not fit, if this shape is the first of its segment."""
    stored, relative, asked = shapes
    if numbers_of(asked) != relative or _renumbered(stored) != stored:
        return None
    hits, misses = shapes_that_would(stored, asked)
    if not hits:
        return None
    return {
        "hit": [words.size(shape) for shape in hits],
        "miss": [words.size(shape) for shape in misses],
        "text": [texts("miss.would_hit", plan=plan), texts("miss.would_not")],
    }


def _renumbered(pattern: Shape) -> Shape:
    """The pattern as it would read if its segment began with it."""
    return numbers_of(tuple(number + 1 for number in pattern))


def _listed(numbers: Shape) -> str:
    return ", ".join(str(number) for number in numbers)


def asks_for_a_plan(moment: Moment) -> bool:
    """Whether the step belongs to an op (a read or a stream's end misses nothing)."""
    return isinstance(moment.root.fact, OpQueued)
