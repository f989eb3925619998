"""What the learner reads: the text of a kernel."""

import numpy as np
from kernels.tape import Tape, check, last


def text_of(tape: Tape, fuser: str = "ElementWise") -> str:
    (text,) = check(tape, fuser).executor.sources.values()
    return text


def body(text: str) -> list[str]:
    lines = text.split('"""')[2].strip("\n").split("\n")
    return [" ".join(line.split()) for line in lines]


def test_the_seed_expression_is_one_flat_loop_with_burns_names_beside_it():
    tape = Tape()
    a, b, c = (tape.input(np.ones((64, 64))) for _ in range(3))
    product, scaled = (
        tape.op("NumericFloat::Mul", a, b),
        tape.op("NumericFloat::MulScalar", c, rhs=2.0),
    )
    tape.op("Float::Exp", last(tape.op("NumericFloat::Add", last(product), last(scaled))))
    assert body(text_of(tape)) == [
        "for i in range(ni):",
        "v0 = t0[i]",
        "v1 = t1[i]",
        "v2 = v0 * v1 # NumericFloat::Mul",
        "v3 = t3[i]",
        "v4 = v3 * s0 # NumericFloat::MulScalar",
        "v5 = v2 + v4 # NumericFloat::Add",
        "v6 = exp(v5) # Float::Exp",
        "t6[i] = v6",
    ]


def test_a_column_and_a_row_broadcast_in_two_loops_and_the_column_is_read_once_a_row():
    tape = Tape()
    tape.op("NumericFloat::Add", tape.input(np.ones((3, 1))), tape.input(np.ones((1, 4))))
    assert body(text_of(tape)) == [
        "for i in range(ni):",
        "v0 = t0[i]",
        "for j in range(nj):",
        "v1 = t1[j]",
        "v2 = v0 + v1 # NumericFloat::Add",
        "t2[i, j] = v2",
    ]


def test_softmax_walks_over_each_row_three_times_and_keeps_its_exponentials():
    tape = Tape()
    x = tape.input(np.ones((4, 5)))
    y = tape.op("NumericFloat::MulScalar", last(x), rhs=0.5)
    top = tape.op("NumericFloat::MaxDim", y, axis=1)
    e = tape.op("Float::Exp", last(tape.op("NumericFloat::Sub", last(y), last(top))))
    tape.op("NumericFloat::Div", last(e), last(tape.op("NumericFloat::SumDim", e, axis=1)))
    text = text_of(tape, "ReduceBroadcasted")
    assert text.count("for j in range(nj)") == 3
    assert text.count("exp(") == 1
    assert "row4 = empty(nj, float32)" in text


def test_values_that_only_live_inside_the_kernel_are_no_parameters():
    tape = Tape()
    x = tape.input(np.ones(4))
    tape.op("Float::Exp", last(tape.op("NumericFloat::AddScalar", x, rhs=1.0)))
    header = text_of(tape).splitlines()[0]
    assert header.endswith("(t0, t2, ni, s0):")


def test_a_dear_op_over_a_row_is_computed_once_and_not_for_every_row():
    tape = Tape()
    x, b = tape.input(np.ones((3, 4))), tape.input(np.ones((1, 4)))
    bias = tape.op("NumericFloat::MulScalar", last(tape.op("Float::Exp", b)), rhs=2.0)
    tape.op("NumericFloat::Add", x, last(bias))
    assert body(text_of(tape)) == [
        "kept1 = empty(nj, float32)",
        "for j in range(nj):",
        "v0 = t0[j]",
        "v1 = exp(v0) # Float::Exp",
        "kept1[j] = v1",
        "for i in range(ni):",
        "for j in range(nj):",
        "v1 = kept1[j]",
        "v2 = v1 * s0 # NumericFloat::MulScalar",
        "v3 = t3[i, j]",
        "v4 = v3 + v2 # NumericFloat::Add",
        "t4[i, j] = v4",
    ]
