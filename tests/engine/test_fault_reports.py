"""What goes wrong in fusion engines, as their users reported it: each fault stands for a kind.

Here is the deciding half: which ops share a kernel, what is searched, what is found again. What the
kernels compute is in ``tests/kernels/test_fault_reports.py``; ``docs/fidelity.md`` lists every
report by its number with the test that stands for it.
"""

from collections.abc import Iterator

import pytest
from fakes import BreakingBackend
from harness import Engine
from notation import op, tensor

from fusionlab.engine.dag import order_is_valid
from fusionlab.events import facts as f
from fusionlab.ir.opset import OPSET
from fusionlab.ir.tensor import StreamId, TensorStatus
from fusionlab.lab import Lab


def kernels(engine: Engine) -> Iterator[f.ExecutedBlock]:
    """Every fused unit that ran."""
    for execution in engine.facts(f.ExecutionStarted):
        yield from (block for block in execution.blocks if block.fuser is not None)


def kinds(block: f.ExecutedBlock) -> list[str]:
    return [op.spec.variant for op in block.operations]


def order_of(engine: Engine) -> list:
    """All ops in the order they ran."""
    return [
        op
        for execution in engine.facts(f.ExecutionStarted)
        for block in execution.blocks
        for op in block.operations
    ]


# --- what is found again ----------------------------------------------------------------------


def test_01_a_drain_whose_fusion_stops_early_is_stored_whole_and_hit_the_second_time() -> None:
    engine = Engine()
    for _ in range(2):
        engine.run("MulScalar(t0 → t1); Exp(!t1 → t2); SumDim(!t2 → t3[32,1])")
    assert engine.plans() == ["C(ElementWise(210)[0, 1]; U[2]) | sync"]
    assert (engine.explorations, engine.hits()) == (1, [0])


def test_11_past_the_cap_nothing_is_stored_and_what_is_stored_is_still_hit() -> None:
    engine = Engine(max_explorations=2)
    for _ in range(2):
        engine.run(*(f"2×{kind}(t0[8] → t1[8])" for kind in ("Exp", "Log", "Sin", "Cos")))
    assert engine.explorations == len(engine.plans()) == 2
    assert engine.executed() == (["ElementWise(210)[0, 1]"] * 2 + ["U[0]"] * 4) * 2
    assert engine.hits() == [0, 1]


def test_12_only_a_new_pattern_of_equal_extents_is_searched_again() -> None:
    engine = Engine()
    searched = []
    for rows in (5, 6, 32, 7, 1, 1, 33):
        before = engine.explorations
        engine.run(
            f"MulScalar(t0[{rows},32] → t1[{rows},32]); AddScalar(!t1[{rows},32] → t2[{rows},32])"
        )
        searched.append(engine.explorations > before)
    assert searched == [True, False, True, False, True, False, False]


@pytest.mark.parametrize(
    ("texts", "forms"),
    [
        ([f"Exp(t0[1,{n},64] → t1[1,{n},64])" for n in range(1, 129)], 3),
        ([f"Matmul(t0[{n},32], t1[32,10] → t2[{n},10])" for n in range(1, 41)], 4),
        (
            [f"Custom(t0[2,8,{n},64], t1[2,8,{n},{n}] → t2[2,8,{n},64])" for n in range(1, 129)],
            5,
        ),
    ],
    ids=["a growing sequence", "batches of a layer", "attention"],
)
def test_a_program_whose_shapes_change_has_few_forms(texts, forms) -> None:
    engine = Engine()
    engine.run(*texts)
    assert engine.explorations == len(engine.plans()) == forms


def test_13_the_axis_and_the_number_of_best_values_are_part_of_the_key() -> None:
    engine = Engine()
    engine.run(
        "SumDim(t0[4,4] → t1[1,4], axis=0)",
        "SumDim(t0[4,4] → t1[4,1], axis=1)",
        "TopK(t0[4,4] → t1[4,1], accumulator_len=1)",
        "TopK(t0[4,4] → t1[4,3], accumulator_len=3)",
    )
    assert engine.hits() == []
    assert len(engine.plans()) == 4


