"""Shape rules of matrix products and of what is built on them: linear, attention, norms.

Source: burn-tensor, api/check.rs (``matmul``); burn-backend, ops/modules/{linear,attention}.rs.
"""

from __future__ import annotations

from typing import Final

from fusionlab.errors import ProgramError
from fusionlab.ir.shapes.request import (
    Described,
    Request,
    Rule,
    bad_argument,
    broadcast,
    need_bool,
    need_rank,
    need_same_dtype,
    need_shape,
    written,
)
from fusionlab.ir.tensor import Shape


def _need_inner(left: Shape, right: Shape, inner: int) -> None:
    if left[-1] != inner:
        raise ProgramError(
            "matmul_inner",
            left=written(left),
            right=written(right),
            left_inner=left[-1],
            right_inner=inner,
        )


def _matmul(request: Request) -> tuple[Described, ...]:
    (left, dtype), (right, other) = request.inputs
    need_same_dtype(request.spec, dtype, other)
    if len(left) < 2 or len(left) != len(right):
        raise ProgramError("matmul_rank", left=written(left), right=written(right))
    _need_inner(left, right, right[-2])
    batch = broadcast(request.spec, left[:-2], right[:-2])
    return (((*batch, left[-2], right[-1]), dtype),)


def _cross(request: Request) -> tuple[Described, ...]:
    (left, dtype), (right, other) = request.inputs
    need_same_dtype(request.spec, dtype, other)
    shape, dim = broadcast(request.spec, left, right), request.dim("dim")
    if left[dim] != 3 or right[dim] != 3:
        raise bad_argument(request.spec, "dim", f"{left[dim]}, {right[dim]}", "3 × 3")
    return ((shape, dtype),)


def _linear(request: Request) -> tuple[Described, ...]:
    (x, dtype), (weight, other) = request.inputs[:2]
    need_same_dtype(request.spec, dtype, other)
    need_rank(request.spec, "weight", weight, 2)
    _need_inner(x, weight, weight[0])
    for bias, _ in request.inputs[2:]:
        need_shape(request.spec, "bias", bias, (weight[1],))
    return (((*x[:-1], weight[1]), dtype),)


def _linear_x_backward(request: Request) -> tuple[Described, ...]:
    weight, dtype = request.inputs[0]
    grad = request.input_shape(1)
    need_rank(request.spec, "weight", weight, 2)
    need_shape(request.spec, "output_grad", grad, (*grad[:-1], weight[1]))
    return (((*grad[:-1], weight[0]), dtype),)


def _linear_weight_backward(request: Request) -> tuple[Described, ...]:
    x, dtype = request.inputs[0]
    grad = request.input_shape(1)
    need_shape(request.spec, "output_grad", grad, (*x[:-1], grad[-1]))
    return (((x[-1], grad[-1]), dtype),)


def _linear_bias_backward(request: Request) -> tuple[Described, ...]:
    grad, dtype = request.inputs[0]
    return ((grad[-1:], dtype),)


def _layer_norm(request: Request) -> tuple[Described, ...]:
    shape = request.input_shape()
    for name, (vector, _) in zip(("gamma", "beta"), request.inputs[1:], strict=False):
        need_shape(request.spec, name, vector, shape[-1:])
    return (request.inputs[0],)


def _batch_norm(request: Request) -> tuple[Described, ...]:
    shape = request.input_shape()
    if len(shape) < 2:
        need_rank(request.spec, "x", shape, 2)
    for name, (vector, _) in zip(request.spec.inputs[1:], request.inputs[1:], strict=True):
        need_shape(request.spec, name, vector, (shape[1],))
    return (request.inputs[0],)


def _attention(request: Request) -> tuple[Described, ...]:
    (query, dtype), (key, _), (value, _) = request.inputs[:3]
    need_rank(request.spec, "query", query, 4)
    need_rank(request.spec, "key", key, 4)
    need_rank(request.spec, "value", value, 4)
    need_shape(request.spec, "key", key, (*query[:2], key[2], query[3]))
    need_shape(request.spec, "value", value, (*key[:3], value[3]))
    scores = (*query[:3], key[2])
    for name, (shape, extra) in zip(("mask", "attn_bias"), request.inputs[3:], strict=False):
        if name == "mask":
            need_bool(request.spec, name, extra)
        need_shape(request.spec, name, broadcast(request.spec, shape, scores), scores)
    return (((*query[:3], value[3]), dtype),)


RULES: Final[dict[str, Rule]] = {
    "Matmul": _matmul,
    "Cross": _cross,
    "Linear": _linear,
    "LinearXBackward": _linear_x_backward,
    "LinearWeightBackward": _linear_weight_backward,
    "LinearBiasBackward": _linear_bias_backward,
    "LayerNorm": _layer_norm,
    "BatchNorm": _batch_norm,
    "Attention": _attention,
}
