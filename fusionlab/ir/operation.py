"""Operations: one registered op with its tensors and its other arguments.

Arguments are a tuple of (name, value) pairs sorted by name, so that an operation is hashable
and two equal operations compare equal. In *relative* form scalars are placeholders
``Scalar("UInt", n)`` and ranges are ``Slice(n, None, 1)``.

Source: burn-ir, operation.rs (``OperationIr``), scalar.rs (``ScalarIr``).
"""

from __future__ import annotations

from typing import NamedTuple, Union

from fusionlab.ir.opset import OpSpec
from fusionlab.ir.tensor import DType, TensorIr


class Scalar(NamedTuple):
    """A scalar argument. ``kind`` is one of ``Float``, ``Int``, ``UInt``, ``Bool``."""

    kind: str
    value: float | int | bool


class Slice(NamedTuple):
    """One range of a slice: elements ``start``..``end`` (``None``: to the end), ``step`` apart."""

    start: int
    end: int | None
    step: int


class Options(NamedTuple):
    """A record argument (convolution options and the like) as sorted (name, value) pairs."""

    items: tuple[tuple[str, ArgValue], ...]

    def get(self, name: str) -> ArgValue:
        """The value of one field; raises ``KeyError`` when there is none."""
        return dict(self.items)[name]


ArgValue = Union[  # noqa: UP007 -- the alias names itself
    None, bool, int, float, str, DType, Scalar, Slice, Options, tuple["ArgValue", ...]
]
Args = tuple[tuple[str, ArgValue], ...]


class OperationIr(NamedTuple):
    """One op: what it is, what it reads, what it makes, and its other arguments."""

    spec: OpSpec
    inputs: tuple[TensorIr, ...]
    outputs: tuple[TensorIr, ...]
    args: Args = ()

    @property
    def kind(self) -> str:
        """Burn's log name, for example ``NumericFloat::Mul``."""
        return self.spec.name

    @property
    def nodes(self) -> tuple[TensorIr, ...]:
        """Inputs, then outputs: burn's ``nodes()``."""
        return self.inputs + self.outputs

    def arg(self, name: str) -> ArgValue:
        """The value of one argument; raises ``KeyError`` when the op has none of that name."""
        for key, value in self.args:
            if key == name:
                return value
        raise KeyError(name)
