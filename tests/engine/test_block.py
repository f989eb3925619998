"""A block knows its tensors, lets its fusers compete, and settles what nobody wants."""

from engine.blocks import BURN, block, scripted
from fakes import OpenFuser
from notation import op, ops, tree

from fusionlab.engine.block import Block
from fusionlab.engine.dag import Reachability, topological_order
from fusionlab.engine.merging import _try_merge


def merged(base: Block, other: Block) -> Block | None:
    """The other's ops behind the base's, if that order is possible and worth it."""
    return _try_merge(base, other) if base.can_append(other) else None


def test_a_block_reads_what_it_does_not_make_and_frees_what_it_uses_last() -> None:
    it = block("Add(t1, !t2 → t3); Exp(!t3 → t4)")
    assert it.ids == {1, 2, 3, 4}
    assert it.produced == {3, 4}
    assert it.read == {1, 2}
    assert it.freed == {2, 3}
    assert (it.start, it.end) == (0, 2)


def test_a_block_starts_and_ends_with_its_outermost_positions() -> None:
    it = block("Add(t1, t2 → t3); Exp(!t3 → t4)", [7, 3])
    assert (it.start, it.end, it.positions) == (3, 8, [7, 3])


def test_an_op_belongs_to_a_block_that_mentions_one_of_its_tensors_read_or_made() -> None:
    it = block("Add(t1, t2 → t3)")
    assert it.contains_any([9, 2])
    assert it.contains_any([3])
    assert not it.contains_any([9])


def test_blocks_run_maker_first() -> None:
    reader = block("Add(t50, t1 → t2)", [0])
    maker = block("Add(t9, t8 → t50)", [5])
    assert topological_order([reader, maker]) == [1, 0]


def test_blocks_that_need_each_other_have_no_order() -> None:
    there_and_back = block("Add(t1, t2 → t100); Add(t200, t3 → t101)", [0, 1])
    between = block("Add(t100, t4 → t200)", [2])
    assert topological_order([there_and_back, between]) is None


def test_a_block_that_frees_a_tensor_runs_after_the_block_that_reads_it() -> None:
    assert topological_order([block("Add(t100, t1 → t2)"), block("Add(!t100, t3 → t4)", [1])]) == [
        0,
        1,
    ]


def test_blocks_may_become_one_unless_a_third_needs_one_and_is_needed_by_the_other() -> None:
    a = block("Add(t1, t2 → t100)", [0], constituent=0)
    c = block("Add(t100, t3 → t200)", [1], constituent=1)
    b = block("Add(t200, t4 → t300)", [2], constituent=2)
    guard = Reachability([a, c, b])
    assert not guard.can_contract(a.constituents, b.constituents)
    assert guard.can_contract(a.constituents, c.constituents)
    assert guard.can_contract(c.constituents, b.constituents)
    assert not guard.can_contract(block("Add(t1, t2 → t3)").constituents, b.constituents)


X, Y, Z = ops("Add(t1, t2 → t10); Add(t50, t3 → t11); Add(t4, t5 → t50)")
"""Y reads what Z makes."""


def test_a_maker_cannot_be_appended_behind_its_reader() -> None:
    fusers = scripted([X, Y, Z, X])
    assert merged(block([X, Y], fusers=fusers), block([Z], [2], fusers=fusers)) is None


def test_the_reader_can_be_appended_behind_the_maker() -> None:
    fusers = scripted([Z, X, Y, X])
    result = merged(block([Z], [2], fusers=fusers), block([X, Y], fusers=fusers))
    assert result is not None
    assert result.positions == [2, 0, 1]


def test_a_reader_cannot_be_appended_behind_the_last_use() -> None:
    reader, freer = ops("Add(t100, t1 → t2); Add(!t100, t3 → t4)")
    fusers = scripted([freer, reader, reader])
    assert merged(block([freer], [1], fusers=fusers), block([reader], fusers=fusers)) is None


A1, A2, B1, B2 = ops("Exp(t1 → t2); Exp(t2 → t3); Log(t11 → t12); Log(t12 → t13)")


def test_a_merge_is_kept_while_a_fuser_can_still_grow() -> None:
    fusers = scripted([A1, B1, A2])
    assert merged(block([A1], fusers=fusers), block([B1], fusers=fusers)) is not None


