"""What each word and operator registers: burn's own op, or the ops that burn makes of it."""

import pytest
from op_streams import args_of, ops_of, shape_of

from fusionlab.program import compile_program, parse_program

FLOAT, INT, BOOL = (
    "x = random(2, 3)\n",
    'x = zeros(2, 3, dtype="i32")\n',
    "x = random(2, 3) > 0.5\n",
)


def made_of(expression: str, inputs: str = FLOAT) -> list[str]:
    """The ops of one expression over `x`, without those that made the inputs."""
    return ops_of(f"{inputs}keep({expression})\n")[len(ops_of(f"{inputs}keep(x)\n")) :]


# --- operators ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x + x", "NumericFloat::Add"),
        ("x - 1.0", "NumericFloat::SubScalar"),
        ("2.0 * x", "NumericFloat::MulScalar"),
        ("1.0 + x", "NumericFloat::AddScalar"),
        ("2.0 - x", "NumericFloat::MulScalar NumericFloat::AddScalar"),
        ("2.0 / x", "Float::Recip NumericFloat::MulScalar"),
        ("x % 2.0", "NumericFloat::RemScalar"),
        ("-x", "NumericFloat::MulScalar"),
        ("+x", ""),
        ("x < x", "NumericFloat::Lower"),
        ("x >= 1.0", "NumericFloat::GreaterEqualElem"),
        ("1.0 < x", "NumericFloat::GreaterElem"),
        ("x == x", "BaseFloat::Equal"),
        ("x != 1.0", "BaseFloat::EqualElem Bool::Not"),
        ("x @ transpose(x)", "BaseFloat::SwapDims Float::Matmul"),
        ("x ** 0", "BaseFloat::Ones Drop"),
        ("x ** 1", ""),
        ("x ** 2", "NumericFloat::Mul"),
        ("x ** 2.0", "NumericFloat::Mul"),
        ("x ** -1", "Float::Recip"),
        ("x ** -2", "NumericFloat::Mul Float::Recip"),
        ("x ** 3", "Float::PowfScalar"),
        ("x ** 0.5", "Float::PowfScalar"),
        ("x ** x", "Float::Powf"),
    ],
)
def test_float_operators(expression, expected):
    assert made_of(expression) == [name for name in expected.split() if name != "Drop"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x + 1", "NumericInt::AddScalar"),
        ("-x", "NumericInt::MulScalar"),
        ("x & x", "Int::BitwiseAnd"),
        ("x | 3", "Int::BitwiseOrScalar"),
        ("x ^ 3", "Int::BitwiseXorScalar"),
        ("x << 1", "Int::BitwiseLeftShiftScalar"),
        ("x >> x", "Int::BitwiseRightShift"),
        ("~x", "Int::BitwiseNot"),
        ("x ** 2", "NumericInt::Mul"),
        ("x ** 3", "Int::IntoFloat Float::PowfScalar Float::IntoInt"),
        ("x ** x", "Int::IntoFloat Int::IntoFloat Float::Powf Float::IntoInt"),
        ("x @ transpose(x)", "BaseInt::SwapDims Float::Matmul"),
    ],
)
def test_int_operators(expression, expected):
    assert made_of(expression, INT) == expected.split()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x & x", "Bool::And"),
        ("x | x", "Bool::Or"),
        ("x ^ x", "Bool::Xor"),
        ("~x", "Bool::Not"),
        ("x == x", "BaseBool::Equal"),
    ],
)
def test_truth_value_operators(expression, expected):
    assert made_of(expression, BOOL) == expected.split()


def test_a_scalar_takes_the_kind_of_its_tensor():
    assert args_of(FLOAT + "keep(x * 2)\n") == {"rhs": 2.0}
    assert isinstance(args_of(FLOAT + "keep(x * 2)\n")["rhs"], float)
    assert isinstance(args_of(INT + "keep(x * 2.0)\n")["rhs"], int)
    assert args_of('keep(zeros(2, dtype="u8") + 1)\n') == {"rhs": {"UInt": 1}}


