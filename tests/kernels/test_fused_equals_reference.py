"""The law of the kernels: a fused group leaves exactly what its ops leave one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from kernels.groups import FLOATS, INTS, broadcast_reduce_groups, exact_groups, reduce_groups
from kernels.tape import Outcome, Tape, assert_same, check, last, run_fused, run_unfused

from fusionlab.ir.tensor import DType
from fusionlab.kernels.dtypes import storage_dtype
from fusionlab.kernels.executor import KernelMode
from fusionlab.kernels.quantized import quantize

RNG = np.random.default_rng(5)


def assert_identical(left: Outcome, right: Outcome) -> None:
    assert set(left.values) == set(right.values)
    for number, value in right.values.items():
        np.testing.assert_array_equal(left.values[number], value)
        assert left.values[number].dtype == value.dtype


@settings(max_examples=50)
@given(exact_groups())
def test_element_wise_groups_of_exact_ops_agree_to_the_last_bit(tape):
    assert_identical(run_fused(tape), run_unfused(tape))


@settings(max_examples=35)
@given(reduce_groups())
def test_reduce_groups_agree(tape):
    check(tape, "Reduce", factor=10)


@settings(max_examples=35)
@given(broadcast_reduce_groups())
def test_groups_with_several_reductions_over_rows_agree(tape):
    check(tape, "ReduceBroadcasted", factor=10)


@settings(max_examples=10)
@given(exact_groups())
def test_the_reference_mode_reports_the_same_launches_and_leaves_the_same_values(tape):
    compiled, reference = run_fused(tape), run_fused(tape, mode=KernelMode.REFERENCE)
    assert_identical(reference, compiled)
    assert reference.launches == compiled.launches


FUNCTIONS = ("Exp", "Log", "Log1p", "Cos", "Sin", "Tanh", "Erf", "Sqrt", "Recip")
VALUES = np.array(
    [0.0, -0.0, 1e-8, 0.3, -0.9, 1.0, 2.5, -7.0, 80.0, -80.0, 1e4, np.inf, -np.inf, np.nan]
)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_float_function_agrees_in_every_float_type(function, dtype):
    tape = Tape()
    x = tape.input(VALUES, dtype)
    tape.op("NumericFloat::MulScalar", tape.op(f"Float::{function}", x), rhs=2.0)
    check(tape)


@pytest.mark.parametrize("dtype", FLOATS)
def test_powers_agree_with_every_mix_of_signs_and_special_values(dtype):
    left, right = np.meshgrid(
        VALUES, np.array([0.0, 1.0, 2.0, -3.0, 0.5, -0.5, np.inf, -np.inf, np.nan])
    )
    tape = Tape()
    x, y = tape.input(left, dtype), tape.input(right, dtype)
    tape.op("Float::Powf", x, y)
    tape.op("Float::PowfScalar", x, rhs=3.0)
    check(tape)


@pytest.mark.parametrize("dtype", INTS)
def test_integer_corner_cases_agree_and_never_trap(dtype):
    info = np.iinfo(storage_dtype(DType(dtype)))
    edge = np.array([info.min, info.max, 0, 1, 7])
    left, right = np.meshgrid(edge, np.array([info.min, info.max, 0, 1, 3]))
    tape = Tape()
    x, y = tape.input(left, dtype), tape.input(right, dtype)
    for op in ("Div", "Rem", "Mul", "Add", "Sub"):
        tape.op(f"NumericInt::{op}", x, y)
    tape.op("NumericInt::Abs", x)
    tape.op("NumericInt::DivScalar", x, rhs=-1)
    assert_identical(run_fused(tape), run_unfused(tape))


@pytest.mark.parametrize("source", [*FLOATS, *INTS, "bool"])
@pytest.mark.parametrize("target", [*FLOATS, *INTS, "bool"])
def test_every_cast_agrees(source, target):
    kind = DType(source)
    base = "Bool" if kind.is_bool else "Float" if kind.is_float else "Int"
    tape = Tape()
    numbers = (
        np.array([0, 1, -1, 2.5, 300, -300, 70000, 5e9]) if kind.is_float else np.arange(-3, 4)
    )
    x = tape.input(numbers, source)
    tape.op(f"Base{base}::Cast", x, dtype=target)
    assert_identical(run_fused(tape), run_unfused(tape))


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "i64", "bool"])
@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("name", ["Gather", "Select", "Cat"])
def test_reads_by_index_agree(name, dtype, dim):
    base = {"i64": "Int", "bool": "Bool"}.get(dtype, "Float")
    shape = (4, 3, 5)
    tape = Tape()
    x = tape.input(RNG.integers(0, 5, shape), dtype)
    if name == "Cat":
        narrow = [2 if place == dim else extent for place, extent in enumerate(shape)]
        others = [tape.input(RNG.integers(0, 5, narrow), dtype), x]
    else:
        size = shape if name == "Gather" else (6,)
        others = [tape.input(RNG.integers(0, shape[dim], size), "i32")]
    moved = tape.op(f"Base{base}::{name}", x, *others, dim=dim)
    tape.op(f"Base{base}::Equal", moved, moved)
    assert_identical(run_fused(tape), run_unfused(tape))


def test_single_numbers_and_matrices_in_one_kernel():
    tape = Tape()
    one, matrix = tape.input(2.0), tape.input(RNG.normal(size=(3, 4)))
    tape.op("NumericFloat::AddScalar", tape.op("Float::Sqrt", one), rhs=1.0)
    tape.op("Float::Exp", tape.op("NumericFloat::MulScalar", matrix, rhs=0.5))
    check(tape)


def test_views_of_an_input_that_is_read_as_well():
    tape = Tape()
    x = tape.input(RNG.normal(size=(4, 4)))
    y = tape.op("NumericFloat::MulScalar", x, rhs=2.0)
    turned = tape.op("BaseFloat::SwapDims", x, dim1=0, dim2=1)
    tape.op("NumericFloat::Add", last(y), last(turned))
    check(tape)


def test_a_reshape_of_an_input_that_is_read_as_well():
    tape = Tape()
    x, a = tape.input(RNG.normal(size=(1, 6))), tape.input(RNG.normal(size=(6, 6)))
    y = tape.op("NumericFloat::Add", a, x)
    turned = tape.op("BaseFloat::Reshape", last(x), shape=(6, 1))
    tape.op("NumericFloat::Mul", last(y), last(turned))
    check(tape)


def test_dequantised_values_feed_the_same_kernel():
    tape = Tape()
    codes = tape.input(quantize(RNG.normal(size=(3, 5)), 0.02), "qfloat")
    y = tape.op("Float::Dequantize", codes, dtype="f32")
    tape.op("NumericFloat::AddScalar", last(y), rhs=1.0)
    check(tape)


@pytest.mark.parametrize("make", ["Ones", "Zeros"])
def test_constants_are_made_inside_the_kernel(make):
    tape = Tape()
    tape.op(
        "NumericFloat::MulScalar",
        last(tape.op(f"BaseFloat::{make}", shape=(3, 4), dtype="f32")),
        rhs=3.0,
    )
    full = tape.op("NumericFloat::Full", shape=(3, 4), dtype="f32", value=0.5)
    tape.op("Float::Exp", last(full))
    outcome = check(tape)
    assert outcome.launches[0].reads == ()


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("kind", ["AnyDim", "AllDim"])
def test_any_and_all_agree(kind, axis):
    tape = Tape()
    x = tape.input(RNG.integers(0, 3, (3, 4, 5)), "f32")
    mask = tape.op("NumericFloat::GreaterElem", x, rhs=0.0)
    tape.op(f"BaseBool::{kind}", last(mask), axis=axis)
    assert_identical(run_fused(tape, "Reduce"), run_unfused(tape))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", ["ArgMax", "ArgMin", "MaxDim", "MinDim", "MaxAbsDim"])
def test_extremes_agree_on_ties_and_nan(kind, axis):
    tape = Tape()
    x = tape.input(
        [[1.0, np.nan, 3.0, np.nan], [2.0, 2.0, -2.0, 0.0], [-np.inf, -0.0, 0.0, np.inf]]
    )
    y = tape.op("NumericFloat::MulScalar", x, rhs=1.0)
    tape.op(f"NumericFloat::{kind}", last(y), axis=axis)
    assert_identical(run_fused(tape, "Reduce"), run_unfused(tape))


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_narrow_floats_agree_through_softmax(dtype):
    tape = Tape()
    x = tape.input(RNG.normal(size=(5, 40)), dtype)
    y = tape.op("NumericFloat::MulScalar", x, rhs=0.5)
    top = tape.op("NumericFloat::MaxDim", y, axis=1)
    e = tape.op("Float::Exp", tape.op("NumericFloat::Sub", y, last(top)))
    tape.op("NumericFloat::Div", e, tape.op("NumericFloat::SumDim", e, axis=1))
    fused, unfused = run_fused(tape, "ReduceBroadcasted"), run_unfused(tape)
    for number, value in unfused.values.items():
        assert_same(fused.values[number], value, DType(dtype))
