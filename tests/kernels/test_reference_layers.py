"""Layers against slow, independent loops."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from kernels.tape import Tape, options, run_unfused

from fusionlab.ir.operation import ArgValue
from fusionlab.kernels.dtypes import Array

RNG = np.random.default_rng(11)


def call(name: str, *values: Array, dtypes: str = "", **args: ArgValue) -> list[Array]:
    tape = Tape()
    kinds = dtypes.split() or ["f64"] * len(values)
    inputs = [tape.input(value, kind) for value, kind in zip(values, kinds, strict=True)]
    made = tape.ops_of(name, *inputs, **args)
    outcome = run_unfused(tape)
    return [outcome[tensor] for tensor in made]


def slow_conv2d(
    x: Array, w: Array, *, stride: Any, padding: Any, dilation: Any, groups: int
) -> Array:
    n, channels, height, width = x.shape
    out, per_group, kh, kw = w.shape
    padded = np.zeros((n, channels, height + 2 * padding[0], width + 2 * padding[1]))
    padded[:, :, padding[0] : padding[0] + height, padding[1] : padding[1] + width] = x
    oh = (padded.shape[2] - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    ow = (padded.shape[3] - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    result = np.zeros((n, out, oh, ow))
    for b, o, i, j, c, u, v in product(*map(range, (n, out, oh, ow, per_group, kh, kw))):
        channel = o // (out // groups) * per_group + c
        at = (i * stride[0] + u * dilation[0], j * stride[1] + v * dilation[1])
        result[b, o, i, j] += padded[b, channel, at[0], at[1]] * w[o, c, u, v]
    return result


CONVOLUTIONS = [
    ((1, 1), (0, 0), (1, 1), 1),
    ((2, 1), (1, 2), (1, 2), 1),
    ((1, 2), (1, 0), (2, 1), 2),
]


@pytest.mark.parametrize(
    ("stride", "padding", "dilation", "groups"), CONVOLUTIONS, ids=["plain", "uneven", "grouped"]
)
def test_convolution_equals_the_sum_over_its_window(stride, padding, dilation, groups):
    x, w = RNG.normal(size=(2, 4, 6, 7)), RNG.normal(size=(6, 4 // groups, 3, 2))
    bias = RNG.normal(size=6)
    record = options(stride=stride, padding=padding, dilation=dilation, groups=groups)
    expected = (
        slow_conv2d(x, w, stride=stride, padding=padding, dilation=dilation, groups=groups)
        + bias[:, None, None]
    )
    np.testing.assert_allclose(call("Module::Conv2d", x, w, bias, options=record)[0], expected)


@pytest.mark.parametrize(
    ("stride", "padding", "dilation", "groups"), CONVOLUTIONS, ids=["plain", "uneven", "grouped"]
)
def test_convolution_gradients_are_the_adjoints_of_the_convolution(
    stride, padding, dilation, groups
):
    """<conv(x, w), g> = <x, grad_x> = <w, grad_w>, because the convolution is linear in both."""
    x, w = RNG.normal(size=(2, 4, 6, 7)), RNG.normal(size=(6, 4 // groups, 3, 2))
    record = options(stride=stride, padding=padding, dilation=dilation, groups=groups)
    y = call("Module::Conv2d", x, w, options=record)[0]
    g = RNG.normal(size=y.shape)
    grad_x = call("Module::Conv2dXBackward", x, w, g, options=record)[0]
    grad_w = call("Module::Conv2dWeightBackward", x, w, g, options=record)[0]
    assert np.isclose((y * g).sum(), (x * grad_x).sum())
    assert np.isclose((y * g).sum(), (w * grad_w).sum())


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_a_transposed_convolution_is_the_adjoint_of_the_convolution(rank):
    space = (5, 4, 6)[:rank]
    record = options(
        stride=(2,) * rank,
        padding=(1,) * rank,
        padding_out=(1,) * rank,
        dilation=(1,) * rank,
        groups=1,
    )
    z, w = RNG.normal(size=(2, 4, *space)), RNG.normal(size=(4, 3, *(3,) * rank))
    up = call(f"Module::ConvTranspose{rank}d", z, w, options=record)[0]
    x = RNG.normal(size=up.shape)
    down = call(f"Module::Conv{rank}d", x, w, options=record)[0]
    assert np.isclose((up * x).sum(), (down * z).sum())
    grad_w = call(f"Module::ConvTranspose{rank}dWeightBackward", z, w, x, options=record)[0]
    assert np.isclose((up * x).sum(), (w * grad_w).sum())


def windows(extent: int, count: int, dilation: int = 1) -> Any:
    """The places that windows of 3 with stride 2 and padding 1 look at."""
    for i in range(count):
        start = i * 2 - 1
        yield [start + dilation * k for k in range(3)], extent


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("dilation", [1, 2])
def test_max_pooling_takes_the_largest_inside_and_says_where(ceil_mode, dilation):
    x = RNG.normal(size=(2, 3, 8))
    values, places = call(
        "Module::MaxPool1dWithIndices",
        x,
        kernel_size=3,
        stride=2,
        padding=1,
        dilation=dilation,
        ceil_mode=ceil_mode,
    )
    for b, c in product(range(2), range(3)):
        for i, (at, extent) in enumerate(windows(8, values.shape[2], dilation)):
            inside = [p for p in at if 0 <= p < extent]
            best = max(inside, key=lambda p: x[b, c, p])
            assert (values[b, c, i], places[b, c, i]) == (x[b, c, best], best)


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("include", [False, True])
def test_average_pooling_counts_padding_only_when_told(ceil_mode, include):
    x = RNG.normal(size=(1, 2, 7))
    args: dict[str, ArgValue] = {
        "kernel_size": 3,
        "stride": 2,
        "padding": 1,
        "count_include_pad": include,
        "ceil_mode": ceil_mode,
    }
    y = call("Module::AvgPool1d", x, **args)[0]
    for c in range(2):
        for i, (at, extent) in enumerate(windows(7, y.shape[2])):
            inside = [p for p in at if 0 <= p < extent]
            padded = [p for p in at if -1 <= p < extent + 1]
            count = len(padded) if include else len(inside)
            assert np.isclose(y[0, c, i], sum(x[0, c, p] for p in inside) / count)
    g = RNG.normal(size=y.shape)
    grad = call("Module::AvgPool1dBackward", x, g, **args)[0]
    assert np.isclose((y * g).sum(), (x * grad).sum())


def test_the_gradient_of_max_pooling_goes_to_the_winner():
    x = np.array([[[1.0, 5.0, 2.0, 3.0]]])
    args: dict[str, ArgValue] = {
        "kernel_size": 2,
        "stride": 2,
        "padding": 0,
        "dilation": 1,
        "ceil_mode": False,
    }
    _, places = call("Module::MaxPool1dWithIndices", x, **args)
    grad = call(
        "Module::MaxPool1dWithIndicesBackward",
        x,
        places,
        np.array([[[10.0, 20.0]]]),
        dtypes="f64 i32 f64",
        **args,
    )[0]
    assert grad.tolist() == [[[0.0, 10.0, 0.0, 20.0]]]


def test_adaptive_pooling_averages_overlapping_ranges_and_its_gradient_is_the_adjoint():
    x = RNG.normal(size=(1, 2, 5))
    y = call("Module::AdaptiveAvgPool1d", x, output_size=3)[0]
    ranges = [(0, 2), (1, 4), (3, 5)]
    np.testing.assert_allclose(y[0, 1], [x[0, 1, a:b].mean() for a, b in ranges])
    g = RNG.normal(size=y.shape)
    grad = call("Module::AdaptiveAvgPool1dBackward", x, g)[0]
    assert np.isclose((y * g).sum(), (x * grad).sum())


@pytest.mark.parametrize(
    ("mode", "corners", "row"),
    [
        ("Nearest", True, [0.0, 0.0, 10.0, 10.0]),
        ("Bilinear", True, [0.0, 10 / 3, 20 / 3, 10.0]),
        ("Bilinear", False, [0.0, 2.5, 7.5, 10.0]),
        ("Bicubic", True, [0.0, 85 / 27, 185 / 27, 10.0]),
    ],
)
def test_interpolating_two_pixels_to_four(mode, corners, row):
    x = np.array([[[[0.0, 10.0]]]])
    record = options(mode=mode, align_corners=corners)
    y = call("Module::Interpolate", x, output_size=(1, 4), options=record)[0]
    np.testing.assert_allclose(y[0, 0, 0], row)


@pytest.mark.parametrize("mode", ["Nearest", "Bilinear", "Bicubic", "Lanczos3"])
def test_interpolation_keeps_constants_and_its_gradient_is_the_adjoint(mode):
    record = options(mode=mode, align_corners=False)
    flat = call("Module::Interpolate", np.ones((1, 1, 5, 4)), output_size=(7, 9), options=record)[0]
    np.testing.assert_allclose(flat, 1.0)
    x, g = RNG.normal(size=(1, 2, 5, 4)), RNG.normal(size=(1, 2, 7, 9))
    y = call("Module::Interpolate", x, output_size=(7, 9), options=record)[0]
    grad = call("Module::InterpolateBackward", x, g, output_size=(7, 9), options=record)[0]
    assert np.isclose((y * g).sum(), (x * grad).sum())


def test_grid_sampling_hits_pixels_mixes_neighbours_and_pads():
    x = np.arange(4.0).reshape(1, 1, 2, 2)
    grid = np.array([[[[-1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [3.0, -1.0]]]])
    for padding, outside in (("Zeros", 0.0), ("Border", 1.0), ("Reflection", 0.0)):
        record = options(mode="Bilinear", padding_mode=padding, align_corners=True)
        y = call("Float::GridSample2d", x, grid, options=record)[0]
        np.testing.assert_allclose(y.ravel(), [0.0, 3.0, 1.5, outside], err_msg=padding)


def test_attention_weighs_values_and_hides_the_future():
    q, k, v = (RNG.normal(size=(1, 1, 3, 2)) for _ in range(3))
    record = options(scale=None, softcap=None, is_causal=True)
    y = call("Module::Attention", q, k, v, options=record)[0]
    for row in range(3):
        scores = np.array([q[0, 0, row] @ k[0, 0, col] / np.sqrt(2) for col in range(row + 1)])
        weights = np.exp(scores) / np.exp(scores).sum()
        np.testing.assert_allclose(y[0, 0, row], weights @ v[0, 0, : row + 1])


def test_attention_with_mask_cap_and_bias():
    q, k, v = (RNG.normal(size=(1, 1, 2, 2)) for _ in range(3))
    mask, bias = np.array([[[[False, True], [False, False]]]]), RNG.normal(size=(1, 1, 2, 2))
    record = options(scale=0.5, softcap=2.0, is_causal=False)
    y = call(
        "Module::Attention", q, k, v, mask, bias, dtypes="f64 f64 f64 bool f64", options=record
    )[0]
    np.testing.assert_allclose(y[0, 0, 0], v[0, 0, 0])
    scores = 2 * np.tanh(q[0, 0, 1] @ k[0, 0].T * 0.5 / 2) + bias[0, 0, 1]
    weights = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(y[0, 0, 1], weights @ v[0, 0])


def test_fourier_transform_follows_its_definition_and_comes_back():
    x = RNG.normal(size=(2, 6))
    real, imaginary = call("Module::Rfft", x, dim=1, n=None)
    for f in range(4):
        angle = -2 * np.pi * f * np.arange(6) / 6
        np.testing.assert_allclose(real[:, f], (x * np.cos(angle)).sum(1), atol=1e-12)
        np.testing.assert_allclose(imaginary[:, f], (x * np.sin(angle)).sum(1), atol=1e-12)
    np.testing.assert_allclose(call("Module::IRfft", real, imaginary, dim=1, n=None)[0], x)


def every_alignment(probs: Array, target: list[int], blank: int) -> float:
    total = 0.0
    for path in product(range(probs.shape[1]), repeat=len(probs)):
        merged = [p for i, p in enumerate(path) if i == 0 or p != path[i - 1]]
        if [p for p in merged if p != blank] == target:
            total += float(np.prod([probs[t, p] for t, p in enumerate(path)]))
    return total


def ctc_inputs() -> tuple[Array, Array, Array, Array]:
    logits = RNG.normal(size=(5, 2, 3))
    log_probs = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    return log_probs, np.array([[1, 1], [2, 0]]), np.array([5, 4]), np.array([2, 1])


def test_ctc_loss_sums_over_all_alignments():
    log_probs, targets, frames, lengths = ctc_inputs()
    loss = call(
        "Module::CtcLoss", log_probs, targets, frames, lengths, dtypes="f64 i32 i32 i32", blank=0
    )[0]
    first = every_alignment(np.exp(log_probs[:, 0]), [1, 1], 0)
    second = every_alignment(np.exp(log_probs[:4, 1]), [2], 0)
    np.testing.assert_allclose(loss, [-np.log(first), -np.log(second)])


def test_ctc_gradient_is_that_of_the_loss_behind_a_log_softmax():
    log_probs, targets, frames, lengths = ctc_inputs()
    kinds = "f64 i32 i32 i32"

    def loss(logits: Array) -> Array:
        normal = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        return call("Module::CtcLoss", normal, targets, frames, lengths, dtypes=kinds, blank=0)[0]

    upstream = np.array([1.0, 3.0])
    grad = call(
        "Module::CtcLossBackward",
        log_probs,
        targets,
        frames,
        lengths,
        upstream,
        dtypes=f"{kinds} f64",
        blank=0,
    )[0]
    for place in ((0, 0, 1), (3, 0, 0), (2, 1, 2), (4, 1, 1)):
        step = np.zeros_like(log_probs)
        step[place] = 1e-6
        slope = (loss(log_probs + step) - loss(log_probs - step)) / 2e-6
        assert np.isclose(grad[place], slope @ upstream, atol=1e-6)


def test_an_unreachable_ctc_target_has_infinite_loss_and_no_gradient():
    log_probs = np.log(np.full((1, 1, 3), 1 / 3))
    rest = (np.array([[1, 2]]), np.array([1]), np.array([2]))
    loss = call("Module::CtcLoss", log_probs, *rest, dtypes="f64 i32 i32 i32", blank=0)[0]
    assert loss[0] == np.inf
    grad = call(
        "Module::CtcLossBackward",
        log_probs,
        *rest,
        np.ones(1),
        dtypes="f64 i32 i32 i32 f64",
        blank=0,
    )[0]
    assert not grad.any()


def test_batch_norm_layer_norm_and_linear_follow_their_formulas():
    x = RNG.normal(size=(2, 3, 4))
    g, b, m, v = (RNG.uniform(0.5, 1.5, 3) for _ in range(4))
    y = call("Module::BatchNorm", x, g, b, m, v, epsilon=1e-3)[0]
    np.testing.assert_allclose(y[:, 1], (x[:, 1] - m[1]) / np.sqrt(v[1] + 1e-3) * g[1] + b[1])
    gamma, beta = RNG.normal(size=4), RNG.normal(size=4)
    y = call("Module::LayerNorm", x, gamma, beta, epsilon=1e-3)[0]
    row = x[1, 2]
    expected = (row - row.mean()) / np.sqrt(row.var() + 1e-3) * gamma + beta
    np.testing.assert_allclose(y[1, 2], expected)
    w, bias = RNG.normal(size=(4, 5)), RNG.normal(size=5)
    np.testing.assert_allclose(call("Module::Linear", x, w, bias)[0], x @ w + bias)


def test_embedding_picks_rows_and_its_gradient_adds_them_up():
    weights = np.arange(6.0).reshape(3, 2)
    picked = call("Module::Embedding", weights, np.array([[2, 0]]), dtypes="f64 i32")[0]
    assert picked.tolist() == [[[4.0, 5.0], [0.0, 1.0]]]
    grad = call(
        "Module::EmbeddingBackward",
        weights,
        np.ones((1, 2, 2)),
        np.array([[1, 1]]),
        dtypes="f64 f64 i32",
    )[0]
    assert grad.tolist() == [[0.0, 0.0], [2.0, 2.0], [0.0, 0.0]]


def test_unfold4d_lists_the_windows_as_columns():
    x = np.arange(9.0).reshape(1, 1, 3, 3)
    record = options(stride=(1, 1), padding=(0, 0), dilation=(1, 1))
    y = call("Module::Unfold4d", x, kernel_size=(2, 2), options=record)[0]
    assert y[0, :, 0].tolist() == [0.0, 1.0, 3.0, 4.0]
    assert y[0, :, 3].tolist() == [4.0, 5.0, 7.0, 8.0]
