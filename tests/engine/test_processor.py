"""The loop of one stream, over a queue that keeps its ops as they are."""

import pytest
from engine.blocks import scripted
from notation import ops, tree

from fusionlab.engine.explorer import Explorer
from fusionlab.engine.optimizer import StreamOptimizer
from fusionlab.engine.policy import Policy
from fusionlab.engine.processor import Processor
from fusionlab.engine.store import ExecutionPlanStore
from fusionlab.errors import InvariantError
from fusionlab.events.log import NullRecorder
from fusionlab.ir.operation import OperationIr
from fusionlab.plan import (
    BlockOptimization,
    Defer,
    ExecutionMode,
    OnOperations,
    OnSync,
    PlanId,
)

ADD, SCALED, LOG = ops("Add(t0, t1 → t2); AddScalar(t0 → t2); Log(t0 → t0)")
KINDS = {"1": ADD, "2": SCALED, "3": LOG}


class Segment:
    """A queue without renaming."""

    def __init__(self) -> None:
        self.operations: list[OperationIr] = []

    @property
    def relative(self) -> list[OperationIr]:
        return self.operations

    def __len__(self) -> int:
        return len(self.operations)


class Loop:
    """A processor with scripted fusers; ops are the letters 1, 2, 3."""

    def __init__(self, *scripts: str, max_explorations: int | None = None) -> None:
        recorder = NullRecorder()
        fusers = scripted(*([KINDS[c] for c in script] for script in scripts))
        self.queue = Segment()
        self.store = ExecutionPlanStore()
        self.explorer = Explorer(StreamOptimizer(fusers, 5, recorder), max_explorations, recorder)
        self.executed: list[PlanId | None] = []
        self.processor = Processor(self.queue, self.store, self.explorer, self._run, recorder)

    def _run(self, plan: PlanId | None, optimization: BlockOptimization) -> None:
        self.executed.append(plan)
        del self.queue.operations[: len(optimization.ordering)]

    def add(self, letters: str) -> tuple[list[int], int]:
        """Register ops; the queue length after each, and all executions so far."""
        lengths = []
        for letter in letters:
            self.queue.operations.append(KINDS[letter])
            self.processor.process(ExecutionMode.LAZY)
            lengths.append(len(self.queue))
        return lengths, len(self.executed)

    def sync(self) -> tuple[list[int], int]:
        """Drain; the same answer."""
        self.processor.process(ExecutionMode.SYNC)
        return [len(self.queue)], len(self.executed)

    def plan(self, index: int) -> str:
        """A plan as ``ops trigger strategy``."""
        plan = self.store.plans[index]
        letters = {op: letter for letter, op in KINDS.items()}
        triggers = " ".join(
            "on:" + "".join(letters[op] for op in trigger.operations)
            if isinstance(trigger, OnOperations)
            else type(trigger).__name__.lower()
            for trigger in plan.triggers
        )
        written = "".join(letters[op] for op in plan.operations)
        return f"{written} {triggers} {tree(plan.optimization.strategy)}"


def test_scenario_one_every_pair_of_ops_gets_a_plan_and_is_found_again() -> None:
    loop = Loop("12", "22")
    assert loop.add("1") == ([1], 0)
    assert loop.add("1") == ([0], 1)
    assert loop.plan(0) == "11 always U[0, 1]"
    assert loop.add("1") == ([1], 1)
    assert loop.add("2") == ([0], 2)
    assert loop.plan(1) == "12 always P0(2)[0, 1]"
    assert loop.add("2") == ([1], 2)
    assert loop.add("2") == ([0], 3)
    assert loop.plan(2) == "22 always P1(2)[0, 1]"
    assert loop.add("12") == ([1, 0], 4)
    assert loop.add("22") == ([1, 0], 5)
    assert loop.executed == [0, 1, 2, 1, 2]
    assert len(loop.store.plans) == 3


