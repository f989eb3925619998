"""Station 3, relative form: what the cache sees of an op.

In: global ops of one segment, in order. Out: the same ops with ids by order of appearance.
Tensor ids, extents, scalars and slice ranges are renamed; everything else stays, the status and
the dtype of each tensor too. Numbering starts again after every execution.

Source: burn-fusion, stream/context.rs (``RelativeOps``, ``OperationConverter``).
"""

from __future__ import annotations

from functools import cache

from fusionlab.errors import InvariantError
from fusionlab.ir.operation import Args, ArgValue, OperationIr, Scalar, Slice
from fusionlab.ir.opset import OpSpec
from fusionlab.ir.tensor import Shape, TensorIr


@cache
def _renamed_args(spec: OpSpec) -> tuple[str, ...]:
    """The arguments of an op kind that become placeholders, in the order of the op's record."""
    return tuple(a.name for a in spec.args if a.kind in ("scalar", "scalars", "ranges"))


@cache
def _nth_scalar(number: int) -> Scalar:
    return Scalar("UInt", number)


class OperationConverter:
    """The naming of one segment.

    ``shape_ids`` starts with extent 1 under id 0, because 1 broadcasts and must never share an id
    with a plain extent.
    """

    __slots__ = ("_shapes", "ranges", "scalars", "shape_ids", "shapes_assigned", "tensor_ids")

    def __init__(self) -> None:
        """No names but that of extent 1."""
        self.clear()

    def clear(self) -> None:
        """Forget every name: the next op starts a segment."""
        self.tensor_ids: dict[int, int] = {}
        self.shape_ids: dict[int, int] = {1: 0}
        self.shapes_assigned = 1
        """Shape ids in use, id 0 included."""
        self.scalars: list[Scalar] = []
        self.ranges: list[Slice] = []
        self._shapes: dict[Shape, Shape] = {}

    def convert(self, op: OperationIr, expected: OperationIr | None = None) -> OperationIr:
        """The relative form of the segment's next op.

        ``expected`` itself when it is equal: a plan that goes on as expected is then recognised by
        identity, and no new object is needed (a plain tuple equals a named one).
        """
        spec, inputs, outputs, args = op
        ids, shapes, name = self.tensor_ids, self._shapes, self._shape
        order = spec.visit
        visited = inputs if order is None else tuple([inputs[i] for i in order])
        named = []
        for tensor, shape, status, dtype in visited + outputs:
            relative = ids.setdefault(tensor, len(ids))
            named.append((relative, shapes.get(shape) or name(shape), status, dtype))
        count = len(inputs)
        if order is not None:
            named[:count] = [named[order.index(i)] for i in range(count)]
        renamed = _renamed_args(spec)
        if renamed:
            args = self._args(renamed, args)
        if expected is not None and spec is expected.spec and args == expected.args:
            same_arity = count == len(expected.inputs)
            if same_arity and tuple(named) == expected.inputs + expected.outputs:
                return expected
        tensors = [TensorIr._make(tensor) for tensor in named]
        return OperationIr(spec, tuple(tensors[:count]), tuple(tensors[count:]), args)

    def _shape(self, shape: Shape) -> Shape:
        """The ids of a shape's extents; new extents get the next ids."""
        ids = self.shape_ids
        relative = self._shapes[shape] = tuple([ids.setdefault(n, len(ids)) for n in shape])
        self.shapes_assigned = len(ids)
        return relative

    def _args(self, renamed: tuple[str, ...], args: Args) -> Args:
        values = dict(args)
        for name in renamed:
            if name in values:
                values[name] = self._placeholder(values[name])
        return tuple(values.items())

    def _placeholder(self, value: ArgValue) -> ArgValue:
        if isinstance(value, Scalar):
            self.scalars.append(value)
            return _nth_scalar(len(self.scalars) - 1)
        if isinstance(value, Slice):
            self.ranges.append(value)
            return Slice(len(self.ranges) - 1, None, 1)
        if isinstance(value, tuple):
            return tuple([self._placeholder(item) for item in value])
        raise InvariantError("not_a_placeholder", value=repr(value))
