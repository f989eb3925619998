"""Worked scores: one block fed with exactly these ops, and what each of the five fusers promises.

A row reads ``ops | ElementWise Matmul Reduce ReduceBroadcasted NHWCRelayout | winner``; ``~`` marks
a fuser that is not ready. The winner is the first ready fuser with the highest score above 0.
"""

import pytest
from fusers.feeding import in_shape_ids
from notation import ops

from fusionlab.engine.block import Block
from fusionlab.events.log import NullRecorder
from fusionlab.fusers import new_fusers
from fusionlab.fusers.base import ScoreTerms
from fusionlab.plan import BlockId, Optimization


def settle(text: str, max_bindings: int = 1024) -> tuple[Block, str]:
    """A block with these ops, and who wins it as ``name score length``."""
    fusers = new_fusers(max_bindings)
    block = Block(BlockId(0), fusers, NullRecorder())
    for position, op in enumerate(in_shape_ids(ops(text))):
        block.register(op, position)
    strategy = block.optimize(fusers).strategy
    if not isinstance(strategy, Optimization):
        return block, "none"
    return block, f"{strategy.fused.fuser} {strategy.score} {len(strategy.ordering)}"


def promises(block: Block) -> str:
    """Every fuser's score, ``~`` in front of those that are not ready."""
    told = []
    for fuser in block.fusers:
        state = fuser.properties()
        told.append(f"{'' if state.ready else '~'}{state.score}")
    return " ".join(told)


