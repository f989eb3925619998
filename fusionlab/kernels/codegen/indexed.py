"""Reads at computed places: gather, select, and cat as one branch for each input."""

from __future__ import annotations

from typing import Protocol

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import DType
from fusionlab.kernels.codegen.expressions import cast
from fusionlab.kernels.codegen.space import Space
from fusionlab.kernels.codegen.text import Writer
from fusionlab.kernels.group import Group, Step


class Arrays(Protocol):
    """What is needed of the builder."""

    group: Group
    space: Space

    def whole(self, tensor: int) -> str:
        """The array of a tensor in its own shape."""


def write_indexed(arrays: Arrays, writer: Writer, step: Step) -> None:
    """``v<id> = all<id>[...]`` for one op."""
    op, out = step.op, step.output
    dim = op.arg("dim")
    assert isinstance(dim, int)  # noqa: S101 -- the table of ops says so
    place = [arrays.space.coordinate(d) if out.shape[d] else "0" for d in range(len(out.shape))]
    if op.spec.variant == "Cat":
        _write_cat(arrays, writer, op, dim, place)
        return
    tensor, indices = op.inputs
    if op.spec.variant == "Gather":
        place[dim] = cast(f"v{indices.id}", indices.dtype, DType.I64)
    else:
        code = f"{arrays.whole(indices.id)}[{place[dim]}]"
        place[dim] = cast(code, indices.dtype, DType.I64)
    writer.line(f"v{out.id} = {_element(arrays, tensor.id, place, out.dtype)}", op.kind)


def _element(arrays: Arrays, tensor: int, place: list[str], dtype: DType) -> str:
    source = arrays.group.tensors[tensor].dtype
    code = f"{arrays.whole(tensor)}[{', '.join(place)}]"
    return cast(f"f16_to_f32({code})" if source is DType.F16 else code, source, dtype)


def _write_cat(arrays: Arrays, writer: Writer, op: OperationIr, dim: int, place: list[str]) -> None:
    """The first input whose range holds the coordinate gives the element."""
    out, where, start = op.outputs[0], place[dim], ""
    for number, tensor in enumerate(op.inputs):
        inside = list(place)
        inside[dim] = f"{where} - ({start})" if start else where
        line = f"v{out.id} = {_element(arrays, tensor.id, inside, out.dtype)}"
        if len(op.inputs) == 1:
            writer.line(line, op.kind)
            return
        length = f"{arrays.whole(tensor.id)}.shape[{dim}]"
        end = f"{start} + {length}" if start else length
        last = number == len(op.inputs) - 1
        word = "else" if last else f"{'elif' if number else 'if'} {where} < {end}"
        with writer.block(word):
            writer.line(line, op.kind)
        start = end
