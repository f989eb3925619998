"""The path of a hit: what it must not do, counted instead of timed (`bench/engine.py` times it)."""

import sys
from collections.abc import Callable

from notation import ops

from fusionlab.config import FusionConfig
from fusionlab.engine.dry import DryBackend
from fusionlab.engine.server import FusionServer
from fusionlab.events.log import NullRecorder
from fusionlab.ir.tensor import StreamId

HOME = StreamId(0)
EXPRESSION = (
    "Mul(t{0}, t{1} → t{2}); MulScalar(t{3} → t{4}); Add(!t{2}, !t{4} → t{5}); Exp(!t{5} → t{6})"
)


def expression(round_: int) -> list:
    """The seed expression on fresh tensors."""
    return ops(EXPRESSION.format(*range(10 * round_, 10 * round_ + 7)))


def server() -> FusionServer[DryBackend]:
    return FusionServer(FusionConfig(), DryBackend(), NullRecorder())


def run(it: FusionServer[DryBackend], operations: list) -> None:
    for op in operations:
        it.register(HOME, op)
    it.drain(HOME)


def calls_of(action: Callable[[], None]) -> int:
    """How many Python functions an action calls."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


def test_a_segment_that_goes_on_as_expected_is_made_of_the_plans_own_ops() -> None:
    it = server()
    run(it, expression(0))
    run(it, expression(1))
    for op in expression(2):
        it.register(HOME, op)
    queued = it.streams[HOME].queue.relative
    assert all(one is two for one, two in zip(queued, it.store.plans[0].operations, strict=True))


def test_a_hit_costs_the_same_however_many_plans_begin_alike() -> None:
    few, many = server(), server()
    run(few, expression(0))
    for length in range(1, 51):
        run(many, [*expression(100 + length), *ops(f"{length}×Exp(t7 → t{9000 + 100 * length})")])
    run(many, expression(0))
    assert len(many.store.plans) > 50
    counts = []
    for it in (few, many):
        run(it, expression(1))
        segment = expression(2)
        counts.append(calls_of(lambda it=it, segment=segment: run(it, segment)))
    assert counts[0] == counts[1]


def test_the_cost_of_a_hit_grows_with_its_ops_and_with_nothing_else() -> None:
    costs = []
    for length in (10, 20, 40):
        it = server()
        for start in (0, 1000):
            run(it, ops(f"{length}×Exp(t{start + 500} → t{start})"))
        segment = ops(f"{length}×Exp(t2500 → t2000)")
        costs.append(calls_of(lambda it=it, segment=segment: run(it, segment)))
    assert costs[2] - costs[1] == 2 * (costs[1] - costs[0])


def test_nobody_listening_nothing_is_told() -> None:
    """The engine asks first whether anybody listens."""

    class Deaf(NullRecorder):
        def emit(self, fact: object) -> None:
            raise AssertionError(f"told to nobody: {fact}")

    it = FusionServer(FusionConfig(), DryBackend(), Deaf())
    run(it, expression(0))
    run(it, expression(1))
    assert len(it.store.plans) == 1
