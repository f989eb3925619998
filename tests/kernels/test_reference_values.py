"""Hand-computed values of element-wise ops, conversions, indexing and reductions."""

from typing import Any

import numpy as np
import pytest
from kernels.tape import Tape, options, run_unfused, scalar

from fusionlab.errors import ExecutionError, UnsupportedError
from fusionlab.ir.operation import ArgValue, Slice
from fusionlab.kernels.dtypes import Array, round_to_bf16
from fusionlab.kernels.quantized import quantize

NAN, INF = np.nan, np.inf


def call(
    name: str, *values: Any, dtypes: str = "", out: Any = None, **args: ArgValue
) -> list[Array]:
    """Run one op on literal values; ``dtypes`` names the input types (default f32)."""
    tape = Tape()
    kinds = dtypes.split() or ["f32"] * len(values)
    inputs = [tape.input(value, kind) for value, kind in zip(values, kinds, strict=True)]
    shape, dtype = out or (None, None)
    made = tape.ops_of(name, *inputs, shape=shape, dtype=dtype, **args)
    outcome = run_unfused(tape)
    return [outcome[tensor] for tensor in made]


def one(name: str, *values: Any, dtypes: str = "", out: Any = None, **args: ArgValue) -> Any:
    return call(name, *values, dtypes=dtypes, out=out, **args)[0].tolist()


@pytest.mark.parametrize(
    ("left", "right", "quotient", "remainder"),
    [(7, 2, 3, 1), (-7, 2, -3, 1), (7, -2, -3, -1), (-7, -2, 3, -1), (5, 0, 0, 0)],
    ids=["plain", "negative dividend", "negative divisor", "both negative", "by zero"],
)
def test_integer_division_truncates_and_the_remainder_has_the_divisors_sign(
    left, right, quotient, remainder
):
    assert one("NumericInt::Div", [left], [right], dtypes="i32 i32") == [quotient]
    assert one("NumericInt::Rem", [left], [right], dtypes="i32 i32") == [remainder]
    assert one("NumericInt::RemScalar", [left], dtypes="i32", rhs=right) == [remainder]


def test_the_smallest_integer_divided_by_minus_one_wraps():
    smallest = -(2**31)
    assert one("NumericInt::DivScalar", [smallest], dtypes="i32", rhs=-1) == [smallest]


def test_a_float_remainder_has_the_sign_of_the_divisor():
    left, right = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], [2.0, 3.0, 1.0, 2.0, 1.0, -1.5]
    assert one("NumericFloat::Rem", left, right) == [1.0, 1.0, 0.0, 1.0, 0.0, 0.0]


def test_integers_wrap_around():
    assert one("NumericInt::AddScalar", [127], dtypes="i8", rhs=1) == [-128]
    assert one("NumericInt::MulScalar", [200], dtypes="u8", rhs=2) == [144]


def test_a_float_scalar_in_an_integer_op_is_truncated():
    assert one("NumericInt::RemScalar", [7], dtypes="i32", rhs=2.91) == [1]
    assert one("NumericInt::GreaterElem", [1], dtypes="i32", rhs=0.9) == [True]


def test_integer_powers_with_negative_exponents_round_toward_zero():
    assert one("NumericInt::Powi", [2, -1, 1, 3], [-1, -3, -2, 2], dtypes="i32 i32") == [
        0,
        -1,
        1,
        9,
    ]


def test_maximum_and_minimum_propagate_nan():
    assert np.isnan(one("NumericFloat::MaxDim", [[1.0, NAN, 3.0]], axis=1)[0][0])
    assert np.isnan(one("NumericFloat::ClampMin", [NAN], rhs=0.0)[0])
    assert np.isnan(one("NumericFloat::Clamp", [NAN], min=0.0, max=1.0)[0])


def test_comparisons_with_nan_are_false_and_negative_zero_equals_zero():
    assert one("BaseFloat::Equal", [NAN, -0.0], [NAN, 0.0]) == [False, True]
    assert one("BaseFloat::NotEqual", [NAN, -0.0], [NAN, 0.0]) == [True, False]


