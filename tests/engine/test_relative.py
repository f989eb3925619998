"""Relative form: what the cache sees of an op."""

import pytest
from notation import op, ops, tensor

from fusionlab.engine.relative import OperationConverter
from fusionlab.ir.operation import OperationIr, Scalar, Slice
from fusionlab.ir.opset import OPSET
from fusionlab.ir.tensor import TensorStatus


def relative(*texts: str) -> list[OperationIr]:
    """The relative forms of one segment."""
    converter = OperationConverter()
    return [converter.convert(each) for text in texts for each in ops(text)]


def convert(*operations: OperationIr) -> list[OperationIr]:
    converter = OperationConverter()
    return [converter.convert(each) for each in operations]


def shapes(text: str) -> list[tuple[int, ...]]:
    """The relative shapes of all tensors of a segment, in order."""
    return [node.shape for each in relative(text) for node in each.nodes]


def test_tensors_and_extents_are_numbered_by_first_appearance() -> None:
    (first,) = relative("Custom(t500[512,32,2048], t501[512,128,2048])")
    assert [(each.id, each.shape) for each in first.inputs] == [
        (0, (1, 2, 3)),
        (1, (1, 4, 3)),
    ]


def test_the_expression_of_the_worked_example() -> None:
    text = (
        "Mul(t7[{s}], t8[{s}] → t9[{s}]); MulScalar(t3[{s}] → t4[{s}]); "
        "Add(!t9[{s}], !t4[{s}] → t5[{s}]); Exp(!t5[{s}] → t6[{s}])"
    )
    mul, scaled, add, exp = relative(text.format(s="64,64"))
    assert [each.id for each in mul.nodes] == [0, 1, 2]
    assert [each.id for each in scaled.nodes] == [3, 4]
    assert [each.id for each in add.nodes] == [2, 4, 5]
    assert [each.id for each in exp.nodes] == [5, 6]
    assert {node.shape for each in (mul, scaled, add, exp) for node in each.nodes} == {(1, 1)}
    assert {*shapes(text.format(s="64,32"))} == {(1, 2)}
    assert {*shapes(text.format(s="1,64"))} == {(0, 1)}


@pytest.mark.parametrize(
    ("one", "two", "alike"),
    [
        ("64,64", "32,32", True),
        ("64,32", "32,64", True),
        ("64,64", "64,32", False),
        ("64,64", "64,1", False),
        ("1,64", "1,32", True),
        ("2,0", "5,7", True),
        ("0,0", "9,9", True),
        ("64", "64,64", False),
    ],
    ids=[
        "squares",
        "two sizes, whichever",
        "square or not",
        "1 is special",
        "1 in the same place",
        "0 is an ordinary size",
        "nothing at all looks like a square",
        "rank",
    ],
)
def test_shapes_look_alike_when_their_extents_are_equal_in_the_same_places(one, two, alike) -> None:
    pair = [relative(f"Exp(t0[{shape}] → t1[{shape}])") for shape in (one, two)]
    assert (pair[0] == pair[1]) is alike


def test_ids_of_extents_are_shared_by_all_tensors_of_a_segment() -> None:
    assert shapes("Exp(t0[8,9] → t1[8,9]); Exp(t2[9,7] → t3[9,7])") == [
        *[(1, 2), (1, 2)],
        *[(2, 3), (2, 3)],
    ]


def test_a_batch_of_one_a_square_batch_and_any_other_have_three_forms() -> None:
    forms = {tuple(relative(f"Exp(t0[1,{t},64] → t1[1,{t},64])")) for t in range(1, 129)}
    assert len(forms) == 3


def test_status_and_dtype_stay_so_liveness_is_part_of_the_form() -> None:
    kept, used = relative("Exp(t0 → t1)"), relative("Exp(!t0 → t1)")
    assert kept != used
    assert relative("Exp(t0 → t1)") != relative("Exp(t0:f16 → t1:f16)")
    assert used[0].inputs[0].status is TensorStatus.READ_WRITE


def test_a_tensor_keeps_its_number_when_it_comes_again_with_another_status() -> None:
    first, second = relative("Exp(t40 → t41); Mul(!t40, !t41 → t42)")
    assert [each.id for each in (*first.nodes, *second.nodes)] == [0, 1, 0, 1, 2]


def scalars(*operations: OperationIr) -> list[object]:
    """The scalar arguments of the relative forms."""
    return [each.arg("rhs") for each in convert(*operations)]


def test_scalars_of_every_kind_become_numbered_placeholders_without_sharing() -> None:
    values = (1.0, 1, True, 1.0)
    operations = [op(f"AddScalar(t{i} → t{i + 1})", rhs=value) for i, value in enumerate(values)]
    assert scalars(*operations) == [Scalar("UInt", n) for n in range(4)]


def test_the_true_scalars_are_kept_beside_their_placeholders() -> None:
    converter = OperationConverter()
    converter.convert(op("AddScalar(t0 → t1)", rhs={"UInt": 1}))
    converter.convert(op("EqualElem(!t1 → t2:bool)", rhs=True))
    assert converter.scalars == [Scalar("UInt", 1), Scalar("Bool", True)]


def test_two_scalars_of_one_op_are_numbered_in_the_order_of_its_record() -> None:
    (clamp,) = convert(op("Clamp(t0 → t1)", min=1.0, max=9.0))
    assert dict(clamp.args)["min"] == Scalar("UInt", 0)
    assert dict(clamp.args)["max"] == Scalar("UInt", 1)


