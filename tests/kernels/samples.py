"""A small, valid call of every op kind: inputs and arguments by variant, shapes by their rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from kernels.tape import Tape, options

from fusionlab.ir.operation import ArgValue, Slice
from fusionlab.ir.opset import OPSET, OpSpec
from fusionlab.ir.tensor import TensorIr
from fusionlab.kernels.quantized import quantize

_ARGS: dict[str, ArgValue] = {
    "axis": 1,
    "dim": 1,
    "dim1": 0,
    "dim2": 1,
    "accumulator_len": 1,
    "axes": (1, 0),
    "size": 2,
    "step": 2,
    "times": 3,
    "k": 2,
    "update": "Add",
    "reduction": "Add",
    "value": 2,
    "rhs": 2,
    "min": 0,
    "max": 2,
    "alpha": 0.2,
    "beta": 0.5,
    "epsilon": 1e-5,
    "descending": False,
    "distribution": "Default",
    "n": None,
    "blank": 0,
    "op": "Sum",
    "device_ids": (),
    "id": "custom",
    "scalars": (),
    "count_include_pad": False,
    "ceil_mode": False,
    "ranges": (Slice(0, 2, 1), Slice(1, 3, 1)),
    "scheme": options(),
    "qparams": options(),
}
_SPATIAL = (5, 6, 7)


def _shapes(spec: OpSpec) -> list[tuple[int, ...]] | None:
    """Input shapes of the ops that do not simply take [3, 4] matrices."""
    variant = spec.variant
    rank = next((int(c) for c in variant if c.isdigit()), 0)
    space = _SPATIAL[:rank]
    if variant.startswith("ConvTranspose"):
        return _convolution(
            variant, (2, 4, *space), (4, 3, *(2,) * rank), tuple(e + 1 for e in space)
        )
    if variant.startswith("Conv"):
        return _convolution(
            variant, (2, 4, *space), (3, 4, *(2,) * rank), tuple(e - 1 for e in space)
        )
    if "Pool" in variant:
        return _pool(variant, (2, 3, *space), rank)
    tables: dict[str, list[tuple[int, ...]]] = {
        "Matmul": [(3, 4), (4, 5)],
        "Cross": [(2, 3), (2, 3)],
        "Linear": [(2, 3, 4), (4, 5), (5,)],
        "LinearXBackward": [(4, 5), (2, 3, 5)],
        "LinearWeightBackward": [(2, 3, 4), (2, 3, 5)],
        "LinearBiasBackward": [(2, 3, 5)],
        "LayerNorm": [(3, 4), (4,), (4,)],
        "BatchNorm": [(2, 3, 5), (3,), (3,), (3,), (3,)],
        "Embedding": [(5, 4), (2, 3)],
        "EmbeddingBackward": [(5, 4), (2, 3, 4), (2, 3)],
        "Attention": [(1, 2, 3, 4)] * 3,
        "CtcLoss": [(5, 2, 4), (2, 2), (2,), (2,)],
        "CtcLossBackward": [(5, 2, 4), (2, 2), (2,), (2,), (2,)],
        "Select": [(3, 4), (2,)],
        "SelectAssign": [(3, 4), (2,), (3, 2)],
        "SliceAssign": [(3, 4), (2, 2)],
        "Scatter": [(3, 4), (3, 2), (3, 2)],
        "ScatterNd": [(3, 4), (2, 1), (2, 4)],
        "GatherNd": [(3, 4), (2, 1)],
        "Interpolate": [(2, 3, 5, 6)],
        "InterpolateBackward": [(2, 3, 5, 6), (2, 3, 4, 4)],
        "GridSample2d": [(2, 3, 5, 6), (2, 4, 4, 2)],
        "Unfold4d": [(2, 3, 5, 6)],
        "Expand": [(3, 1)],
        "Quantize": [(3, 4), (1,)],
    }
    return tables.get(variant)


def _convolution(
    variant: str, x: tuple[int, ...], weight: tuple[int, ...], space: tuple[int, ...]
) -> list[tuple[int, ...]]:
    out = 3
    grad = (x[0], out, *space)
    if "BiasBackward" in variant:
        return [x, (out,), grad]
    return [x, weight, grad] if "Backward" in variant else [x, weight, (out,)]


def _pool(variant: str, x: tuple[int, ...], rank: int) -> list[tuple[int, ...]]:
    if "Backward" not in variant:
        return [x]
    small = (2, 3, *((4,) * rank if "Adaptive" in variant else tuple(e - 1 for e in x[2:])))
    return [x, small, small] if "Indices" in variant else [x, small]


def _window_args(spec: OpSpec) -> dict[str, ArgValue]:
    rank = next((int(c) for c in spec.variant if c.isdigit()), 2)
    if spec.variant == "Unfold4d":
        rank = 2
    one: ArgValue = 1 if rank == 1 else (1,) * rank
    two: ArgValue = 2 if rank == 1 else (2,) * rank
    return {
        "kernel_size": two,
        "stride": one,
        "padding": 0 if rank == 1 else (0,) * rank,
        "dilation": one,
        "output_size": 4 if rank == 1 else (4,) * (2 if "Interpolate" in spec.variant else rank),
        "options": options(
            stride=(1,) * rank,
            padding=(0,) * rank,
            padding_out=(0,) * rank,
            dilation=(1,) * rank,
            groups=1,
            mode="Bilinear",
            align_corners=True,
            padding_mode="Zeros",
            scale=None,
            softcap=None,
            is_causal=False,
        ),
    }


_DTYPE_OF_INPUT = {"mask": "bool", "indices": "i32", "targets": "i32", "input_lengths": "i32"}
_DTYPE_OF_INPUT |= {"target_lengths": "i32"}
_DTYPE_OF_CATEGORY = {"BaseInt": "i32", "NumericInt": "i32", "Int": "i32"}
_DTYPE_OF_CATEGORY |= {"BaseBool": "bool", "Bool": "bool"}


def _values(name: str, shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Any:
    if name == "indices":
        return rng.integers(0, 3, shape)
    if name == "targets":
        return rng.integers(1, 4, shape)
    if name.endswith("lengths"):
        return np.full(shape, 5 if name == "input_lengths" else 2)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    values = rng.uniform(0.1, 0.9, shape)
    return np.log(values / values.sum(-1, keepdims=True)) if name == "log_probs" else values * 4


def sample(name: str) -> Tape:
    """A tape with one call of the named op kind."""
    spec, tape, rng = OPSET[name], Tape(), np.random.default_rng(3)
    names = ["tensors", "tensors"] if spec.inputs == ("tensors*",) else list(spec.inputs)
    names = [one.strip("[]").rstrip("*") for one in names if one not in {"[mask]", "[attn_bias]"}]
    names = [one for one in names if one != "global"]
    shapes: Sequence[tuple[int, ...]] = _shapes(spec) or [(3, 4)] * len(names)
    inputs: list[TensorIr] = []
    for one, shape in zip(names, shapes, strict=False):
        dtype = _DTYPE_OF_INPUT.get(one, _DTYPE_OF_CATEGORY.get(spec.category, "f32"))
        if spec.variant == "Dequantize":
            inputs.append(tape.input(quantize(rng.normal(size=shape), 0.1), "qfloat"))
        else:
            inputs.append(tape.input(_values(one, shape, dtype, rng), dtype))
    args = _ARGS | _window_args(spec)
    wanted = {argument.name: args[argument.name] for argument in spec.args}
    if spec.variant == "Flip":
        wanted["axes"] = (1,)
    shape = {"Reshape": (2, 6), "Expand": (3, 4)}.get(spec.variant)
    dtype = _DTYPE_OF_CATEGORY.get(spec.category, "f32")
    if not inputs and spec.outputs:
        tape.ops_of(name, shape=(3, 4), dtype=dtype, **wanted)
    elif spec.variant in {"IntoInt", "IntoFloat", "Cast"}:
        tape.ops_of(name, *inputs, dtype="i64" if spec.variant == "IntoInt" else "f16", **wanted)
    else:
        tape.ops_of(name, *inputs, shape=shape, **wanted)
    return tape
