"""Words that make tensors, and those that change the element type.

A literal ``tensor(…)`` is uploaded and registers ``Init``; ``arange`` is what burn makes of it:
ones, a running sum, a scale and a shift.

Source: burn-fusion, ops/{float,int,bool}_tensor.rs; burn-backend, ops/int_tensor.rs
(``int_arange``).
"""

from __future__ import annotations

from typing import Any, Final

from fusionlab.errors import ProgramError
from fusionlab.ir.operation import Options
from fusionlab.ir.tensor import DType, Shape
from fusionlab.program.model import Tensor
from fusionlab.program.trace import Trace
from fusionlab.program.words.core import WordTable, is_number, kind_of
from fusionlab.program.words.helpers import UNSIGNED, new_shape, scalar

WORDS: Final = WordTable()


def _family(dtype: DType) -> str:
    if dtype.is_bool:
        return "BaseBool"
    return "BaseInt" if dtype.is_int else "BaseFloat"


def _drawn(trace: Trace, shape: Shape, dtype: DType, distribution: str | Options) -> Tensor:
    if dtype.is_bool:
        raise ProgramError("not_for_bool", word="random")
    row = "NumericInt::IntRandom" if dtype.is_int else "Float::Random"
    return trace.emit(row, shape=shape, dtype=dtype, distribution=distribution)


def _parameters(name: str, values: tuple[float, ...] | float) -> Options:
    return Options(((name, values),))


@WORDS.word("random", '*shape:any, dtype:dtype="f32"')
def random(trace: Trace, shape: tuple[Any, ...], dtype: DType | str) -> Tensor:
    """Random elements between 0 and 1."""
    return _drawn(trace, new_shape(shape, "random"), DType(dtype), "Default")


@WORDS.word("uniform", '*shape:any, low:number=0.0, high:number=1.0, dtype:dtype="f32"')
def uniform(
    trace: Trace, shape: tuple[Any, ...], low: float, high: float, dtype: DType | str
) -> Tensor:
    """Random elements between ``low`` and ``high``."""
    distribution = _parameters("Uniform", (float(low), float(high)))
    return _drawn(trace, new_shape(shape, "uniform"), DType(dtype), distribution)


@WORDS.word("normal", '*shape:any, mean:number=0.0, std:number=1.0, dtype:dtype="f32"')
def normal(
    trace: Trace, shape: tuple[Any, ...], mean: float, std: float, dtype: DType | str
) -> Tensor:
    """Normally distributed elements."""
    if std < 0:
        raise ProgramError("argument_value", op="normal", name="std", got=std, needed="≥ 0")
    distribution = _parameters("Normal", (float(mean), float(std)))
    return _drawn(trace, new_shape(shape, "normal"), DType(dtype), distribution)


@WORDS.word("bernoulli", '*shape:any, p:number=0.5, dtype:dtype="f32"')
def bernoulli(trace: Trace, shape: tuple[Any, ...], p: float, dtype: DType | str) -> Tensor:
    """1 with probability ``p``, else 0."""
    if not 0 <= p <= 1:
        raise ProgramError("argument_value", op="bernoulli", name="p", got=p, needed="0 … 1")
    distribution = _parameters("Bernoulli", float(p))
    return _drawn(trace, new_shape(shape, "bernoulli"), DType(dtype), distribution)


@WORDS.word("zeros", '*shape:any, dtype:dtype="f32"')
def zeros(trace: Trace, shape: tuple[Any, ...], dtype: DType | str) -> Tensor:
    """A tensor of zeros."""
    return _filled(trace, "Zeros", new_shape(shape, "zeros"), DType(dtype))


@WORDS.word("ones", '*shape:any, dtype:dtype="f32"')
def ones(trace: Trace, shape: tuple[Any, ...], dtype: DType | str) -> Tensor:
    """A tensor of ones."""
    return _filled(trace, "Ones", new_shape(shape, "ones"), DType(dtype))


@WORDS.word("empty", '*shape:any, dtype:dtype="f32"')
def empty(trace: Trace, shape: tuple[Any, ...], dtype: DType | str) -> Tensor:
    """A tensor whose values nobody has set."""
    return _filled(trace, "Empty", new_shape(shape, "empty"), DType(dtype))


def _filled(trace: Trace, variant: str, shape: Shape, dtype: DType) -> Tensor:
    return trace.emit(f"{_family(dtype)}::{variant}", shape=shape, dtype=dtype)


@WORDS.word("full", "shape:any, value:number, dtype:dtype=None")
def full(trace: Trace, shape: Any, value: float, dtype: DType | None) -> Tensor:
    """A tensor with the same value everywhere."""
    chosen = dtype or (DType.I32 if type(value) is int else DType.F32)
    if chosen.is_bool or isinstance(value, bool):
        raise ProgramError("not_for_bool", word="full")
    described = Tensor(0, new_shape((shape,), "full"), chosen)
    family = "NumericInt" if chosen.is_int else "NumericFloat"
    return trace.emit(
        f"{family}::Full", shape=described.shape, dtype=chosen, value=scalar(described, value)
    )


@WORDS.word("zeros_like", "x:tensor")
def zeros_like(trace: Trace, x: Tensor) -> Tensor:
    """Zeros in the shape of x."""
    return _filled(trace, "Zeros", x.shape, x.dtype)


