"""Why nothing stored fits: the nearest plans, and where each parts from the segment.

In: a run and a step. Out: plans by how far they agree, and two keys token by token.
The engine stops at the first difference and looks at plans with an equal first op only; this view
looks at all of them, because the reader asks "what would have had to be the same?".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile, zip_longest

from fusionlab.events.run import Run
from fusionlab.events.state import PlanState
from fusionlab.ir.difference import first_difference
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import Shape, TensorIr
from fusionlab.plan import PlanId
from fusionlab.views import words
from fusionlab.views.differences import difference, dimension
from fusionlab.views.moment import Moment
from fusionlab.views.said import Line


@dataclass(frozen=True, slots=True)
class Nearest:
    """A stored plan and the place where the segment parts from it.

    ``matched`` ops agree; ``field`` is the first differing field of the next op (``None``: nothing
    differs, the plan or the segment is over). ``same_kind``: that op at least is of the same kind.
    ``extents`` and ``dimension`` are set when a shape differs: the shape asked for, and the
    dimension (from 1) whose number is another.
    """

    plan: PlanId
    matched: int
    field: str | None
    difference: Line | None
    same_kind: bool
    extents: Shape | None = None
    dimension: int | None = None


def nearest_plans(run: Run, step: int, limit: int | None = None) -> tuple[Nearest, ...]:
    """The plans that were stored before the step, nearest first; ``limit`` keeps the first ones."""
    moment = Moment(run, step)
    queue, plans = moment.stream.queue, moment.before.plans
    order = sorted(range(len(plans)), key=lambda i: (_distance(plans[i], queue.relative), i))
    return tuple(
        _compared(PlanId(index), plans[index], queue.relative, queue.operations)
        for index in order[:limit]
    )


Distance = tuple[int, bool, int]


def _distance(plan: PlanState, relative: Sequence[OperationIr]) -> Distance:
    """How far a plan is from the segment: fewer equal ops, another kind, fewer equal tokens."""
    matched = _matched(plan, relative)
    if matched in (len(plan.operations), len(relative)):
        return -matched, False, 0
    expected, got = plan.operations[matched], relative[matched]
    if expected.spec is not got.spec:
        return -matched, True, 0
    return -matched, False, -_equal_tokens(expected, got)


def _matched(plan: PlanState, relative: Sequence[OperationIr]) -> int:
    pairs = zip(plan.operations, relative, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def first_miss(run: Run, step: int) -> Nearest | None:
    """The nearest plan, if its next op is at least of the same kind."""
    for near in nearest_plans(run, step, limit=1):
        if near.field is not None and near.same_kind:
            return near
    return None


def _compared(
    plan_id: PlanId,
    plan: PlanState,
    relative: Sequence[OperationIr],
    asked: Sequence[OperationIr],
) -> Nearest:
    matched = _matched(plan, relative)
    if matched in (len(plan.operations), len(relative)):
        return Nearest(plan_id, matched, None, None, same_kind=True)
    expected, got = plan.operations[matched], relative[matched]
    field = first_difference(expected, got)
    shape = field.endswith(".shape")
    return Nearest(
        plan_id,
        matched,
        field,
        difference(field, expected, got),
        same_kind=expected.spec is got.spec,
        extents=_extents(expected, got, asked[matched]) if shape else None,
        dimension=dimension(expected, got) if shape else None,
    )


def _extents(expected: OperationIr, got: OperationIr, asked: OperationIr) -> Shape | None:
    for one, two, tensor in zip(expected.nodes, got.nodes, asked.nodes, strict=False):
        if one.shape != two.shape:
            return tensor.shape
    return None


def _equal_tokens(one: OperationIr, two: OperationIr) -> int:
    pairs = zip(tokens(one), tokens(two), strict=False)
    return sum(a == b for left, right in pairs for a, b in zip(left, right, strict=False))


Group = tuple[str, ...]
ARROW: Group = (">",)


def tokens(op: OperationIr) -> tuple[Group, ...]:
    """A key as cells: kind, one group a tensor, ``>`` before the outputs, other arguments last."""
    arguments = dict(op.args)
    dtype = (words.value(arguments.pop("dtype")),) if "dtype" in arguments else ()
    rest = tuple(f"{name}={words.value(value)}" for name, value in arguments.items())
    return (
        (words.short(op.kind), *dtype),
        *(_tensor_tokens(tensor) for tensor in op.inputs),
        ARROW,
        *(_tensor_tokens(tensor) for tensor in op.outputs),
        *((rest,) if rest else ()),
    )


def _tensor_tokens(tensor: TensorIr) -> Group:
    shape = (str(number) for number in tensor.shape)
    return (words.name(tensor), *shape, tensor.dtype.value, words.STATUS_MARKS[tensor.status])


@dataclass(frozen=True, slots=True)
class KeyComparison:
    """Two keys side by side.

    ``position`` is the op of the segment; ``differing`` the places ``(group, token)`` where the
    keys differ, in reading order: the first is where the engine stops, it never sees the others.
    """

    plan: PlanId
    position: int
    stored: OperationIr
    asked: OperationIr
    differing: tuple[tuple[int, int], ...]


def compare_keys(run: Run, step: int, plan: PlanId | None = None) -> KeyComparison | None:
    """The segment's key beside that of a plan (``None``: the nearest), at their first difference.

    ``None`` when nothing is stored or nothing differs so far.
    """
    nearest = nearest_plans(run, step, limit=1 if plan is None else None)
    chosen = [n for n in nearest if n.field is not None and plan in (None, n.plan)]
    if not chosen:
        return None
    near, moment = chosen[0], Moment(run, step)
    stored = moment.before.plans[near.plan].operations[near.matched]
    asked = moment.stream.queue.relative[near.matched]
    return KeyComparison(near.plan, near.matched, stored, asked, _differing(stored, asked))


def _differing(stored: OperationIr, asked: OperationIr) -> tuple[tuple[int, int], ...]:
    if stored.spec is not asked.spec:
        return ((0, 0),)  # another op: what else differs explains nothing
    pairs = zip_longest(tokens(stored), tokens(asked), fillvalue=())
    return tuple(
        (group, at)
        for group, (left, right) in enumerate(pairs)
        for at, (one, two) in enumerate(zip_longest(left, right))
        if one != two
    )


def stored_at(run: Run, plan: PlanId) -> int | None:
    """The step that stored a plan; ``None`` when an earlier run of the lab did."""
    if plan < len(run.initial.plans):
        return None
    return bisect_left(run.states, plan + 1, key=lambda state: len(state.plans))


def numbers_of(shape: Shape) -> Shape:
    """The shape ids of a shape that comes first in its segment."""
    seen = {1: 0}
    return tuple(seen.setdefault(extent, len(seen)) for extent in shape)


def shapes_that_would(pattern: Shape, asked: Shape) -> tuple[list[Shape], list[Shape]]:
    """Shapes that read like ``pattern`` (shape ids), and some that do not, ``asked`` first.

    Both lists are checked by numbering them; they hold at most two shapes each.
    """
    extents = ((1, 16, 48, 80, 112), (1, 128, 32, 8, 24))
    samples = [tuple(row[min(i, len(row) - 1)] for i in pattern) for row in extents]
    others = [asked, (*asked[:-1], 1), (*asked[:-1], 2 * asked[-1])] if asked else []
    hits = [shape for shape in samples if numbers_of(shape) == pattern]
    misses = [shape for shape in dict.fromkeys(others) if numbers_of(shape) != pattern]
    return hits, misses[:2]
