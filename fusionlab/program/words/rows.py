"""The rest of the op table as words: one for each row that no other word covers, and ``op``.

A row's word has its variant's name in snake case and its arguments as parameters:
``max_pool2d(x, 2)``, ``conv2d_x_backward(x, weight, grad, stride=2)``.
``op("Module::Linear", x, w)`` queues any row by burn's own name, also those that burn decomposes
on its own way to the queue.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from fusionlab.errors import ProgramError
from fusionlab.ir.event_form import freeze
from fusionlab.ir.operation import ArgValue, Options, Scalar
from fusionlab.ir.opset import CUSTOM, DROP, INIT, OPSET, ArgSpec, OpSpec
from fusionlab.ir.tensor import DType
from fusionlab.program.model import Tensor
from fusionlab.program.trace import Trace
from fusionlab.program.words.core import (
    Parameter,
    Word,
    WordTable,
    is_number,
    kind_of,
)
from fusionlab.program.words.helpers import axis, new_shape, scalar

_CHOICES: Final = {
    "mode": ("Nearest", "Bilinear", "Bicubic", "Lanczos3"),
    "padding_mode": ("Zeros", "Border", "Reflection"),
    "update": ("Add", "Assign", "Mul", "Min", "Max"),
    "reduction": ("Add", "Assign", "Mul", "Min", "Max"),
    "distribution": ("Default",),
    "op": ("Sum", "Mean"),
}
"""Arguments that name one of a few ways."""

_NOT_YET: Final = {"Module::DeformableConv2d", "Module::DeformableConv2dBackward"}
"""Ops that burn can queue and the table does not have."""

_DIMS: Final = {"axis", "dim", "dim1", "dim2"}
_NEEDED: Final = _DIMS | {"kernel_size", "output_size", "size", "times", "k"}
_FIXED: Final[dict[str, ArgValue]] = {
    "device_ids": (Options((("index_id", 0), ("type_id", 0))),),
    "qparams": Options(()),
    "scheme": Options((("level", "Tensor"), ("mode", "Symmetric"), ("value", "Q8S"))),
}
"""Arguments with one value only: there is one device and one way to quantise."""

_DEFAULTS: Final[dict[str, ArgValue]] = {
    "blank": 0,
    "epsilon": Scalar("Float", 1e-5),
    "op": "Sum",
}
"""What burn's own API takes when nothing is said, where the row's default is another."""


_RESIZE: Final[dict[str, Any]] = {"mode": "Nearest", "align_corners": True}

_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "Interpolate": _RESIZE,
    "InterpolateBackward": _RESIZE,
    "GridSample2d": {"mode": "Bilinear", "padding_mode": "Zeros", "align_corners": False},
    "Attention": {"scale": None, "softcap": None, "is_causal": False},
}


def _options(variant: str) -> dict[str, Any]:
    """The fields of a row's ``options`` record with their defaults."""
    if variant in _OPTIONS:
        return _OPTIONS[variant]
    match = re.match(r"(ConvTranspose|Conv|Unfold)(\d)d", variant)
    if match is None:
        raise KeyError(variant)
    kind, count = match[1], 2 if match[1] == "Unfold" else int(match[2])
    fields: dict[str, Any] = {"stride": (1,) * count, "padding": (0,) * count}
    if kind == "ConvTranspose":
        fields["padding_out"] = (0,) * count
    fields["dilation"] = (1,) * count
    return fields if kind == "Unfold" else fields | {"groups": 1}


def _option_kind(default: object) -> str:
    match default:
        case bool():
            return "flag"
        case int():
            return "int"
        case tuple():
            return f"window{len(default)}"
        case str():
            return "text"
        case _:
            return "number"


