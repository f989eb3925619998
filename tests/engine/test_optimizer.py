"""The search: where an op goes, when it stops, and the strategy that comes out."""

from collections.abc import Sequence

import pytest
from engine.blocks import BURN, scripted
from notation import op, ops, tree

from fusionlab.engine.optimizer import StreamOptimizer
from fusionlab.events import facts as f
from fusionlab.events.log import EventLog, NullRecorder
from fusionlab.fusers.base import OperationFuser
from fusionlab.ir.operation import OperationIr

A1, A2, A3 = ops("Add(t100, t101 → t102); Add(t102, t103 → t104); Add(t104, t105 → t106)")
B1, B2 = ops("Add(t200, t201 → t202); Add(t202, t203 → t204)")
C = op("Add(t104, t204 → t105)")


def search(
    operations: Sequence[OperationIr] | str,
    fusers: Sequence[OperationFuser] = BURN,
    max_blocks: int | None = 5,
    recorder: EventLog | None = None,
) -> StreamOptimizer:
    """A search that has seen these ops."""
    optimizer = StreamOptimizer(fusers, max_blocks, recorder or NullRecorder())
    for each in ops(operations) if isinstance(operations, str) else operations:
        optimizer.register(each)
    return optimizer


def strategy(operations: Sequence[OperationIr] | str, **options) -> str:
    """What the search makes of these ops."""
    listed = ops(operations) if isinstance(operations, str) else operations
    optimization = search(listed, **options).optimize(listed)
    return tree(optimization.strategy)


@pytest.mark.parametrize(
    ("operations", "scripts", "result"),
    [
        ([A1, A2], [[A1, A2]], "P0(2)[0, 1]"),
        ([A1, A2, B1, B2], [[A1, A2], [B1, B2]], "C(P0(2)[0, 1]; P1(2)[2, 3])"),
        ([A1, B1, A2, B2], [[A1, A2], [B1, B2]], "C(P0(2)[0, 2]; P1(2)[1, 3])"),
        ([A1, B1, A2, B2], [[A1, A2, B1, B2]], "P0(4)[0, 2, 1, 3]"),
        ([A1, B1, A2, B2], [[A1, A2]], "C(P0(2)[0, 2]; U[1, 3])"),
        ([A1, A2], [[A2, A1]], "U[0]"),
        ([A1, A2], [[A1, A2, A3]], "U[0, 1]"),
        ([A1, A2], [[A1, A2], [A1, A2, A3]], "P0(2)[0, 1]"),
        ([A1, A2, A3], [[A1, A2], [A1, A2, A3]], "P1(3)[0, 1, 2]"),
        ([A1, A2], [[A1, B1]], "U[0, 1]"),
        ([A1, B1, A2], [[A1, A2, B1, B2]], "U[0, 2, 1]"),
        (
            [A1, A2, B1, B2, C],
            [[A1, A2], [B1, B2]],
            "C(P0(2)[0, 1]; P1(2)[2, 3]; U[4])",
        ),
    ],
    ids=[
        "one chain",
        "two chains",
        "two chains, interleaved",
        "both chains in one kernel",
        "one chain is wanted",
        "the second op starts a fusion: only the head is settled",
        "more is wanted than there is",
        "the shorter one is complete",
        "the longer one wins",
        "another second op is wanted",
        "both blocks merge for a fuser that is still open",
        "an op behind both",
    ],
)
def test_the_strategy_for_some_ops(operations, scripts, result) -> None:
    assert strategy(operations, fusers=scripted(*scripts)) == result


@pytest.mark.parametrize(
    ("operations", "scripts", "more"),
    [
        ([A1, A2], [[A1, A2, A3]], True),
        ([A1, A2], [[A1, A2], [A1, A2, A3]], True),
        ([A1, A2, A3], [[A1, A2], [A1, A2, A3]], False),
        ([A1, A2], [[A1, B1]], False),
        ([A1, B1, A2], [[A1, A2, B1, B2]], True),
        ([], [[A1]], True),
    ],
)
def test_more_ops_may_help_while_a_fuser_of_any_block_is_open(operations, scripts, more) -> None:
    assert search(operations, scripted(*scripts)).is_still_optimizing is more


