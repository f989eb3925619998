"""What rows say: where fusing starts to pay, what it moves, and where it loses.

In: rows. Out: findings, each a key of the catalog (``bench.<key>``) and the values of its sentence.
A finding is a rule over numbers of one run; no sentence is chosen before the numbers are there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from fusionlab.bench.costs import Costs, costs_of
from fusionlab.bench.model import ENGINE, FUSIONLAB, KERNEL, NUMPY, TWIN, Table
from fusionlab.bench.workloads import BY_NAME, COMPILE, FAMILIES, Size, Workload

_NEARLY_ALL = 1.15
"""A speed-up below this is called small."""
_NOISE = 1.05
"""Times this close together are told as equal."""
_SAME_CAUSE = 1.6
"""A speed-up of up to so many times the saved traffic is put down to the saved traffic."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence to be: its key below ``bench`` and its values (durations in microseconds)."""

    key: str
    values: dict[str, object] = field(default_factory=dict)


class Pays(Enum):
    """At which sizes fusing is faster than NumPy."""

    ALWAYS = "always"
    NEVER = "never"
    FROM = "from"


@dataclass(frozen=True, slots=True)
class Crossover:
    """From which size on a workload is faster fused; ``side`` is the square root of elements."""

    workload: str
    pays: Pays
    side: float = 0.0


@dataclass(frozen=True, slots=True)
class Point:
    """One size of a workload: its elements and a number."""

    size: Size
    value: float


def size_of(text: str) -> Size:
    """A size from its text in a row."""
    n, m = text.split("x")
    return Size(int(n), int(m))


def elements(size: Size) -> int:
    """How many numbers a matrix of this size has."""
    return size.n * size.m


def times(table: Table, workload: str, contender: str) -> list[Point]:
    """The microseconds of a contender by size, small sizes first."""
    points = [
        Point(size_of(size), us)
        for size in table.sizes(workload, contender)
        if (us := table.us(workload, size, contender)) is not None
    ]
    return sorted(points, key=lambda point: elements(point.size))


def speed_ups(table: Table, workload: str, contender: str = ENGINE) -> list[Point]:
    """How many times as fast as NumPy, by size."""
    own = times(table, workload, contender)
    numpy = {point.size: point.value for point in times(table, workload, NUMPY)}
    return [Point(p.size, numpy[p.size] / p.value) for p in own if p.size in numpy]


def crossover(table: Table, workload: str) -> Crossover:
    """Where the speed-up of a workload passes 1 for good, between two measured sizes."""
    points = speed_ups(table, workload)
    losing = [at for at, point in enumerate(points) if point.value < 1]
    if not losing:
        return Crossover(workload, Pays.ALWAYS)
    last = losing[-1]
    if last == len(points) - 1:
        return Crossover(workload, Pays.NEVER)
    below, above = points[last], points[last + 1]
    # Both axes are logarithmic in the chart, so a straight line there is meant.
    share = -math.log(below.value) / (math.log(above.value) - math.log(below.value))
    low, high = (math.log(elements(point.size)) for point in (below, above))
    return Crossover(workload, Pays.FROM, math.exp((low + share * (high - low)) / 2))


def rounded_side(side: float) -> int:
    """A side to two digits: more would claim more than a line between two sizes can know."""
    digits = max(0, math.floor(math.log10(side)) - 1)
    step: int = 10**digits
    return round(side / step) * step


# --- titles ------------------------------------------------------------------------------------


def headline(table: Table) -> Finding:
    """The one sentence over the page."""
    found = {crossover(table, name).pays for name in FAMILIES}
    if found == {Pays.ALWAYS}:
        return Finding("headline.always")
    if Pays.NEVER in found:
        return Finding("headline.never")
    return Finding("headline.from")


def crossover_title(table: Table) -> Finding:
    """Over the chart of speed-ups: the size below which at least one family loses."""
    found = [crossover(table, name) for name in FAMILIES]
    if any(each.pays is Pays.NEVER for each in found):
        return Finding("crossover.never")
    sides = [each.side for each in found if each.pays is Pays.FROM]
    return (
        Finding("crossover.from", {"side": rounded_side(max(sides))})
        if sides
        else Finding("crossover.always")
    )


@dataclass(frozen=True, slots=True)
class Gain:
    """One workload at one size, op by op and fused. Times in microseconds, roof in bytes a second.

    ``roof`` is what the memory-only twin moved; ``None`` where there is no twin.
    """

    workload: Workload
    size: Size
    costs: Costs
    before_us: float
    after_us: float
    roof: float | None

    @property
    def speed_up(self) -> float:
        """How many times as fast as op by op."""
        return self.before_us / self.after_us

    @property
    def saved_traffic(self) -> float:
        """How many times fewer bytes cross memory."""
        return self.costs.bytes_before / self.costs.bytes_after

    def of_roof(self) -> float | None:
        """The share of the roof that the fused program reaches."""
        if self.roof is None:
            return None
        return self.costs.bytes_after / (self.after_us / 1e6) / self.roof


