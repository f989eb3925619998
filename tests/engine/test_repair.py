"""Order repair: units are moved, un-fused units split, and what cannot be ordered runs op by op."""

from collections.abc import Sequence

import pytest
from notation import ops, tree

from fusionlab.engine.repair import repair_order
from fusionlab.events import facts as f
from fusionlab.events.log import EventLog
from fusionlab.fusers.fused import Fusion
from fusionlab.plan import (
    BlockOptimization,
    Composed,
    ExecutionStrategy,
    Operations,
    Optimization,
    flat_ordering,
)


def fused(*ordering: int) -> Optimization:
    return Optimization(Fusion("F", (), None), ordering, 1)


def unfused(*ordering: int) -> Operations:
    return Operations(ordering)


def both(*items: ExecutionStrategy) -> Composed:
    return Composed(items)


def repaired(text: str, strategy: ExecutionStrategy) -> tuple[str, Sequence[f.RepairOutcome]]:
    """The strategy after repair, and what had to be done."""
    log = EventLog()
    given = BlockOptimization(strategy, flat_ordering(strategy))
    result = repair_order(given, ops(text), log)
    assert result.ordering == flat_ordering(result.strategy)
    return tree(result.strategy), [event.fact.outcome for event in log.events]


HEAD_AND_TAIL = "Add(t1, t2 → t10); Add(t10, t3 → t100); Add(t100, t4 → t101); Add(!t10, t5 → t11)"
CHAIN = "Add(t1, t2 → t5); Add(t5, t3 → t10); Add(t10, t4 → t20)"
KNOT = "Add(t1, t2 → t10); Add(t10, t6 → t20); Add(t20, t7 → t21); Add(t20, t5 → t11)"
PAIR = "Add(t1, t2 → t10); Add(t10, t3 → t11)"

MOVED, SPLIT, LOST = f.RepairOutcome.REORDERED, f.RepairOutcome.SPLIT, f.RepairOutcome.FELL_BACK


@pytest.mark.parametrize(
    ("text", "strategy", "result", "done"),
    [
        (
            HEAD_AND_TAIL,
            both(fused(1, 2), unfused(0, 3)),
            "C(U[0]; F(1)[1, 2]; U[3])",
            [SPLIT],
        ),
        (CHAIN, both(unfused(2), fused(0, 1)), "C(F(1)[0, 1]; U[2])", [MOVED]),
        (KNOT, both(fused(0, 3), fused(1, 2)), "U[0, 1, 2, 3]", [LOST]),
        (PAIR, fused(1, 0), "U[0, 1]", [LOST]),
        (PAIR, fused(0, 1), "F(1)[0, 1]", []),
        (PAIR, unfused(1, 0), "U[0, 1]", [LOST]),
        (CHAIN, both(fused(0, 1), unfused(2)), "C(F(1)[0, 1]; U[2])", []),
        (CHAIN, both(unfused(2), unfused(0, 1)), "C(U[0, 1]; U[2])", [MOVED]),
    ],
    ids=[
        "an un-fused unit around a kernel is split",
        "a unit in front of its maker is moved",
        "kernels that feed each other are given up",
        "a kernel with its reader first is given up",
        "a kernel in order is left alone",
        "single ops in the wrong order are sorted",
        "units in order are left alone",
        "un-fused units are moved whole",
    ],
)
def test_repair(text, strategy, result, done) -> None:
    assert repaired(text, strategy) == (result, done)


def test_a_unit_that_is_wrong_inside_is_given_up_even_when_the_units_can_be_ordered() -> None:
    chain = "Add(t1, t2 → t5); Add(t5, t3 → t10); Add(t10, t4 → t20)"
    assert repaired(chain, both(unfused(0), fused(2, 1))) == ("U[0, 1, 2]", [LOST])


def test_a_last_use_runs_behind_every_other_reader() -> None:
    freed_first = "Exp(!t1 → t2); Exp(t1 → t3)"
    result, done = repaired(freed_first, both(unfused(0), unfused(1)))
    assert (result, done) == ("C(U[1]; U[0])", [MOVED])


def test_the_tail_of_a_nested_search_stays_one_unit() -> None:
    nested = both(fused(1, 2), both(unfused(0), unfused(3)))
    assert repaired(HEAD_AND_TAIL, nested) == ("U[0, 1, 2, 3]", [LOST])