H, T1, T2 = ops("Add(t100, t101 → t102); Add(t102, t103 → t104); Add(t104, t105 → t106)")
X1, X2 = B1, B2


def test_an_unfusable_head_is_settled_alone_and_the_tail_fuses_in_the_next_search() -> None:
    fusers = scripted([T1, T2])
    assert strategy([H, T1, T2], fusers=fusers) == "U[0]"
    assert strategy([T1, T2], fusers=fusers) == "P0(2)[0, 1]"


def test_a_tail_in_front_of_another_block_is_a_hole_and_is_searched_again() -> None:
    fusers = scripted([T1, T2], [X1, X2])
    assert strategy([H, T1, T2, X1, X2], fusers=fusers) == "C(U[0]; P0(2)[1, 2]; P1(2)[3, 4])"


def test_settling_changes_nothing_so_the_search_goes_on() -> None:
    fusers = scripted([A1, A2, A3])
    optimizer = search([A1, A2], fusers)
    optimizer.optimize([A1, A2])
    optimizer.register(A3)
    assert tree(optimizer.optimize([A1, A2, A3]).strategy) == "P0(3)[0, 1, 2]"


# --- stopping ---------------------------------------------------------------------------------


def test_a_full_set_of_ready_blocks_stops_on_an_op_that_needs_both() -> None:
    log = EventLog()
    optimizer = search([A1, A2, B1, B2], scripted([A1, A2], [B1, B2]), 2, log)
    assert not optimizer.stopped
    optimizer.register(C)
    assert optimizer.stopped
    assert optimizer.length == 4
    assert tree(optimizer.optimize([A1, A2, B1, B2]).strategy) == "C(P0(2)[0, 1]; P1(2)[2, 3])"
    (stopped,) = (e.fact for e in log.events if isinstance(e.fact, f.OptimizerStopped))
    assert (stopped.cause, stopped.position) == (f.StopCause.MAX_BLOCKS_ON_DEPENDENCY, 4)


def test_with_room_left_the_op_that_needs_both_gets_a_block_behind_them() -> None:
    log = EventLog()
    optimizer = search([A1, A2, B1, B2, C], scripted([A1, A2], [B1, B2]), 5, log)
    assert not optimizer.stopped
    opened = [e.fact for e in log.events if isinstance(e.fact, f.BlockOpened)]
    assert opened[-1].depends_on == (0, 1)
    assert opened[-1].total == 3


def test_an_op_that_would_close_a_circle_of_blocks_stops_the_search() -> None:
    """It reads t3 of the first block, so it comes behind; it reads t1, which that block frees."""
    log = EventLog()
    text = "Add(!t1, t2 → t3); Add(t10, t11 → t12); MaskWhere(t1, t3, t12 → t20)"
    optimizer = search(text, (), None, log)
    assert optimizer.stopped
    assert len(optimizer.blocks) == 2
    (stopped,) = (e.fact for e in log.events if isinstance(e.fact, f.OptimizerStopped))
    assert (stopped.cause, stopped.position) == (f.StopCause.CYCLE, 2)


def test_after_a_stop_every_op_is_dropped_and_counts_for_nothing() -> None:
    log = EventLog()
    optimizer = search([A1, A2, B1, B2, C, A3], scripted([A1, A2], [B1, B2]), 2, log)
    assert optimizer.length == 4
    assert isinstance(log.events[-1].fact, f.OpDropped)


def test_a_reset_search_is_a_new_one() -> None:
    optimizer = search([A1, A2, B1, B2, C], scripted([A1, A2], [B1, B2]), 2)
    optimizer.reset()
    assert (optimizer.blocks, optimizer.length, optimizer.stopped) == ([], 0, False)
    optimizer.register(A1)
    assert optimizer.blocks[0].positions == [0]


