"""Random groups of ops that a fuser could have taken, for property tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from kernels.tape import RW, Tape

from fusionlab.ir.tensor import DType, TensorIr
from fusionlab.kernels.dtypes import Array, storage_dtype

FLOATS = ("f32", "f64", "f16", "bf16", "flex32")
INTS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan, 1e-40, 3e4)

ARITHMETIC = ("Add", "Sub", "Mul", "Div", "Rem")
COMPARE = ("Greater", "GreaterEqual", "Lower", "LowerEqual")
BITS = ("And", "Or", "Xor", "LeftShift", "RightShift")


def family(dtype: DType) -> str:
    return "Float" if dtype.is_float else "Int"


def values(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    kind = DType(dtype)
    if kind.is_bool:
        return rng.random(shape) < 0.5
    if kind.is_int:
        info = np.iinfo(storage_dtype(kind))
        return rng.integers(max(info.min, -100), min(info.max, 100), shape, endpoint=True)
    plain = rng.normal(0, 3, shape)
    return np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape), plain)


class GroupMaker:
    """Draws one group; every op's result may feed later ops."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.tape = Tape()
        self.rng = np.random.default_rng(draw(st.integers(0, 2**32)))
        extents = st.sampled_from([0, 1, 2, 3, 5, 17])
        self.full = tuple(draw(st.lists(extents, min_size=0, max_size=3)))
        self.values: list[TensorIr] = []

    def shape(self) -> tuple[int, ...]:
        """The full shape, or one that broadcasts to it."""
        if self.draw(st.integers(0, 3)):
            return self.full
        return tuple(1 if self.draw(st.booleans()) else extent for extent in self.full)

    def fresh(self, dtype: str, shape: tuple[int, ...] | None = None) -> TensorIr:
        """A new input, sometimes one that is not contiguous."""
        shape = self.shape() if shape is None else shape
        tensor = self.tape.input(values(self.rng, shape, dtype), dtype)
        if len(shape) > 1 and self.draw(st.integers(0, 5)) == 0:
            stored = self.tape.inputs[tensor.id]
            self.tape.inputs[tensor.id] = np.asfortranarray(stored)
        return tensor

    def pick(self, dtype: DType) -> TensorIr:
        """An earlier value of this type, or a new input."""
        fitting = [value for value in self.values if value.dtype is dtype]
        if fitting and self.draw(st.integers(0, 3)):
            return self.draw(st.sampled_from(fitting))
        return self.fresh(dtype.value)

    def scalar(self, dtype: DType) -> float | int:
        if dtype.is_int:
            low = 0 if dtype.value.startswith("u") else -5
            return self.draw(st.integers(low, 9))
        return self.draw(st.sampled_from([0.0, 1.0, -1.5, 2.0, 0.1, 100.0]))

    def exact_op(self) -> TensorIr:
        """An op whose fused and un-fused results must agree to the last bit."""
        name = self.draw(st.sampled_from(FLOATS + INTS))
        dtype = DType(name)
        prefix = f"Numeric{family(dtype)}"
        kind = self.draw(st.integers(0, 9))
        if kind <= 2:
            op = self.draw(st.sampled_from(ARITHMETIC))
            return self.tape.op(f"{prefix}::{op}", self.pick(dtype), self.pick(dtype))
        if kind == 3:
            op = self.draw(st.sampled_from(ARITHMETIC))
            value = self.pick(dtype)
            return self.tape.op(f"{prefix}::{op}Scalar", value, rhs=self.scalar(dtype))
        if kind == 4:
            return self.compared(dtype, prefix)
        if kind == 5:
            return self.masked(dtype)
        if kind == 6:
            return self.tape.op(f"{prefix}::Abs", self.pick(dtype))
        if kind == 7:
            low, high = sorted((self.scalar(dtype), self.scalar(dtype)))
            return self.tape.op(f"{prefix}::Clamp", self.pick(dtype), min=low, max=high)
        if kind == 8:
            return self.cast(dtype)
        return self.special(dtype)

    def compared(self, dtype: DType, prefix: str) -> TensorIr:
        op = self.draw(st.sampled_from((*COMPARE, "Equal")))
        base = f"Base{family(dtype)}" if op == "Equal" else prefix
        if self.draw(st.booleans()):
            return self.tape.op(f"{base}::{op}", self.pick(dtype), self.pick(dtype))
        return self.tape.op(f"{base}::{op}Elem", self.pick(dtype), rhs=self.scalar(dtype))

    def masked(self, dtype: DType) -> TensorIr:
        base, mask = f"Base{family(dtype)}", self.pick(DType.BOOL)
        if self.draw(st.booleans()):
            return self.tape.op(
                f"{base}::MaskFill", self.pick(dtype), mask, value=self.scalar(dtype)
            )
        return self.tape.op(f"{base}::MaskWhere", self.pick(dtype), mask, self.pick(dtype))

    def cast(self, dtype: DType) -> TensorIr:
        target = self.draw(st.sampled_from((*FLOATS, *INTS, "bool")))
        return self.tape.op(f"Base{family(dtype)}::Cast", self.pick(dtype), dtype=target)

    def special(self, dtype: DType) -> TensorIr:
        if dtype.is_int:
            op = self.draw(st.sampled_from(BITS))
            if self.draw(st.booleans()):
                return self.tape.op(f"Int::Bitwise{op}", self.pick(dtype), self.pick(dtype))
            value = self.draw(st.integers(0, 7))
            return self.tape.op(f"Int::Bitwise{op}Scalar", self.pick(dtype), rhs=value)
        return self.tape.op(
            f"Float::{self.draw(st.sampled_from(['Sqrt', 'Recip']))}", self.pick(dtype)
        )

    def mark_last_uses(self) -> None:
        """Some tensors are used up by their last op, some are dropped, the others stay alive."""
        ops = self.tape.ops
        last_use = {
            tensor.id: (i, place)
            for i, op in enumerate(ops)
            for place, tensor in enumerate(op.inputs)
        }
        for place, node in last_use.values():
            if self.draw(st.booleans()):
                inputs = list(ops[place].inputs)
                inputs[node] = inputs[node]._replace(status=RW)
                ops[place] = ops[place]._replace(inputs=tuple(inputs))
        for value in self.values:
            if value.id not in last_use and self.draw(st.integers(0, 3)) == 0:
                self.tape.drop(value)


