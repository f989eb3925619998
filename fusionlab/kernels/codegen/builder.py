"""What all kernel shapes share: names, parameters, and how elements are loaded, computed, stored.

An array is ``t<id>``, its current element ``v<id>``, with the relative ids of the burn log; a
tensor that is read at computed places is ``all<id>``. Scalars are ``s0, s1, ...``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import DType, Shape, TensorIr
from fusionlab.kernels.codegen.expressions import (
    Operands,
    cast,
    copies,
    expression,
    scalar_dtype,
    type_name,
)
from fusionlab.kernels.codegen.indexed import write_indexed
from fusionlab.kernels.codegen.params import (
    ArrayParam,
    ExtentParam,
    KernelSource,
    Param,
    ScalarParam,
    ScaleParam,
)
from fusionlab.kernels.codegen.space import Axis, Space, build_space
from fusionlab.kernels.codegen.text import Writer
from fusionlab.kernels.group import REDUCES, Group, Step, is_view, reads_by_index


@dataclass(frozen=True, slots=True)
class Variant:
    """What is only known at the launch: which inputs are not contiguous, which buffers are shared.

    ``reused`` pairs (output, input) by relative id.
    """

    strided: frozenset[int] = frozenset()
    reused: tuple[tuple[int, int], ...] = ()


def is_loop_reduce(step: Step) -> bool:
    """A reduction over more than one element (over a single one it is element-wise)."""
    return step.op.kind in REDUCES and step.op.inputs[0].shape[reduce_dim(step.op)] != 0


def reduce_dim(op: OperationIr) -> int:
    """The dimension that a reduction reduces."""
    dim = op.arg("axis")
    assert isinstance(dim, int)  # noqa: S101 -- the table of ops says so
    return dim


class Builder:
    """Names and parameters of one kernel while its text is written."""

    def __init__(self, group: Group, variant: Variant) -> None:
        self.group = group
        self.variant = variant
        self.made = {step.output.id: step for step in group.steps}
        self._aliases = dict(variant.reused)
        self._arrays: dict[str, ArrayParam] = {}
        self._extents: dict[str, ExtentParam] = {}
        self._scalars: dict[tuple[int, str], ScalarParam] = {}
        self._scales: dict[int, ScaleParam] = {}
        self.kept: dict[int, str] = {}
        """Values in scratch memory, by tensor: the name of the array."""
        self.space = self._build_space()
        for step in group.steps:
            self._declare_scalars(step)

    def _build_space(self) -> Space:
        steps = self.group.steps
        plain = not self.variant.strided and not any(
            reads_by_index(step.op) or (is_view(step.op) and step.op.spec.variant == "SwapDims")
            for step in steps
        )
        return build_space([tensor.shape for tensor in self._in_space()], collapse=plain)

    @staticmethod
    def _is_elsewhere(step: Step) -> bool:
        return is_view(step.op) or reads_by_index(step.op)

    # --- parameters ---------------------------------------------------------------------------

    def array(self, tensor: int) -> str:
        """The array of a tensor that is indexed by the loops."""
        if tensor in self.kept:
            return self.kept[tensor]
        name = f"t{self._aliases.get(tensor, tensor)}"
        shape, dtype = self.group.tensors[tensor].shape, self.group.tensors[tensor].dtype
        self._declare(
            ArrayParam(
                name=name,
                tensor=tensor,
                dtype=dtype,
                rank=max(len(self.space.axes_of(shape)), 1),
                groups=self.space.groups(shape),
                strided=tensor in self.variant.strided,
                writable=self._is_written(tensor),
            )
        )
        return name

    def keep(self, writer: Writer, tensor: int) -> None:
        """Scratch memory for a value that later loops read instead of computing it again."""
        ir = self.group.tensors[tensor]
        extents = [self.extent(axis) for axis in self.space.axes_of(ir.shape)]
        size = extents[0] if len(extents) == 1 else f"({', '.join(extents)})"
        self.kept[tensor] = f"kept{tensor}"
        writer.line(f"kept{tensor} = empty({size}, {type_name(ir.dtype)})")

    def view(self, step: Step) -> str:
        """The array through which a view is read: the source with other coordinates."""
        source, out = step.op.inputs[0], step.output
        name = f"view{out.id}"
        self._declare(
            ArrayParam(
                name=name,
                tensor=source.id,
                dtype=source.dtype,
                rank=max(len(self.space.axes_of(out.shape)), 1),
                groups=self.space.groups(out.shape),
                view=step.position,
                strided=step.op.spec.variant == "SwapDims" or source.id in self.variant.strided,
            )
        )
        return name

    def whole(self, tensor: int) -> str:
        """The array of a tensor that is read at computed places."""
        name, ir = f"all{tensor}", self.group.tensors[tensor]
        strided = tensor in self.variant.strided
        self._declare(ArrayParam(name, tensor, ir.dtype, len(ir.shape), strided=strided))
        return name

    def extent(self, axis: Axis) -> str:
        """The parameter with the number of iterations of a loop."""
        if axis.extent not in self._extents:
            owner = next(t.id for t in self._in_space() if axis in self.space.axes_of(t.shape))
            self._extents[axis.extent] = ExtentParam(axis.extent, owner, axis.dims)
        return axis.extent

    def _in_space(self) -> Iterator[TensorIr]:
        """The tensors that the loops run over."""
        for step in self.group.steps:
            yield step.output
            if not self._is_elsewhere(step):
                yield from step.op.inputs

    def _is_written(self, tensor: int) -> bool:
        return tensor in self.group.writes

    def _declare(self, param: ArrayParam) -> None:
        known = self._arrays.get(param.name)
        if known is None or (param.writable and not known.writable):
            self._arrays[param.name] = param

    def _declare_scalars(self, step: Step) -> None:
        for argument in step.op.spec.args:
            if argument.kind == "scalar":
                name = f"s{len(self._scalars)}"
                param = ScalarParam(name, step.position, argument.name, scalar_dtype(step.op))
                self._scalars[step.position, argument.name] = param

    # --- elements -----------------------------------------------------------------------------

    def load(self, writer: Writer, tensor: int) -> None:
        """``v<id> = t<id>[...]`` for a tensor in memory."""
        self._read(writer, tensor, self.array(tensor), self.group.tensors[tensor].shape)

    def _read(
        self, writer: Writer, tensor: int, array: str, shape: Shape, comment: str = ""
    ) -> None:
        code = f"{array}[{self.space.index(shape)}]"
        half = self.group.tensors[tensor].dtype is DType.F16 and tensor not in self.kept
        code = f"f16_to_f32({code})" if half else code
        writer.line(f"v{tensor} = {code}", comment)

    def store(self, writer: Writer, tensor: int) -> None:
        """``t<id>[...] = v<id>`` for a tensor that survives the kernel."""
        ir, alias = self.group.tensors[tensor], self._aliases.get(tensor)
        half = ir.dtype is DType.F16 and tensor not in self.kept
        value = f"f32_to_f16(v{tensor})" if half else f"v{tensor}"
        comment = f"t{tensor} takes the buffer of t{alias}" if alias is not None else ""
        writer.line(f"{self.array(tensor)}[{self.space.index(ir.shape)}] = {value}", comment)

    def compute(self, writer: Writer, step: Step) -> None:
        """``v<id> = ...`` for one op, with burn's name behind it."""
        op, out = step.op, step.output
        target = f"v{out.id}"
        if reads_by_index(op):
            write_indexed(self, writer, step)
        elif is_view(op):
            self._read(writer, out.id, self.view(step), out.shape, op.kind)
        elif op.kind in REDUCES:
            writer.line(f"{target} = {_single_element(op)}", f"{op.kind} over one element")
        elif op.kind == "Float::Dequantize":
            writer.line(f"{target} = {self._dequantized(op)}", op.kind)
        elif copies(op):
            source = op.inputs[0]
            writer.line(f"{target} = {cast(f'v{source.id}', source.dtype, out.dtype)}", op.kind)
        else:
            names = tuple(f"v{tensor.id}" for tensor in op.inputs)
            code = expression(Operands(op, names, self._scalars_of(step)))
            writer.line(f"{target} = {code}", op.kind)

    def _scalars_of(self, step: Step) -> dict[str, str]:
        return {
            argument: param.name
            for (position, argument), param in self._scalars.items()
            if position == step.position
        }

    def _dequantized(self, op: OperationIr) -> str:
        source = op.inputs[0].id
        scale = self._scales.setdefault(source, ScaleParam(f"scale{source}", source))
        return cast(f"float32(v{source}) * {scale.name}", DType.F32, op.outputs[0].dtype)

    # --- the finished kernel ------------------------------------------------------------------

    def finish(self, body: str) -> KernelSource:
        """The text of the kernel, named by a digest of its body and parameters."""
        params: tuple[Param, ...] = (
            *self._arrays.values(),
            *self._extents.values(),
            *self._scalars.values(),
            *self._scales.values(),
        )
        about = [_describe(param) for param in params]
        digest = hashlib.sha256("\n".join([*about, body]).encode()).hexdigest()[:12]
        name = f"{self.group.fuser.lower() or 'kernel'}_{digest}"
        writer = Writer()
        arguments = ", ".join(param.name for param in params)
        count = sum(step.op.kind != "Drop" for step in self.group.steps)
        ops = f"{count} op{'s' if count != 1 else ''}"
        with writer.block(f"def {name}({arguments})"):
            writer.line(f'"""One kernel for {ops}.')
            writer.line("")
            for line in about:
                writer.line(line)
            writer.line('"""')
        return KernelSource(digest, name, writer.text() + body, params)


def _describe(param: Param) -> str:
    """A line of the kernel's docstring; together they fix the types of all parameters."""
    match param:
        case ArrayParam():
            dims = "[" + ", ".join(":" * param.rank) + "]"
            how = "written" if param.writable else "read"
            how += ", any strides" if param.strided else ""
            seen = f" through op {param.view}" if param.view is not None else ""
            return f"{param.name}: {param.dtype.value}{dims}, {how}{seen}"
        case ExtentParam():
            return f"{param.name}: number of iterations"
        case ScalarParam():
            return f"{param.name}: {param.dtype.value}, the {param.argument} of op {param.position}"
        case ScaleParam():
            return f"{param.name}: the scale of t{param.tensor}"


def _single_element(op: OperationIr) -> str:
    """A reduction over a dimension of size 1."""
    source, out = op.inputs[0], op.outputs[0]
    name, value = op.spec.variant, f"v{source.id}"
    if name.startswith("Arg"):
        return cast("int64(0)", DType.I64, out.dtype)
    if name in {"AnyDim", "AllDim"}:
        return cast(value, source.dtype, DType.BOOL)
    value = cast(value, source.dtype, out.dtype)
    return f"absolute({value})" if name == "MaxAbsDim" else value
