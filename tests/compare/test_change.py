"""One thing changed: the changed program is valid, its text shows the change, the rest stays."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from learn.recordings import programs

from fusionlab.config import FusionConfig
from fusionlab.errors import ProgramError
from fusionlab.ir.tensor import DType
from fusionlab.program import Program, Read, Register, Sync, parse_program
from fusionlab.program.change import (
    Change,
    DisableFuser,
    DropValue,
    InsertRead,
    InsertSync,
    Keep,
    Move,
    Reach,
    Release,
    Remove,
    ReplaceOp,
    SetDtype,
    SetLimit,
    SetScalar,
    SetShape,
    apply,
)

ROUNDS = """\
w = keep(tensor([0.0]))
for size, s in [((64, 64), 2.0), ((64, 64), 3.0), ((32, 32), 2.0)]:
    a, b, c = random(*size), random(*size), random(*size)
    out = exp(a * b + c * s)
    read(out)
"""
STRAIGHT = """\
x = keep(random(8, 8))
y = exp(x * 2.0)
read(y)
"""
TEXTS = [recorded["lab"] for recorded in programs().values()]


def lines_changed(before: Program, after: Program) -> list[str]:
    """Lines that went (``-``) or came (``+``)."""
    found = difflib.ndiff(before.text.splitlines(), after.text.splitlines())
    return [line for line in found if line[0] in "-+"]


def op(program: Program, kind: str, nth: int) -> int:
    """The index of the nth instruction of a kind; negative ones count from the end."""
    found = [
        n
        for n, instruction in enumerate(program.instructions)
        if isinstance(instruction, Register) and instruction.spec.name == kind
    ]
    return found[nth]


def changed(text: str, change: Change) -> list[str]:
    program = parse_program(text)
    return lines_changed(program, apply(program, change))


# --- a minimal edit ----------------------------------------------------------------------------


def test_a_shape_is_changed_where_the_learner_wrote_it_in_the_header_of_the_loop() -> None:
    program = parse_program(ROUNDS)
    last_a = op(program, "Float::Random", -3)
    after = apply(program, SetShape(last_a, (64, 32)))
    assert after.text == ROUNDS.replace("((32, 32), 2.0)", "((64, 32), 2.0)")


def test_a_scalar_is_changed_in_its_own_round_only() -> None:
    program = parse_program(ROUNDS)
    after = apply(program, SetScalar(op(program, "NumericFloat::MulScalar", 0), 5.0))
    assert after.text == ROUNDS.replace("[((64, 64), 2.0)", "[((64, 64), 5.0)")


def test_an_operator_is_replaced_where_it_stands_when_it_binds_alike() -> None:
    program = parse_program(ROUNDS)
    first_mul = op(program, "NumericFloat::Mul", 0)
    after = apply(program, ReplaceOp(first_mul, "/", Reach.EVERY))
    assert after.text == ROUNDS.replace("a * b", "a / b")


def test_an_operator_that_would_bind_otherwise_gets_parentheses() -> None:
    program = parse_program("x = keep(random(4))\nread(x - x * x)\n")
    after = apply(program, ReplaceOp(op(program, "NumericFloat::Mul", 0), "+"))
    assert "x - (x + x)" in after.text


@pytest.mark.parametrize(
    ("line", "kind", "word", "expected"),
    [
        ("y = exp(x)", "Float::Exp", "log", "y = log(x)"),
        ("y = x.exp()", "Float::Exp", "log", "y = x.log()"),
        ("y = -x", "NumericFloat::MulScalar", "exp", "y = exp(x)"),
        ("y = x * x", "NumericFloat::Mul", "hypot", "y = hypot(x, x)"),
        ("y = add(x, x)", "NumericFloat::Add", "*", "y = mul(x, x)"),
        ("y = x; y += x", "NumericFloat::Add", "-", "y = x; y -= x"),
        ("y = x < x", "NumericFloat::Lower", ">=", "y = x >= x"),
    ],
    ids=["call", "method", "sign", "operator", "word", "in place", "comparison"],
)
def test_an_op_is_replaced_in_every_way_of_writing(
    line: str, kind: str, word: str, expected: str
) -> None:
    program = parse_program(f"x = keep(random(4))\n{line}\nread(y)\n")
    after = apply(program, ReplaceOp(op(program, kind, 0), word))
    assert after.text.splitlines()[1] == expected


def test_keep_wraps_the_value_and_release_takes_it_back() -> None:
    program = parse_program(STRAIGHT)
    kept = apply(program, Keep(op(program, "NumericFloat::MulScalar", 0)))
    assert "exp(keep(x * 2.0))" in kept.text
    released = apply(kept, Release(op(kept, "NumericFloat::MulScalar", 0)))
    assert released.text == STRAIGHT


def test_an_element_type_is_written_into_the_call_that_has_none() -> None:
    program = parse_program(STRAIGHT)
    assert 'random(8, 8, dtype="f16")' in apply(program, SetDtype(0, DType.F16)).text


def test_a_sync_comes_behind_the_statement_as_deep_as_it() -> None:
    program = parse_program(ROUNDS)
    where = op(program, "Float::Random", 2)
    after = apply(program, InsertSync(where, Reach.EVERY))
    assert lines_changed(program, after) == ["+     sync()"]
    assert sum(isinstance(i, Sync) for i in after.instructions) == 3


def test_a_read_goes_and_moves() -> None:
    program = parse_program(STRAIGHT + "z = y + 1.0\nread(z)\n")
    (first, _) = [n for n, i in enumerate(program.instructions) if isinstance(i, Read)]
    assert lines_changed(program, apply(program, Remove(first))) == ["- read(y)"]
    last = op(program, "NumericFloat::AddScalar", 0)
    assert apply(program, Move(first, last)).text.splitlines()[2:] == [
        "z = y + 1.0",
        "read(y)",
        "read(z)",
    ]


def test_what_a_removed_read_computes_on_the_way_stays() -> None:
    program = parse_program("x = keep(random(4))\nread(exp(x))\n")
    assert apply(program, Remove(2)).text.splitlines()[1] == "exp(x)"


def test_a_removed_read_leaves_no_empty_loop() -> None:
    program = parse_program("x = keep(random(4))\nfor i in range(2):\n    read(x)\n")
    assert apply(program, Remove(1, Reach.EVERY)).text.splitlines()[2] == "    pass"


def test_a_read_and_a_drop_are_put_in_by_name() -> None:
    program = parse_program(STRAIGHT)
    assert changed(STRAIGHT, InsertRead(op(program, "Float::Exp", 0))) == ["+ read(y)"]
    assert changed(STRAIGHT, DropValue(0, 1)) == ["+ drop(x)"]


def test_a_setting_gets_its_line_and_that_line_is_changed_the_next_time() -> None:
    program = parse_program(STRAIGHT)
    once = apply(program, SetLimit("max_blocks", 2))
    assert once.text == f"config(max_blocks=2)\n{STRAIGHT}"
    twice = apply(once, SetLimit("max_explorations", 1))
    assert twice.text.splitlines()[0] == "config(max_blocks=2, max_explorations=1)"
    thrice = apply(twice, SetLimit("max_blocks", 3))
    assert thrice.text.splitlines()[0] == "config(max_blocks=3, max_explorations=1)"


def test_a_fuser_is_off_although_no_text_can_say_so_and_stays_off() -> None:
    off = apply(parse_program(STRAIGHT), DisableFuser("Reduce"))
    assert off.text == STRAIGHT
    also = apply(off, SetScalar(op(off, "NumericFloat::MulScalar", 0), 3.0))
    assert also.configure(FusionConfig()).disabled_fusers == {"Reduce"}


# --- one round of a loop -----------------------------------------------------------------------


def test_the_loop_is_split_when_only_one_round_is_meant() -> None:
    program = parse_program(ROUNDS)
    after = apply(program, ReplaceOp(op(program, "Float::Exp", 1), "log"))
    kinds = [i.spec.name for i in after.instructions if isinstance(i, Register)]
    assert [k for k in kinds if k in {"Float::Exp", "Float::Log"}] == [
        "Float::Exp",
        "Float::Log",
        "Float::Exp",
    ]
    assert "for size, s in [((64, 64), 3.0)]:" in after.text


def test_a_loop_over_numbers_is_split_into_ranges() -> None:
    program = parse_program("x = keep(random(4))\nfor i in range(9):\n    read(x * i)\n")
    after = apply(program, ReplaceOp(op(program, "NumericFloat::MulScalar", 4), "+"))
    assert [line for line in after.text.splitlines() if line.startswith("for")] == [
        "for i in range(4):",
        "for i in [4]:",
        "for i in range(5, 9):",
    ]


def test_both_loops_are_split_around_an_op_in_the_inner_one() -> None:
    text = "x = keep(random(4))\nfor i in range(2):\n    for j in [1, 2, 3]:\n        read(x * j)\n"
    program = parse_program(text)
    after = apply(program, ReplaceOp(op(program, "NumericFloat::MulScalar", 4), "+"))
    kinds = [i.spec.name[14:] for i in after.instructions if isinstance(i, Register)][1:]
    assert kinds == ["MulScalar"] * 4 + ["AddScalar", "MulScalar"]


def test_only_the_meant_round_is_kept() -> None:
    program = parse_program(ROUNDS)
    at = op(program, "NumericFloat::Mul", 1)
    after = apply(program, Keep(at))
    assert len(after.kept) == len(program.kept) + 1


# --- what cannot be ----------------------------------------------------------------------------


def test_what_the_parser_refuses_is_told_with_its_line_and_column() -> None:
    program = parse_program(ROUNDS)
    with pytest.raises(ProgramError) as caught:
        apply(program, SetDtype(op(program, "Float::Random", 0), DType.F16))
    error = caught.value
    assert (error.code, error.line, error.column) == ("dtype_mismatch", 4, 17)
    assert error.params["source"] == "out = exp(a * b + c * s)"


def test_a_change_that_no_text_can_make_says_so() -> None:
    program = parse_program(STRAIGHT)
    with pytest.raises(ProgramError, match="change_impossible"):
        apply(program, SetScalar(op(program, "Float::Exp", 0), 2.0))
    with pytest.raises(ProgramError, match="change_place"):
        apply(program, Keep(99))


# --- laws --------------------------------------------------------------------------------------


@st.composite
def changes(draw: st.DrawFn) -> tuple[Program, Change]:
    program = parse_program(draw(st.sampled_from(TEXTS)))
    at = draw(st.integers(0, len(program.instructions) - 1))
    after = draw(st.integers(0, len(program.instructions) - 1))
    reach = draw(st.sampled_from(Reach))
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=4)))
    return program, draw(
        st.sampled_from(
            [
                SetShape(at, shape, reach),
                SetScalar(at, draw(st.floats(-9, 9)), 0, reach),
                SetDtype(at, draw(st.sampled_from(DType)), reach),
                ReplaceOp(at, draw(st.sampled_from(["exp", "+", "hypot", "sum", "relu"])), reach),
                *(kind(at, reach) for kind in (Keep, Release, InsertSync, InsertRead, Remove)),
                Move(at, after, reach),
                DropValue(at, after, reach),
            ]
        )
    )


@given(changes())
def test_a_changed_program_is_what_its_own_text_says(drawn: tuple[Program, Change]) -> None:
    program, change = drawn
    try:
        after = apply(program, change)
    except ProgramError:
        return
    again = parse_program(after.text, after.name)
    assert again.instructions == after.instructions
    assert again.values == after.values
    assert again.kept == after.kept


@given(st.sampled_from(TEXTS), st.data())
def test_a_split_loop_asks_for_the_same_ops(text: str, data: st.DataObject) -> None:
    from fusionlab.program.change.peel import peeled  # noqa: PLC0415
    from fusionlab.program.change.same import same_ops  # noqa: PLC0415

    program = parse_program(text)
    at = data.draw(st.integers(0, len(program.instructions) - 1))
    split = peeled(program, at)
    if split is not None:
        assert same_ops(program, split)
        again = [n for n, i in enumerate(split.instructions) if i.at == split.instructions[at].at]
        before = [
            n for n, i in enumerate(program.instructions) if i.at == program.instructions[at].at
        ]
        assert set(again) <= set(before)