def test_18_a_chain_longer_than_a_kernel_is_cut_and_the_cuts_are_found_again() -> None:
    engine = Engine()
    for _ in range(2):
        engine.run("200×AddScalar(t0[4] → t1[4])")
    assert [len(block.operations) for block in kernels(engine)] == [65, 65, 65, 5] * 2
    assert engine.explorations == 3, "the first cut, one like the second and third, the rest"
    assert engine.hits() == [1, 0, 1, 1, 2]


def test_36_an_empty_tensor_finds_the_plan_of_a_full_one() -> None:
    engine = Engine()
    engine.run(
        *(f"Add(t0[{s}], t1[{s}] → t2[{s}]); Exp(!t2[{s}] → t3[{s}])" for s in ("5,7", "2,0"))
    )
    assert engine.hits() == [0]


def test_52_150_ops_with_a_shared_broadcast_are_cut_at_the_cap_both_times() -> None:
    engine = Engine()
    text = "Add(t900[4,8], t901[1,8] → t0[4,8])"
    for number in range(149):
        text += f"; Add(!t{number}[4,8], t901[1,8] → t{number + 1}[4,8])"
    engine.run(text, text)
    lengths = [len(block.operations) for block in kernels(engine)]
    assert lengths == [65, 65, 20] * 2


def test_56_a_thousand_steps_of_three_forms_leave_three_plans() -> None:
    engine = Engine()
    for step in range(1000):
        size = (8, 9, 1)[step % 3]
        engine.run(f"Add(t0[{size},9], t1[{size},9] → t2[{size},9])")
    assert len(engine.plans()) == 3
    assert engine.explorations == 3


@pytest.mark.parametrize("value", [2.0, 2, True, {"UInt": 2}])
def test_56_scalars_of_every_kind_share_a_plan(value) -> None:
    engine = Engine()
    for rhs in (2.0, value):
        engine.register([op("MulScalar(t0 → t1)", rhs=rhs), op("Exp(!t1 → t2)")])
        engine.sync()
    assert engine.hits() == [0]


# --- which ops share a kernel -------------------------------------------------------------------


def test_04_an_unfusable_head_does_not_keep_the_rest_from_fusing() -> None:
    engine = Engine()
    engine.run(
        "Exp(t0[4,6] → t1[4,6]); Reshape(!t1[4,6] → t2[2,12]); AddScalar(!t2[2,12] → t3[2,12]); "
        "MulScalar(!t3[2,12] → t4[2,12]); Tanh(!t4[2,12] → t5[2,12])"
    )
    assert engine.executed() == ["U[0, 1]", "ElementWise(420)[0, 1, 2]"]


def test_05_an_unrelated_op_in_the_middle_does_not_end_a_fusion() -> None:
    engine = Engine()
    engine.run(
        "Mul(t0, t0 → t1); MulScalar(!t1 → t2); SumDim(t9 → t10[32,1]); AddScalar(!t2 → t3); "
        "Tanh(!t3 → t4)"
    )
    assert engine.executed() == ["C(ElementWise(730)[0, 1, 3, 4]; U[2])"]


def test_16_a_view_that_is_the_only_use_of_its_source_is_not_fused() -> None:
    alone, second = Engine(), Engine()
    alone.run(
        "SwapDims(!t0[4,8] → t1[8,4]); Add(!t1[8,4], t2[8,4] → t3[8,4]); Exp(!t3[8,4] → t4[8,4])"
    )
    assert alone.executed() == ["U[0]", "ElementWise(210)[0, 1]"]
    second.run(
        "Add(t0[8,8], t9[8,8] → t1[8,8]); SwapDims(!t0[8,8] → t2[8,8]); "
        "Mul(!t1[8,8], !t2[8,8] → t3[8,8])"
    )
    assert [kinds(block) for block in kernels(second)] == [["Add", "SwapDims", "Mul"]]


