"""What each op makes, and what it refuses: shapes are decided before anything runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionlab.errors import ProgramError
from fusionlab.ir.event_form import complete_args
from fusionlab.ir.operation import Slice
from fusionlab.ir.opset import OPSET
from fusionlab.ir.shapes import SHAPE_RULES, infer
from fusionlab.ir.tensor import DType, TensorIr, TensorStatus

F32, I32, BOOL = DType.F32, DType.I32, DType.BOOL
extents = st.integers(0, 6)
shapes = st.lists(extents, min_size=1, max_size=4).map(tuple)


def made(name, *inputs, shape=None, dtype=None, **args):
    """`made("NumericFloat::Add", (2, 3), (2, 1))`: plain shapes are f32."""
    described = [item if isinstance(item[-1], DType) else (item, F32) for item in inputs]
    tensors = tuple(TensorIr(0, s, TensorStatus.READ_ONLY, d) for s, d in described)
    stated = (TensorIr(0, shape or (), TensorStatus.NOT_INIT, dtype or F32),)
    complete = complete_args(OPSET[name], tensors, stated, args)
    return infer(OPSET[name], tensors, complete, shape=shape, dtype=dtype)


def made_shape(name, *inputs, **args):
    ((shape, _),) = made(name, *inputs, **args)
    return shape


def refusal(name, *inputs, **args):
    with pytest.raises(ProgramError) as caught:
        made(name, *inputs, **args)
    return caught.value.code, caught.value.params


def test_every_row_of_the_op_table_has_a_rule():
    assert {spec.variant for spec in OPSET.values()} == set(SHAPE_RULES)


# --- element by element -------------------------------------------------------------------------


@given(shapes, st.data())
def test_equal_ranks_broadcast_as_in_numpy(left, data):
    right = tuple(data.draw(st.sampled_from((extent, 1, 5)), label="extent") for extent in left)
    try:
        expected = np.broadcast_shapes(left, right)
    except ValueError:
        assert refusal("NumericFloat::Add", left, right)[0] == "broadcast_mismatch"
    else:
        assert made_shape("NumericFloat::Add", left, right) == expected


def test_a_broadcast_mismatch_names_both_shapes():
    code, params = refusal("NumericFloat::Add", (64, 32), (64, 64))
    assert code == "broadcast_mismatch"
    assert (params["left"], params["right"]) == ("64×32", "64×64")


def test_unequal_ranks_never_broadcast_in_burn():
    code, params = refusal("NumericFloat::Add", (64, 64), (64,))
    assert (code, params["right"]) == ("broadcast_rank", "[64]")


def test_a_one_against_a_zero_gives_zero():
    assert made_shape("NumericFloat::Add", (2, 0), (2, 1)) == (2, 0)


def test_comparisons_make_truth_values():
    assert made("NumericFloat::Greater", (2, 3), (1, 3)) == (((2, 3), BOOL),)
    assert made("NumericInt::LowerElem", ((4,), I32), rhs=1) == (((4,), BOOL),)


@pytest.mark.parametrize(
    ("name", "dtype", "expected"),
    [("Float::Exp", I32, "float"), ("Int::BitwiseNot", F32, "int"), ("Bool::Not", F32, "bool")],
)
def test_a_family_refuses_other_element_types(name, dtype, expected):
    code, params = refusal(name, ((2,), dtype))
    assert (code, params["expected"], params["got"]) == ("dtype_kind", expected, dtype.value)


def test_operands_of_two_element_types_do_not_meet():
    code, params = refusal("NumericFloat::Mul", (2,), ((2,), DType.F16))
    assert (code, params["left"], params["right"]) == ("dtype_mismatch", "f32", "f16")


def test_burn_registers_permutes_and_int_products_under_another_family():
    assert made("BaseInt::Permute", (2, 3), axes=(1, 0)) == (((3, 2), F32),)
    assert made("Float::Matmul", ((2, 3), I32), ((3, 4), I32)) == (((2, 4), I32),)


def test_masks_must_be_truth_values_and_broadcast():
    assert made_shape("BaseFloat::MaskFill", (2, 3), ((2, 1), BOOL)) == (2, 3)
    assert refusal("BaseFloat::MaskFill", (2, 3), (2, 3))[0] == "dtype_kind"


def test_casts_state_their_element_type():
    assert made("BaseFloat::Cast", (2,), dtype=DType.F16) == (((2,), DType.F16),)
    assert made("Float::IntoInt", (2,)) == (((2,), I32),)
    assert made("Bool::IntoFloat", ((2,), BOOL)) == (((2,), F32),)


# --- views --------------------------------------------------------------------------------------


@given(shapes, st.data())
def test_permute_reorders_the_extents(shape, data):
    axes = tuple(data.draw(st.permutations(range(len(shape)))))
    expected = np.empty(shape).transpose(axes).shape
    assert made_shape("BaseInt::Permute", shape, axes=axes) == expected


def test_a_reshape_keeps_the_number_of_elements():
    assert made_shape("BaseFloat::Reshape", (2, 6), shape=(3, 4)) == (3, 4)
    code, params = refusal("BaseFloat::Reshape", (2, 6), shape=(5, 2))
    assert (code, params["size"], params["target_size"]) == ("reshape_size", 12, 10)


def test_only_ones_expand():
    assert made_shape("BaseFloat::Expand", (1, 3), shape=(4, 3)) == (4, 3)
    assert made_shape("BaseFloat::Expand", (3,), shape=(2, 3)) == (2, 3)
    assert refusal("BaseFloat::Expand", (2, 3), shape=(4, 3))[0] == "expand_mismatch"


@given(st.integers(0, 9), st.data())
def test_a_slice_has_as_many_elements_as_pythons(size, data):
    start = data.draw(st.integers(0, size))
    end = data.draw(st.integers(start, size))
    step = data.draw(st.integers(1, 4))
    (kept,) = made_shape("BaseFloat::Slice", (size,), ranges=(Slice(start, end, step),))
    assert kept == len(range(size)[start:end:step])


def test_a_slice_outside_is_refused():
    code, params = refusal("BaseFloat::Slice", (4,), ranges=(Slice(2, 9, 1),))
    assert (code, params["size"]) == ("slice_out_of_range", 4)


def test_an_assigned_slice_needs_the_shape_of_the_piece():
    ranges = (Slice(1, 4, 1), Slice(0, 3, 1))
    assert made_shape("BaseFloat::SliceAssign", (5, 3), (3, 3), ranges=ranges) == (5, 3)
    assert refusal("BaseFloat::SliceAssign", (5, 3), (2, 3), ranges=ranges)[0] == "shape_mismatch"


def test_unfold_puts_the_window_last():
    assert made_shape("BaseFloat::Unfold", (2, 7), dim=1, size=3, step=2) == (2, 3, 3)
    assert made_shape("BaseFloat::Unfold", (2, 2), dim=1, size=3, step=1) == (2, 0, 3)


def test_cat_adds_up_along_one_dimension_only():
    assert made_shape("BaseFloat::Cat", (2, 3), (4, 3), (1, 3), dim=0) == (7, 3)
    assert refusal("BaseFloat::Cat", (2, 3), (2, 4), dim=0)[0] == "shape_mismatch"


# --- reductions and sorting ---------------------------------------------------------------------


@given(shapes, st.data())
def test_a_reduction_keeps_the_dimension_with_extent_one(shape, data):
    dim = data.draw(st.integers(0, len(shape) - 1))
    expected = np.empty(shape).sum(axis=dim, keepdims=True).shape
    assert made_shape("NumericFloat::SumDim", shape, axis=dim) == expected


def test_a_reduction_of_everything_has_one_element():
    assert made("NumericFloat::Mean", (2, 3)) == (((1,), F32),)
    assert made("BaseBool::Any", ((2, 3), BOOL)) == (((1,), BOOL),)


def test_a_dimension_outside_says_which_there_are():
    code, params = refusal("NumericFloat::SumDim", (2, 3), axis=2)
    assert (code, params["dim"], params["last"]) == ("dim_out_of_range", 2, 1)


def test_where_questions_answer_with_integers():
    assert made("NumericFloat::ArgMax", (2, 3), axis=1) == (((2, 1), I32),)
    assert made("NumericFloat::MaxDimWithIndices", (2, 3), dim=0) == (((1, 3), F32), ((1, 3), I32))
    assert made("NumericFloat::SortWithIndices", (2, 3), dim=0) == (((2, 3), F32), ((2, 3), I32))


def test_the_accumulator_length_is_the_k_of_a_top_k():
    assert made_shape("NumericFloat::TopK", (2, 5), axis=1, accumulator_len=3) == (2, 3)
    assert refusal("NumericFloat::TopK", (2, 5), axis=1, accumulator_len=6)[0] == "top_k"


# --- indices ------------------------------------------------------------------------------------


def test_gather_and_select_take_their_extent_from_the_indices():
    assert made_shape("BaseFloat::Gather", (4, 3), ((2, 3), I32), dim=0) == (2, 3)
    assert made_shape("BaseFloat::Select", (4, 3), ((7,), I32), dim=1) == (4, 7)
    assert refusal("BaseFloat::Select", (4, 3), (7,), dim=1)[0] == "dtype_kind"


def test_index_tuples_name_leading_dimensions():
    assert made_shape("BaseFloat::GatherNd", (4, 3, 5), ((6, 2), I32)) == (6, 5)
    assert made_shape("BaseFloat::GatherNd", (4, 3), ((2,), I32)) == (1,)
    assert refusal("BaseFloat::GatherNd", (4,), ((6, 2), I32))[0] == "index_depth"


# --- products and windows -----------------------------------------------------------------------


@given(extents, extents, extents, st.sampled_from([(), (2,), (1,), (2, 3)]))
def test_matmul_agrees_with_numpy(rows, inner, columns, batch):
    left, right = (*batch, rows, inner), (*batch, inner, columns)
    expected = (np.zeros(left) @ np.zeros(right)).shape
    assert made_shape("Float::Matmul", left, right) == expected


def test_a_matmul_that_does_not_fit_names_both_shapes():
    code, params = refusal("Float::Matmul", (2, 3), (4, 5))
    assert (code, params["left"], params["right"]) == ("matmul_inner", "2×3", "4×5")


@given(st.integers(1, 12), *(st.integers(1, 3) for _ in range(3)), st.integers(0, 2))
def test_a_convolution_has_one_output_a_window_position(size, kernel, stride, dilation, padding):
    span = dilation * (kernel - 1) + 1
    positions = len(range(0, size + 2 * padding - span + 1, stride))
    options = {"stride": (stride,), "padding": (padding,), "dilation": (dilation,), "groups": 1}
    if positions == 0:
        code, _ = refusal("Module::Conv1d", (1, 2, size), (4, 2, kernel), options=options)
        assert code == "window_too_large"
    else:
        out = made_shape("Module::Conv1d", (1, 2, size), (4, 2, kernel), options=options)
        assert out == (1, 4, positions)


@given(st.integers(1, 8), st.integers(1, 3), st.integers(1, 3), st.integers(0, 1))
def test_a_transposed_convolution_undoes_the_sizes_of_a_convolution(size, kernel, stride, padding):
    options = {"stride": (stride,), "padding": (padding,), "dilation": (1,), "groups": 1}
    extra = {"padding_out": (0,)}
    if (size - 1) * stride + kernel - 2 * padding < 1:
        return
    (_, _, wide) = made_shape(
        "Module::ConvTranspose1d", (1, 2, size), (2, 3, kernel), options=options | extra
    )
    back = made_shape("Module::Conv1d", (1, 3, wide), (2, 3, kernel), options=options)
    assert back == (1, 2, size)


def test_grouped_convolutions_check_their_channels():
    options = {"stride": (1, 1), "padding": (1, 1), "dilation": (1, 1), "groups": 2}
    shape = made_shape("Module::Conv2d", (1, 4, 8, 8), (6, 2, 3, 3), options=options)
    assert shape == (1, 6, 8, 8)
    code, _ = refusal("Module::Conv2d", (1, 4, 8, 8), (6, 4, 3, 3), options=options)
    assert code == "conv_channels"


def test_a_pool_in_ceil_mode_lets_the_last_window_hang_over():
    window = {"kernel_size": (2, 2), "stride": (2, 2)}
    assert made_shape("Module::MaxPool2d", (1, 1, 5, 5), **window) == (1, 1, 2, 2)
    assert made_shape("Module::MaxPool2d", (1, 1, 5, 5), **window, ceil_mode=True) == (1, 1, 3, 3)


def test_half_a_spectrum_says_everything_about_a_real_signal():
    assert made("Module::Rfft", (2, 8), dim=1) == (((2, 5), F32), ((2, 5), F32))
    assert made_shape("Module::IRfft", (2, 5), (2, 5), dim=1) == (2, 8)
    assert made_shape("Module::IRfft", (2, 5), (2, 5), dim=1, n=9) == (2, 9)


def test_attention_gives_each_query_a_value():
    query, key, value = (2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 4)
    options = {"scale": None, "softcap": None, "is_causal": False}
    assert made_shape("Module::Attention", query, key, value, options=options) == (2, 3, 5, 4)
    mask = ((2, 1, 5, 7), BOOL)
    assert made_shape("Module::Attention", query, key, value, mask, options=options)
    assert refusal("Module::Attention", query, value, value, options=options)[0] == "shape_mismatch"
