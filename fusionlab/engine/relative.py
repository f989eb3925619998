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
def _renamed_args(spec: OpSpec) -> frozenset[str]:
    """The arguments of an op kind that hold scalars or ranges, which become placeholders."""
    return frozenset(a.name for a in spec.args if a.kind in ("scalar", "scalars", "ranges"))


class OperationConverter:
    """The naming of one segment.

    ``shape_ids`` starts with extent 1 under id 0, because 1 broadcasts and must never share an id
    with a plain extent.
    """

    __slots__ = ("_shapes", "ranges", "scalars", "shape_ids", "tensor_ids")

    def __init__(self) -> None:
        """No names but that of extent 1."""
        self.clear()

    def clear(self) -> None:
        """Forget every name: the next op starts a segment."""
        self.tensor_ids: dict[int, int] = {}
        self.shape_ids: dict[int, int] = {1: 0}
        self.scalars: list[Scalar] = []
        self.ranges: list[Slice] = []
        self._shapes: dict[Shape, Shape] = {}

    @property
    def shapes_assigned(self) -> int:
        """Shape ids in use, id 0 included."""
        return len(self.shape_ids)

    def convert(self, op: OperationIr) -> OperationIr:
        """The relative form of the segment's next op."""
        tensor = self._tensor
        if op.spec.visit is None:
            inputs = tuple([tensor(t) for t in op.inputs])
        else:
            converted = {i: tensor(op.inputs[i]) for i in op.spec.visit}
            inputs = tuple([converted[i] for i in range(len(op.inputs))])
        outputs = tuple([tensor(t) for t in op.outputs])
        return OperationIr(op.spec, inputs, outputs, self._args(op) if op.args else ())

    def _tensor(self, tensor: TensorIr) -> TensorIr:
        ids = self.tensor_ids
        relative = ids.setdefault(tensor.id, len(ids))
        shape = self._shapes.get(tensor.shape)
        if shape is None:
            shape = self._shape(tensor.shape)
        return TensorIr(relative, shape, tensor.status, tensor.dtype)

    def _shape(self, shape: Shape) -> Shape:
        ids = self.shape_ids
        relative = tuple([ids.setdefault(extent, len(ids)) for extent in shape])
        self._shapes[shape] = relative
        return relative

    def _args(self, op: OperationIr) -> Args:
        renamed = _renamed_args(op.spec)
        if not renamed:
            return op.args
        # Placeholders are numbered in the order of the op's record, not of the sorted arguments.
        values = dict(op.args)
        for spec in op.spec.args:
            if spec.name in renamed and spec.name in values:
                values[spec.name] = self._placeholder(values[spec.name])
        return tuple([(name, values[name]) for name, _ in op.args])

    def _placeholder(self, value: ArgValue) -> ArgValue:
        if isinstance(value, Scalar):
            self.scalars.append(value)
            return Scalar("UInt", len(self.scalars) - 1)
        if isinstance(value, Slice):
            self.ranges.append(value)
            return Slice(len(self.ranges) - 1, None, 1)
        if isinstance(value, tuple):
            return tuple([self._placeholder(item) for item in value])
        raise InvariantError("not_a_placeholder", value=repr(value))
