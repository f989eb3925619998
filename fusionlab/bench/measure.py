"""How one workload at one size is timed, all contenders in one go.

In: what each contender binds to. Out: rows. The results are compared first. Then come rounds: each
works on the next of several separately allocated sets of arrays, forwards or backwards through the
contenders in turn. A visit is one warm call and then so many timed ones; their median is one
sample, and a row holds the quartiles of the samples. Collections wait until a round is over.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from fusionlab.bench.contenders import Group, Inputs, groups_for
from fusionlab.bench.formulas import PLAIN
from fusionlab.bench.fused import input_values
from fusionlab.bench.model import Row
from fusionlab.bench.workloads import Size, Workload
from fusionlab.config import Limits
from fusionlab.errors import InvariantError
from fusionlab.kernels.dtypes import Array
from fusionlab.program import parse_program

BUFFER_SETS = 3
TOLERANCE = 2e-4
"""Relative and absolute: contenders round at different places."""
_VISIT_SECONDS = 0.012
_MOST_CALLS = 40


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure: rounds, and the seconds after which no more than ``least`` are made."""

    rounds: int
    seconds: float
    least: int = 5


FULL = Effort(rounds=15, seconds=25.0)
QUICK = Effort(rounds=7, seconds=4.0)
BRIEF = Effort(rounds=5, seconds=1.2, least=3)


def measure(
    workload: Workload, size: Size, wanted: Sequence[str], threads: int, effort: Effort
) -> Iterator[Row]:
    """The rows of one workload at one size.

    Raises:
        InvariantError: A contender computes something else than the others.
    """
    binds = groups_for(workload, size, wanted, threads)
    sets = [make_inputs(workload, size, seed) for seed in range(BUFFER_SETS)]
    bound = [[bind(inputs) for bind in binds] for inputs in sets]
    for inputs, groups in zip(sets, bound, strict=True):
        check(workload, inputs, groups)
    samples = time_rounds(bound, effort)
    for name in [name for name in wanted if name in samples]:
        low, middle, high = quartiles(samples[name])
        yield Row(
            workload.name,
            str(size),
            name,
            threads,
            *(round(value * 1e6, 3) for value in (middle, low, high)),
        )


def make_inputs(workload: Workload, size: Size, seed: int) -> list[Array]:
    """Arrays for the inputs of the workload's program: uniform from 0 to 1, in new memory."""
    program = parse_program(workload.text(size), workload.name, Limits())
    rng = np.random.default_rng(seed)
    return [rng.random(program.values[i].shape, np.float32) for i in input_values(program)]


def check(workload: Workload, inputs: Inputs, groups: Sequence[Group]) -> None:
    """Every contender computes what the formula says in double precision.

    Raises:
        InvariantError: One does not.
    """
    expected = PLAIN[workload.name](np, *(array.astype(np.float64) for array in inputs))
    for call in (call for group in groups for call in group):
        results = call.run()
        if call.results is None:
            continue
        for got, right in zip(call.results(results), expected, strict=True):
            if not np.allclose(got, right, rtol=TOLERANCE, atol=TOLERANCE):
                raise InvariantError("bench_differs", contender=call.name, workload=workload.name)


def time_rounds(
    sets: Sequence[Sequence[Group]],
    effort: Effort,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, list[float]]:
    """Seconds a call, one sample a round for each contender."""
    samples: dict[str, list[float]] = {}
    started = clock()
    for number in range(effort.rounds):
        if number >= effort.least and clock() - started > effort.seconds:
            break
        groups = sets[number % len(sets)]
        step = -1 if number % 2 else 1
        gc.collect()
        gc.disable()
        try:
            for group in groups[::step]:
                for name, seconds in visit(group[::step], clock).items():
                    samples.setdefault(name, []).append(seconds)
        finally:
            gc.enable()
    return samples


def visit(group: Group, clock: Callable[[], float] = perf_counter) -> Mapping[str, float]:
    """The median seconds of each call of a group, timed in turn after a warm call each."""
    warm = max(_timed(call.run, clock) for call in group)
    count = max(1, min(_MOST_CALLS, int(_VISIT_SECONDS / max(warm, 1e-9))))
    times: dict[str, list[float]] = {call.name: [] for call in group}
    for _ in range(count):
        for call in group:
            times[call.name].append(_timed(call.run, clock))
    return {name: statistics.median(values) for name, values in times.items()}


def _timed(run: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    run()
    return clock() - start


def quartiles(samples: Sequence[float]) -> tuple[float, float, float]:
    """The first quartile, the median and the third quartile."""
    if len(samples) == 1:
        return samples[0], samples[0], samples[0]
    low, middle, high = statistics.quantiles(samples, n=4, method="inclusive")
    return low, middle, high