def test_19_no_kernel_binds_more_buffers_than_the_limit() -> None:
    limit = 8
    engine = Engine(max_bindings=limit)
    text = "Add(t0[4], t1[4] → t100[4])"
    for number in range(11):
        text += f"; Add(!t{100 + number}[4], t{number + 2}[4] → t{101 + number}[4])"
    engine.run(text)
    units = list(kernels(engine))
    assert len(units) >= 2
    for block in units:
        assert 1 + buffers(block) <= limit
    assert [each.spec.variant for each in order_of(engine)] == ["Add"] * 12


def buffers(block: f.ExecutedBlock) -> int:
    """What a unit reads from outside, and what outlives it."""
    made = {each.id for op in block.operations for each in op.outputs}
    read = {each.id for op in block.operations for each in op.inputs}
    used_up = {
        each.id
        for op in block.operations
        for each in op.inputs
        if each.status is TensorStatus.READ_WRITE
    }
    return len(read - made) + len(made - used_up)


@pytest.mark.parametrize("strange", ["Exp(t5:qfloat → t6)", "Custom(t5 → t6)"])
def test_21_what_a_fuser_cannot_read_runs_alone_and_the_rest_is_not_affected(strange: str) -> None:
    engine = Engine()
    engine.run(f"MulScalar(t0 → t1); {strange}; Exp(!t1 → t2)")
    assert [kinds(block) for block in kernels(engine)] == [["MulScalar", "Exp"]]


def test_26_a_transposed_softmax_keeps_its_view_out_of_every_kernel() -> None:
    engine = Engine()
    engine.run(
        "SwapDims(!t0[3,4] → t1[4,3]); MaxDim(t1[4,3] → t2[4,1]); "
        "Sub(!t1[4,3], !t2[4,1] → t3[4,3]); Exp(!t3[4,3] → t4[4,3]); "
        "SumDim(t4[4,3] → t5[4,1]); Div(!t4[4,3], !t5[4,1] → t6[4,3])"
    )
    assert all("SwapDims" not in kinds(block) for block in kernels(engine))


def test_33_a_pool_is_fused_only_with_an_input_that_nobody_else_reads() -> None:
    shared = Engine()
    shape = "[1,2,4,4]"
    shared.run(
        f"AddScalar(t0{shape} → t1{shape}); MaxPool2d(t1{shape} → t2[1,2,2,2]); "
        f"MulScalar(!t1{shape} → t3{shape})"
    )
    assert all("MaxPool2d" not in kinds(block) for block in kernels(shared))


def test_42_a_store_by_index_and_a_load_by_index_stay_apart_and_in_order() -> None:
    engine = Engine()
    engine.run("Scatter(!t0, t1:i32, t2 → t3); Gather(!t3, t4:i32 → t5); Exp(!t5 → t6)")
    variants = [each.spec.variant for each in order_of(engine)]
    assert variants.index("Scatter") < variants.index("Gather")
    assert all("Scatter" not in kinds(block) for block in kernels(engine))


def test_54_reductions_of_different_lengths_never_share_a_kernel() -> None:
    engine = Engine()
    engine.run(
        "Exp(t0[1,3] → t1[1,3]); MaxDim(!t1[1,3] → t2[1,1]); "
        "Exp(t3[1,2] → t4[1,2]); MinDim(!t4[1,2] → t5[1,1]); Sub(!t2[1,1], !t5[1,1] → t6[1,1])"
    )
    for block in kernels(engine):
        assert not {"MaxDim", "MinDim"} <= set(kinds(block))