def _argument(arg: ArgSpec) -> Parameter | None:
    """A row's argument as a parameter; ``None`` for those with one value only."""
    match arg.kind:
        case "ints":
            kind = f"window{(arg.default or '').count(',') + 1}"
        case "int" | "bool" | "str" | "opt":
            kind = {"int": "int", "bool": "flag", "str": "text", "opt": "int"}[arg.kind]
        case "scalar" | "const":
            kind = "number"
        case "axes":
            kind = "ints"
        case _:
            return None
    if arg.name in _NEEDED or arg.kind in {"scalar", "axes"}:
        return Parameter(arg.name, kind)
    return Parameter(arg.name, kind, None)


def _parameters(spec: OpSpec) -> tuple[Parameter, ...]:
    parameters = []
    for name in spec.inputs:
        if name.startswith("["):
            parameters.append(Parameter(name.strip("[]"), "tensor", None))
        else:
            parameters.append(Parameter(name, "tensor"))
    arguments = [_argument(arg) for arg in spec.args]
    parameters += [argument for argument in arguments if argument is not None]
    if any(arg.name == "options" for arg in spec.args):
        fields = _options(spec.variant).items()
        parameters += [Parameter(name, _option_kind(value), value) for name, value in fields]
    # A required parameter cannot follow one that may be left out.
    return tuple(sorted(parameters, key=lambda parameter: not parameter.required))


def _value(spec: OpSpec, tensors: tuple[Tensor, ...], name: str, value: Any) -> Any:
    """An argument in the form that the op carries."""
    if name in _DIMS and isinstance(value, int) and tensors:
        return axis(tensors[0], value, spec.variant)
    if name in _CHOICES:
        return _choice(spec, name, value)
    arg = next((arg for arg in spec.args if arg.name == name), None)
    if arg is None or not is_number(value):
        return value
    match arg.kind:
        case "scalar" if tensors:
            return scalar(tensors[0], value)
        case "const":
            return Scalar("Float", float(value))
        case "ints":
            return (value,) * ((arg.default or "").count(",") + 1)
    return value


def _choice(spec: OpSpec, name: str, value: Any) -> str:
    for known in _CHOICES[name]:
        if isinstance(value, str) and value.lower() == known.lower():
            return known
    needed = ", ".join(f'"{known}"' for known in _CHOICES[name])
    raise ProgramError("argument_value", op=spec.variant, name=name, got=str(value), needed=needed)


def _collected(
    spec: OpSpec, tensors: tuple[Tensor, ...], given: Mapping[str, Any]
) -> dict[str, ArgValue]:
    """Sort what was given into the row's arguments and its options record."""
    names = {arg.name for arg in spec.args}
    values = {name: _value(spec, tensors, name, value) for name, value in given.items()}
    collected = {name: freeze(value) for name, value in values.items() if name in names}
    if "stride" in names and "stride" not in collected and "kernel_size" in collected:
        # Windows that do not overlap, as burn's pools have it when nothing is said.
        collected["stride"] = collected["kernel_size"]
    collected = {key: v for key, v in (_DEFAULTS | _FIXED).items() if key in names} | collected
    if "options" in names:
        fields = _options(spec.variant)
        chosen = {name: _widened(fields[name], values.get(name, fields[name])) for name in fields}
        collected["options"] = freeze(chosen)
        names |= set(fields)
    for name in given:
        if name not in names:
            raise ProgramError(
                "unknown_argument",
                word=spec.variant,
                name=name,
                signature=", ".join(sorted(names - {"options", *_FIXED})),
            )
    return collected


def _widened(default: Any, value: Any) -> Any:
    wide = isinstance(default, tuple) and isinstance(value, int)
    return (value,) * len(default) if wide else value


def _queue(
    trace: Trace,
    spec: OpSpec,
    tensors: tuple[Tensor, ...],
    given: Mapping[str, Any],
    stated: tuple[Any, DType | None] = (None, None),
) -> Any:
    shape, dtype = stated
    arguments = _collected(spec, tensors, given)
    try:
        made = trace.emit_all(spec, tensors, shape, dtype, arguments)
    except (KeyError, ValueError, TypeError) as error:
        raise ProgramError("row_arguments", op=spec.name, reason=str(error)) from None
    return made[0] if len(made) == 1 else made