def test_slice_ranges_become_placeholders_of_their_own() -> None:
    converter = OperationConverter()
    cut = op("Slice(t0[8,8] → t1[3,8])", ranges=[[2, 5, 1], [0, 8, 1]])
    assert dict(converter.convert(cut).args)["ranges"] == (Slice(0, None, 1), Slice(1, None, 1))
    again = converter.convert(op("Slice(t0[8,8] → t2[3,8])", ranges=[[2, 5, 1], [0, 8, 1]]))
    assert dict(again.args)["ranges"] == (Slice(2, None, 1), Slice(3, None, 1))
    assert converter.ranges[:2] == [Slice(2, 5, 1), Slice(0, 8, 1)]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (op("SumDim(t0 → t1[32,1])", axis=1), op("SumDim(t0 → t1[32,1])", axis=0)),
        (op("TopK(t0 → t1)", accumulator_len=1), op("TopK(t0 → t1)", accumulator_len=3)),
        (op("SwapDims(t0 → t1)", dim1=0), op("SwapDims(t0 → t1)", dim1=1)),
        (op("LayerNorm(t0, t1 → t2)", epsilon=1.0), op("LayerNorm(t0, t1 → t2)", epsilon=2.0)),
        (
            op("Random( → t0)", distribution={"Uniform": [0.0, 1.0]}),
            op("Random( → t0)", distribution={"Uniform": [0.0, 2.0]}),
        ),
        (op("Custom(t0 → t1)", id="a"), op("Custom(t0 → t1)", id="b")),
    ],
    ids=["axis", "k", "dimension", "layer norm's epsilon", "distribution", "custom id"],
)
def test_what_is_no_scalar_and_no_range_stays_concrete(one, two) -> None:
    assert convert(one) != convert(two)


def test_batch_norms_epsilon_is_a_placeholder() -> None:
    one, two = (op("BatchNorm(t0, t1, t2, t3, t4 → t5)", epsilon=e) for e in (1.0, 2.0))
    assert convert(one) == convert(two)


def test_the_backward_pass_of_a_pool_numbers_its_gradient_before_its_indices() -> None:
    pool = op("MaxPool2dWithIndicesBackward(t7[8], t8[9], t9[7] → t10[8])")
    (form,) = convert(pool)
    assert [each.id for each in form.nodes] == [0, 2, 1, 3]
    assert [each.shape for each in form.nodes] == [(1,), (3,), (2,), (1,)]


def test_numbering_starts_again_with_a_new_segment() -> None:
    converter = OperationConverter()
    first = converter.convert(op("AddScalar(t5[8,9] → t6[8,9])"))
    converter.clear()
    assert converter.convert(op("AddScalar(t6[9,8] → t7[9,8])")) == first


def test_shape_ids_in_use_count_id_zero() -> None:
    converter = OperationConverter()
    counts = []
    for each in ops("Exp(t0[1] → t1[1]); Exp(t2[8,9] → t3[8,9]); Exp(t4[9] → t5[9])"):
        converter.convert(each)
        counts.append(converter.shapes_assigned)
    assert counts == [1, 3, 3]


def test_an_expected_op_comes_back_itself_and_names_are_given_out_all_the_same() -> None:
    one, two = OperationConverter(), OperationConverter()
    texts = ops("MulScalar(t3[8,9] → t4[8,9]); Clamp(!t4[8,9] → t5[8,9])")
    for each in texts:
        expected = one.convert(each)
        assert two.convert(each, expected) is expected
    assert (one.tensor_ids, one.shape_ids, one.scalars) == (
        two.tensor_ids,
        two.shape_ids,
        two.scalars,
    )


@pytest.mark.parametrize(
    "other",
    [
        "Exp(!t0 → t1)",
        "Exp(t0[8] → t1[8])",
        "Exp(t0:f16 → t1:f16)",
        "Log(t0 → t1)",
        "Add(t0, t1 → t2)",
        "Exp(t0, t1 → t2)",
    ],
)
def test_an_op_that_is_not_as_expected_gets_its_own_form(other: str) -> None:
    (expected,) = relative("Exp(t0 → t1)")
    text = other if "Exp(t0, t1" not in other else "Custom(t0 → t1)"
    form = OperationConverter().convert(op(text), expected)
    assert form == relative(text)[0]
    assert form != expected


@pytest.mark.parametrize("spec", OPSET.values(), ids=lambda spec: spec.event_name)
def test_relative_form_renames_scalars_and_ranges_of_every_op_kind_and_nothing_else(spec) -> None:
    renamed = {arg.name for arg in spec.args if arg.kind in ("scalar", "scalars", "ranges")}
    given = {
        "scalar": Scalar("Float", 7.5),
        "const": Scalar("Float", 7.5),
        "scalars": (Scalar("Int", 3),),
        "ranges": (Slice(1, 2, 1),),
    }
    args = tuple(sorted((arg.name, given.get(arg.kind, "kept")) for arg in spec.args))
    inputs = tuple(tensor(f"t{number}") for number in range(len(spec.inputs)))
    form = OperationConverter().convert(OperationIr(spec, inputs, (), args))
    changed = {name for name, value in form.args if dict(args)[name] != value}
    assert changed == renamed
    assert [name for name, _ in form.args] == sorted(arg.name for arg in spec.args)