def test_scenario_two_an_op_that_nobody_wants_runs_at_once() -> None:
    loop = Loop("12")
    assert loop.add("3") == ([0], 1)
    assert loop.plan(0) == "3 always U[0]"
    assert loop.add("3") == ([0], 2)
    assert loop.add("1") == ([1], 2)
    assert loop.add("3") == ([0], 3)
    assert loop.plan(1) == "13 always U[0, 1]"
    assert loop.executed == [0, 0, 1]


def test_scenario_three_a_plan_collects_triggers_and_a_drain_gets_its_own() -> None:
    loop = Loop("12", "1211")
    assert loop.add("121") == ([1, 2, 3], 0)
    assert loop.add("2") == ([2], 1)
    assert loop.plan(0) == "12 on:12 P0(2)[0, 1]"
    assert loop.add("2") == ([0], 3)
    assert loop.plan(0) == "12 on:12 on:2 P0(2)[0, 1]"
    assert loop.plan(1) == "2 always U[0]"
    assert loop.add("121") == ([1, 2, 3], 3)
    assert loop.add("1") == ([0], 4)
    assert loop.plan(2) == "1211 always P1(4)[0, 1, 2, 3]"
    assert loop.add("121") == ([1, 2, 3], 4)
    assert loop.sync() == ([0], 5)
    assert loop.plan(3) == "121 onsync C(P0(2)[0, 1]; U[2])"
    assert loop.plan(0) == "12 on:12 on:2 P0(2)[0, 1]"
    assert loop.add("3") == ([0], 6)
    assert loop.plan(4) == "3 always U[0]"
    assert loop.add("3") == ([0], 7)
    assert len(loop.store.plans) == 5


def test_scenario_four_a_drain_that_fuses_only_a_prefix_is_found_again_as_a_whole() -> None:
    loop = Loop("12", "1231")
    for round_ in (1, 2):
        assert loop.add("123")[0] == [1, 2, 3]
        assert loop.sync() == ([0], round_)
        assert loop.explorer.num_explorations == 1
    assert loop.plan(0) == "123 onsync C(P0(2)[0, 1]; U[2])"


def test_a_lazily_found_plan_runs_again_when_the_same_op_follows() -> None:
    """No drain anywhere: the pair waits for the op behind it, and then runs from the store."""
    loop = Loop("12", "1211")
    assert loop.add("123") == ([1, 2, 0], 2)
    assert loop.plan(0) == "12 on:3 P0(2)[0, 1]"
    assert loop.plan(1) == "3 always U[0]"
    assert loop.add("123") == ([1, 2, 0], 4)
    assert loop.executed == [0, 1, 0, 1]
    assert loop.explorer.num_explorations == 2


def test_past_the_cap_everything_runs_op_by_op_and_nothing_is_stored() -> None:
    loop = Loop("12", max_explorations=1)
    loop.add("3")
    assert loop.add("1") == ([0], 2)
    assert loop.executed == [0, None]
    assert loop.add("3") == ([0], 3)
    assert loop.executed == [0, None, 0], "what is stored is still hit"
    assert len(loop.store.plans) == 1


def test_an_empty_queue_has_nothing_to_drain() -> None:
    loop = Loop("12")
    assert loop.sync() == ([0], 0)


def test_a_drain_that_hits_adds_its_trigger_once() -> None:
    loop = Loop("12")
    for _ in range(3):
        loop.add("1")
        loop.sync()
    assert loop.plan(0) == "1 onsync U[0]"
    assert loop.store.plans[0].triggers == [OnSync()]


def test_waiting_during_a_drain_would_be_our_bug() -> None:
    class Waits(Policy):
        def _action(self, *_: object) -> Defer:
            return Defer()

    loop = Loop("12")
    loop.queue.operations.append(ADD)
    loop.processor.policy = Waits(loop.store, NullRecorder())
    with pytest.raises(InvariantError, match="deferred_in_sync"):
        loop.processor.process(ExecutionMode.SYNC)