@WORDS.word("ones_like", "x:tensor")
def ones_like(trace: Trace, x: Tensor) -> Tensor:
    """Ones in the shape of x."""
    return _filled(trace, "Ones", x.shape, x.dtype)


@WORDS.word("arange", "start:int, end:int=None, step:int=1")
def arange(trace: Trace, start: int, end: int | None, step: int) -> Tensor:
    """Whole numbers from ``start`` up to, not including, ``end``."""
    first, behind = (0, start) if end is None else (start, end)
    if step < 1:
        raise ProgramError("argument_value", op="arange", name="step", got=step, needed="≥ 1")
    size = max(0, -((first - behind) // step))
    described = Tensor(0, (size,), DType.I32)
    made = trace.emit(
        "NumericInt::Full", shape=(size,), dtype=DType.I32, value=scalar(described, 1)
    )
    if size == 0:
        return made
    counted = trace.emit("NumericInt::CumSum", made, axis=0)
    scaled = trace.emit("NumericInt::MulScalar", counted, rhs=scalar(described, step))
    return trace.emit("NumericInt::AddScalar", scaled, rhs=scalar(described, first - step))


# --- literal values ----------------------------------------------------------------------------


@WORDS.word("tensor from_data", "data:any, dtype:dtype=None")
def tensor(trace: Trace, data: Any, dtype: DType | None) -> Tensor:
    """A tensor with the values written in the program: ``tensor([[1.0, 2.0], [3.0, 4.0]])``."""
    rows = (data,) if is_number(data) else data
    shape = _nested_shape(rows)
    values = tuple(_flattened(rows, shape))
    chosen = dtype or _literal_dtype(values)
    return trace.upload(shape, chosen, tuple(_element(value, chosen) for value in values))


def _nested_shape(rows: Any) -> Shape:
    shape = []
    while isinstance(rows, tuple):
        shape.append(len(rows))
        if not rows:
            break
        rows = rows[0]
    if not shape:
        raise ProgramError(
            "argument_kind", word="tensor", name="data", needed="[number, …]", got=kind_of(rows)
        )
    return tuple(shape)


def _flattened(rows: Any, shape: Shape) -> list[Any]:
    level = [rows]
    for extent in shape:
        if any(not isinstance(row, tuple) or len(row) != extent for row in level):
            raise ProgramError("ragged_rows", extent=extent)
        level = [item for row in level for item in row]
    for item in level:
        if not is_number(item):
            raise ProgramError(
                "argument_kind", word="tensor", name="data", needed="number", got=kind_of(item)
            )
    return level


def _literal_dtype(values: tuple[float | int | bool, ...]) -> DType:
    if values and all(isinstance(value, bool) for value in values):
        return DType.BOOL
    return DType.I32 if values and all(type(value) is int for value in values) else DType.F32


def _element(value: float, dtype: DType) -> float | int | bool:
    if dtype.is_bool:
        return bool(value)
    if dtype.is_float:
        return float(value)
    whole = scalar(Tensor(0, (), dtype), value).value
    bits = int(dtype.value[1:])
    least, behind = (0, 2**bits) if dtype in UNSIGNED else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    if not least <= whole < behind:
        raise ProgramError("value_out_of_range", value=value, dtype=dtype.value)
    return whole


# --- element types -----------------------------------------------------------------------------


@WORDS.word("cast", "x:tensor, dtype:dtype")
def cast(trace: Trace, x: Tensor, dtype: DType) -> Tensor:
    """The same values with another element type; the same type is the same tensor."""
    if dtype is x.dtype:
        return x
    if x.dtype.is_float:
        return _cast_float(trace, x, dtype)
    if x.dtype.is_bool:
        row = "IntoFloat" if dtype.is_float else "IntoInt" if dtype.is_int else ""
        return trace.emit(f"Bool::{row}" if row else "BaseBool::Cast", x, dtype=dtype)
    if dtype.is_bool:
        return _truth(trace, x)
    return trace.emit("Int::IntoFloat" if dtype.is_float else "BaseInt::Cast", x, dtype=dtype)


def _cast_float(trace: Trace, x: Tensor, dtype: DType) -> Tensor:
    if dtype.is_bool:
        return _truth(trace, x)
    return trace.emit("Float::IntoInt" if dtype.is_int else "BaseFloat::Cast", x, dtype=dtype)


def _truth(trace: Trace, x: Tensor) -> Tensor:
    row = "BaseInt::EqualElem" if x.dtype.is_int else "BaseFloat::EqualElem"
    return trace.emit("Bool::Not", trace.emit(row, x, rhs=scalar(x, 0)))


@WORDS.word("float into_float", "x:tensor")
def into_float(trace: Trace, x: Tensor) -> Tensor:
    """As f32 (a float tensor stays as it is)."""
    return x if x.dtype.is_float else cast(trace, x, DType.F32)


@WORDS.word("int into_int", "x:tensor")
def into_int(trace: Trace, x: Tensor) -> Tensor:
    """As i32 (an int tensor stays as it is)."""
    return x if x.dtype.is_int else cast(trace, x, DType.I32)


@WORDS.word("bool into_bool", "x:tensor")
def into_bool(trace: Trace, x: Tensor) -> Tensor:
    """Whether elements differ from 0."""
    return x if x.dtype.is_bool else cast(trace, x, DType.BOOL)
