"""The table of every op kind that burn can queue: one row an op.

A row reads ``Variant  inputs -> outputs | argument:kind=default …``. ``inputs`` are in the order
of burn's ``inputs()``; ``xs*`` takes any number, ``[x]`` may be absent. The argument kinds:

``scalar``  a value that becomes a placeholder in relative form
``const``   a scalar that stays concrete in relative form
``ranges``  one slice range per dimension; placeholders in relative form
``axes``    a list of dimensions
``int``, ``bool``, ``str``, ``ints``, ``opt``, ``options``, ``any``   stay as they are

Ops of a family with ``dtype`` also carry the dtype they were registered with. What an op
computes is in ``kernels.reference``, its shape rule in ``ir.shapes``; both are keyed by row name.

Source: burn-ir, operation.rs; the visiting order of tensors: burn-fusion, stream/context.rs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

_UNARY = "input -> out"
_BINARY = "lhs rhs -> out"
_SCALAR = "lhs -> out | rhs:scalar=2.0"
_REDUCE = "input -> out | axis:int=1 accumulator_len:int=1"
_DIM = "input -> out | axis:int=1"
_NEW = "-> out"

_BASE = f"""
Reshape, Expand, Cast          {_UNARY}
SwapDims                       input -> out | dim1:int=1 dim2:int=1
Permute, Flip                  input -> out | axes:axes
Unfold                         input -> out | dim:int=1 size:int=1 step:int=1
Slice                          tensor -> out | ranges:ranges
SliceAssign                    tensor value -> out | ranges:ranges
Select, Gather                 tensor indices -> out | dim:int=1
SelectAssign, Scatter          tensor indices value -> out | dim:int=1 update:str=Add
MaskWhere                      tensor mask value -> out
MaskFill                       tensor mask -> out | value:scalar=2.0
ScatterNd                      data indices values -> out | reduction:str=Add
GatherNd                       data indices -> out
Equal, NotEqual                {_BINARY}
EqualElem, NotEqualElem        {_SCALAR}
RepeatDim                      tensor -> out | dim:int=1 times:int=1
Cat                            tensors* -> out | dim:int=1
Empty, Ones, Zeros             {_NEW}
All, Any                       {_UNARY}
AllDim, AnyDim                 {_REDUCE}
"""

_NUMERIC = f"""
Add, Sub, Div, Rem, Mul, Powi                                              {_BINARY}
Greater, GreaterEqual, Lower, LowerEqual                                   {_BINARY}
AddScalar, SubScalar, DivScalar, RemScalar, MulScalar, PowiScalar          {_SCALAR}
GreaterElem, GreaterEqualElem, LowerElem, LowerEqualElem                   {_SCALAR}
ClampMin, ClampMax                                                         {_SCALAR}
Abs, Neg, Sign                                                             {_UNARY}
Mean, Sum, Prod, Max, Min, MaxAbs                                          {_UNARY}
MeanDim, SumDim, ProdDim, MaxDim, MinDim, MaxAbsDim                        {_REDUCE}
ArgMax, ArgMin, ArgTopK, TopK                                              {_REDUCE}
CumSum, CumProd, CumMin, CumMax                                            {_DIM}
Full                           -> out | value:scalar=2.0
IntRandom                      -> out | distribution:any=Default
Clamp                          tensor -> out | min:scalar=2.0 max:scalar=2.0
MaxDimWithIndices, MinDimWithIndices        tensor -> out out_indices | dim:int=1
TopKWithIndices                tensor -> out out_indices | dim:int=1 k:int=1
Sort, ArgSort                  input -> out | dim:int=1 descending:bool=false
SortWithIndices                input -> out out_indices | dim:int=1 descending:bool=false
"""

_FLOAT = f"""
Exp, Log, Log1p, Erf, Sqrt, Cos, Cosh, Sin, Sinh, Tan, Tanh, Recip         {_UNARY}
ArcCos, ArcCosh, ArcSin, ArcSinh, ArcTan, ArcTanh                          {_UNARY}
Round, Floor, Ceil, Trunc, IsNan, IsInf, IntoInt, Dequantize               {_UNARY}
ArcTan2, Powf, Hypot, Matmul                                               {_BINARY}
PowfScalar                     {_SCALAR}
Cross                          lhs rhs -> out | dim:int=1
Random                         -> out | distribution:any=Default
Quantize                       tensor scales [global] -> out | qparams:options scheme:options
GridSample2d                   tensor grid -> out | options:options
"""

_INT = f"""
IntoFloat, BitwiseNot                                                      {_UNARY}
BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseLeftShift, BitwiseRightShift     {_BINARY}
BitwiseAndScalar, BitwiseOrScalar, BitwiseXorScalar                        {_SCALAR}
BitwiseLeftShiftScalar, BitwiseRightShiftScalar                            {_SCALAR}
Matmul                         {_BINARY}
"""

_BOOL = f"""
IntoFloat, IntoInt, Not        {_UNARY}
And, Or, Xor                   {_BINARY}
"""

_ACTIVATION = f"""
Relu, Gelu, Sigmoid, LogSigmoid                                            {_UNARY}
ReluBackward, PRelu, GeluBackward, SigmoidBackward, LogSigmoidBackward     {_BINARY}
LeakyRelu                      {_SCALAR}
HardSigmoid                    tensor -> out | alpha:scalar=2.0 beta:scalar=2.0
Softmax, LogSoftmax, Softmin   {_DIM}
"""

_DISTRIBUTED = """
AllReduce                      tensor -> out | op:any device_ids:any
SyncCollective                 ->
"""

_POOL1 = "kernel_size:int=1 stride:int=1 padding:int=0"
_POOL2 = "kernel_size:ints=1,1 stride:ints=1,1 padding:ints=0,0"
_AVG = "count_include_pad:bool=false ceil_mode:bool=false"
_MAX1 = f"{_POOL1} dilation:int=1 ceil_mode:bool=false"
_MAX2 = f"{_POOL2} dilation:ints=1,1 ceil_mode:bool=false"
_RESIZE = "output_size:ints=1,1 options:options={mode:Nearest align_corners:true}"


def _convolutions() -> str:
    rows = []
    for n in (1, 2, 3):
        ones, zeros = ",".join("1" * n), ",".join("0" * n)
        options = f"options:options={{stride:{ones} padding:{zeros} dilation:{ones} groups:1}}"
        rows += [
            f"Conv{n}d                        x weight [bias] -> out | {options}",
            f"Conv{n}dXBackward               x weight output_grad -> out | {options}",
            f"Conv{n}dWeightBackward          x weight output_grad -> out | {options}",
            f"Conv{n}dBiasBackward            x bias output_grad -> out",
            f"ConvTranspose{n}d               x weight [bias] -> out | options:options",
            f"ConvTranspose{n}dWeightBackward  x weight output_grad -> out | options:options",
            f"ConvTranspose{n}dBiasBackward   x bias output_grad -> out",
        ]
    return "\n".join(rows)


_MODULE = f"""
{_convolutions()}
BatchNorm                      x gamma beta mean variance -> out | epsilon:scalar=2.0
LayerNorm                      input gamma [beta] -> out | epsilon:const=2.0
Embedding                      weights indices -> out
EmbeddingBackward              weights out_grad indices -> out
Linear                         x weight [bias] -> out
LinearXBackward                weight output_grad -> out
LinearWeightBackward           x output_grad -> out
LinearBiasBackward             output_grad -> out
AvgPool1d                      x -> out | {_POOL1} {_AVG}
AvgPool1dBackward              x grad -> out | {_POOL1} {_AVG}
AvgPool2d                      x -> out | {_POOL2} {_AVG}
AvgPool2dBackward              x grad -> out | {_POOL2} {_AVG}
AdaptiveAvgPool1d              x -> out | output_size:int=1
AdaptiveAvgPool2d              x -> out | output_size:ints=1,1
AdaptiveAvgPool3d              x -> out | output_size:ints=1,1,1
AdaptiveAvgPool1dBackward, AdaptiveAvgPool2dBackward, AdaptiveAvgPool3dBackward   x grad -> out
MaxPool1d                      x -> out | {_MAX1}
MaxPool1dWithIndices           x -> out out_indices | {_MAX1}
MaxPool1dWithIndicesBackward    x indices grad -> out | {_MAX1}
MaxPool2d                      x -> out | {_MAX2}
MaxPool2dWithIndices           x -> out out_indices | {_MAX2}
MaxPool2dWithIndicesBackward   x indices grad -> out | {_MAX2}
Interpolate                    x -> out | {_RESIZE}
InterpolateBackward            x grad -> out | {_RESIZE}
Rfft                           signal -> out_re out_im | dim:int=1 n:opt
IRfft                          input_re input_im -> out_signal | dim:int=1 n:opt
Attention                      query key value [mask] [attn_bias] -> out | options:options
CtcLoss                        log_probs targets input_lengths target_lengths -> out | blank:int=1
CtcLossBackward                log_probs targets input_lengths target_lengths grad_loss -> out | blank:int=1
Unfold4d                       x -> out | kernel_size:ints=1,1 options:options
"""  # noqa: E501 -- one row an op

_FAMILIES: Final = (
    (("BaseFloat", "BaseInt", "BaseBool"), False, _BASE),
    (("NumericFloat", "NumericInt"), True, _NUMERIC),
    (("Float",), True, _FLOAT),
    (("Int",), False, _INT),
    (("Bool",), False, _BOOL),
    (("Module",), False, _MODULE),
    (("Activation",), False, _ACTIVATION),
    (("Distributed",), False, _DISTRIBUTED),
)

# Burn's relative form numbers these tensors in another order than inputs() lists them.
_VISITING_ORDER: Final = {
    "Module::MaxPool1dWithIndicesBackward": (0, 2, 1),
    "Module::MaxPool2dWithIndicesBackward": (0, 2, 1),
}


@dataclass(frozen=True, slots=True)
class ArgSpec:
    """One argument that is not a tensor: its name, its kind (see above) and default text."""

    name: str
    kind: str
    default: str | None


@dataclass(frozen=True, slots=True, eq=False)
class OpSpec:
    """One op kind. There is exactly one object per kind, so identity is equality."""

    name: str
    """Burn's log name (``op_kind``), for example ``NumericFloat::Mul``."""
    event_name: str
    """The name in the event form; differs from ``name`` only for ``Init``."""
    category: str
    """The category word, as the fuser lines of the log print it."""
    variant: str
    """The name without its category."""
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    args: tuple[ArgSpec, ...]
    has_dtype: bool
    visit: tuple[int, ...] | None = None
    """The order in which relative form visits the inputs; ``None``: as listed."""

    def __repr__(self) -> str:
        """The log name: enough to know the row."""
        return f"OpSpec({self.name})"


