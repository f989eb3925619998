"""How a NumPy meaning is declared and what it receives.

A meaning is a function of one ``Call``. It gets values to compute with (f16 widened to f32) and
returns values of any matching type: ``run_operation`` converts them to the declared output type.
A meaning declared with ``stored=True`` only moves elements and gets the arrays as stored, so that
what it returns may share memory with its input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from fusionlab.errors import UnsupportedError
from fusionlab.ir.operation import ArgValue, OperationIr, Options, Scalar
from fusionlab.ir.tensor import DType
from fusionlab.kernels.dtypes import Array, convert, scalar_value


@dataclass(frozen=True, slots=True)
class Call:
    """One op with its input values; all a meaning may look at."""

    op: OperationIr
    inputs: tuple[Array, ...]
    seed: int

    @property
    def dtype(self) -> DType:
        """The type of the first output."""
        return self.op.outputs[0].dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first output."""
        return self.op.outputs[0].shape

    def values_as(self, dtype: DType) -> tuple[Array, ...]:
        """The inputs converted to the type that ``dtype`` is computed in."""
        return tuple(_computable(array, dtype) for array in self.inputs)

    def operands(self) -> tuple[Array, ...]:
        """The inputs in the type that the op computes in: that of its output."""
        return self.values_as(self.dtype)

    def alike(self) -> tuple[Array, ...]:
        """The inputs in the type of the first one (comparisons)."""
        return self.values_as(self.op.inputs[0].dtype)

    def scalar(self, name: str, dtype: DType | None = None) -> Any:
        """A scalar argument as a 0-d value of ``dtype`` (default: the output's type)."""
        kind = dtype or self.dtype
        value = scalar_value(self.op.arg(name), kind)
        return _computable(np.asarray(value), kind)[()]

    def optional(self, name: str, default: ArgValue = None) -> ArgValue:
        """An argument, or ``default`` when the op does not carry it."""
        for key, value in self.op.args:
            if key == name:
                return value
        return default

    def integer(self, name: str, default: int = 0) -> int:
        """A whole-number argument."""
        return as_int(self.optional(name, default))

    def integers(self, name: str) -> tuple[int, ...]:
        """An argument that is a list of whole numbers (a lone number counts as one)."""
        return as_ints(self.op.arg(name))

    def flag(self, name: str) -> bool:
        """A yes/no argument; absent means no."""
        return bool(self.optional(name, default=False))

    def option(self, name: str, default: ArgValue = None) -> ArgValue:
        """A field of the ``options`` record, or ``default``."""
        options = self.optional("options")
        return dict(options.items).get(name, default) if isinstance(options, Options) else default


def as_int(value: ArgValue) -> int:
    """A whole number out of an argument."""
    if isinstance(value, Scalar):
        value = value.value
    if isinstance(value, bool | int | float):
        return int(value)
    raise UnsupportedError("integer_argument", value=repr(value))


def as_ints(value: ArgValue) -> tuple[int, ...]:
    """Whole numbers out of a list argument."""
    if isinstance(value, tuple) and not isinstance(value, Scalar):
        return tuple(as_int(item) for item in value)
    return (as_int(value),)


def _computable(array: Array, dtype: DType) -> Array:
    kind = DType.F32 if dtype in (DType.F16, DType.BF16, DType.QFLOAT) else dtype
    return convert(array, kind)


Meaning = Callable[[Call], "Array | Sequence[Array]"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A declared meaning."""

    run: Meaning
    stored: bool


MEANINGS: Final[dict[str, Entry]] = {}
"""Event name -> meaning; filled by the modules of this package."""


def meaning(*names: str, stored: bool = False) -> Callable[[Meaning], Meaning]:
    """Declare a function as what the named op kinds compute. ``Base*::X`` names all three."""

    def declare(run: Meaning) -> Meaning:
        for name in names:
            for full in _expand(name):
                if full in MEANINGS:
                    raise ValueError(f"{full} has two meanings")
                MEANINGS[full] = Entry(run, stored)
        return run

    return declare


def _expand(name: str) -> tuple[str, ...]:
    category, _, variant = name.partition("*::")
    kinds = {"Base": ("Float", "Int", "Bool"), "Numeric": ("Float", "Int")}
    if not variant:
        return (name,)
    return tuple(f"{category}{kind}::{variant}" for kind in kinds[category])