@st.composite
def exact_groups(draw: Any) -> Tape:
    """Element-wise groups of exact ops over all types, with broadcasting and mixed statuses."""
    maker = GroupMaker(draw)
    for _ in range(draw(st.integers(1, 12))):
        maker.values.append(maker.exact_op())
    maker.mark_last_uses()
    return maker.tape


REDUCTIONS = ("Sum", "Mean", "Prod", "Max", "Min", "MaxAbs")
PICKS = ("ArgMax", "ArgMin")


class ReduceMaker:
    """Draws prologue, reduction and epilogue, or several such parts over the last dimension."""

    def __init__(self, draw: Any, *, parts: int) -> None:
        self.draw = draw
        self.tape = Tape()
        self.rng = np.random.default_rng(draw(st.integers(0, 2**32)))
        extents = st.sampled_from([1, 2, 3, 7])
        self.shape = tuple(draw(st.lists(extents, min_size=1, max_size=3)))
        self.dtype = DType(draw(st.sampled_from(["f32", "f64", "i32", "i64"])))
        self.axis = len(self.shape) - 1
        if parts == 1:
            self.axis = draw(st.integers(0, len(self.shape) - 1))
        self.kept: list[TensorIr] = []

    @property
    def numeric(self) -> str:
        return f"Numeric{family(self.dtype)}"

    def input(self, shape: tuple[int, ...]) -> TensorIr:
        broadcast = tuple(1 if self.draw(st.integers(0, 4)) == 0 else extent for extent in shape)
        whole = self.rng.integers(-4, 5, broadcast)
        return self.tape.input(whole if self.dtype.is_int else whole / 4, self.dtype.value)

    def step(self, value: TensorIr) -> TensorIr:
        """An element-wise op that keeps the shape of ``value``."""
        kind = self.draw(st.integers(0, 3))
        if kind == 0:
            return self.tape.op(f"{self.numeric}::AddScalar", value, rhs=1)
        if kind == 1:
            return self.tape.op(f"{self.numeric}::Mul", value, self.input(value.shape))
        if kind == 2:
            return self.tape.op(f"{self.numeric}::Sub", value, value)
        return self.tape.op(f"{self.numeric}::Abs", value)

    def reduce(self, value: TensorIr) -> TensorIr:
        kind = self.draw(st.sampled_from(REDUCTIONS))
        return self.tape.op(f"{self.numeric}::{kind}Dim", value, axis=self.axis)

    def part(self, value: TensorIr) -> TensorIr:
        """Ops over the row, a reduction, ops over its result."""
        for _ in range(self.draw(st.integers(1, 3))):
            value = self.step(value)
            self.kept.append(value)
        if self.draw(st.integers(0, 5)) == 0:
            pick = self.draw(st.sampled_from(PICKS))
            return self.tape.op(f"{self.numeric}::{pick}", value, axis=self.axis)
        result = self.reduce(value)
        for _ in range(self.draw(st.integers(0, 2))):
            result = self.step(result)
        return result


def _mark(maker: ReduceMaker) -> Tape:
    helper = GroupMaker.__new__(GroupMaker)
    helper.draw, helper.tape, helper.values = maker.draw, maker.tape, []
    helper.mark_last_uses()
    return maker.tape


@st.composite
def reduce_groups(draw: Any) -> Tape:
    """A reduction over any dimension with a prologue and an epilogue."""
    maker = ReduceMaker(draw, parts=1)
    maker.part(maker.input(maker.shape))
    return _mark(maker)


@st.composite
def broadcast_reduce_groups(draw: Any) -> Tape:
    """Two or three reductions over the last dimension whose results go back over the rows."""
    maker = ReduceMaker(draw, parts=2)
    source = maker.tape.input(maker.rng.integers(-4, 5, maker.shape), maker.dtype.value)
    value = source
    for _ in range(draw(st.integers(1, 2))):
        result = maker.part(value)
        if result.dtype is not maker.dtype:
            break
        earlier = draw(st.sampled_from([source, *maker.kept]))
        op = draw(st.sampled_from(["Add", "Sub"]))
        value = maker.tape.op(f"{maker.numeric}::{op}", earlier, result)
    return _mark(maker)
