"""Ops and strategies as short texts, so that a test reads like a line of the rules.

``Mul(t0, !t1 → t2[64,32])`` is a multiplication that reads tensor 0, uses tensor 1 for the last
time and makes tensor 2. A shape stands in brackets (default ``[32,32]``), an element type behind a
colon (default ``f32``), other arguments at the end: ``SumDim(t0 → t1[1,32], axis=0)``. Variants are
looked up among the float ops first; ``NumericInt::Add`` names one exactly.
"""

import re
from ast import literal_eval
from typing import Any

from fusionlab.ir.event_form import complete_args
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP, OPSET, OpSpec
from fusionlab.ir.tensor import DType, TensorIr, TensorStatus
from fusionlab.plan import Composed, ExecutionStrategy, Operations, Optimization

SHAPE = (32, 32)
FAMILIES = ("", *(f"{name}::" for name in ("NumericFloat", "Float", "BaseFloat", "Module", "Bool")))
_TENSOR = re.compile(r"(!?)t(\d+)(?:\[([\d,]*)\])?(?::([\w()]+))?")
_OP = re.compile(r"([\w:]+)\((.*?)\s*(?:→\s*(.*))?\)")


def op(text: str, **args: Any) -> OperationIr:
    """One op; ``args`` are its arguments, those left out take the default of the op table."""
    match = _OP.fullmatch(text.strip())
    assert match, f"not an op: {text!r}"
    name, inputs, rest = match.groups()
    spec = _spec(name)
    outputs, args = _split(rest or "", args)
    used = tuple(map(tensor, filter(None, inputs.split(", "))))
    if spec is DROP:
        used = tuple(each._replace(status=TensorStatus.READ_WRITE) for each in used)
    made = tuple(tensor(text)._replace(status=TensorStatus.NOT_INIT) for text in outputs)
    return OperationIr(spec, used, made, complete_args(spec, used, made, args))


def _split(text: str, args: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """The tensors of a list, and the arguments behind them."""
    parts = list(filter(None, text.split(", ")))
    named = dict(part.split("=") for part in parts if "=" in part)
    given = {name: literal_eval(value) for name, value in named.items()}
    return [part for part in parts if "=" not in part], given | args


def ops(text: str) -> list[OperationIr]:
    """Several ops, separated by ``;``. ``3×Exp(t0 → t1)`` is a chain of three that ends in t3."""
    made: list[OperationIr] = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        count, _, rest = part.rpartition("×")
        made += _chain(int(count), rest) if count else [op(rest)]
    return made


def _chain(count: int, text: str) -> list[OperationIr]:
    first = op(text)
    chain = [first]
    for _ in range(count - 1):
        out = chain[-1].outputs[0]
        source = out._replace(status=TensorStatus.READ_WRITE)
        made = out._replace(id=out.id + 1)
        chain.append(first._replace(inputs=(source,), outputs=(made,)))
    return chain


def _spec(name: str) -> OpSpec:
    spec = next((OPSET[family + name] for family in FAMILIES if family + name in OPSET), None)
    assert spec is not None, f"no op kind {name!r}"
    return spec


def tensor(text: str) -> TensorIr:
    """A tensor as an op reads it: ``!t3[8,1]:i32``."""
    match = _TENSOR.fullmatch(text.strip())
    assert match, f"not a tensor: {text!r}"
    last, number, shape, dtype = match.groups()
    extents = SHAPE if shape is None else tuple(map(int, filter(None, shape.split(","))))
    status = TensorStatus.READ_WRITE if last else TensorStatus.READ_ONLY
    return TensorIr(int(number), extents, status, DType(dtype or "f32"))


def tree(strategy: ExecutionStrategy) -> str:
    """``C(ElementWise(210)[0, 5]; U[1, 2])``: fuser, score and positions of every unit."""
    match strategy:
        case Optimization(fused, ordering, score):
            return f"{fused.fuser}({score}){list(ordering)}"
        case Operations(ordering):
            return f"U{list(ordering)}"
        case Composed(items):
            return f"C({'; '.join(map(tree, items))})"
