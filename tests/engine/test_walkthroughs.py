"""Whole programs from first op to table: what burn prints, line by line.

``quiet`` leaves out the ``[fuser]`` and ``[explorer]`` lines; ``×n`` repeats a line.
"""

from collections.abc import Iterable

from harness import Engine

from fusionlab.events import facts as f
from fusionlab.plan import Defer


def lines(text: str) -> list[str]:
    """One log line a row; ``(×3)`` at its end repeats it."""
    result = []
    for row in text.strip().splitlines():
        line, _, times = row.strip().partition(" (×")
        result += [line] * int(times.rstrip(")") or 1)
    return result


def quiet(log: Iterable[str]) -> list[str]:
    return [line for line in log if not line.startswith(("[fuser]", "[explorer]"))]


def closings(log: Iterable[str]) -> list[str]:
    return [line for line in log if line.startswith("[fuser]")]


# --- golden transcripts -------------------------------------------------------------------------


def test_the_seed_expression_the_first_time() -> None:
    engine = Engine()
    engine.run("Mul(t0, t1 → t3); MulScalar(t2 → t4); Add(!t3, !t4 → t5); Exp(!t5 → t6)")
    assert engine.log() == lines(
        """
        [explorer] explore (lazy): 1 deferred of 1 queued
        [stream] op 0 NumericFloat::Mul → new block (total: 1)
        [explorer] explore (lazy): 1 deferred of 2 queued
        [stream] op 1 NumericFloat::MulScalar → new block (total: 2)
        [explorer] explore (lazy): 1 deferred of 3 queued
        [stream] op 2 NumericFloat::Add → accepted in 1/1 block(s)
        [explorer] explore (lazy): 1 deferred of 4 queued
        [stream] op 3 Float::Exp → accepted in 1/1 block(s)
        [explorer] explore (sync): 0 deferred of 4 queued
        selected single strategy
        [plan] exploration completed: sync, 4/4 ops optimized
        table: ▸ fused ElementWise (score=630, 4 ops) Mul MulScalar Add Exp
        """
    )


def test_two_ops_and_a_sum_from_data() -> None:
    engine = Engine()
    engine.run("Init( → t0); MulScalar(!t0 → t1); Exp(!t1 → t2); SumDim(!t2 → t3[32,1])")
    assert engine.log() == lines(
        """
        [explorer] explore (lazy): 1 deferred of 1 queued
        [fuser] closed on Init (unsupported op variant); had 0 ops, est_bindings=1/1024 (×5)
        [stream] op 0 Init::InitOperationIr → new block (total: 1)
        [explorer] still_optimizing → false after op Init::InitOperationIr (explored 1 ops)
        selected single strategy
        [plan] exploration completed: lazy, 1/1 ops optimized
        table: ▸ un-fused (1 op) Init
        [explorer] explore (lazy): 1 deferred of 1 queued
        [stream] op 0 NumericFloat::MulScalar → new block (total: 1)
        [explorer] explore (lazy): 1 deferred of 2 queued
        [stream] op 1 Float::Exp → accepted in 1/1 block(s)
        [explorer] explore (lazy): 1 deferred of 3 queued
        [fuser] closed on NumericFloat (numeric fuse rejected); had 2 ops, est_bindings=3/1024 (×2)
        [stream] op 2 NumericFloat::SumDim → accepted in 1/1 block(s)
        [explorer] explore (sync): 0 deferred of 3 queued
        selected single strategy
        [plan] exploration completed: sync, 3/3 ops optimized
        table: ▸ fused ElementWise (score=210, 2 ops) MulScalar Exp, ▸ un-fused (1 op) SumDim
        """
    )


SOFTMAX = (
    "MaxDim(t0 → t1[32,1]); Sub(!t0, !t1[32,1] → t2); Exp(!t2 → t3); "
    "SumDim(t3 → t4[32,1]); Div(!t3, !t4[32,1] → t5)"
)


