"""Shape rules of ops that read or write through a tensor of indices.

Source: burn-tensor, api/check.rs (``gather``, ``scatter``, ``select``) and api/numeric.rs.
"""

from __future__ import annotations

from typing import Final

from fusionlab.errors import ProgramError
from fusionlab.ir.shapes.request import (
    Described,
    Request,
    Rule,
    need_int,
    need_rank,
    need_same_dtype,
    need_shape,
    replaced,
    written,
)
from fusionlab.ir.tensor import Shape


def _indices(request: Request, index: int = 1) -> Shape:
    shape, dtype = request.inputs[index]
    need_int(request.spec, "indices", dtype)
    return shape


def _gather(request: Request) -> tuple[Described, ...]:
    shape, dtype = request.inputs[0]
    indices, dim = _indices(request), request.dim("dim")
    need_rank(request.spec, "indices", indices, len(shape))
    need_shape(request.spec, "indices", indices, replaced(shape, dim, indices[dim]))
    return ((indices, dtype),)


def _scatter(request: Request) -> tuple[Described, ...]:
    ((indices, dtype),) = _gather(request)
    value, value_dtype = request.inputs[2]
    need_same_dtype(request.spec, dtype, value_dtype)
    need_shape(request.spec, "value", value, indices)
    return (request.inputs[0],)


def _select(request: Request) -> tuple[Described, ...]:
    shape, dtype = request.inputs[0]
    indices = _indices(request)
    need_rank(request.spec, "indices", indices, 1)
    return ((replaced(shape, request.dim("dim"), indices[0]), dtype),)


def _select_assign(request: Request) -> tuple[Described, ...]:
    ((selected, dtype),) = _select(request)
    value, value_dtype = request.inputs[2]
    need_same_dtype(request.spec, dtype, value_dtype)
    need_shape(request.spec, "value", value, selected)
    return (request.inputs[0],)


def _gather_nd(request: Request) -> tuple[Described, ...]:
    shape, dtype = request.inputs[0]
    indices = _indices(request)
    depth = indices[-1] if indices else 0
    if not 1 <= depth <= len(shape):
        raise ProgramError(
            "index_depth", op=request.spec.variant, indices=written(indices), rank=len(shape)
        )
    # A read of single elements still has one dimension, as every burn tensor has.
    return ((indices[:-1] + shape[depth:] or (1,), dtype),)


def _scatter_nd(request: Request) -> tuple[Described, ...]:
    ((addressed, dtype),) = _gather_nd(request)
    values, values_dtype = request.inputs[2]
    need_same_dtype(request.spec, dtype, values_dtype)
    need_shape(request.spec, "values", values, addressed)
    return (request.inputs[0],)


def _embedding(request: Request) -> tuple[Described, ...]:
    weights, dtype = request.inputs[0]
    need_rank(request.spec, "weights", weights, 2)
    indices = _indices(request)
    need_rank(request.spec, "indices", indices, 2)
    return (((*indices, weights[1]), dtype),)


def _embedding_backward(request: Request) -> tuple[Described, ...]:
    weights, _ = request.inputs[0]
    indices = _indices(request, 2)
    need_rank(request.spec, "weights", weights, 2)
    need_shape(request.spec, "out_grad", request.input_shape(1), (*indices, weights[1]))
    return (request.inputs[0],)


RULES: Final[dict[str, Rule]] = {
    "Gather": _gather,
    "Scatter": _scatter,
    "Select": _select,
    "SelectAssign": _select_assign,
    "GatherNd": _gather_nd,
    "ScatterNd": _scatter_nd,
    "Embedding": _embedding,
    "EmbeddingBackward": _embedding_backward,
}