def test_the_first_of_equal_extremes_wins():
    assert one("NumericFloat::ArgMax", [[1.0, 5.0, 5.0]], axis=1) == [[1]]
    assert one("NumericFloat::ArgMin", [[0.0, -0.0, 0.0]], axis=1) == [[0]]
    assert one("NumericFloat::ArgMax", [[1.0, NAN, NAN]], axis=1) == [[1]]


def test_converting_floats_to_integers_saturates_and_makes_nan_zero():
    values = [1.9, -1.9, NAN, INF, -INF, 1e20]
    big, small = 2**31 - 1, -(2**31)
    got = one("Float::IntoInt", values, out=(None, "i32"))
    assert got == [1, -1, 0, big, small, big]
    assert one("Float::IntoInt", [1e20, -1e20], out=(None, "i64")) == [2**63 - 1, -(2**63)]
    assert one("Float::IntoInt", [-1.0, 300.0], out=(None, "u8")) == [0, 255]


def test_converting_integers_wraps_and_truth_is_being_other_than_zero():
    assert one("BaseInt::Cast", [300], dtypes="i32", out=(None, "u8")) == [44]
    assert one("BaseFloat::Cast", [0.5, 0.0, NAN], out=(None, "bool")) == [True, False, True]


def test_bf16_values_are_rounded_to_eight_bits_with_ties_to_even():
    one_step = 2.0**-7
    values = np.array([1 + one_step / 2, 1 + 1.5 * one_step, 1 + one_step], np.float32)
    assert round_to_bf16(values).tolist() == [1.0, 1 + 2 * one_step, 1 + one_step]
    assert np.isnan(round_to_bf16(np.array([NAN], np.float32)))[0]


def test_scalars_are_rounded_to_the_type_of_the_op():
    # 0.1 is 0.0999755859375 in f16.
    assert one("NumericFloat::MulScalar", [10.0], dtypes="f16", rhs=0.1) == [np.float16(0.99975586)]


def test_f16_sums_accumulate_wider_and_round_once():
    values = np.full((1, 4096), 1.0)
    assert one("NumericFloat::SumDim", values, dtypes="f16", axis=1) == [[4096.0]]
    assert one("NumericFloat::MeanDim", np.full((1, 256), 511.0), dtypes="f16", axis=1) == [[511.0]]


def test_integer_means_truncate_toward_zero():
    assert one("NumericInt::MeanDim", [[-3, -4]], dtypes="i32", axis=1) == [[-3]]


def test_shift_counts_are_taken_modulo_the_width():
    assert one("Int::BitwiseLeftShiftScalar", [1], dtypes="i32", rhs=33) == [2]
    assert one("Int::BitwiseRightShift", [-8], [1], dtypes="i32 i32") == [-4]


def test_mask_fill_and_mask_where_take_the_new_value_where_the_mask_is_true():
    mask = [True, False]
    assert one("BaseFloat::MaskFill", [1.0, 2.0], mask, dtypes="f32 bool", value=9.0) == [9.0, 2.0]
    got = one("BaseFloat::MaskWhere", [1.0, 2.0], mask, [7.0, 8.0], dtypes="f32 bool f32")
    assert got == [7.0, 2.0]


def test_slices_with_steps_and_negative_steps():
    ranges: ArgValue = (Slice(0, 5, 2),)
    assert one("BaseFloat::Slice", [0.0, 1.0, 2.0, 3.0, 4.0], ranges=ranges) == [0.0, 2.0, 4.0]
    backwards: ArgValue = (Slice(1, 5, -2),)
    assert one("BaseFloat::Slice", [0.0, 1.0, 2.0, 3.0, 4.0], ranges=backwards) == [4.0, 2.0]


def test_unfold_slides_a_window_and_appends_it_as_the_last_dimension():
    got = one("BaseFloat::Unfold", [0.0, 1.0, 2.0, 3.0, 4.0], dim=0, size=3, step=2)
    assert got == [[0.0, 1.0, 2.0], [2.0, 3.0, 4.0]]


def test_scatter_adds_every_value_even_where_indices_meet():
    got = one(
        "BaseFloat::Scatter",
        [[0.0, 0.0]],
        [[1, 1]],
        [[3.0, 4.0]],
        dtypes="f32 i32 f32",
        dim=1,
        update="Add",
    )
    assert got == [[0.0, 7.0]]