def _row_word(name: str, specs: list[OpSpec]) -> Word:
    parameters = _parameters(specs[0])
    inputs = sum(parameter.kind == "tensor" for parameter in parameters)

    def apply(trace: Trace, *values: Any) -> Any:
        given = dict(zip((parameter.name for parameter in parameters), values, strict=True))
        tensors = [given.pop(field.strip("[]")) for field in specs[0].inputs]
        present = tuple(tensor for tensor in tensors if tensor is not None)
        if None in tensors and tensors[tensors.index(None) :] != [None] * (
            len(tensors) - tensors.index(None)
        ):
            missing = specs[0].inputs[tensors.index(None)].strip("[]")
            raise ProgramError(
                "missing_argument", word=name, name=missing, signature=word.signature
            )
        chosen = {key: value for key, value in given.items() if value is not None}
        return _queue(trace, _fitting(specs, present), present, chosen)

    summary = f"{specs[0].name}, as burn queues it ({inputs} inputs)."
    word = Word(name, parameters, apply, summary)
    return word


def _fitting(specs: list[OpSpec], tensors: tuple[Tensor, ...]) -> OpSpec:
    """The row of the family that takes the first tensor's element type."""
    if not tensors:
        return specs[0]
    dtype = tensors[0].dtype
    ending = "Bool" if dtype.is_bool else "Int" if dtype.is_int else "Float"
    return next((spec for spec in specs if spec.category.endswith(ending)), specs[0])


def _word_name(variant: str) -> str:
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", variant)
    return {"i_rfft": "irfft"}.get(parts.lower(), parts.lower())


def row_words(taken: Mapping[str, Word]) -> WordTable:
    """A word for each variant of the op table whose name is not taken and that reads a tensor."""
    table = WordTable()
    groups: dict[str, list[OpSpec]] = {}
    for spec in OPSET.values():
        if spec not in {INIT, DROP, CUSTOM} and spec.inputs[:1] != ("tensors*",):
            groups.setdefault(_word_name(spec.variant), []).append(spec)
    for name, specs in groups.items():
        if name not in taken and (specs[0].inputs or not specs[0].outputs):
            table.add(_row_word(name, specs))
    return table


RAW: Final = WordTable()


@RAW.word("op", "name:text, *tensors:tensor, shape:ints=None, dtype:dtype=None, **args:any")
def op(  # noqa: PLR0917 -- one parameter an argument of the word
    trace: Trace,
    name: str,
    tensors: tuple[Tensor, ...],
    shape: tuple[int, ...] | None,
    dtype: DType | None,
    args: Mapping[str, Any],
) -> Any:
    """Any row of the op table by burn's name: ``op("Activation::Relu", x)``."""
    spec = OPSET.get(name)
    if name in _NOT_YET:
        raise ProgramError("unsupported_row", name=name)
    if spec is None or spec in {INIT, DROP}:
        raise ProgramError("unknown_row", name=name)
    for key, value in args.items():
        if isinstance(value, Tensor):
            raise ProgramError(
                "argument_kind", word="op", name=key, needed="number, …", got=kind_of(value)
            )
    stated = None if shape is None else new_shape((shape,), "op")
    return _queue(trace, spec, tensors, args, (stated, dtype))


@RAW.word("opaque", "*tensors:tensor, outputs:int=1")
def opaque(trace: Trace, tensors: tuple[Tensor, ...], outputs: int) -> Any:
    """An op that no fuser takes (``Custom``); each result looks like the first input."""
    if not tensors:
        raise ProgramError("missing_argument", word="opaque", name="tensors", signature="opaque(x)")
    if not 1 <= outputs <= 16:
        raise ProgramError(
            "argument_value", op="opaque", name="outputs", got=outputs, needed="1 … 16"
        )
    described = [(tensors[0].shape, tensors[0].dtype)] * outputs
    args: tuple[tuple[str, ArgValue], ...] = (("id", "opaque"), ("scalars", ()))
    made = trace.add_op(CUSTOM, tensors, described, args)
    return made[0] if outputs == 1 else made