ROWS = {
    "the seed expression": (
        "Mul(t0, t1 → t2); MulScalar(t3 → t4); Add(!t2, !t4 → t5); Exp(!t5 → t6)",
        "630 ~0 ~630 ~630 ~630",
        "ElementWise 630 4",
    ),
    "a lone x+1": ("AddScalar(t0 → t1)", "0 ~0 ~0 ~0 ~0", "none"),
    "x+1, then x is dropped": (
        "AddScalar(t0 → t1); Drop(t0)",
        "110 ~0 ~110 ~110 ~110",
        "ElementWise 110 2",
    ),
    "x*x, x consumed": ("Mul(t0, !t0 → t1)", "100 ~0 ~100 ~100 ~100", "ElementWise 100 1"),
    "a lone a+b": ("Add(!t0, !t1 → t2)", "0 ~0 ~0 ~0 ~0", "none"),
    "exp(a+b)": (
        "Add(t0, t1 → t2); Exp(!t2 → t3)",
        "210 ~0 ~210 ~210 ~210",
        "ElementWise 210 2",
    ),
    "the intermediate is kept": (
        "AddScalar(t0 → t1); Exp(t1 → t2)",
        "110 ~0 ~110 ~110 ~110",
        "ElementWise 110 2",
    ),
    "the intermediate is dropped later": (
        "AddScalar(t0 → t1); Exp(t1 → t2); Drop(t1)",
        "320 ~0 ~320 ~320 ~320",
        "ElementWise 320 3",
    ),
    "a dead result": (
        "AddScalar(t0 → t1); Drop(t1)",
        "210 ~0 ~210 ~210 ~210",
        "ElementWise 210 2",
    ),
    "relu": (
        "LowerEqualElem(t0 → t1:bool); MaskFill(!t0, !t1:bool → t2)",
        "310 ~0 ~310 ~310 ~310",
        "ElementWise 310 2",
    ),
    "gelu": (
        (
            "DivScalar(t0 → t1); Erf(!t1 → t2); AddScalar(!t2 → t3); Mul(!t0, !t3 → t4); "
            "DivScalar(!t4 → t5)"
        ),
        "940 ~0 ~940 ~940 ~940",
        "ElementWise 940 5",
    ),
    "sigmoid": (
        (
            "Cast(t0:f16 → t1); MulScalar(!t1 → t2); Exp(!t2 → t3); AddScalar(!t3 → t4); "
            "Log(!t4 → t5); MulScalar(!t5 → t6); Exp(!t6 → t7); Cast(!t7 → t8:f16)"
        ),
        "1470 ~0 ~1470 ~1470 ~1470",
        "ElementWise 1470 8",
    ),
    "a view of what was read before": (
        "MulScalar(t0 → t1); SwapDims(!t0 → t2); Add(!t1, !t2 → t3)",
        "370 ~0 ~370 ~370 ~370",
        "ElementWise 370 3",
    ),
    "a view that stays alive": (
        "MulScalar(t0 → t1); SwapDims(!t0 → t2)",
        "0 ~0 ~0 ~0 ~0",
        "none",
    ),
    "cat, then mul": (
        "Cat(!t0[16,32], !t1[16,32] → t2); MulScalar(!t2 → t3)",
        "410 ~0 ~410 ~410 ~410",
        "ElementWise 410 2",
    ),
    "a lone cat of two": (
        "Cat(!t0[16,32], !t1[16,32] → t2)",
        "200 ~0 ~200 ~200 ~200",
        "ElementWise 200 1",
    ),
    "a lone select": (
        "Select(t0[64,32], t1[32]:i32 → t2)",
        "200 ~0 ~200 ~200 ~200",
        "ElementWise 200 1",
    ),
    "lone ones": ("Ones( → t0)", "0 ~0 ~0 ~0 ~0", "none"),
    "ones*2": ("Ones( → t0); MulScalar(!t0 → t1)", "210 ~0 ~210 ~210 ~210", "ElementWise 210 2"),
    "(x+bias)*2, broadcast": (
        "Add(!t0, !t1[1,32] → t2); MulScalar(!t2 → t3)",
        "210 ~0 ~210 ~210 ~210",
        "ElementWise 210 2",
    ),
    "x*2, then a sum": (
        "MulScalar(!t0 → t1); SumDim(!t1 → t2[32,1])",
        "0 ~0 0 0 ~0",
        "none",
    ),
    "exp(x*2), then a sum: a tie": (
        "MulScalar(!t0 → t1); Exp(!t1 → t2); SumDim(!t2 → t3[32,1])",
        "210 ~0 210 210 ~210",
        "ElementWise 210 2",
    ),
    "a sum with one op on each side": (
        "MulScalar(!t0 → t1); SumDim(!t1 → t2[32,1]); AddScalar(!t2[32,1] → t3[32,1])",
        "0 ~0 210 210 ~0",
        "Reduce 210 3",
    ),
    "a sum with two ops on each side, its result alive": (
        (
            "AddScalar(!t0 → t1); MulScalar(!t1 → t2); SumDim(t2 → t3[32,1]); "
            "MulScalar(!t3[32,1] → t4[32,1]); AddScalar(!t4[32,1] → t5[32,1])"
        ),
        "210 ~0 530 530 ~210",
        "Reduce 530 5",
    ),
    "a sum over the first axis is not broadcast back": (
        (
            "MulScalar(!t0 → t1); Exp(!t1 → t2); SumDim(!t2 → t3[1,32], axis=0); "
            "AddScalar(!t3[1,32] → t4[1,32])"
        ),
        "210 ~0 420 ~210 ~210",
        "Reduce 420 4",
    ),
    "a lone sum": ("SumDim(t0 → t1[32,1])", "~0 ~0 ~0 ~0 ~0", "none"),
    "softmax after its maximum": (
        (
            "Sub(!t0, !t1[32,1] → t2); Exp(!t2 → t3); SumDim(t3 → t4[32,1]); "
            "Div(!t3, !t4[32,1] → t5)"
        ),
        "210 ~0 110 110 ~210",
        "ElementWise 210 2",
    ),
    "masked softmax": (
        (
            "MaskFill(t0, !t1:bool → t2); MaxDim(t2 → t3[32,1]); Sub(!t2, !t3[32,1] → t4); "
            "Exp(!t4 → t5); SumDim(t5 → t6[32,1]); Div(!t5, !t6[32,1] → t7)"
        ),
        "0 ~0 0 110 ~0",
        "ReduceBroadcasted 110 6",
    ),
    "layer norm after its mean": (
        (
            "Sub(!t0, !t1[32,1] → t2); Mul(t2, t2 → t3); MeanDim(!t3 → t4[32,1]); "
            "AddScalar(!t4[32,1] → t5[32,1]); Sqrt(!t5[32,1] → t6[32,1]); Div(!t2, !t6[32,1] → t7)"
        ),
        "210 ~0 630 630 ~210",
        "Reduce 630 5",
    ),
    "layer norm with scale and shift": (
        (
            "Sub(!t0, !t1[32,1] → t2); Mul(t2, t2 → t3); MeanDim(!t3 → t4[32,1]); "
            "AddScalar(!t4[32,1] → t5[32,1]); Sqrt(!t5[32,1] → t6[32,1]); "
            "Div(!t2, !t6[32,1] → t7); Mul(!t7, !t9[1,32] → t10); Add(!t10, !t12[1,32] → t13)"
        ),
        "210 ~0 630 1050 ~210",
        "ReduceBroadcasted 1050 8",
    ),
    "a maximum broadcast back": (
        (
            "Add(!t0, t1 → t2); MaxDim(!t2 → t3[32,1]); Add(!t3[32,1], !t4[32,1] → t5[32,1]); "
            "Add(!t5[32,1], !t1 → t6); AddScalar(!t6 → t7)"
        ),
        "0 ~0 210 420 ~0",
        "ReduceBroadcasted 420 5",
    ),
    "a lone matmul": ("Matmul(!t0, t1 → t2)", "~0 ~0 ~0 ~0 ~0", "none"),
    "matmul and bias": (
        "Matmul(!t0, t1 → t2); Add(!t2, !t3 → t4)",
        "~0 100 ~0 ~0 ~0",
        "Matmul 100 2",
    ),
    "matmul and a scalar": (
        "Matmul(!t0, t1 → t2); MulScalar(!t2 → t3)",
        "~0 100 ~0 ~0 ~0",
        "Matmul 100 2",
    ),
    "matmul, bias and relu": (
        (
            "Matmul(!t0, t1 → t2); Add(!t2, !t3 → t4); LowerEqualElem(t4 → t5:bool); "
            "MaskFill(!t4, !t5:bool → t6)"
        ),
        "~0 620 ~0 ~0 ~0",
        "Matmul 620 4",
    ),
    "matmul with its result kept": (
        "Matmul(!t0, t1 → t2); MulScalar(t2 → t3); AddScalar(!t3 → t4)",
        "~0 210 ~0 ~0 ~0",
        "Matmul 210 3",
    ),
    "x*2, then a pool as its last use": (
        "MulScalar(!t0[1,2,4,4] → t1[1,2,4,4]); MaxPool2d(!t1[1,2,4,4] → t2[1,2,2,2])",
        "0 ~0 ~0 ~0 100",
        "NHWCRelayout 100 2",
    ),
    "exp(a+b), then a pool": (
        (
            "Add(!t0[1,2,4,4], !t9[1,2,4,4] → t1[1,2,4,4]); Exp(!t1[1,2,4,4] → t3[1,2,4,4]); "
            "MaxPool2d(!t3[1,2,4,4] → t2[1,2,2,2])"
        ),
        "210 ~0 ~210 ~210 310",
        "NHWCRelayout 310 3",
    ),
    "a pool whose input is still used": (
        "MulScalar(!t0[1,2,4,4] → t1[1,2,4,4]); MaxPool2d(t1[1,2,4,4] → t2[1,2,2,2])",
        "0 ~0 ~0 ~0 ~0",
        "none",
    ),
    "80 scalar ops: 65 fit": (
        "80×AddScalar(t0 → t1)",
        "13440 ~0 ~13440 ~13440 ~13440",
        "ElementWise 13440 65",
    ),
    "a value of the first part used in the second": (
        (
            "MulScalar(!t0[32,1] → t1[32,1]); Exp(t1[32,1] → t2[32,1]); "
            "SumDim(!t2[32,1] → t3[32,1]); Add(!t1[32,1], !t3[32,1] → t4[32,1])"
        ),
        "110 ~0 320 320 ~110",
        "Reduce 320 4",
    ),
    "an input read on both sides": (
        (
            "MulScalar(t0[32,1] → t1[32,1]); Exp(!t1[32,1] → t2[32,1]); "
            "SumDim(!t2[32,1] → t3[32,1]); Add(!t0[32,1], !t3[32,1] → t4[32,1])"
        ),
        "210 ~0 420 420 ~210",
        "Reduce 420 4",
    ),
}


