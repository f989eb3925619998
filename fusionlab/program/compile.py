"""A program as an op stream in the event form: what it would send to the server.

Nothing is decided or executed. Where the true server would look whether a tensor has its buffer
already, the stream assumes so after a drain of the tensor's home stream and not before: an event
stream cannot know what the search ran early.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fusionlab.config import FusionConfig
from fusionlab.engine.client import FusionClient
from fusionlab.ir.event_form import complete_args, tensor_to_event
from fusionlab.ir.operation import ArgValue, OperationIr, Options, Scalar, Slice
from fusionlab.ir.opset import DROP
from fusionlab.ir.tensor import DType, StreamId, TensorId, TensorIr, TensorStatus
from fusionlab.program.drive import execute
from fusionlab.program.model import Program

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Json = dict[str, Any]


def compile_program(program: Program, config: FusionConfig | None = None) -> Json:
    """The program in the event form.

    Args:
        program: A parsed program.
        config: The settings that its own ``config`` line changes; burn's defaults when not given.

    Returns:
        ``{"name", "config", "events"}``, ready for ``json.dumps``.
    """
    settings = program.configure(config or FusionConfig())
    recorder = _RecordingServer()
    execute(program, FusionClient(recorder))
    return {
        "name": program.name,
        "config": {
            "max_blocks": settings.max_blocks,
            "max_explorations": settings.max_explorations,
            "max_bindings": settings.max_bindings,
        },
        "events": recorder.events,
    }


class _RecordingServer:
    """A server that only writes down what it is asked."""

    def __init__(self) -> None:
        self.events: list[Json] = []
        self._made: dict[int, StreamId] = {}
        self._ready: set[int] = set()
        self._shared: set[int] = set()

    def register(self, stream: StreamId, operation: OperationIr) -> None:
        if operation.spec is DROP:
            tensor = operation.inputs[0]
            self._shared.discard(tensor.id)
            self._add(stream, {"kind": "drop", "tensor": tensor_to_event(tensor)})
            return
        event: Json = {
            "kind": "op",
            "op": operation.spec.event_name,
            "inputs": [tensor_to_event(tensor) for tensor in operation.inputs],
            "outputs": [tensor_to_event(tensor) for tensor in operation.outputs],
        }
        args = _args(operation)
        self._add(stream, event | ({"args": args} if args else {}))
        self._made.update((tensor.id, stream) for tensor in operation.outputs)

    def drain(self, stream: StreamId) -> None:
        self._add(stream, {"kind": "sync"})
        self._ready.update(tensor for tensor, home in self._made.items() if home == stream)

    def upload(self, tensor: TensorIr, data: NDArray[np.generic]) -> None:
        """Nothing: the event form has no values."""

    def read(self, stream: StreamId, tensor: TensorIr) -> None:
        if tensor.status is TensorStatus.READ_WRITE:
            # The drain in front of a last read is one event with it.
            if self.events and self.events[-1]["kind"] == "sync":
                self.events.pop()
            self._add(stream, {"kind": "sync", "tensor": tensor_to_event(tensor)})

    def share_view(self, source_stream: StreamId, source: TensorId, view: TensorId) -> None:
        if source not in self._shared and source not in self._ready:
            self._shared.add(source)
            self.drain(source_stream)
        self._ready.add(view)

    def foreign_drop(self, stream: StreamId, tensor: TensorIr) -> None:
        if tensor.id in self._ready:
            self._add(stream, {"kind": "sync", "tensor": tensor_to_event(tensor)})
        else:
            self.drain(stream)
            self._add(stream, {"kind": "drop", "tensor": tensor_to_event(tensor)})

    def _add(self, stream: StreamId, event: Json) -> None:
        self.events.append(event | ({"stream": int(stream)} if stream else {}))


def _args(operation: OperationIr) -> Json:
    spec = operation.spec
    shown = {name: _json(value) for name, value in operation.args if _is_shown(operation, name)}
    order = {arg.name: index for index, arg in enumerate(spec.args)}
    return dict(sorted(shown.items(), key=lambda item: order.get(item[0], len(order))))


def _is_shown(operation: OperationIr, name: str) -> bool:
    """Whether the event form needs the argument: what a reader would fill in is left out."""
    value = operation.arg(name)
    if name == "dtype":
        first = (operation.inputs or operation.outputs)[0]
        return value is not first.dtype
    if name == "scalars":
        return value != ()
    return operation.spec.category != "Module" or not _is_default(operation, name)


def _is_default(operation: OperationIr, name: str) -> bool:
    """Whether the op table fills in this very value when it is left out."""
    others = {key: value for key, value in operation.args if key != name}
    try:
        filled = complete_args(operation.spec, operation.inputs, operation.outputs, others)
    except KeyError:
        # The table has no default.
        return False
    return dict(filled)[name] == operation.arg(name)


def _json(value: ArgValue) -> Any:
    """An argument in the short form: plain numbers for scalars, lists for ranges."""
    match value:
        case Scalar("UInt", number):
            return {"UInt": number}
        case Scalar(_, number):
            return number
        case Slice(start, end, step):
            return [start, end, step]
        case Options(items):
            return {key: _json(item) for key, item in items}
        case DType():
            return value.value
        case tuple():
            return [_json(item) for item in value]
        case _:
            return value
