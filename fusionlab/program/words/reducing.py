"""Words that reduce, accumulate, sort or find: ``sum(x, dim=1)`` keeps the dimension with extent 1.

Source: burn-tensor, api/{numeric,orderable}.rs; burn-backend, ops/tensor.rs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fusionlab.ir.opset import OPSET
from fusionlab.program.model import Tensor
from fusionlab.program.trace import Trace
from fusionlab.program.words.arithmetic import power
from fusionlab.program.words.core import Word, WordTable, parse_signature
from fusionlab.program.words.helpers import axis, base, numeric, scalar

WORDS: Final = WordTable()

_REDUCTIONS: Final = {
    "sum": "Sum",
    "mean": "Mean",
    "prod": "Prod",
    "max": "Max",
    "min": "Min",
    "max_abs": "MaxAbs",
    "all": "All",
    "any": "Any",
}


def _family(x: Tensor, word: str) -> str:
    return base(x) if word in {"all", "any"} else numeric(x, word)


def _reduction(word: str, variant: str) -> Callable[[Trace, Tensor, int | None], Tensor]:
    def apply(trace: Trace, x: Tensor, dim: int | None) -> Tensor:
        if dim is None:
            return trace.emit(f"{_family(x, word)}::{variant}", x)
        return reduced(trace, f"{_family(x, word)}::{variant}Dim", x, axis(x, dim, word))

    return apply


def reduced(trace: Trace, row: str, x: Tensor, dim: int, k: int = 1) -> Tensor:
    """A reduction along a dimension that keeps ``k`` elements (more than one: top-k only)."""
    return trace.emit(row, x, axis=dim, accumulator_len=k)


for _word, _variant in _REDUCTIONS.items():
    _apply = _reduction(_word, _variant)
    WORDS.add(
        Word(
            _word,
            parse_signature("x:tensor, dim:int=None"),
            _apply,
            f"{_variant} of everything, or along one dimension.",
        )
    )
    WORDS.add(
        Word(
            f"{_word}_dim",
            parse_signature("x:tensor, dim:int"),
            _apply,
            f"{_variant} along a dimension.",
        )
    )


@WORDS.word("argmax", "x:tensor, dim:int")
def argmax(trace: Trace, x: Tensor, dim: int) -> Tensor:
    """Where the largest element of a dimension is."""
    return reduced(trace, f"{numeric(x, 'argmax')}::ArgMax", x, axis(x, dim, "argmax"))


@WORDS.word("argmin", "x:tensor, dim:int")
def argmin(trace: Trace, x: Tensor, dim: int) -> Tensor:
    """Where the smallest element of a dimension is."""
    return reduced(trace, f"{numeric(x, 'argmin')}::ArgMin", x, axis(x, dim, "argmin"))


@WORDS.word("topk", "x:tensor, k:int, dim:int=-1")
def topk(trace: Trace, x: Tensor, k: int, dim: int) -> Tensor:
    """The k largest elements of a dimension."""
    return reduced(trace, f"{numeric(x, 'topk')}::TopK", x, axis(x, dim, "topk"), k)


@WORDS.word("argtopk", "x:tensor, k:int, dim:int=-1")
def argtopk(trace: Trace, x: Tensor, k: int, dim: int) -> Tensor:
    """Where the k largest elements of a dimension are."""
    return reduced(trace, f"{numeric(x, 'argtopk')}::ArgTopK", x, axis(x, dim, "argtopk"), k)


def _several(trace: Trace, row: str, x: Tensor, **args: Any) -> tuple[Tensor, ...]:
    return trace.emit_all(OPSET[row], (x,), None, None, args)


@WORDS.word("topk_with_indices", "x:tensor, k:int, dim:int=-1")
def topk_with_indices(trace: Trace, x: Tensor, k: int, dim: int) -> tuple[Tensor, ...]:
    """The k largest elements of a dimension, and where they are."""
    family, place = numeric(x, "topk"), axis(x, dim, "topk")
    return _several(trace, f"{family}::TopKWithIndices", x, dim=place, k=k)


@WORDS.word("max_with_indices max_dim_with_indices", "x:tensor, dim:int")
def max_with_indices(trace: Trace, x: Tensor, dim: int) -> tuple[Tensor, ...]:
    """The largest element of a dimension, and where it is."""
    family, place = numeric(x, "max"), axis(x, dim, "max_with_indices")
    return _several(trace, f"{family}::MaxDimWithIndices", x, dim=place)


@WORDS.word("min_with_indices min_dim_with_indices", "x:tensor, dim:int")
def min_with_indices(trace: Trace, x: Tensor, dim: int) -> tuple[Tensor, ...]:
    """The smallest element of a dimension, and where it is."""
    family, place = numeric(x, "min"), axis(x, dim, "min_with_indices")
    return _several(trace, f"{family}::MinDimWithIndices", x, dim=place)


@WORDS.word("sort", "x:tensor, dim:int=-1, descending:flag=False")
def sort(trace: Trace, x: Tensor, dim: int, descending: bool) -> Tensor:  # noqa: FBT001
    """The elements of a dimension in order."""
    family, place = numeric(x, "sort"), axis(x, dim, "sort")
    return trace.emit(f"{family}::Sort", x, dim=place, descending=descending)


@WORDS.word("argsort", "x:tensor, dim:int=-1, descending:flag=False")
def argsort(trace: Trace, x: Tensor, dim: int, descending: bool) -> Tensor:  # noqa: FBT001
    """Where the elements of a dimension come from when they are put in order."""
    family, place = numeric(x, "argsort"), axis(x, dim, "argsort")
    return trace.emit(f"{family}::ArgSort", x, dim=place, descending=descending)


@WORDS.word("sort_with_indices", "x:tensor, dim:int=-1, descending:flag=False")
def sort_with_indices(
    trace: Trace,
    x: Tensor,
    dim: int,
    descending: bool,  # noqa: FBT001
) -> tuple[Tensor, ...]:
    """The elements of a dimension in order, and where they come from."""
    family, place = numeric(x, "sort"), axis(x, dim, "sort")
    return _several(trace, f"{family}::SortWithIndices", x, dim=place, descending=descending)


def _running(word: str, variant: str) -> Word:
    def apply(trace: Trace, x: Tensor, dim: int) -> Tensor:
        return trace.emit(f"{numeric(x, word)}::{variant}", x, axis=axis(x, dim, word))

    return Word(word, parse_signature("x:tensor, dim:int"), apply, f"{variant} along a dimension.")


for _word in ("cumsum", "cumprod", "cummin", "cummax"):
    WORDS.add(_running(_word, f"Cum{_word[3:].capitalize()}"))


@WORDS.word("var", "x:tensor, dim:int")
def var(trace: Trace, x: Tensor, dim: int) -> Tensor:
    """The variance along a dimension, divided by n - 1 as burn does."""
    family, place = numeric(x, "var"), axis(x, dim, "var")
    mean = reduced(trace, f"{family}::MeanDim", x, place)
    centred = trace.emit(f"{family}::Sub", x, mean)
    total = reduced(trace, f"{family}::SumDim", power(trace, centred, 2), place)
    return trace.emit(f"{family}::DivScalar", total, rhs=scalar(x, x.shape[place] - 1))
