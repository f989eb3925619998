"""Captions of facts that few programs reach, told from facts made by hand."""

import pytest
from recorded import RELATIVE, global_ops, op, relativized

from fusionlab.config import FusionConfig
from fusionlab.events import facts as f
from fusionlab.events.log import EventLog
from fusionlab.events.run import ProgramInfo, Run
from fusionlab.fusers.base import FuserAnswer, FuserStatus, Refusal, RefusalCode
from fusionlab.i18n import texts
from fusionlab.ir.difference import first_difference
from fusionlab.ir.tensor import DType
from fusionlab.plan import BlockId, OnSync, Operations, PlanId
from fusionlab.views.differences import difference
from fusionlab.views.narrate import caption
from fusionlab.views.said import told

EN = texts("en")
DETAILS = {
    RefusalCode.RANK: (("rank", 2), ("got", 1)),
    RefusalCode.VIEW_RANK: (("rank", 3), ("got", 2)),
    RefusalCode.SHAPE: (("axis", 1),),
    RefusalCode.TOO_MANY_OPS: (("ops", 65), ("max", 65)),
    RefusalCode.TOO_MANY_BINDINGS: (("bindings", 9), ("max", 8)),
}
ABOUT_A_TENSOR = (("tensor", 0),)


def last_caption(log: EventLog) -> str:
    run = Run.of(ProgramInfo("", ""), FusionConfig(), log.events)
    return caption(run, len(log.events) - 1, EN).what


def log_with_one_op() -> EventLog:
    log, operations = EventLog(), global_ops(7, 2.0)
    log.emit(f.OpQueued(0, operations[0], 1))
    log.emit(relativized(0, operations))
    return log


@pytest.mark.parametrize("code", RefusalCode)
def test_every_refusal_is_told_with_its_numbers(code: RefusalCode) -> None:
    log = log_with_one_op()
    detail = DETAILS.get(code, ABOUT_A_TENSOR)
    answer = FuserAnswer(Refusal(code, detail), FuserStatus.CLOSED)
    log.emit(f.FuserAnswered(BlockId(0), "Reduce", 0, "NumericFloat", answer))
    assert last_caption(log).startswith("Reduce closes at Mul: ")


def test_a_refusal_names_the_tensor_of_the_program_not_its_relative_id():
    log = log_with_one_op()
    refusal = Refusal(RefusalCode.QUANTIZED, ABOUT_A_TENSOR)
    answer = FuserAnswer(refusal, FuserStatus.CLOSED)
    log.emit(f.FuserAnswered(BlockId(0), "Reduce", 0, "NumericFloat", answer))
    assert last_caption(log) == "Reduce closes at Mul: t7 is quantised."


def test_a_shape_that_fits_nowhere_is_not_blamed_on_a_dimension():
    log = log_with_one_op()
    answer = FuserAnswer(Refusal(RefusalCode.SHAPE, (("axis", -1),)), FuserStatus.CLOSED)
    log.emit(f.FuserAnswered(BlockId(0), "Reduce", 0, "NumericFloat", answer))
    assert last_caption(log).endswith("the result fits the kernel in no single shape.")


def test_a_sixth_fuser_is_told_in_general_words():
    log = log_with_one_op()
    log.emit(f.FuserScored(BlockId(0), "Mine", FuserStatus.OPEN, False, 0, 0, ()))
    assert last_caption(log) == "Mine is not ready in block 1: it cannot make a kernel yet."


def test_an_unfit_plan_names_the_number_that_is_missing():
    log = EventLog()
    log.emit(f.PlanStored(PlanId(0), RELATIVE, OnSync(), Operations((0,)), (0,)))
    log.emit(f.PlanUnfit(PlanId(0), needs=2, assigned=2, ops=4))
    assert last_caption(log) == (
        "Plan #0 names shape number 2, but this segment has numbers below 2 only."
    )


def test_an_op_after_the_end_of_a_search_is_left_out():
    log = log_with_one_op()
    log.emit(f.OpDropped(0, "NumericFloat::Mul"))
    assert last_caption(log) == "The search had stopped before Mul, so it is left out."


MUL, ADD = RELATIVE[0], RELATIVE[2]
DIM_0 = op("NumericFloat::SumDim", "wt0>nt1", (1, 1))._replace(args=(("axis", 0),))
DIM_1 = DIM_0._replace(args=(("axis", 1),))
HALF = MUL._replace(inputs=(MUL.inputs[0]._replace(dtype=DType.F16), MUL.inputs[1]))


@pytest.mark.parametrize(
    ("expected", "got", "field", "text"),
    [
        (MUL, ADD, "kind", "its op is Mul, this one is Add"),
        (None, ADD, "length", "it is over, and Add follows"),
        (DIM_0, DIM_1, "args.axis", "axis is 0 there and 1 here"),
        (MUL, HALF, "inputs[0].dtype", "t0 is f32 there and f16 here"),
        (
            MUL,
            op("NumericFloat::Mul", "ot0 wt1>nt2", (1, 1)),
            "inputs[0].status",
            "t0 is still used here, there it was the last use",
        ),
        (
            op("NumericFloat::Mul", "ot0 ot1>nt2", (1, 1)),
            op("NumericFloat::Mul", "ot0 wt1>nt2", (1, 1)),
            "inputs[1].status",
            "t1 is used for the last time here, there it was still used",
        ),
        (
            MUL,
            op("NumericFloat::Mul", "wt0 wt0>nt2", (1, 1)),
            "inputs[1].id",
            "it uses t1 where this one uses t0",
        ),
        (
            MUL,
            op("NumericFloat::Mul", "wt0 wt1>nt2", (1, 2)),
            "inputs[0].shape",
            "t0 has the shape numbers [1,1] there and [1,2] here",
        ),
        (op("BaseFloat::Cat", "wt0>nt2"), op("BaseFloat::Cat", "wt0 wt1>nt2"), "inputs",
         "its op has 2 tensors, this one 3"),
    ],
    ids=["kind", "length", "argument", "dtype", "still used", "last use", "tensor", "shape",
         "count"],
)  # fmt: skip
def test_a_difference_is_found_and_told(expected, got, field, text):
    if expected is not None:
        assert first_difference(expected, got) == field
    assert told(EN, difference(field, expected, got)) == text
