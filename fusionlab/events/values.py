"""JSON forms of the values that facts hold: tensors, ops, arguments, strategies, enums.

In: a frozen value. Out: plain JSON data, and back with the help of the field's annotation.
Tensors and ops have the event form (``{"op", "inputs", "outputs", "args"}``). A value of a union
of dataclasses carries its class name as ``"type"``. Numbers that JSON lacks are
``{"float": "-inf"}``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints

from fusionlab.ir.operation import ArgValue, OperationIr, Options, Scalar, Slice
from fusionlab.ir.opset import OPSET
from fusionlab.ir.tensor import DType, TensorIr, TensorStatus
from fusionlab.plan import Action, ExecutionStrategy, ExecutionTrigger, FusedOperation

Decoder = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class RecordedFused:
    """A fused operation read from a log: all that can be said about it, nothing that can run."""

    fuser: str
    operations: tuple[OperationIr, ...]
    max_relative_shape_id: int | None


_TAGGED: frozenset[type] = frozenset(
    member for union in (Action, ExecutionStrategy, ExecutionTrigger) for member in get_args(union)
)


def encode(value: Any) -> Any:
    """The JSON form of one value."""
    match value:
        case DType():  # before Enum: an argument must say that it is not a plain string
            return {"dtype": value.value}
        case Enum():
            return value.value
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"float": str(value)}
        case OperationIr():
            return _operation_form(value)
        case TensorIr():
            return _tensor_form(value)
        case Scalar(kind=kind, value=number):
            return {kind: encode(number)}
        case Slice(start=start, end=end, step=step):
            return {"start": start, "end": end, "step": step}
        case Options(items=items):
            return {"options": {name: encode(item) for name, item in items}}
        case tuple() | list():
            return [encode(item) for item in value]
        case _ if is_dataclass(value):
            return _dataclass_form(value)
        case _:
            raise TypeError(f"{type(value).__name__} is no value of a fact")


def _operation_form(op: OperationIr) -> dict[str, Any]:
    form: dict[str, Any] = {
        "op": op.spec.event_name,
        "inputs": [_tensor_form(tensor) for tensor in op.inputs],
        "outputs": [_tensor_form(tensor) for tensor in op.outputs],
    }
    if op.args:
        form["args"] = {name: encode(value) for name, value in op.args}
    return form


def _tensor_form(tensor: TensorIr) -> dict[str, Any]:
    return {
        "id": tensor.id,
        "shape": list(tensor.shape),
        "dtype": tensor.dtype.value,
        "status": tensor.status.value,
    }


def _dataclass_form(value: Any) -> dict[str, Any]:
    tag = {"type": type(value).__name__} if type(value) in _TAGGED else {}
    return tag | {
        field.name: _fused_form(item) if field.name == "fused" else encode(item)
        for field in fields(value)
        for item in (getattr(value, field.name),)
    }


def _fused_form(fused: FusedOperation) -> dict[str, Any]:
    return {
        "fuser": fused.fuser,
        "operations": encode(fused.operations),
        "max_relative_shape_id": fused.max_relative_shape_id,
    }


@cache
def decoder_of(annotation: Any) -> Decoder:
    """The reader for values of one type; raises ``ValueError``, ``TypeError`` or ``KeyError``."""
    if isinstance(annotation, NewType):
        return decoder_of(annotation.__supertype__)
    if annotation in _SPECIAL:
        return _SPECIAL[annotation]
    origin = get_origin(annotation)
    if origin is tuple:
        return _tuple_decoder(get_args(annotation))
    if origin in (Union, UnionType):
        return _union_decoder(get_args(annotation))
    if issubclass(annotation, Enum):
        kind: type[Enum] = annotation
        return kind
    return _dataclass_decoder(annotation)


def _tuple_decoder(items: tuple[Any, ...]) -> Decoder:
    if len(items) == 2 and items[1] is Ellipsis:
        one = decoder_of(items[0])
        return lambda data: tuple(one(item) for item in _list(data))
    each = tuple(decoder_of(item) for item in items)
    return lambda data: tuple(one(item) for one, item in zip(each, _list(data), strict=True))


def _union_decoder(members: tuple[Any, ...]) -> Decoder:
    if set(members) <= _PLAIN:
        return _number_of(members)
    optional, rest = NoneType in members, [m for m in members if m is not NoneType]
    if len(rest) == 1:
        only = decoder_of(rest[0])
    else:
        tagged = {member.__name__: _dataclass_decoder(member) for member in rest}
        only = lambda data: tagged[data["type"]](data)  # noqa: E731 -- one line says it all
    return lambda data: None if data is None and optional else only(data)


def _number_of(members: tuple[type, ...]) -> Decoder:
    def decode(data: Any) -> Any:
        value = _float(data) if isinstance(data, dict) else data
        if type(value) not in members:
            raise TypeError(f"{value!r} is not one of {[m.__name__ for m in members]}")
        return value

    return decode


def _dataclass_decoder(kind: type) -> Decoder:
    # Not resolved at once: a strategy holds strategies.
    hints = {name: hint for name, hint in get_type_hints(kind).items() if name != "__slots__"}

    def decode(data: Any) -> Any:
        extra = set(data) - set(hints) - {"type"}
        if extra:
            raise ValueError(f"{kind.__name__} has no {min(extra)}")
        return kind(**{name: decoder_of(hint)(data[name]) for name, hint in hints.items()})

    return decode


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise TypeError(f"{data!r} is not a list")
    return data


def _exact(kind: type) -> Decoder:
    return _number_of((kind,))


def _float(data: Any) -> float:
    return float(data["float"]) if isinstance(data, dict) else float(data)


def _tensor(data: Any) -> TensorIr:
    shape = tuple(decoder_of(int)(extent) for extent in _list(data["shape"]))
    status, dtype = TensorStatus(data["status"]), DType(data["dtype"])
    return TensorIr(decoder_of(int)(data["id"]), shape, status, dtype)


def _operation(data: Any) -> OperationIr:
    return OperationIr(
        OPSET[data["op"]],
        tuple(_tensor(item) for item in _list(data["inputs"])),
        tuple(_tensor(item) for item in _list(data["outputs"])),
        tuple((name, _argument(value)) for name, value in data.get("args", {}).items()),
    )


def _argument(data: Any) -> ArgValue:
    match data:
        case list():
            return tuple(_argument(item) for item in data)
        case {"dtype": name}:
            return DType(name)
        case {"float": _}:
            return _float(data)
        case {"options": items}:
            return Options(tuple((name, _argument(item)) for name, item in items.items()))
        case {"start": start, "end": end, "step": step}:
            return Slice(start, end, step)
        case dict():
            ((kind, value),) = data.items()
            return Scalar(kind, _float(value) if isinstance(value, dict) else value)
        case None | bool() | int() | float() | str():
            return data
        case _:
            raise TypeError(f"{data!r} is not an argument")


def _fused(data: Any) -> RecordedFused:
    operations = tuple(_operation(item) for item in _list(data["operations"]))
    return RecordedFused(data["fuser"], operations, data["max_relative_shape_id"])


_PLAIN = {bool, int, float, str}
_SPECIAL: dict[Any, Decoder] = {
    TensorIr: _tensor,
    OperationIr: _operation,
    FusedOperation: _fused,
    **{kind: _exact(kind) for kind in _PLAIN},
}
