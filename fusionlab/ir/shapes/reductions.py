"""Shape rules of reductions, running totals, sorting and the ops that answer "where?".

A reduced dimension stays, with extent 1; a reduction of everything gives one dimension of extent 1.

Source: burn-backend, ops/tensor.rs; burn-fusion, ops/float.rs
(``accumulator_len`` is the k of a top-k).
"""

from __future__ import annotations

from typing import Final

from fusionlab.errors import ProgramError
from fusionlab.ir.shapes.request import INDEX_DTYPE, Described, Request, Rule, replaced
from fusionlab.ir.tensor import DType


def _everything(request: Request) -> tuple[Described, ...]:
    return (((1,), request.input_dtype()),)


def _everything_tested(_: Request) -> tuple[Described, ...]:
    return (((1,), DType.BOOL),)


def _along(request: Request, name: str, extent: int, dtype: DType) -> Described:
    return replaced(request.input_shape(), request.dim(name), extent), dtype


def _reduced(request: Request) -> tuple[Described, ...]:
    return (_along(request, "axis", 1, request.input_dtype()),)


def _reduced_tested(request: Request) -> tuple[Described, ...]:
    return (_along(request, "axis", 1, DType.BOOL),)


def _where(request: Request) -> tuple[Described, ...]:
    return (_along(request, "axis", 1, INDEX_DTYPE),)


def _largest(request: Request, axis: str, k: str) -> int:
    count, extent = request.integer(k), request.input_shape()[request.dim(axis)]
    if not 1 <= count <= extent:
        raise ProgramError("top_k", k=count, size=extent)
    return count


def _top_k(request: Request) -> tuple[Described, ...]:
    count = _largest(request, "axis", "accumulator_len")
    return (_along(request, "axis", count, request.input_dtype()),)


def _arg_top_k(request: Request) -> tuple[Described, ...]:
    count = _largest(request, "axis", "accumulator_len")
    return (_along(request, "axis", count, INDEX_DTYPE),)


def _top_k_with_indices(request: Request) -> tuple[Described, ...]:
    count = _largest(request, "dim", "k")
    return (
        _along(request, "dim", count, request.input_dtype()),
        _along(request, "dim", count, INDEX_DTYPE),
    )


def _reduced_with_indices(request: Request) -> tuple[Described, ...]:
    return (
        _along(request, "dim", 1, request.input_dtype()),
        _along(request, "dim", 1, INDEX_DTYPE),
    )


def _running(request: Request) -> tuple[Described, ...]:
    request.dim("axis")
    return (request.inputs[0],)


def _sorted(request: Request) -> tuple[Described, ...]:
    request.dim("dim")
    return (request.inputs[0],)


def _sorted_indices(request: Request) -> tuple[Described, ...]:
    request.dim("dim")
    return ((request.input_shape(), INDEX_DTYPE),)


def _sorted_with_indices(request: Request) -> tuple[Described, ...]:
    return _sorted(request) + _sorted_indices(request)


def _table(rows: dict[Rule, str]) -> dict[str, Rule]:
    return {variant: rule for rule, variants in rows.items() for variant in variants.split()}


RULES: Final = _table(
    {
        _everything: "Mean Sum Prod Max Min MaxAbs",
        _everything_tested: "All Any",
        _reduced: "MeanDim SumDim ProdDim MaxDim MinDim MaxAbsDim",
        _reduced_tested: "AllDim AnyDim",
        _where: "ArgMax ArgMin",
        _top_k: "TopK",
        _arg_top_k: "ArgTopK",
        _top_k_with_indices: "TopKWithIndices",
        _reduced_with_indices: "MaxDimWithIndices MinDimWithIndices",
        _running: "CumSum CumProd CumMin CumMax Softmax LogSoftmax Softmin",
        _sorted: "Sort",
        _sorted_indices: "ArgSort",
        _sorted_with_indices: "SortWithIndices",
    }
)