def test_softmax() -> None:
    engine = Engine()
    engine.run(SOFTMAX)
    assert engine.log() == lines(
        """
        [explorer] explore (lazy): 1 deferred of 1 queued
        [fuser] closed on NumericFloat (numeric fuse rejected); had 0 ops, est_bindings=1/1024 (×2)
        [stream] op 0 NumericFloat::MaxDim → new block (total: 1)
        [explorer] still_optimizing → false after op NumericFloat::MaxDim (explored 1 ops)
        selected single strategy
        [plan] exploration completed: lazy, 1/1 ops optimized
        table: ▸ un-fused (1 op) MaxDim
        [explorer] explore (lazy): 1 deferred of 1 queued
        [stream] op 0 NumericFloat::Sub → new block (total: 1)
        [explorer] explore (lazy): 1 deferred of 2 queued
        [stream] op 1 Float::Exp → accepted in 1/1 block(s)
        [explorer] explore (lazy): 1 deferred of 3 queued
        [fuser] closed on NumericFloat (numeric fuse rejected); had 2 ops, est_bindings=4/1024 (×2)
        [stream] op 2 NumericFloat::SumDim → accepted in 1/1 block(s)
        [explorer] explore (lazy): 1 deferred of 4 queued
        [fuser] closed on NumericFloat (numeric fuse rejected); had 2 ops, est_bindings=5/1024 (×3)
        [stream] op 3 NumericFloat::Div → accepted in 1/1 block(s)
        [explorer] explore (sync): 0 deferred of 4 queued
        selected single strategy
        [plan] exploration completed: sync, 4/4 ops optimized
        table: ▸ fused ElementWise (score=210, 2 ops) Sub Exp, ▸ un-fused (2 ops) SumDim Div
        """
    )


def test_softmax_again_hits_both_plans_and_says_nothing_in_between() -> None:
    engine = Engine()
    engine.run(SOFTMAX)
    engine.log()
    engine.run(SOFTMAX)
    assert engine.log() == lines(
        """
        [plan] cache hit: execute plan #0 (lazy, segment has 1 ops)
        table: ▸ un-fused (1 op) MaxDim
        [plan] cache hit: execute plan #1 (sync, segment has 4 ops)
        table: ▸ fused ElementWise (score=210, 2 ops) Sub Exp, ▸ un-fused (2 ops) SumDim Div
        """
    )


# --- walk-throughs ------------------------------------------------------------------------------


def test_masked_softmax_is_one_broadcasted_reduction() -> None:
    engine = Engine()
    engine.run(
        "MaskFill(t0, !t1:bool → t2); MaxDim(t2 → t3[32,1]); Sub(!t2, !t3[32,1] → t4); "
        "Exp(!t4 → t5); SumDim(t5 → t6[32,1]); Div(!t5, !t6[32,1] → t7)"
    )
    assert engine.executed() == ["ReduceBroadcasted(110)[0, 1, 2, 3, 4, 5]"]


def test_layer_norm() -> None:
    engine = Engine()
    engine.run(
        "MeanDim(t0 → t1[32,1]); Sub(!t0, !t1[32,1] → t2); Mul(t2, t2 → t3); "
        "MeanDim(!t3 → t4[32,1]); AddScalar(!t4[32,1] → t5[32,1]); Sqrt(!t5[32,1] → t6[32,1]); "
        "Div(!t2, !t6[32,1] → t7); Reshape(t8[32] → t9[1,32]); Mul(!t7, !t9[1,32] → t10); "
        "Reshape(t11[32] → t12[1,32]); Add(!t10, !t12[1,32] → t13)"
    )
    log = engine.log()
    assert quiet(log[:-1]) == lines(
        """
        [stream] op 0 NumericFloat::MeanDim → new block (total: 1)
        selected single strategy
        [plan] exploration completed: lazy, 1/1 ops optimized
        table: ▸ un-fused (1 op) MeanDim
        [stream] op 0 NumericFloat::Sub → new block (total: 1)
        [stream] op 1 NumericFloat::Mul → accepted in 1/1 block(s)
        [stream] op 2 NumericFloat::MeanDim → accepted in 1/1 block(s)
        [stream] op 3 NumericFloat::AddScalar → accepted in 1/1 block(s)
        [stream] op 4 Float::Sqrt → accepted in 1/1 block(s)
        [stream] op 5 NumericFloat::Div → accepted in 1/1 block(s)
        [stream] op 6 BaseFloat::Reshape → new block (total: 2)
        [stream] op 7 NumericFloat::Mul → new dependent block (total: 3)
        [stream] op 8 BaseFloat::Reshape → new block (total: 4)
        [stream] op 9 NumericFloat::Add → new dependent block (total: 5)
        selected composed strategy (3 sub-strategies)
        [plan] exploration completed: sync, 10/10 ops optimized
        """
    )
    assert log[-1] == (
        "table: ▸ un-fused (1 op) Reshape, ▸ un-fused (1 op) Reshape, "
        "▸ fused ReduceBroadcasted (score=1050, 8 ops) "
        "Sub Mul MeanDim AddScalar Sqrt Div Mul Add"
    )


