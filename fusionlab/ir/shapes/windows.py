"""Shape rules of ops that slide a window: convolutions, pools, unfolding, resizing, sampling.

All take ``[batch, channels, *space]``; window arguments have one entry a space dimension (the 1-D
pools carry a bare int).

Source: burn-backend, ops/{conv,pool,unfold}.rs (``calculate_conv_output_size`` and its kin).
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Final, NamedTuple

from fusionlab.errors import ProgramError
from fusionlab.ir.operation import ArgValue
from fusionlab.ir.shapes.request import (
    INDEX_DTYPE,
    Described,
    Request,
    Rule,
    bad_argument,
    need_rank,
    need_shape,
    positive,
)
from fusionlab.ir.tensor import Shape


class _Window(NamedTuple):
    """A sliding window, one entry a space dimension."""

    kernel: Shape
    stride: Shape
    padding: Shape
    dilation: Shape


def _positions(request: Request, space: Shape, window: _Window, *, ceil: bool = False) -> Shape:
    """How often the window fits in each dimension. ``ceil`` lets the last one hang over."""
    for name, values, least in zip(
        ("kernel_size", "stride", "padding", "dilation"), window, (1, 1, 0, 1), strict=True
    ):
        positive(request.spec, name, values, least)
    counts = []
    for extent, kernel, stride, padding, dilation in zip(space, *window, strict=True):
        room = extent + 2 * padding - dilation * (kernel - 1) - 1
        if room < 0:
            raise ProgramError(
                "window_too_large",
                op=request.spec.variant,
                window=dilation * (kernel - 1) + 1,
                size=extent + 2 * padding,
            )
        counts.append((-(-room // stride) if ceil else room // stride) + 1)
    return tuple(counts)


def _groups(request: Request) -> int:
    groups = request.record().get("groups")
    if not isinstance(groups, int) or groups < 1:
        raise bad_argument(request.spec, "groups", groups, "≥ 1")
    return groups


def _channels(request: Request, rank: int, fan_in: Callable[[Shape, int], int]) -> int:
    """Check ranks and channel counts of a convolution; the number of output channels."""
    x, weight = request.input_shape(), request.input_shape(1)
    need_rank(request.spec, "x", x, rank + 2)
    need_rank(request.spec, "weight", weight, rank + 2)
    groups = _groups(request)
    if fan_in(weight, groups) != x[1]:
        raise ProgramError(
            "conv_channels", channels=x[1], expected=fan_in(weight, groups), groups=groups
        )
    return groups


def _bias(request: Request, channels: int) -> None:
    for bias, _ in request.inputs[2:]:
        need_shape(request.spec, "bias", bias, (channels,))


def _convolution(rank: int) -> Rule:
    def rule(request: Request) -> tuple[Described, ...]:
        (x, dtype), (weight, _) = request.inputs[:2]
        groups = _channels(request, rank, lambda shape, groups: shape[1] * groups)
        if weight[0] % groups:
            raise bad_argument(request.spec, "groups", groups, f"| {weight[0]}")
        options = (request.option(name, rank) for name in ("stride", "padding", "dilation"))
        space = _positions(request, x[2:], _Window(weight[2:], *options))
        _bias(request, weight[0])
        return (((x[0], weight[0], *space), dtype),)

    return rule


def _transposed_convolution(rank: int) -> Rule:
    def rule(request: Request) -> tuple[Described, ...]:
        (x, dtype), (weight, _) = request.inputs[:2]
        groups = _channels(request, rank, lambda shape, _: shape[0])
        names = ("stride", "padding", "padding_out", "dilation")
        stride, padding, extra, dilation = (request.option(name, rank) for name in names)
        positive(request.spec, "stride", stride)
        positive(request.spec, "padding", padding + extra, least=0)
        positive(request.spec, "dilation", dilation)
        space = tuple(
            (x[i + 2] - 1) * stride[i]
            - 2 * padding[i]
            + dilation[i] * (weight[i + 2] - 1)
            + extra[i]
            + 1
            for i in range(rank)
        )
        positive(request.spec, "output", space)
        _bias(request, weight[1] * groups)
        return (((x[0], weight[1] * groups, *space), dtype),)

    return rule


def _like(index: int) -> Rule:
    def rule(request: Request) -> tuple[Described, ...]:
        return (request.inputs[index],)

    return rule


def _window(request: Request, name: str, rank: int) -> Shape:
    """A window argument as one entry a space dimension."""
    value: ArgValue = request.args[name]
    return (value,) if isinstance(value, int) and rank == 1 else request.integers(name, rank)


def _pooled(request: Request, rank: int) -> Shape:
    x = request.input_shape()
    need_rank(request.spec, "x", x, rank + 2)
    dilation = _window(request, "dilation", rank) if "dilation" in request.args else (1,) * rank
    kernel, stride, padding = (
        _window(request, name, rank) for name in ("kernel_size", "stride", "padding")
    )
    window = _Window(kernel, stride, padding, dilation)
    space = _positions(request, x[2:], window, ceil=request.flag("ceil_mode"))
    return (*x[:2], *space)


def _pool(rank: int) -> Rule:
    return lambda request: ((_pooled(request, rank), request.input_dtype()),)


def _pool_with_indices(rank: int) -> Rule:
    def rule(request: Request) -> tuple[Described, ...]:
        shape = _pooled(request, rank)
        return (shape, request.input_dtype()), (shape, INDEX_DTYPE)

    return rule


def _resized(rank: int) -> Rule:
    def rule(request: Request) -> tuple[Described, ...]:
        x, dtype = request.inputs[0]
        need_rank(request.spec, "x", x, rank + 2)
        space = _window(request, "output_size", rank)
        positive(request.spec, "output_size", space)
        return (((*x[:2], *space), dtype),)

    return rule


def _unfold4d(request: Request) -> tuple[Described, ...]:
    x, dtype = request.inputs[0]
    need_rank(request.spec, "x", x, 4)
    kernel = request.integers("kernel_size", 2)
    options = (request.option(name, 2) for name in ("stride", "padding", "dilation"))
    blocks = prod(_positions(request, x[2:], _Window(kernel, *options)))
    return (((x[0], x[1] * kernel[0] * kernel[1], blocks), dtype),)


def _grid_sample(request: Request) -> tuple[Described, ...]:
    (x, dtype), (grid, _) = request.inputs
    need_rank(request.spec, "tensor", x, 4)
    need_rank(request.spec, "grid", grid, 4)
    need_shape(request.spec, "grid", grid, (x[0], grid[1], grid[2], 2))
    return (((*x[:2], grid[1], grid[2]), dtype),)


def _rules() -> dict[str, Rule]:
    rules: dict[str, Rule] = {
        "Interpolate": _resized(2),
        "InterpolateBackward": _like(0),
        "Unfold4d": _unfold4d,
        "GridSample2d": _grid_sample,
    }
    for n in (1, 2, 3):
        rules |= {
            f"Conv{n}d": _convolution(n),
            f"Conv{n}dXBackward": _like(0),
            f"Conv{n}dWeightBackward": _like(1),
            f"Conv{n}dBiasBackward": _like(1),
            f"ConvTranspose{n}d": _transposed_convolution(n),
            f"ConvTranspose{n}dWeightBackward": _like(1),
            f"ConvTranspose{n}dBiasBackward": _like(1),
            f"AdaptiveAvgPool{n}d": _resized(n),
            f"AdaptiveAvgPool{n}dBackward": _like(0),
        }
    for n in (1, 2):
        rules |= {
            f"AvgPool{n}d": _pool(n),
            f"AvgPool{n}dBackward": _like(0),
            f"MaxPool{n}d": _pool(n),
            f"MaxPool{n}dWithIndices": _pool_with_indices(n),
            f"MaxPool{n}dWithIndicesBackward": _like(0),
        }
    return rules


RULES: Final = _rules()