@pytest.mark.parametrize("count", range(1, 8))
def test_55_an_op_with_any_number_of_outputs_leaves_each_op_in_one_unit(
    count: int,
) -> None:
    outputs = ", ".join(f"t{n}" for n in range(1, count + 1))
    readers = "; ".join(f"Exp(!t{n} → t{n + 10})" for n in range(1, count + 1, 2))
    engine = Engine()
    engine.run(f"Custom(t0 → {outputs}); {readers}")
    ran = order_of(engine)
    assert len(ran) == len(set(ran)) == 1 + len(range(1, count + 1, 2))


# --- order, and the life of tensors -------------------------------------------------------------


def test_22_every_op_reads_its_operands_and_makes_its_results() -> None:
    for spec in OPSET.values():
        made = {name.strip("[]*") for name in spec.outputs}
        read = {name.strip("[]*") for name in spec.inputs}
        assert not read & made, spec
    engine = Engine()
    engine.run(
        "AddScalar(t0[4] → t1[4]); CumSum(!t1[4] → t2[4], axis=0); MulScalar(!t2[4] → t3[4])"
    )
    assert [each.spec.variant for each in order_of(engine)] == ["AddScalar", "CumSum", "MulScalar"]


def test_43_a_loop_that_drops_its_results_leaves_no_buffer_behind() -> None:
    backend = BreakingBackend()
    engine = Engine(backend=backend)
    engine.run("Ones( → t0[64,32]); Ones( → t1[32]:i32)")
    for step in range(100):
        a, b = 10 + 2 * step, 11 + 2 * step
        engine.register(
            f"Select(t0[64,32], t1[32]:i32 → t{a}); Sum(!t{a} → t{b}[1]); Drop(t{b}[1])"
        )
    engine.sync()
    assert {number for number in range(500) if number in backend} == {0, 1}
    assert len(backend.freed) == len(set(backend.freed)), "nothing is freed twice"


def test_45_a_second_share_of_a_tensor_drains_its_stream_no_more() -> None:
    backend = BreakingBackend()
    engine = Engine(backend=backend)
    one = StreamId(1)
    engine.register("Ones( → t0); AddScalar(t0 → t1); MulScalar(!t1 → t2)", one)
    engine.server.share_view(one, 2, 50)
    assert engine.queued(one) == 0
    engine.register("Exp(t2 → t3)", one)
    engine.server.share_view(one, 2, 51)
    assert engine.queued(one) == 1
    engine.server.read(StreamId(2), tensor("!t50"))
    engine.server.read(StreamId(2), tensor("!t51"))
    assert 2 in backend


def test_53_an_old_value_lives_until_its_last_reader_has_run() -> None:
    """C = a + 1; a' = b + 1; b' = c: written as an update in place, this looks like a circle."""
    engine = Engine()
    engine.run("AddScalar(!t0[4] → t2[4]); AddScalar(!t1[4] → t3[4]); Abs(!t2[4] → t4[4])")
    assert order_is_valid(order_of(engine))


def test_14_a_fusion_that_no_drain_asks_for_runs_as_soon_as_nobody_can_extend_it() -> None:
    engine = Engine()
    for _ in range(3):
        engine.register("MulScalar(t0 → t1); Exp(!t1 → t2); Custom(!t2 → t3)")
        assert engine.queued() == 0
    assert engine.executed() == ["ElementWise(210)[0, 1]", "U[0]"] * 3
    assert engine.hits() == [0, 1] * 2


def test_49_the_values_of_a_loop_are_the_same_with_and_without_drains_in_it() -> None:
    text = (
        "h, w, x = random(8, 8), keep(random(8, 8)), keep(random(8, 8))\n"
        "for step in range(6):\n    h = tanh(h @ w + x)\n{drain}read(h)\n"
    )
    often = Lab().run_text(text.format(drain="    sync()\n"))
    once = Lab().run_text(text.format(drain=""))
    assert [value.first for value in often.outputs] == [value.first for value in once.outputs]
    assert len(often.outputs[0].first) == 8
