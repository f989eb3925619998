"""Goals that a learner's own program can reach: any program counts that the engine confirms.

In: a reading of the learner's program, and one of the program it started from. Out: yes or no.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fusionlab.events import facts as f
from fusionlab.fusers.scoring import ACCESS_POINTS
from fusionlab.learn.answers import Answer
from fusionlab.learn.lookups import guard_line, log_lines, stop_line
from fusionlab.learn.questions import cache_hit, explorations, hit_pattern, launches
from fusionlab.learn.reading import Reading, Step
from fusionlab.plan import OnOperations, Optimization, leaves
from fusionlab.views import words

Goal = Callable[[Reading, Reading], bool]


def _fused(step: Step) -> list[f.ExecutedBlock]:
    started = step.facts(f.ExecutionStarted)
    return [block for fact in started for block in fact.blocks if block.fuser is not None]


def _all_fused(reading: Reading) -> list[f.ExecutedBlock]:
    return [block for step in reading.steps for block in _fused(step)]


def _last_run(reading: Reading) -> Step | None:
    """The last drain that ran something."""
    ran = [step for step in reading.drains if step.facts(f.ExecutionStarted)]
    return ran[-1] if ran else None


# --- own programs --------------------------------------------------------------------------------


def together_before_drain(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """At least two ops run together at a request that is no drain."""
    return any(_size(fact) > 1 for step in mine.ops for fact in step.facts(f.ExecutionStarted))


def _size(fact: f.ExecutionStarted) -> int:
    return sum(len(block.operations) for block in fact.blocks)


def output_shape_201(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """Some op makes a tensor of relative shape [2,0,1]."""
    return any(t.shape == (2, 0, 1) for op in mine.relative for t in op.outputs)


def two_forms_of_five(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """Five reads: two explore, three hit."""
    pattern = hit_pattern(mine).split()
    return sorted(pattern) == ["E", "E", "H", "H", "H"]


def two_plans_at_once(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """One registered op lets two stored plans run."""
    return any(len(step.facts(f.PlanReused)) > 1 for step in mine.ops)


def dependent_of_three(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """A dependent block opens, and three blocks live."""
    opened = mine.facts(f.BlockOpened)
    return any(fact.depends_on is not None and fact.total >= 3 for fact in opened)


def stops_at_five(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """The search stops because five blocks are full."""
    return any("max_blocks=5 reached" in str(line) for line in stop_line(mine))


def five_winners(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """Each of the five fusers runs a fused unit."""
    return len({block.fuser for block in _all_fused(mine)}) >= 5


def score_in_the_nine_hundreds(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """Some unit scores from 900 to 999."""
    return any(900 <= block.score < 1000 for block in _all_fused(mine))


def moved_and_two_fused(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """A plan that does not run in order of registration and holds two fused units."""
    return any(
        list(plan.ordering) != sorted(plan.ordering)
        and sum(isinstance(leaf, Optimization) for leaf in leaves(plan.strategy)) >= 2
        for plan in mine.plans
    )


def three_triggers(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """One plan has three triggers."""
    return any(len(plan.triggers) >= 3 for plan in mine.plans)


def capped_third_hits(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """Two explorations are allowed, two happen, and the third read is a hit."""
    if mine.run.config.max_explorations != 2 or explorations(mine) != 2 or len(mine.drains) < 3:
        return False
    return cache_hit(mine, 2).startswith("hit")


def two_known_lines(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """A read prints a composed strategy of two and an exploration of four ops."""
    wanted: set[Answer] = {
        "selected composed strategy (2 sub-strategies)",
        "[plan] exploration completed: sync, 4/4 ops optimized",
    }
    return any(wanted <= set(map(str, log_lines(mine, step.index))) for step in mine.drains)


# --- flips ---------------------------------------------------------------------------------------


def last_read_hits(mine: Reading, start: Reading) -> bool:
    """The last read runs a stored plan, and there are as many reads as before."""
    same = len(mine.drains) == len(start.drains)
    return same and bool(mine.drains) and cache_hit(mine, -1).startswith("hit")


def last_read_explores(mine: Reading, start: Reading) -> bool:
    """The last read searches; op names and shapes are those of the start."""
    same = _names_and_shapes(mine) == _names_and_shapes(start)
    return same and bool(mine.drains) and cache_hit(mine, -1).startswith("explore")


def _names_and_shapes(reading: Reading) -> list[object]:
    ops = [step.op for step in reading.ops if step.op is not None]
    return [(op.spec, [t.shape for t in op.nodes]) for op in ops if words.short(op.kind) != "Drop"]


def two_kernels(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """The last drain runs exactly two fused units."""
    last = _last_run(mine)
    return last is not None and len(_fused(last)) == 2


def one_kernel_for_all(mine: Reading, start: Reading) -> bool:
    """The last drain runs one fused unit with as many ops as the start had."""
    mine_last, start_last = _last_run(mine), _last_run(start)
    if mine_last is None or start_last is None:
        return False
    units = [b for fact in mine_last.facts(f.ExecutionStarted) for b in fact.blocks]
    before = [b for fact in start_last.facts(f.ExecutionStarted) for b in fact.blocks]
    ops = sum(len(block.operations) for block in before)
    return len(units) == 1 and units[0].fuser is not None and len(units[0].operations) == ops


def nothing_fused(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """The last drain runs one op, un-fused."""
    last = _last_run(mine)
    if last is None or _fused(last):
        return False
    return sum(_size(fact) for fact in last.facts(f.ExecutionStarted)) == 1


def lone_op_scores(mine: Reading, start: Reading) -> bool:
    """A unit of one op saves an access or more, and no op was added."""
    same = len(mine.ops) <= len(start.ops)
    return same and any(
        block.score >= ACCESS_POINTS and len(block.operations) == 1 for block in _all_fused(mine)
    )


def one_launch_with_sum(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """The last drain launches once, and a SumDim is in it."""
    last = _last_run(mine)
    if last is None or launches(mine, last.index) != 1:
        return False
    blocks = [block for fact in last.facts(f.ExecutionStarted) for block in fact.blocks]
    return any(words.short(op.kind) == "SumDim" for block in blocks for op in block.operations)


def on_operations_stored(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """Some plan has the trigger OnOperations."""
    return any(isinstance(t, OnOperations) for plan in mine.plans for t in plan.triggers)


def search_stops(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """The search stops because the blocks are full."""
    return any("max_blocks=" in str(line) for line in stop_line(mine))


def dependent_block(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """A dependent block opens."""
    return any(fact.depends_on is not None for fact in mine.facts(f.BlockOpened))


def all_but_first_hit(mine: Reading, start: Reading) -> bool:
    """Every read after the first is a hit, and there are as many as before."""
    pattern = hit_pattern(mine).split()
    return len(pattern) == len(start.drains) and pattern[1:] == ["H"] * (len(pattern) - 1)


def reduce_broadcasted_wins(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """ReduceBroadcasted runs a fused unit."""
    return any(block.fuser == "ReduceBroadcasted" for block in _all_fused(mine))


def guard_fires(mine: Reading, start: Reading) -> bool:  # noqa: ARG001
    """A matched plan does not fit and runs un-fused."""
    return bool(guard_line(mine))


GOALS: Mapping[str, Goal] = {
    goal.__name__: goal
    for goal in (
        together_before_drain,
        output_shape_201,
        two_forms_of_five,
        two_plans_at_once,
        dependent_of_three,
        stops_at_five,
        five_winners,
        score_in_the_nine_hundreds,
        moved_and_two_fused,
        three_triggers,
        capped_third_hits,
        two_known_lines,
        last_read_hits,
        last_read_explores,
        two_kernels,
        one_kernel_for_all,
        nothing_fused,
        lone_op_scores,
        one_launch_with_sum,
        on_operations_stored,
        search_stops,
        dependent_block,
        all_but_first_hit,
        reduce_broadcasted_wins,
        guard_fires,
    )
}
"""By name."""
