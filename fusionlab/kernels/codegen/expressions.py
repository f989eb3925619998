"""One op as one Python expression over single elements.

Narrow floats are computed in f32 and rounded after every op, as the un-fused program does and as
burn's kernels do, whose registers have the op's own type: a comparison after a rounding boundary
must not change its answer because two ops were fused. Integers wrap after every op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from fusionlab.errors import UnsupportedError
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import DType
from fusionlab.kernels.dtypes import compute_dtype

_BINARY: Final = {"Add": "+", "Sub": "-", "Mul": "*"}
_COMPARE: Final = {
    "Equal": "==",
    "Greater": ">",
    "GreaterEqual": ">=",
    "Lower": "<",
    "LowerEqual": "<=",
}
_BITS: Final = {"BitwiseAnd": "&", "BitwiseOr": "|", "BitwiseXor": "^"}
_SHIFTS: Final = {"BitwiseLeftShift": "shift_left", "BitwiseRightShift": "shift_right"}
_FUNCTIONS: Final = {
    "Exp": "exp",
    "Log": "log",
    "Log1p": "log1p",
    "Cos": "cos",
    "Sin": "sin",
    "Tanh": "tanh",
    "Erf": "erf",
    "Sqrt": "sqrt",
}
_EXACT: Final = frozenset({"MaskWhere", "MaskFill", "Abs", "Clamp", "Ones", "Zeros", "Full"})
"""Ops that pick or negate a value: a rounded operand gives a rounded result."""


def type_name(dtype: DType) -> str:
    """The type that elements of ``dtype`` have inside a kernel."""
    name = compute_dtype(dtype).name
    return "boolean" if name == "bool" else name


def cast(code: str, source: DType, target: DType) -> str:
    """Convert an element as Rust's ``as`` does."""
    if source == target:
        return code
    have, want = type_name(source), type_name(target)
    if have == want:
        converted = code
    elif want == "boolean":
        converted = f"{code} != {have}(0)"
    elif have.startswith("float") and not want.startswith("float"):
        converted = f"to_{want}({code})"
    else:
        converted = f"{want}({code})"
    narrow = target in _ROUNDING and not (source.is_bool or source == target)
    return _ROUNDING[target].format(converted) if narrow else converted


_ROUNDING: Final = {DType.F16: "round_f16({})", DType.BF16: "round_bf16({})"}


def rounded(code: str, dtype: DType) -> str:
    """A freshly computed value in the precision of its type."""
    if dtype in _ROUNDING:
        return _ROUNDING[dtype].format(code)
    if dtype.is_bool:
        return f"({code}) != 0"
    return f"{type_name(dtype)}({code})" if dtype.is_int else code


class Operands:
    """The names of an op's operands, converted on request, and of its scalars."""

    __slots__ = ("_names", "_scalars", "op")

    def __init__(self, op: OperationIr, names: tuple[str, ...], scalars: Mapping[str, str]) -> None:
        self.op = op
        self._names = names
        self._scalars = scalars

    def get(self, place: int, dtype: DType) -> str:
        """The operand at ``place`` as ``dtype``."""
        return cast(self._names[place], self.op.inputs[place].dtype, dtype)

    def second(self, dtype: DType, argument: str = "rhs") -> str:
        """The right operand: a tensor, or the scalar argument."""
        return self._scalars[argument] if self._scalars else self.get(1, dtype)

    def scalar(self, argument: str) -> str:
        """The name of a scalar argument."""
        return self._scalars[argument]


def scalar_dtype(op: OperationIr) -> DType:
    """The type that the op's scalar arguments have: comparisons look at their input's."""
    return op.inputs[0].dtype if _base_name(op) in _COMPARE else op.outputs[0].dtype


def _base_name(op: OperationIr) -> str:
    return op.spec.variant.removesuffix("Scalar").removesuffix("Elem")


def expression(operands: Operands) -> str:
    """The op's value for one element.

    Raises:
        UnsupportedError: No kernel knows this kind of op, or not in this type.
    """
    op, dtype = operands.op, operands.op.outputs[0].dtype
    name = _base_name(op)
    if dtype is DType.QFLOAT:
        raise UnsupportedError("kernel_dtype", op=op.kind, dtype=dtype.value)
    if name in _COMPARE:
        kind = op.inputs[0].dtype
        return f"{operands.get(0, kind)} {_COMPARE[name]} {operands.second(kind)}"
    if name in _FUNCTIONS or name in {"Powf", "Recip"}:
        return _float_function(operands, name)
    if name not in _RULES:
        raise UnsupportedError("kernel_op", op=op.kind)
    code = _RULES[name](operands, dtype)
    return code if name in _EXACT and not dtype.is_int else rounded(code, dtype)


def _float_function(operands: Operands, name: str) -> str:
    """Functions of floats; a program that declares another output type computes in f32."""
    dtype = operands.op.outputs[0].dtype
    kind = dtype if dtype.is_float else DType.F32
    value = operands.get(0, kind)
    if name == "Powf":
        code = f"power({value}, {operands.second(kind)})"
    elif name == "Recip":
        code = f"{type_name(kind)}(1) / {value}"
    else:
        code = f"{_FUNCTIONS[name]}({value})"
    return rounded(code, kind) if kind is dtype else cast(code, kind, dtype)


def _operator(sign: str) -> Callable[[Operands, DType], str]:
    return lambda o, dtype: f"{o.get(0, dtype)} {sign} {o.second(dtype)}"


def _call(function: str) -> Callable[[Operands, DType], str]:
    return lambda o, dtype: f"{function}({o.get(0, dtype)}, {o.second(dtype)})"


def _divide(o: Operands, dtype: DType) -> str:
    left, right = o.get(0, dtype), o.second(dtype)
    return f"{left} / {right}" if dtype.is_float else f"int_divide({left}, {right})"


def _remainder(o: Operands, dtype: DType) -> str:
    left, right = o.get(0, dtype), o.second(dtype)
    if dtype.is_float:
        return f"{left} - {right} * floor({left} / {right})"
    return f"int_remainder({left}, {right})"


def _mask_where(o: Operands, dtype: DType) -> str:
    return f"select({o.get(1, DType.BOOL)}, {o.get(2, dtype)}, {o.get(0, dtype)})"


def _mask_fill(o: Operands, dtype: DType) -> str:
    return f"select({o.get(1, DType.BOOL)}, {o.scalar('value')}, {o.get(0, dtype)})"


def _clamp(o: Operands, dtype: DType) -> str:
    return f"minimum(maximum({o.get(0, dtype)}, {o.scalar('min')}), {o.scalar('max')})"


def _constant(value: int) -> Callable[[Operands, DType], str]:
    return lambda _, dtype: f"{type_name(dtype)}({value})"


_RULES: Final[dict[str, Callable[[Operands, DType], str]]] = {
    **{name: _operator(sign) for name, sign in (_BINARY | _BITS).items()},
    **{name: _call(function) for name, function in _SHIFTS.items()},
    "Div": _divide,
    "Rem": _remainder,
    "Abs": lambda o, dtype: f"absolute({o.get(0, dtype)})",
    "BitwiseNot": lambda o, dtype: f"~{o.get(0, dtype)}",
    "MaskWhere": _mask_where,
    "MaskFill": _mask_fill,
    "Clamp": _clamp,
    "Ones": _constant(1),
    "Zeros": _constant(0),
    "Full": lambda o, _: o.scalar("value"),
}


def copies(op: OperationIr) -> bool:
    """Whether the op only converts or moves its (first) input element."""
    return op.spec.variant in {"Cast", "IntoFloat", "Reshape", "SwapDims"}