@pytest.mark.parametrize(("text", "scores", "winner"), ROWS.values(), ids=ROWS.keys())
def test_worked_scores(text: str, scores: str, winner: str) -> None:
    block, won = settle(text)
    assert promises(block) == scores
    assert won == winner


def test_five_chains_of_eight_in_one_block() -> None:
    text = "; ".join(f"8×MulScalar(t{900 + i} → t{i * 10})" for i in range(5))
    block, won = settle(text)
    assert promises(block) == "7390 ~0 ~7390 ~7390 ~7390"
    assert won == "ElementWise 7390 40"


def test_a_running_sum_of_new_inputs_under_a_limit_of_seven_buffers() -> None:
    text = "Add(t0, t1 → t100)"
    for number in range(9):
        text += f"; Add(!t{100 + number}, t{number + 2} → t{101 + number})"
    block, won = settle(text, max_bindings=7)
    assert promises(block) == "630 ~0 ~630 ~630 ~630"
    assert won == "ElementWise 630 4"


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        (ROWS["the seed expression"][0], [ScoreTerms(6, 4, 4, 3, 1)]),
        (ROWS["a view of what was read before"][0], [ScoreTerms(4, 3, 3, 2, 1, 1)]),
        (ROWS["x+1, then x is dropped"][0], [ScoreTerms(2, 1, 2, 1, 1)]),
        (ROWS["a dead result"][0], [ScoreTerms(2, 1, 2, 1, 0)]),
        (ROWS["cat, then mul"][0], [ScoreTerms(3, 2, 2, 0, 1)]),
    ],
    ids=["seed", "view", "drop", "dead", "indexed"],
)
def test_the_counts_behind_a_score(text: str, terms: list[ScoreTerms]) -> None:
    block, _ = settle(text)
    assert list(block.fusers[0].properties().terms) == terms


def test_a_broadcasted_reduction_counts_each_of_its_parts() -> None:
    block, _ = settle(ROWS["masked softmax"][0])
    assert list(block.fusers[3].properties().terms) == [
        ScoreTerms(2, 1, 1, 2, 2),
        ScoreTerms(3, 2, 2, 2, 2),
        ScoreTerms(2, 1, 1, 2, 1),
    ]


def test_a_buffer_between_the_parts_of_a_reduction_is_written_and_read_back() -> None:
    block, _ = settle(ROWS["a value of the first part used in the second"][0])
    assert list(block.fusers[2].properties().terms) == [ScoreTerms(4, 3, 3, 2, 2)]