def test_linear_and_relu() -> None:
    engine = Engine()
    engine.register("Matmul(!t0, t1 → t2)")
    assert len(closings(engine.log())) == 5
    engine.register("Reshape(t3[32] → t4[1,32])")
    assert len(closings(engine.log())) == 5
    engine.register("Add(!t2, !t4[1,32] → t5)")
    assert engine.log() == lines(
        """
        [explorer] explore (lazy): 1 deferred of 3 queued
        [fuser] closed on BaseFloat (base fuse rejected); had 0 ops, est_bindings=4/1024
        [stream] op 2 NumericFloat::Add → new dependent block (total: 3)
        """
    )
    engine.register("LowerEqualElem(t5 → t6:bool); MaskFill(!t5, !t6:bool → t7)")
    assert quiet(engine.log()) == lines(
        """
        [stream] op 3 NumericFloat::LowerEqualElem → accepted in 1/3 block(s)
        [stream] op 4 BaseFloat::MaskFill → accepted in 1/3 block(s)
        """
    )
    engine.sync()
    assert engine.executed() == ["C(U[1]; Matmul(620)[0, 2, 3, 4])"]
    assert "selected composed strategy (2 sub-strategies)" in engine.log()


def test_a_drop_between_a_reduction_and_its_epilogue_ends_the_kernel() -> None:
    engine = Engine()
    engine.register("MulScalar(t0 → t1); Exp(!t1 → t2); SumDim(!t2 → t3[32,1])")
    engine.log()
    engine.register("Drop(t0)")
    assert engine.log() == lines(
        """
        [explorer] explore (lazy): 1 deferred of 4 queued
        [fuser] closed on Drop (drop on empty fuser); had 0 ops, est_bindings=1/1024 (×5)
        [stream] op 3 Drop → accepted in 1/1 block(s)
        [explorer] still_optimizing → false after op Drop (explored 4 ops)
        selected single strategy
        [plan] exploration completed: lazy, 2/4 ops optimized
        table: ▸ fused ElementWise (score=210, 2 ops) MulScalar Exp
        [explorer] explore (lazy): 2 deferred of 2 queued
        [fuser] closed on NumericFloat (numeric fuse rejected); had 0 ops, est_bindings=1/1024 (×2)
        [stream] op 0 NumericFloat::SumDim → new block (total: 1)
        [explorer] still_optimizing → false after op NumericFloat::SumDim (explored 1 ops)
        [explorer] stopped optimizing after 1 new op(s); 1 deferred op(s) left unprocessed
        selected single strategy
        [plan] exploration completed: lazy, 1/2 ops optimized
        table: ▸ un-fused (1 op) SumDim
        [explorer] explore (lazy): 1 deferred of 1 queued
        [fuser] closed on Drop (drop on empty fuser); had 0 ops, est_bindings=1/1024 (×5)
        [stream] op 0 Drop → new block (total: 1)
        [explorer] still_optimizing → false after op Drop (explored 1 ops)
        selected single strategy
        [plan] exploration completed: lazy, 1/1 ops optimized
        table: ▸ un-fused (1 op) Drop
        """
    )
    engine.run("AddScalar(!t3[32,1] → t4[32,1]); MulScalar(!t4[32,1] → t5[32,1])")
    assert engine.plans() == [
        "ElementWise(210)[0, 1] | on SumDim Drop",
        "U[0] | on Drop",
        "U[0] | always",
        "ElementWise(210)[0, 1] | sync",
    ]