_ARG = re.compile(r"(\w+):(\w+)(?:=(\{[^}]*\}|\S+))?")


def _row(category: str, variant: str, signature: str, *, has_dtype: bool) -> OpSpec:
    tensors, _, arguments = signature.partition("|")
    inputs, _, outputs = tensors.partition("->")
    args = tuple(ArgSpec(*match.groups()) for match in _ARG.finditer(arguments))
    name = f"{category}::{variant}"
    return OpSpec(
        name=name,
        event_name=name,
        category=category,
        variant=variant,
        inputs=tuple(inputs.split()),
        outputs=tuple(outputs.split()),
        args=args,
        has_dtype=has_dtype,
        visit=_VISITING_ORDER.get(name),
    )


INIT: Final = OpSpec("Init::InitOperationIr", "Init", "Init", "Init", (), ("out",), (), False)
DROP: Final = OpSpec("Drop", "Drop", "Drop", "Drop", ("tensor",), (), (), False)
CUSTOM: Final = OpSpec(
    "Custom",
    "Custom",
    "Custom",
    "Custom",
    ("inputs*",),
    ("outputs*",),
    (ArgSpec("id", "str", "custom"), ArgSpec("scalars", "scalars", None)),
    False,
)


def _build() -> dict[str, OpSpec]:
    rows = {spec.event_name: spec for spec in (INIT, DROP, CUSTOM)}
    for categories, has_dtype, table in _FAMILIES:
        for line in table.strip().splitlines():
            names, signature = re.split(r"\s{2,}", line.strip(), maxsplit=1)
            for variant in names.split(", "):
                for category in categories:
                    spec = _row(category, variant, signature, has_dtype=has_dtype)
                    rows[spec.name] = spec
    return rows


OPSET: Final = MappingProxyType(_build())
"""Every op kind by its event name."""
