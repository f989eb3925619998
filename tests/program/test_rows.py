"""Every row of the op table can be written in the lab language, and computes what it declares."""

import pytest
from eager_server import EagerServer
from op_streams import ops_of

from fusionlab.engine.client import FusionClient
from fusionlab.ir.opset import OPSET
from fusionlab.program import WORDS, compile_program, execute, parse_program

INPUTS = """
f, g, v, s = keep(random(2, 3), random(2, 3), random(3), random(1))
i, j, k = keep(zeros(2, 3, dtype="i32"), ones(2, 3, dtype="i32"), arange(2))
b, c = keep(f > 0.5, g > 0.5)
cube = keep(random(2, 3, 3))
image, kernel = keep(random(1, 2, 6, 6), random(2, 2, 3, 3))
line, kernel1 = keep(random(1, 2, 6), random(2, 2, 3))
volume, kernel3 = keep(random(1, 2, 4, 4, 4), random(2, 2, 3, 3, 3))
q, mask = keep(random(1, 2, 3, 4), random(1, 2, 3, 3) > 0.5)
probs, targets, lengths = keep(random(4, 2, 3), ones(2, 2, dtype="i32"), full((2,), 2))
picked, maxima = keep(zeros(1, 2, 3, 3, dtype="i32"), random(1, 2, 3, 3))
picked1, maxima1 = keep(zeros(1, 2, 3, dtype="i32"), random(1, 2, 3))
"""
KINDS = {"Float": ("f", "g"), "Int": ("i", "j"), "Bool": ("b", "c")}

# Arguments for the rows that need more than their tensors; `x` and `y` are of the row's kind.
EXAMPLES = {
    "Reshape": "x, shape=(6,)",
    "Expand": "x, shape=(4, 2, 3)",
    "Unfold": "x, dim=1, size=2",
    "Slice": "x, ranges=[(0, 1, 1)]",
    "SliceAssign": "x, y, ranges=[(0, 2, 1)]",
    "Select": "x, k, dim=1",
    "Gather": "x, i, dim=1",
    "SelectAssign": "x, k, select(x, 1, k), dim=1",
    "Scatter": "x, i, y, dim=1",
    "GatherNd": "x, zeros(4, 2, dtype='i32')",
    "ScatterNd": "x, zeros(4, 1, dtype='i32'), cat([x, x], 0)",
    "MaskWhere": "x, b, y",
    "MaskFill": "x, b",
    "Cat": "x, y",
    "TopKWithIndices": "x, k=2",
    "Matmul": "x, y.transpose()",
    "Cross": "f, g",
    "Powi": "x, i",
    "GridSample2d": "image, random(1, 5, 5, 2)",
    "Quantize": "f, s",
    "Dequantize": "quantize(f, s)",
    "PRelu": "f, g",
    "AllReduce": "f",
    "SyncCollective": "",
    "BatchNorm": "f, v, v, v, v",
    "LayerNorm": "f, v, v, epsilon=0.001",
    "Embedding": "f, i",
    "EmbeddingBackward": "f, cube, ones(2, 3, dtype='i32')",
    "Linear": "f, random(3, 4), random(4)",
    "LinearXBackward": "random(3, 4), random(2, 4)",
    "LinearWeightBackward": "f, random(2, 4)",
    "LinearBiasBackward": "f",
    "Attention": "q, q, q, mask, random(1, 2, 3, 3)",
    "CtcLoss": "probs, targets, lengths, lengths, blank=0",
    "CtcLossBackward": "probs, targets, lengths, lengths, random(2), blank=0",
    "Rfft": "f",
    "IRfft": "f, g",
    "Unfold4d": "image, kernel_size=3",
    "Interpolate": "image, output_size=(4, 4)",
    "InterpolateBackward": "image, random(1, 2, 4, 4), output_size=(4, 4)",
    "MaxPool1dWithIndicesBackward": "line, picked1, maxima1, kernel_size=2, stride=2",
    "MaxPool2dWithIndicesBackward": "image, picked, maxima, kernel_size=2, stride=2",
    "AvgPool1dBackward": "line, maxima1, kernel_size=2, stride=2",
    "AvgPool2dBackward": "image, maxima, kernel_size=2, stride=2",
}
for n, (spatial, weight) in enumerate(
    (("line", "kernel1"), ("image", "kernel"), ("volume", "kernel3")), 1
):
    EXAMPLES |= {
        f"Conv{n}d": f"{spatial}, {weight}, random(2), padding=1",
        f"Conv{n}dXBackward": f"{spatial}, {weight}, conv{n}d({spatial}, {weight})",
        f"Conv{n}dWeightBackward": f"{spatial}, {weight}, conv{n}d({spatial}, {weight})",
        f"Conv{n}dBiasBackward": f"{spatial}, random(2), conv{n}d({spatial}, {weight})",
        f"ConvTranspose{n}d": f"{spatial}, {weight}",
        f"ConvTranspose{n}dWeightBackward": f"{spatial}, {weight}, {spatial}",
        f"ConvTranspose{n}dBiasBackward": f"{spatial}, random(2), {spatial}",
        f"AdaptiveAvgPool{n}d": f"{spatial}, output_size=2",
        f"AdaptiveAvgPool{n}dBackward": f"{spatial}, adaptive_avg_pool{n}d({spatial}, 2)",
        f"AvgPool{n}d": f"{spatial}, kernel_size=2",
        f"MaxPool{n}d": f"{spatial}, kernel_size=2",
        f"MaxPool{n}dWithIndices": f"{spatial}, kernel_size=2",
    }