def test_six_matrix_products_are_one_too_many() -> None:
    """The sixth starts the next segment; there it may become the plan of five, so it waits."""
    engine = Engine()
    for number in range(5):
        engine.register(f"Matmul(t{number}, t{number + 10} → t{number + 20})")
    engine.log()
    engine.register("Matmul(t5, t15 → t25)")
    assert quiet(engine.log()) == [
        "[stream] stopped (max_blocks=5 reached) at op 5 (Float::Matmul)",
        "selected composed strategy (5 sub-strategies)",
        "[plan] exploration completed: lazy, 5/6 ops optimized",
        "table: " + ", ".join(["▸ un-fused (1 op) Matmul"] * 5),
    ]
    assert engine.queued() == 1
    assert engine.plans() == ["C(U[0]; U[1]; U[2]; U[3]; U[4]) | on Matmul"]
    assert engine.facts(f.ActionChosen)[-1].action == Defer()


def test_a_hole_is_searched_again() -> None:
    engine = Engine()
    engine.run(
        "AddScalar(t1[64,64] → t2[64,64]); Add(t3[16,8], t4[16,8] → t5[16,8]); "
        "SwapDims(!t5[16,8] → t6[8,16]); Exp(!t6[8,16] → t7[8,16]); "
        "MulScalar(!t7[8,16] → t8[8,16]); Exp(!t2[64,64] → t9[64,64])"
    )
    log = engine.log()
    settled = log[log.index("[explorer] explore (sync): 0 deferred of 6 queued") + 1 :]
    assert quiet(settled[:-1]) == lines(
        """
        selected composed strategy (2 sub-strategies)
        [stream] op 0 Float::Exp → new block (total: 1)
        [stream] op 1 NumericFloat::MulScalar → accepted in 1/1 block(s)
        selected single strategy
        [plan] exploration completed: sync, 6/6 ops optimized
        """
    )
    assert settled[-1] == (
        "table: ▸ fused ElementWise (score=210, 2 ops) AddScalar Exp, "
        "▸ un-fused (2 ops) Add SwapDims, ▸ fused ElementWise (score=210, 2 ops) Exp MulScalar"
    )


def test_a_lone_view_runs_at_once_and_what_follows_fuses() -> None:
    engine = Engine()
    engine.run(
        "SwapDims(!t0[4,8] → t1[8,4]); Add(!t1[8,4], t2[8,4] → t3[8,4]); Exp(!t3[8,4] → t4[8,4])"
    )
    assert engine.executed() == ["U[0]", "ElementWise(210)[0, 1]"]


def test_a_view_of_what_was_read_already_is_fused() -> None:
    engine = Engine()
    engine.run("MulScalar(t0 → t1); SwapDims(!t0 → t2); Add(!t1, !t2 → t3)")
    assert engine.executed() == ["ElementWise(370)[0, 1, 2]"]


# --- which lines an op makes a fresh block print ------------------------------------------------


def test_how_many_lines_each_first_op_prints() -> None:
    """Burn's clones print too: ReduceBroadcasted tries every step on a copy first."""
    counts = {}
    for text in (
        "Init( → t0)",
        "Random( → t0)",
        "MaxPool2d(t0[1,1,4,4] → t1[1,1,4,4])",
        "SwapDims(t0 → t1)",
        "Drop(t0)",
        "SumDim(t0 → t1[32,1])",
        "Matmul(t0, t1 → t2)",
        "Exp(t0 → t1)",
    ):
        engine = Engine()
        engine.register(text)
        counts[text.partition("(")[0]] = len(closings(engine.log()))
    assert counts == {
        "Init": 5,
        "Random": 5,
        "MaxPool2d": 5,
        "SwapDims": 5,
        "Drop": 5,
        "SumDim": 2,
        "Matmul": 5,
        "Exp": 0,
    }