# --- decompositions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("relu(x)", "LowerEqualElem MaskFill"),
        ("leaky_relu(x)", "LowerElem MulScalar MaskWhere"),
        ("prelu(x, random(3))", "Reshape LowerElem Mul MaskWhere"),
        ("gelu(x)", "DivScalar Erf AddScalar Mul DivScalar"),
        ("sigmoid(x)", "Cast MulScalar Exp AddScalar Log MulScalar Exp Cast"),
        ("silu(x)", "Cast MulScalar Exp AddScalar Log MulScalar Exp Cast Mul"),
        ("hard_sigmoid(x)", "Cast MulScalar AddScalar Clamp Cast"),
        (
            "log_sigmoid(x)",
            "MulScalar LowerElem MaskFill MulScalar Sub Exp Exp Add Log Sub",
        ),
        ("softmax(x, dim=1)", "MaxDim Sub Exp SumDim Div"),
        ("softmin(x, dim=1)", "MulScalar MaxDim Sub Exp SumDim Div"),
        ("log_softmax(x, dim=1)", "MaxDim Sub Exp SumDim Log Sub"),
        ("sign(x)", "Zeros LowerElem GreaterElem MaskFill MaskFill"),
        ("clamp_min(x, 0.0)", "LowerElem MaskFill"),
        ("clamp_max(x, 0.0)", "GreaterElem MaskFill"),
        ("clamp(x, 0.0, 1.0)", "Clamp"),
        ("clamp(x, max=1.0)", "GreaterElem MaskFill"),
        ("maximum(x, x)", "Lower MaskWhere"),
        ("minimum(x, x)", "Greater MaskWhere"),
        ("where(x > 0.5, x, 0.0)", "GreaterElem Not MaskFill"),
        ("where(x > 0.5, 0.0, x)", "GreaterElem MaskFill"),
        ("square(x)", "Mul"),
        ("var(x, 1)", "MeanDim Sub Mul SumDim DivScalar"),
        ("stack([x, x])", "Reshape Reshape Cat"),
        ("repeat(x, 2, 1)", "RepeatDim"),
        ("linear(x, random(3, 4))", "Matmul"),
        ("linear(x, random(3, 4), random(4))", "Matmul Reshape Add"),
        ("layer_norm(x, random(3))", "MeanDim Sub Mul MeanDim AddScalar Sqrt Div Reshape Mul"),
        (
            "layer_norm(x, random(3), random(3))",
            "MeanDim Sub Mul MeanDim AddScalar Sqrt Div Reshape Mul Reshape Add",
        ),
        (
            "batch_norm(x, random(3), random(3), random(3), random(3))",
            "Reshape Reshape Reshape Reshape AddScalar Sqrt Sub Div Mul Add",
        ),
        ("embedding(x, arange(4).reshape(2, 2))", "Reshape Reshape Select Reshape"),
        ("bool(x)", "EqualElem Not"),
    ],
)
def test_what_burn_decomposes_is_decomposed(expression, expected):
    counting = {"Full", "CumSum"} if "arange" in expression else set()
    names = [name.rpartition("::")[2] for name in made_of(expression)]
    if counting:
        names = names[4:]
    assert names == expected.split()


def test_arange_is_ones_a_running_sum_a_scale_and_a_shift():
    program = "read(arange(3, 10, 2))\n"
    assert ops_of(program) == [
        "NumericInt::Full",
        "NumericInt::CumSum",
        "NumericInt::MulScalar",
        "NumericInt::AddScalar",
    ]
    assert args_of(program) == {"rhs": 1}
    assert shape_of(program) == [4]
    assert ops_of("read(arange(5, 5))\n") == ["NumericInt::Full"]


def test_reductions_know_dim_as_numpy_and_as_burn_write_it():
    assert made_of("sum(x)") == ["NumericFloat::Sum"]
    assert made_of("sum(x, dim=1)") == made_of("x.sum_dim(1)") == ["NumericFloat::SumDim"]
    assert args_of(FLOAT + "keep(sum(x, dim=-1))\n") == {"axis": 1, "accumulator_len": 1}
    assert args_of(FLOAT + "keep(topk(x, 2))\n") == {"axis": 1, "accumulator_len": 2}


def test_the_method_form_is_the_word_with_the_tensor_first():
    assert made_of("x.exp().sum(dim=0)") == made_of("sum(exp(x), dim=0)")


def test_views_of_floats_and_bools_are_registered_as_burn_names_them():
    assert made_of("permute(x, 1, 0)") == ["BaseInt::Permute"]
    assert made_of("flip(x, 0)") == ["BaseInt::Flip"]
    assert made_of("flip(x, 0)", BOOL) == ["BaseBool::Flip"]


def test_a_reshape_or_cast_to_what_it_is_registers_nothing():
    assert made_of("reshape(x, 2, 3)") == []
    assert made_of('cast(x, "f32")') == []
    assert made_of("float(x)") == []


