"""The event form: operations as plain JSON objects, in and out.

A tensor is ``{"id", "shape", "dtype", "status"}``; an operation ``{"op", "inputs", "outputs",
"args"}``. Arguments that are left out take their default from the op table; scalars may be plain
numbers, slices ``[start, end, step]``.
"""

from __future__ import annotations

from typing import Any

from fusionlab.errors import UnsupportedError
from fusionlab.ir.operation import Args, ArgValue, OperationIr, Options, Scalar, Slice
from fusionlab.ir.opset import OPSET, ArgSpec, OpSpec
from fusionlab.ir.tensor import DType, TensorIr, TensorStatus

Json = dict[str, Any]


def tensor_from_event(raw: Json, status: TensorStatus) -> TensorIr:
    """A tensor; ``status`` is the one it has when the object does not say.

    Raises:
        KeyError, ValueError, TypeError: The object is malformed.
    """
    shape = tuple(_whole(extent) for extent in raw["shape"])
    return TensorIr(
        _whole(raw["id"]),
        shape,
        TensorStatus(raw.get("status", status)),
        DType(raw.get("dtype", DType.F32)),
    )


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"expected a whole number, got {value!r}")
    return value


def operation_from_event(raw: Json) -> OperationIr:
    """An operation.

    Raises:
        UnsupportedError: No such op kind.
        KeyError, ValueError, TypeError: The object is malformed.
    """
    spec = OPSET.get(raw["op"])
    if spec is None:
        raise UnsupportedError("unknown_op", op=str(raw["op"]))
    inputs = tuple(tensor_from_event(t, TensorStatus.READ_ONLY) for t in raw.get("inputs", ()))
    outputs = tuple(tensor_from_event(t, TensorStatus.NOT_INIT) for t in raw.get("outputs", ()))
    _check_arity(spec, len(inputs), len(outputs))
    return OperationIr(spec, inputs, outputs, complete_args(spec, inputs, outputs, raw.get("args")))


def _check_arity(spec: OpSpec, inputs: int, outputs: int) -> None:
    for count, names, side in ((inputs, spec.inputs, "inputs"), (outputs, spec.outputs, "outputs")):
        if any(name.endswith("*") for name in names):
            continue
        least = sum(not name.startswith("[") for name in names)
        if not least <= count <= len(names):
            raise ValueError(f"{spec.name} takes {' '.join(names) or 'no'} {side}, got {count}")


def complete_args(
    spec: OpSpec,
    inputs: tuple[TensorIr, ...],
    outputs: tuple[TensorIr, ...],
    given: Json | None = None,
) -> Args:
    """All arguments of an op, sorted by name: those given and the defaults of the others."""
    given = given or {}
    values: dict[str, ArgValue] = {}
    for arg in spec.args:
        if arg.name in given:
            values[arg.name] = _value(arg, given[arg.name])
        else:
            values[arg.name] = _default(arg, inputs)
    if spec.has_dtype:
        first = (inputs or outputs)[0]
        values["dtype"] = DType(given.get("dtype", first.dtype))
    return tuple(sorted(values.items()))


def _value(arg: ArgSpec, raw: Any) -> ArgValue:
    match arg.kind:
        case "scalar" | "const":
            return _scalar(raw)
        case "scalars":
            return tuple(_scalar(item) for item in raw)
        case "ranges":
            return tuple(_slice(item) for item in raw)
        case _:
            return freeze(raw)


def _scalar(raw: Any) -> Scalar:
    match raw:
        case Scalar():
            return raw
        case bool():
            return Scalar("Bool", raw)
        case int():
            return Scalar("Int", raw)
        case float():
            return Scalar("Float", raw)
        case {"Float": float() | int() as value}:
            return Scalar("Float", value)
        case {"Int": int() as value}:
            return Scalar("Int", value)
        case {"UInt": int() as value}:
            return Scalar("UInt", value)
        case {"Bool": bool() as value}:
            return Scalar("Bool", value)
    raise ValueError(f"not a scalar: {raw!r}")


def _slice(raw: Any) -> Slice:
    match raw:
        case Slice():
            return raw
        case [start, end, step]:
            return Slice(start, end, step)
        case {"start": start, "end": end, "step": step}:
            return Slice(start, end, step)
    raise ValueError(f"not a slice: {raw!r}")


def freeze(raw: Any) -> ArgValue:
    """A JSON value as a hashable one."""
    match raw:
        case dict():
            return Options(tuple(sorted((key, freeze(value)) for key, value in raw.items())))
        case list() | tuple() if not isinstance(raw, Options | Scalar | Slice):
            return tuple(freeze(item) for item in raw)
        case _:
            frozen: ArgValue = raw
            return frozen


def thaw(value: ArgValue) -> Any:
    """An argument as a JSON value."""
    match value:
        case Scalar(kind, number):
            return {kind: number}
        case Slice(start, end, step):
            return {"start": start, "end": end, "step": step}
        case Options(items):
            return {key: thaw(item) for key, item in items}
        case DType():
            return value.value
        case tuple():
            return [thaw(item) for item in value]
        case _:
            return value


def _default(arg: ArgSpec, inputs: tuple[TensorIr, ...]) -> ArgValue:
    text = arg.default
    match arg.kind:
        case "axes":
            return tuple(range(len(inputs[0].shape)))
        case "ranges":
            return tuple(Slice(0, extent, 1) for extent in inputs[0].shape)
        case "scalars":
            return ()
        case "scalar" | "const":
            return Scalar("Float", float(text or 0))
        case "opt":
            return None
    if text is None:
        raise KeyError(arg.name)
    match arg.kind:
        case "int":
            return int(text)
        case "ints":
            return tuple(int(item) for item in text.split(","))
        case "bool":
            return text == "true"
        case "options":
            return _default_options(text)
        case _:
            return text


def _default_options(text: str) -> Options:
    """``{stride:1,1 groups:1 mode:Nearest}`` as a record; only conv's ``groups`` is no list."""
    items: list[tuple[str, ArgValue]] = []
    for field in text.strip("{}").split():
        name, _, value = field.partition(":")
        if value in ("true", "false"):
            items.append((name, value == "true"))
        elif name == "groups":
            items.append((name, int(value)))
        elif value.replace(",", "").isdigit():
            items.append((name, tuple(int(item) for item in value.split(","))))
        else:
            items.append((name, value))
    return Options(tuple(sorted(items)))


def tensor_to_event(tensor: TensorIr) -> Json:
    """A tensor as a JSON object."""
    return {
        "id": tensor.id,
        "shape": list(tensor.shape),
        "dtype": tensor.dtype.value,
        "status": tensor.status.value,
    }


def operation_to_event(op: OperationIr) -> Json:
    """An operation as a JSON object with all of its arguments."""
    return {
        "op": op.spec.event_name,
        "inputs": [tensor_to_event(tensor) for tensor in op.inputs],
        "outputs": [tensor_to_event(tensor) for tensor in op.outputs],
        "args": {name: thaw(value) for name, value in op.args},
    }
