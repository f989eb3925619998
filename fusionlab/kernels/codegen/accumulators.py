"""How each reduction starts, takes an element, and ends.

Sums and products may be reordered (that is what lets them run in vector registers); narrow floats
accumulate in f32, integers in 64 bits, and the result is rounded or wrapped once. Maximum and
minimum propagate NaN; the index of an extreme value is the first of a tie, or the first NaN.
"""

from __future__ import annotations

from dataclasses import dataclass

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import DType
from fusionlab.kernels.codegen.expressions import cast, rounded, type_name


@dataclass(frozen=True, slots=True)
class Accumulator:
    """The code of one reduction. ``slots`` are its variables (or arrays) with type and start."""

    op: OperationIr

    @property
    def _name(self) -> str:
        return self.op.spec.variant.removesuffix("Dim")

    @property
    def _source(self) -> DType:
        return self.op.inputs[0].dtype

    @property
    def _value(self) -> str:
        return f"v{self.op.inputs[0].id}"

    @property
    def slots(self) -> tuple[tuple[str, str, str], ...]:
        """(variable, type, first value) of each accumulator."""
        out, kind = self.op.outputs[0].id, type_name(self._source)
        if self._name in {"Any", "All"}:
            return ((f"acc{out}", "boolean", str(self._name == "All")),)
        if self._name in {"ArgMax", "ArgMin"}:
            best = (f"best{out}", kind, f"{self._extreme()}_of_{kind}")
            return (best, (f"acc{out}", "int64", "int64(0)"))
        if self._name in {"Max", "Min", "MaxAbs"}:
            return ((f"acc{out}", kind, f"{self._extreme()}_of_{kind}"),)
        wide = kind if kind.startswith("float") else ("u" if kind[0] == "u" else "") + "int64"
        return ((f"acc{out}", wide, f"{wide}({int(self._name == 'Prod')})"),)

    def _extreme(self) -> str:
        return "largest" if self._name in {"Min", "ArgMin"} else "smallest"

    def update(self, slots: tuple[str, ...], place: str) -> list[str]:
        """The lines that take the current element; ``slots`` are the accumulators' places."""
        value = self._value
        match self._name:
            case "Any":
                return [f"{slots[0]} = {slots[0]} | ({cast(value, self._source, DType.BOOL)})"]
            case "All":
                return [f"{slots[0]} = {slots[0]} & ({cast(value, self._source, DType.BOOL)})"]
            case "Max":
                return [f"{slots[0]} = maximum({slots[0]}, {value})"]
            case "Min":
                return [f"{slots[0]} = minimum({slots[0]}, {value})"]
            case "MaxAbs":
                return [f"{slots[0]} = maximum({slots[0]}, absolute({value}))"]
            case "ArgMax" | "ArgMin":
                return self._update_arg(slots, place)
            case "Prod":
                return [f"{slots[0]} = multiply_in_any_order({slots[0]}, {self._wide(value)})"]
            case _:
                return [f"{slots[0]} = add_in_any_order({slots[0]}, {self._wide(value)})"]

    def _wide(self, value: str) -> str:
        """An element in the type that sums and products accumulate in."""
        wide = self.slots[0][1]
        return value if wide.startswith("float") else f"{wide}({value})"

    def _update_arg(self, slots: tuple[str, ...], place: str) -> list[str]:
        best, where = slots
        sign, value = ">" if self._name == "ArgMax" else "<", self._value
        better = f"{value} {sign} {best}"
        if self._source.is_float:
            better += f" or ({value} != {value} and {best} == {best})"
        return [f"if {better}:", f"    {best} = {value}", f"    {where} = {place}"]

    def result(self, slots: tuple[str, ...], extent: str) -> str:
        """The value of the reduction."""
        out, acc = self.op.outputs[0].dtype, slots[-1]
        if self._name in {"Any", "All"}:
            return cast(acc, DType.BOOL, out)
        if self._name in {"ArgMax", "ArgMin"}:
            return cast(acc, DType.I64, out)
        value = acc
        if self._name in {"Sum", "Prod", "Mean"}:
            value = rounded(acc, self._source) if self._source.is_int else acc
        if self._name == "Mean":
            kind = type_name(self._source)
            count = f"{kind}({extent})"
            value = f"int_divide({value}, {count})" if self._source.is_int else f"{acc} / {count}"
        value = rounded(value, self._source) if self._source.is_float else value
        return cast(value, self._source, out)