def test_a_merge_is_kept_when_it_makes_the_first_ready_fusion() -> None:
    fusers = scripted([A1, B1])
    assert merged(block([A1], fusers=fusers), block([B1], fusers=fusers)) is not None


def test_a_merge_that_hides_a_ready_fusion_is_refused() -> None:
    fusers = scripted([A1], [A1, B1])
    assert merged(block([A1], fusers=fusers), block([B1], fusers=fusers)) is None


def test_a_merge_that_leads_nowhere_is_refused_and_changes_nothing() -> None:
    fusers = scripted([A1, A2])
    base = block([A1], fusers=fusers)
    assert merged(base, block([B1], fusers=fusers)) is None
    assert base.operations == [A1]
    assert base.is_still_optimizing


def test_ready_counts_for_a_merge_even_when_the_score_is_zero() -> None:
    """ElementWise is ready with one op, so two lone ops of different shapes stay apart."""
    assert merged(block("Exp(t1[8] → t2[8])"), block("Exp(t3[9] → t4[9])")) is None


def test_a_copy_of_a_block_grows_on_its_own() -> None:
    original = block("Exp(t1 → t2)")
    copy = original.clone()
    copy.register(op("Exp(!t2 → t3)"), 1)
    assert original.positions == [0]
    assert original.ids == {1, 2}
    assert [len(fuser) for fuser in original.fusers] == [
        len(f) for f in block("Exp(t1 → t2)").fusers
    ]


def test_the_highest_score_wins_and_the_rest_of_the_block_stays_over() -> None:
    fusers = scripted([A1], [A1, A2])
    optimization = block([A1, A2, B1], [4, 6, 9], fusers=fusers).optimize(fusers)
    assert tree(optimization.strategy) == "P1(2)[4, 6]"
    assert optimization.ordering == (4, 6)


def test_the_first_of_a_tie_wins() -> None:
    fusers = scripted([A1, A2], [A1, A2])
    assert tree(block([A1, A2], fusers=fusers).optimize(fusers).strategy) == "P0(2)[0, 1]"


def test_a_score_of_zero_is_no_reason_to_fuse() -> None:
    assert tree(block("AddScalar(t1 → t2)").optimize(BURN).strategy) == "U[0]"


def test_a_block_without_fusers_is_settled_as_a_whole() -> None:
    assert tree(block([A1, A2], fusers=()).optimize(()).strategy) == "U[0, 1]"


def test_a_block_that_is_still_open_but_not_ready_is_settled_as_a_whole() -> None:
    fusers = (OpenFuser(),)
    assert tree(block([A1, A2], fusers=fusers).optimize(fusers).strategy) == "U[0, 1]"


def test_only_the_head_is_settled_up_to_the_op_that_closed_the_last_fuser() -> None:
    """A lone reduction closes all five at once."""
    assert tree(block("MaxDim(t1 → t2[32,1])").optimize(BURN).strategy) == "U[0]"


def test_the_head_ends_where_a_fresh_fuser_would_start() -> None:
    it = block("AddScalar(t1 → t2); SwapDims(!t2 → t3); Exp(!t3 → t4)")
    assert tree(it.optimize(BURN).strategy) == "U[0, 1]"


def test_ops_that_no_fresh_fuser_wants_belong_to_the_head() -> None:
    it = block(
        "Conv2dXBackward(t1, t2, t3 → t4); Reshape(!t4 → t5[32,32,1]); Drop(t1); "
        "MulScalar(!t5[32,32,1] → t6[32,32,1])"
    )
    assert tree(it.optimize(BURN).strategy) == "U[0, 1, 2]"


def test_a_matmul_is_wanted_too() -> None:
    it = block("MaxDim(t1 → t2[32,1]); Matmul(!t2[32,1], t3[1,32] → t4)")
    assert tree(it.optimize(BURN).strategy) == "U[0]"


def test_a_fuser_that_is_ready_at_once_wants_the_op_though_it_closes_with_it() -> None:
    fusers = scripted([A2])
    assert tree(block([A1, A2], fusers=fusers).optimize(fusers).strategy) == "U[0]"


def test_where_each_fuser_closed_is_remembered_once() -> None:
    it = block("AddScalar(t1 → t2); SwapDims(!t2 → t3); Exp(!t3 → t4)")
    assert it.closed_at == [1, 0, 1, 1, 1]