# --- where an op goes, with burn's fusers ------------------------------------------------------


def placements(text: str, max_blocks: int = 5) -> list[str]:
    """For every op of a text: what the search did with it."""
    log = EventLog()
    search(ops(text), BURN, max_blocks, log)
    told = []
    for event in log.events:
        match event.fact:
            case f.BlockOpened(total=total, depends_on=None):
                told.append(f"new {total}")
            case f.BlockOpened(total=total):
                told.append(f"dependent {total}")
            case f.OpAccepted(blocks=blocks, total=total):
                told.append(f"accepted {len(blocks)}/{total}")
            case f.OptimizerStopped(cause=cause):
                told.append(cause.value)
            case f.OpForced():
                told.append("forced")
    return told


def test_two_ops_that_share_nothing_open_two_blocks_and_a_third_joins_them() -> None:
    text = "Mul(t0, t1 → t2); MulScalar(t3 → t4); Add(!t2, !t4 → t5); Exp(!t5 → t6)"
    assert placements(text) == ["new 1", "new 2", "accepted 1/1", "accepted 1/1"]


def test_neighbours_do_not_matter_only_shared_tensors_do() -> None:
    text = "Exp(t0[8] → t1[8]); Exp(t2[9] → t3[9]); Log(!t1[8] → t4[8]); Log(!t3[9] → t5[9])"
    assert placements(text) == ["new 1", "new 2", "accepted 1/2", "accepted 1/2"]


def chains(count: int, length: int = 2) -> str:
    return "; ".join(f"{length}×Exp(t{900 + i} → t{i * 10})" for i in range(count))


def test_a_full_set_is_merged_to_make_room() -> None:
    """Five chains of one shape fold into one block; the sixth becomes block two."""
    assert placements(chains(6))[-2:] == ["new 2", "accepted 1/2"]


def test_a_full_set_that_cannot_merge_stops_the_search() -> None:
    matmuls = "; ".join(f"Matmul(t{i}, t{i + 50} → t{i + 100})" for i in range(6))
    assert placements(matmuls) == [f"new {n}" for n in range(1, 6)] + ["max_blocks"]


def test_a_matmul_and_an_op_that_cannot_join_it_make_a_dependent_block() -> None:
    text = "Matmul(t0, t1 → t2); Reshape(t3[32] → t4[1,32]); Add(!t2, !t4[1,32] → t5)"
    assert placements(text) == ["new 1", "new 2", "dependent 3"]


def test_one_block_takes_everything_and_says_nothing() -> None:
    assert placements("Exp(t0 → t1); Exp(t2 → t3); Exp(!t1 → t4)", max_blocks=1) == [
        "new 1",
        "forced",
        "forced",
    ]


def test_without_a_cap_there_are_as_many_blocks_as_needed() -> None:
    matmuls = "; ".join(f"Matmul(t{i}, t{i + 50} → t{i + 100})" for i in range(9))
    assert len(search(matmuls, max_blocks=None).blocks) == 9


def test_five_chains_that_never_meet_leave_in_one_kernel() -> None:
    assert strategy(chains(5, 8)) == f"ElementWise(7390){list(range(40))}"


def test_every_position_is_covered_once_up_to_the_last_claimed_one() -> None:
    text = (
        "AddScalar(t1[64,64] → t2[64,64]); Add(t3[16,8], t4[16,8] → t5[16,8]); "
        "SwapDims(!t5[16,8] → t6[8,16]); Exp(!t6[8,16] → t7[8,16]); "
        "MulScalar(!t7[8,16] → t8[8,16]); Exp(!t2[64,64] → t9[64,64])"
    )
    assert strategy(text) == "C(ElementWise(210)[0, 5]; U[1, 2]; ElementWise(210)[3, 4])"