def example(name: str) -> str:
    """A program whose last op is the row `name`."""
    spec = OPSET[name]
    kind = next((kind for kind in KINDS if spec.category.endswith(kind)), "Float")
    x, y = KINDS[kind]
    setup = f"{INPUTS}x, y = {x}, {y}\n"
    given = EXAMPLES.get(spec.variant)
    if given is None and not spec.inputs:
        dtype = {"Float": "f32", "Int": "i32", "Bool": "bool"}[kind]
        given = f'shape=(2,), dtype="{dtype}"'
    if given is None:
        given = ", ".join("xy"[index] for index in range(len(spec.inputs)))
    return f'{setup}made = op("{name}", {given})\n' if given else f'{setup}op("{name}")\n'


ROWS = [name for name in OPSET if name not in {"Init", "Drop", "Custom"}]


@pytest.mark.parametrize("name", ROWS)
def test_every_row_of_the_op_table_can_be_written(name):
    events = compile_program(parse_program(example(name)))["events"]
    assert [event["op"] for event in events if event["kind"] == "op"][-1] == name


@pytest.mark.parametrize("name", ROWS)
def test_numpy_computes_every_row_in_the_shape_that_it_declares(name):
    # The reference refuses a result of another shape than the one declared.
    execute(parse_program(example(name)), FusionClient(EagerServer()))


def test_the_other_rows_are_tensor_drop_and_opaque():
    text = "x = tensor([1.0])\ny = keep(opaque(x))\ndrop(x)\n"
    events = compile_program(parse_program(text))["events"]
    assert [event.get("op", event["kind"]) for event in events] == ["Init", "Custom", "drop"]


def test_a_row_without_a_word_of_its_own_has_one_in_snake_case():
    assert {"conv2d_x_backward", "max_pool2d_with_indices", "linear", "irfft"} <= set(WORDS)
    assert ops_of("x = random(1, 2, 6)\nkeep(avg_pool1d(x, 3))\n") == ["Module::AvgPool1d"]
    assert (
        ops_of('x = ones(2, dtype="i32")\nkeep(bitwise_and_scalar(x, 3))\n')[-1]
        == "Int::BitwiseAndScalar"
    )


def test_every_word_says_how_it_is_called_and_what_it_does():
    for word in WORDS.values():
        assert word.signature.startswith(f"{word.name}(")
        assert word.summary