@pytest.mark.parametrize(
    ("inputs", "dtype", "expected"),
    [
        (FLOAT, "f16", "BaseFloat::Cast"),
        (FLOAT, "int32", "Float::IntoInt"),
        (FLOAT, "bool", "BaseFloat::EqualElem Bool::Not"),
        (INT, "i64", "BaseInt::Cast"),
        (INT, "float64", "Int::IntoFloat"),
        (BOOL, "f32", "Bool::IntoFloat"),
        (BOOL, "i32", "Bool::IntoInt"),
        (BOOL, "bool(u8)", "BaseBool::Cast"),
    ],
)
def test_a_cast_is_the_op_between_the_two_kinds(inputs, dtype, expected):
    assert made_of(f'cast(x, "{dtype}")', inputs) == expected.split()


# --- indices --------------------------------------------------------------------------------------


def test_an_index_is_a_slice_and_a_lone_number_keeps_its_dimension():
    program = FLOAT + "keep(x[1, 0:2])\n"
    assert args_of(program) == {"ranges": [[1, 2, 1], [0, 2, 1]]}
    assert shape_of(program) == [1, 2]
    assert args_of(FLOAT + "keep(x[:, -1])\n") == {"ranges": [[0, 2, 1], [2, 3, 1]]}
    assert args_of(FLOAT + "keep(x[::2])\n") == {"ranges": [[0, 2, 2], [0, 3, 1]]}


def test_assigning_to_an_index_replaces_a_piece_of_the_value():
    program = FLOAT + "x[0:1] = random(1, 3)\nread(x)\n"
    assert ops_of(program) == ["BaseFloat::SliceAssign"]
    assert ops_of(
        program.replace("x[0:1] =", "x = slice_assign(x, [(0, 1)],").replace(
            "3)\nread", "3))\nread"
        )
    ) == ["BaseFloat::SliceAssign"]


# --- literals and random values -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("literal", "dtype", "shape"),
    [
        ("[1.0, 2]", "f32", [2]),
        ("[[1, 2, 3]]", "i32", [1, 3]),
        ("[True, False]", "bool", [2]),
        ("5.0", "f32", [1]),
        ('[1, 2], dtype="f16"', "f16", [2]),
    ],
)
def test_a_literal_tensor_has_the_kind_of_its_values(literal, dtype, shape):
    (event, *_) = compile_program(parse_program(f"x = tensor({literal})\n"))["events"]
    assert event["op"] == "Init"
    assert event["outputs"] == [{"id": 0, "shape": shape, "dtype": dtype, "status": "NotInit"}]


@pytest.mark.parametrize(
    ("word", "distribution"),
    [
        ("random(2)", "Default"),
        ("uniform(2, low=-1, high=1)", {"Uniform": [-1.0, 1.0]}),
        ("normal(2, std=2)", {"Normal": [0.0, 2.0]}),
        ("bernoulli(2, p=0.25)", {"Bernoulli": 0.25}),
    ],
)
def test_random_values_carry_their_distribution(word, distribution):
    assert args_of(f"keep({word})\n") == {"distribution": distribution}


def test_random_ints_are_an_op_of_their_own():
    (event, *_) = compile_program(parse_program('x = random(2, dtype="i32")\n'))["events"]
    assert event["op"] == "NumericInt::IntRandom"


# --- modules --------------------------------------------------------------------------------------


def test_pool_windows_do_not_overlap_unless_a_stride_is_given():
    image = "x = random(1, 2, 8, 8)\n"
    assert args_of(image + "keep(max_pool2d(x, 2))\n") == {
        "kernel_size": [2, 2],
        "stride": [2, 2],
    }
    assert args_of(image + "keep(avg_pool2d(x, (2, 3), stride=1, padding=1))\n") == {
        "kernel_size": [2, 3],
        "padding": [1, 1],
    }


def test_convolution_options_are_a_record_and_left_out_when_they_are_burns_own():
    image = "x, w = random(1, 2, 8, 8), random(4, 2, 3, 3)\n"
    assert args_of(image + "keep(conv2d(x, w))\n") == {}
    assert args_of(image + "keep(conv2d(x, w, random(4), padding=1))\n") == {
        "options": {"dilation": [1, 1], "groups": 1, "padding": [1, 1], "stride": [1, 1]}
    }


def test_opaque_may_give_several_results():
    assert ops_of(FLOAT + "a, b, c = opaque(x, outputs=3)\nread(a + c)\nread(b)\n") == [
        "Custom",
        "NumericFloat::Add",
    ]