def gain(table: Table, workload: str, size: Size | None = None) -> Gain | None:
    """A workload at a size (by default the largest that was measured)."""
    both = [point.size for point in speed_ups(table, workload, FUSIONLAB)]
    if not both:
        return None
    chosen = both[-1] if size is None else size
    before = table.us(workload, str(chosen), NUMPY)
    after = table.us(workload, str(chosen), FUSIONLAB)
    if before is None or after is None:
        return None
    known, twin = BY_NAME[workload], table.us(workload, str(chosen), TWIN)
    costs = costs_of(known, chosen)
    roof = None if twin is None else costs.bytes_after / (twin / 1e6)
    return Gain(known, chosen, costs, before, after, roof)


def roofline_title(found: Gain) -> Finding:
    """Over the roofline: is the gain what was saved in traffic?"""
    values: dict[str, object] = {"times": found.speed_up, "less": found.saved_traffic}
    if _is_same(found.speed_up):
        return Finding("roofline.same", values)
    if found.speed_up < 1:
        return Finding("roofline.loses", values)
    if found.speed_up < _NEARLY_ALL:
        return Finding("roofline.little", values)
    if found.speed_up <= found.saved_traffic * _SAME_CAUSE:
        return Finding("roofline.moves_less", values)
    return Finding("roofline.more", values)


def _is_same(speed_up: float) -> bool:
    return 1 / _NOISE < speed_up < _NOISE


def traffic_title(found: Gain) -> Finding:
    """Over the bytes: how much less is moved."""
    if found.costs.launches > 1:
        return Finding("traffic.launches", {"less": found.saved_traffic, "n": found.costs.launches})
    return Finding("traffic.one", {"less": found.saved_traffic, "ops": found.costs.ops})


def time_title(table: Table, workload: str) -> Finding:
    """Over the times by size: at the largest one, and against the limit."""
    found = gain(table, workload)
    if found is None:
        return Finding("time.missing")
    share = found.of_roof()
    values: dict[str, object] = {"times": found.speed_up, "size": found.size}
    if _is_same(found.speed_up):
        return Finding("time.same", values)
    if found.speed_up < 1:
        return Finding("time.loses", {**values, "times": 1 / found.speed_up})
    if share is None:
        return Finding("time.wins", values)
    return Finding("time.of_limit", {**values, "percent": round(100 * share)})


# --- where fusing loses -------------------------------------------------------------------------


def losses(table: Table) -> Iterator[Finding]:
    """What there is to say against fusing, in the order of the page."""
    for rule in (_small_sizes, _matmul, _cold_compile, _bare_reduction):
        found = rule(table)
        if found is not None:
            yield found


def _small_sizes(table: Table) -> Finding | None:
    engine, numpy = times(table, "w1", ENGINE), times(table, "w1", NUMPY)
    kernel = times(table, "w1", KERNEL)
    if not (engine and numpy and kernel):
        return None
    values: dict[str, object] = {
        "size": engine[0].size,
        "engine": engine[0].value,
        "numpy": numpy[0].value,
        "kernel": kernel[0].value,
    }
    return Finding("loss.small" if engine[0].value > numpy[0].value else "loss.small_none", values)


def _matmul(table: Table) -> Finding | None:
    found = gain(table, "matmul_bias_relu")
    if found is None:
        return None
    values: dict[str, object] = {"size": found.size, "times": found.speed_up}
    if _is_same(found.speed_up):
        return Finding("loss.matmul_same", values)
    if found.speed_up < 1:
        return Finding("loss.matmul_loses", {**values, "times": 1 / found.speed_up})
    return Finding("loss.matmul_little" if found.speed_up < _NEARLY_ALL else "loss.matmul", values)


def _cold_compile(table: Table) -> Finding | None:
    compiling = table.us(COMPILE, "4 ops", FUSIONLAB)
    engine, numpy = times(table, "w1", ENGINE), times(table, "w1", NUMPY)
    if compiling is None or not engine:
        return None
    saved = [(e.size, n.value - e.value) for e, n in zip(engine, numpy, strict=True)]
    repaid = [(size, math.ceil(compiling / us)) for size, us in saved if us > 0]
    never = [size for size, us in saved if us <= 0]
    if not repaid:
        return Finding("loss.compile_never", {"compile": compiling})
    values: dict[str, object] = {"compile": compiling, "size": repaid[-1][0], "n": repaid[-1][1]}
    if not never:
        return Finding("loss.compile", {**values, "small": repaid[0][0], "m": repaid[0][1]})
    return Finding("loss.compile_partly", {**values, "small": never[-1]})


def _bare_reduction(table: Table) -> Finding | None:
    bare, headed = gain(table, "softmax_bare"), gain(table, "softmax")
    if bare is None or headed is None or bare.size != headed.size:
        return None
    slower = bare.after_us / headed.after_us
    if bare.costs.launches == 1 or slower < _NEARLY_ALL:
        return None
    return Finding(
        "loss.bare",
        {
            "size": bare.size,
            "n": bare.costs.launches,
            "bare": bare.after_us,
            "headed": headed.after_us,
        },
    )
