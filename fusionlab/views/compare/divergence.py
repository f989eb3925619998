"""Where two runs part for the first time, and why, in sentences made of facts.

In: a pair of requests that differ. Out: what each side asks for, which field differs, and what
follows from it. The engine compares relative ops, so the two relative ops are compared here too;
when they are equal, the first decision that differs is told in the words of each own caption.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fusionlab.events import facts as f
from fusionlab.ir.difference import first_difference
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorIr, TensorStatus
from fusionlab.views import words
from fusionlab.views.compare.requests import Request
from fusionlab.views.moment import Moment
from fusionlab.views.narrate import said_of
from fusionlab.views.said import Line, line

_PATH = re.compile(r"(inputs|outputs)\[(\d+)\]\.(\w+)")


def differ(one: Request | None, two: Request | None) -> bool:
    """Whether two partners ask for something else, or decide otherwise."""
    if one is None or two is None:
        return True
    return one.relative != two.relative or one.essences != two.essences


def reasons(one: Request | None, two: Request | None) -> tuple[Line, ...]:
    """Why two partners that differ do, in at most three sentences."""
    if one is None or two is None:
        only = one or two
        side = "a" if two is None else "b"
        return () if only is None else (line(f"compare.why.only_{side}", op=only.name),)
    mine, other = one.relative, two.relative
    if mine is None or other is None or mine == other:
        return tuple(_decisions(one, two))
    field = first_difference(mine, other)
    return (
        line("compare.why.asks", a=asked(mine, field), b=asked(other, field)),
        _reason(field, mine, other),
        *_consequence(one, two),
    )


# --- the op ------------------------------------------------------------------------------------


def asked(op: OperationIr, field: str) -> str:
    """An op with the part of it that matters: ``Random → t0:[1,1]``, ``Mul(t3:RW)``."""
    kind = words.short(op.kind)
    if field == "kind":
        return op.kind
    found = _PATH.fullmatch(field)
    if found is not None:
        side, index, part = found.groups()
        tensor = _written(getattr(op, side)[int(index)], part)
        return f"{kind} → {tensor}" if side == "outputs" else f"{kind}({tensor})"
    if field.startswith("args."):
        name = field.removeprefix("args.")
        return f"{kind}({name}={words.value(dict(op.args).get(name))})"
    return f"{kind}({', '.join(words.names(op.inputs))})"


def _written(tensor: TensorIr, part: str) -> str:
    match part:
        case "dtype":
            return f"{words.name(tensor)}:{tensor.dtype.value}"
        case "status":
            return f"{words.name(tensor)}:{words.STATUS_MARKS[tensor.status]}"
        case "id":
            return words.name(tensor)
        case _:
            return f"{words.name(tensor)}:{words.ids(tensor.shape)}"


def _reason(field: str, one: OperationIr, two: OperationIr) -> Line:
    """Which field of the op differs, in words."""
    found = _PATH.fullmatch(field)
    if found is None:
        if field == "kind":
            return line("compare.why.kind")
        if field.startswith("args."):
            return line("compare.why.argument", name=field.removeprefix("args."))
        return line("compare.why.count", a=len(one.nodes), b=len(two.nodes))
    side, index, part = found.groups()
    left, right = getattr(one, side)[int(index)], getattr(two, side)[int(index)]
    match part:
        case "shape":
            return _shape(one, two, left, right)
        case "status":
            return _status(left, right)
        case "dtype":
            return line("compare.why.dtype", tensor=words.name(right))
        case _:
            return line("compare.why.id", a=words.name(left), b=words.name(right))


def _shape(one: OperationIr, two: OperationIr, left: TensorIr, right: TensorIr) -> Line:
    if len(left.shape) != len(right.shape):
        return line("compare.why.rank", a=len(left.shape), b=len(right.shape))
    pairs = enumerate(zip(left.shape, right.shape, strict=True))
    at, (a, b) = next((n, (x, y)) for n, (x, y) in pairs if x != y)
    if 0 in (a, b):
        return line(f"compare.why.size_one_{'a' if a == 0 else 'b'}", dimension=at + 1)
    fresh = [_is_new(op, tensor, at) for op, tensor in ((one, left), (two, right))]
    if fresh[0] is not fresh[1]:
        return line(f"compare.why.new_{'a' if fresh[0] else 'b'}", dimension=at + 1)
    return line("compare.why.number", dimension=at + 1, a=a, b=b)


def _is_new(op: OperationIr, tensor: TensorIr, at: int) -> bool:
    """Whether a number is met for the first time in this op at this dimension."""
    number = tensor.shape[at]
    before = [n for node in op.nodes for n in node.shape if node is not tensor]
    before = [n for n in before if n < number] + list(tensor.shape[:at])
    return number not in before


def _status(left: TensorIr, right: TensorIr) -> Line:
    last = "a" if left.status is TensorStatus.READ_WRITE else "b"
    return line(f"compare.why.last_use_{last}", tensor=words.name(right))


# --- what follows ------------------------------------------------------------------------------


def _consequence(one: Request, two: Request) -> Iterator[Line]:
    """What the policy made of the difference."""
    a, b = _found(one), _found(two)
    if a is not None and b is not None:
        if a != b:
            yield line("compare.why.both_find", a=a, b=b)
    elif a is not None:
        key = "compare.why.a_keeps" if _position(two) else "compare.why.a_finds"
        yield line(key, plan=a, position=_position(two))
    elif b is not None:
        key = "compare.why.b_keeps" if _position(one) else "compare.why.b_finds"
        yield line(key, plan=b, position=_position(one))
    elif _searches(one) and _searches(two):
        yield line("compare.why.both_search")


def _found(request: Request) -> int | None:
    """The plan that fits so far: the one that ran, or that the policy waits for."""
    for event in request.events:
        if isinstance(event.fact, f.PlanReused):
            return int(event.fact.plan)
    stream = Moment(request.run, request.end - 1).stream
    if stream.candidates:
        return int(max(stream.candidates, key=lambda c: c.matched).plan)
    return int(stream.availables[0].plan) if stream.availables else None


def _position(request: Request) -> int:
    return request.column.position


def _searches(request: Request) -> bool:
    return any(isinstance(event.fact, f.ExplorationStarted) for event in request.events)


# --- the same op, another decision -------------------------------------------------------------


def _decisions(one: Request, two: Request) -> Iterator[Line]:
    """The first decision that differs, in the words of each side."""
    pairs = zip(one.decided, two.decided, strict=False)
    parting = next(((a, b) for (a, x), (b, y) in pairs if x != y), None)
    yield line("compare.why.same_op")
    if parting is None:
        shorter = min(len(one.decided), len(two.decided))
        parting = _step(one, shorter), _step(two, shorter)
    for side, request, step in (("a", one, parting[0]), ("b", two, parting[1])):
        what = said_of(Moment(request.run, step)).what
        yield line(f"compare.why.side_{side}", what=what)


def _step(request: Request, index: int) -> int:
    known = request.decided[index:] or request.decided[-1:]
    return known[0][0] if known else request.first
