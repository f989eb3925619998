"""Station 1, client: an expression becomes registered ops.

In: handles, and what to do with them. Out: ops with ids and statuses, sent to a server.

A tensor is a *handle*; all handles of one tensor share a counter. Using a handle consumes it: the
op reads the tensor for the last time (``ReadWrite``) when no other handle is left, else it only
looks (``ReadOnly``). A handle that is given up without being used queues a ``Drop`` op when it was
the last one. Ids come from one counter over all streams, in order of creation.

A handle has a home stream. Cloned or used elsewhere it first becomes a *shared view*: a new id over
the same buffer, at home where it is used. Given up elsewhere it is a *foreign drop*, which the
server decides.

Deviation: Rust consumes by moving; here a consumed handle is marked, and using it again is our bug.

Source: burn-fusion, tensor.rs (``FusionTensor``), client.rs (``GlobalFusionClient``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from fusionlab.errors import InvariantError
from fusionlab.ir.operation import Args, OperationIr
from fusionlab.ir.opset import DROP, INIT, OpSpec
from fusionlab.ir.tensor import DType, Shape, StreamId, TensorId, TensorIr, TensorStatus

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Server(Protocol):
    """The device side: it queues, decides and executes."""

    def register(self, stream: StreamId, operation: OperationIr, /) -> None:
        """Put an op into the queue of a stream and decide what may run now."""

    def drain(self, stream: StreamId, /) -> None:
        """Run everything that is queued on a stream."""

    def upload(self, tensor: TensorIr, data: NDArray[np.generic], /) -> None:
        """Give a new tensor its values, before its ``Init`` op is registered.

        ``data`` has the tensor's shape; float types that NumPy lacks come as float32.
        """

    def read(self, stream: StreamId, tensor: TensorIr, /) -> NDArray[np.generic] | None:
        """Copy a tensor of home stream ``stream`` to the host, draining if it has no buffer yet.

        ``ReadWrite``: the reader held the last handle, so the buffer is given back. ``None`` when
        nothing is executed here.
        """

    def share_view(self, source_stream: StreamId, source: TensorId, view: TensorId, /) -> None:
        """Let ``view`` name the buffer of ``source``, draining ``source_stream`` if it has none."""

    def foreign_drop(self, stream: StreamId, tensor: TensorIr, /) -> None:
        """Give up the last handle of a tensor of home stream ``stream`` from another stream."""


class FusionTensor:
    """A handle: one of the owners of a tensor."""

    __slots__ = ("_handles", "_spent", "dtype", "id", "shape", "stream")

    def __init__(
        self, tensor: TensorId, shape: Shape, dtype: DType, stream: StreamId, handles: list[int]
    ) -> None:
        """Share ``handles``, the counter of all handles of this tensor (a one-item list)."""
        self.id = tensor
        self.shape = shape
        self.dtype = dtype
        self.stream = stream
        self._handles = handles
        self._spent = False

    @property
    def can_mut(self) -> bool:
        """Whether this is the only handle, so that its user may change the buffer."""
        return self._handles[0] <= 1

    def describe(self, status: TensorStatus) -> TensorIr:
        """The tensor as an op sees it."""
        return TensorIr(self.id, self.shape, status, self.dtype)

    def _another(self) -> FusionTensor:
        self._check()
        self._handles[0] += 1
        return FusionTensor(self.id, self.shape, self.dtype, self.stream, self._handles)

    def _use(self) -> TensorIr:
        """Consume the handle; the status says whether it was the last one."""
        self._check()
        self._spent = True
        status = TensorStatus.READ_WRITE
        if self._handles[0] > 1:
            self._handles[0] -= 1
            status = TensorStatus.READ_ONLY
        return TensorIr(self.id, self.shape, status, self.dtype)

    def _check(self) -> None:
        if self._spent:
            raise InvariantError("handle_spent", tensor=self.id)


class FusionClient:
    """Turns what a program does with its handles into ops for a server."""

    def __init__(self, server: Server, first_id: int = 0) -> None:
        """Start numbering tensors at ``first_id``."""
        self._server = server
        self._next_id = first_id

    @property
    def next_id(self) -> int:
        """The id that the next tensor gets."""
        return self._next_id

    def from_data(
        self, stream: StreamId, shape: Shape, dtype: DType, values: Sequence[Any]
    ) -> FusionTensor:
        """A tensor with known values (row by row): an upload and an ``Init`` op."""
        tensor = self._new(stream, shape, dtype)
        described = tensor.describe(TensorStatus.NOT_INIT)
        self._server.upload(described, _array(shape, dtype, values))
        self._server.register(stream, OperationIr(INIT, (), (described,)))
        return tensor

    def register(
        self,
        stream: StreamId,
        spec: OpSpec,
        inputs: Sequence[FusionTensor],
        outputs: Sequence[tuple[Shape, DType]],
        args: Args = (),
    ) -> tuple[FusionTensor, ...]:
        """Consume the inputs in order and queue an op.

        Args:
            stream: Where the caller runs; handles of other streams are shared first.
            spec: The op's row.
            inputs: One handle an operand, the same tensor twice as two handles.
            outputs: Shape and element type of each result.
            args: The op's other arguments, sorted by name.

        Returns:
            A first handle of each result.
        """
        used = tuple([self._consume(stream, tensor) for tensor in inputs])
        made = tuple([self._new(stream, shape, dtype) for shape, dtype in outputs])
        described = tuple([tensor.describe(TensorStatus.NOT_INIT) for tensor in made])
        self._server.register(stream, OperationIr(spec, used, described, args))
        return made

    def clone(self, stream: StreamId, tensor: FusionTensor) -> FusionTensor:
        """One more handle; away from home, the first handle of a shared view."""
        if stream == tensor.stream:
            return tensor._another()  # noqa: SLF001 -- one unit with its client
        tensor._check()  # noqa: SLF001
        return self._shared(stream, tensor)

    def drop(self, stream: StreamId, tensor: FusionTensor) -> None:
        """Give up a handle without using it; the last one queues a ``Drop`` op."""
        used = tensor._use()  # noqa: SLF001
        if used.status is TensorStatus.READ_ONLY:
            return
        if stream == tensor.stream:
            self._server.register(stream, OperationIr(DROP, (used,), ()))
        else:
            self._server.foreign_drop(tensor.stream, used)

    def read(self, tensor: FusionTensor) -> NDArray[np.generic] | None:
        """Consume a handle and copy its tensor to the host, whatever is queued first.

        A tensor that has its buffer already is read without a drain.
        """
        return self._server.read(tensor.stream, tensor._use())  # noqa: SLF001

    def sync(self, stream: StreamId) -> None:
        """Run everything that is queued on a stream."""
        self._server.drain(stream)

    def _consume(self, stream: StreamId, tensor: FusionTensor) -> TensorIr:
        if stream == tensor.stream:
            return tensor._use()  # noqa: SLF001
        view = self._shared(stream, tensor)
        self.drop(stream, tensor)
        return view._use()  # noqa: SLF001

    def _shared(self, stream: StreamId, tensor: FusionTensor) -> FusionTensor:
        view = self._new(stream, tensor.shape, tensor.dtype)
        self._server.share_view(tensor.stream, tensor.id, view.id)
        return view

    def _new(self, stream: StreamId, shape: Shape, dtype: DType) -> FusionTensor:
        tensor = TensorId(self._next_id)
        self._next_id += 1
        return FusionTensor(tensor, shape, dtype, stream, [1])


_NUMPY_TYPES = {
    DType.F64: "float64",
    DType.F32: "float32",
    DType.F16: "float16",
    DType.FLEX32: "float32",
    DType.BF16: "float32",
}


def _array(shape: Shape, dtype: DType, values: Sequence[Any]) -> NDArray[np.generic]:
    import numpy as np  # noqa: PLC0415 -- only programs with literal tensors need it

    name = "bool" if dtype.is_bool else _NUMPY_TYPES.get(dtype, "")
    name = name or dtype.name.replace("I", "int").replace("U", "uint").lower()
    return np.array(values, dtype=name).reshape(shape)