def test_gather_nd_reads_at_full_coordinates():
    got = one("BaseFloat::GatherNd", [[1.0, 2.0], [3.0, 4.0]], [[1, 0], [0, 1]], dtypes="f32 i32")
    assert got == [3.0, 2.0]


@pytest.mark.parametrize("index", [-1, 2], ids=["negative", "too large"])
def test_an_index_outside_its_dimension_is_an_error_that_names_it(index):
    with pytest.raises(ExecutionError) as caught:
        call("BaseFloat::Select", [1.0, 2.0], [index], dtypes="f32 i32", dim=0)
    assert caught.value.params["index"] == index
    assert caught.value.code == "index_outside"


def test_sorting_is_stable_in_both_directions_and_nan_is_largest():
    values = [[2.0, NAN, 1.0, 2.0]]
    assert one("NumericFloat::ArgSort", values, dim=1, descending=False) == [[2, 0, 3, 1]]
    assert one("NumericFloat::ArgSort", values, dim=1, descending=True) == [[1, 0, 3, 2]]


def test_top_k_returns_values_and_places_largest_first():
    values, places = call("NumericFloat::TopKWithIndices", [[1.0, 4.0, 3.0, 4.0]], dim=1, k=3)
    assert values.tolist() == [[4.0, 4.0, 3.0]]
    assert places.tolist() == [[1, 3, 2]]


def test_running_totals_run_along_the_axis():
    assert one("NumericFloat::CumSum", [[1.0, 2.0], [3.0, 4.0]], axis=0) == [[1.0, 2.0], [4.0, 6.0]]
    assert one("NumericFloat::CumMax", [[1.0, 3.0, 2.0]], axis=1) == [[1.0, 3.0, 3.0]]


def test_picking_from_an_empty_dimension_fails_and_summing_it_gives_zero():
    empty = np.zeros((2, 0))
    assert one("NumericFloat::SumDim", empty, axis=1) == [[0.0], [0.0]]
    with pytest.raises(ExecutionError):
        call("NumericFloat::MaxDim", empty, axis=1)


def test_cross_product_along_a_dimension():
    assert one("Float::Cross", [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]], dim=1) == [[0.0, 0.0, 1.0]]


def test_the_same_seed_and_tensor_id_give_the_same_random_numbers():
    draws = [call("Float::Random", out=((8,), "f32"), distribution="Default")[0] for _ in range(2)]
    np.testing.assert_array_equal(draws[0], draws[1])
    assert ((draws[0] >= 0) & (draws[0] < 1)).all()


def test_distributions_are_what_they_say():
    uniform: ArgValue = options(Uniform=(scalar(2.0), scalar(3.0)))
    values = call("Float::Random", out=((2000,), "f32"), distribution=uniform)[0]
    assert values.min() >= 2.0
    assert values.max() < 3.0
    normal: ArgValue = options(Normal=(scalar(5.0), scalar(0.5)))
    values = call("Float::Random", out=((4000,), "f32"), distribution=normal)[0]
    assert abs(values.mean() - 5.0) < 0.05
    assert abs(values.std() - 0.5) < 0.03
    coin: ArgValue = options(Bernoulli=scalar(0.25))
    values = call("NumericInt::IntRandom", out=((4000,), "i32"), distribution=coin)[0]
    assert set(values.tolist()) == {0, 1}
    assert abs(values.mean() - 0.25) < 0.03


def test_an_unknown_distribution_is_named():
    with pytest.raises(UnsupportedError):
        call("Float::Random", out=((2,), "f32"), distribution="Cauchy")


def test_quantised_values_come_back_within_half_a_step():
    values = np.linspace(-3, 3, 50)
    codes = quantize(values, 0.05)
    tape = Tape()
    back = tape.op("Float::Dequantize", tape.input(codes, "qfloat"), dtype="f32")
    assert np.abs(run_unfused(tape)[back] - values).max() <= 0.0251
    assert quantize(np.array([100.0, -100.0, NAN]), 0.05).tolist() == [127, -127, 0]
