"""Words for activations, norms, linear layers and embeddings, decomposed as burn decomposes them.

The fusion decorator overrides none of these, so burn queues their parts: relu is LowerEqualElem and
MaskFill. The whole ops are still rows of the table: ``op("Activation::Relu", x)``.

Source: burn-backend, ops/activation.rs, ops/modules/linear.rs; burn-tensor, activation/base.rs;
burn-nn, modules/norm.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from fusionlab.ir.operation import Scalar
from fusionlab.ir.opset import OPSET
from fusionlab.ir.shapes.request import need_int, need_rank, need_shape
from fusionlab.ir.tensor import DType
from fusionlab.program.model import Tensor
from fusionlab.program.trace import Trace
from fusionlab.program.words.arithmetic import ARITHMETIC, negative
from fusionlab.program.words.core import WordTable
from fusionlab.program.words.helpers import along, axis, need_float, reshape
from fusionlab.program.words.reducing import reduced

WORDS: Final = WordTable()

_add, _sub, _mul, _div = (ARITHMETIC[symbol] for symbol in "+-*/")


def _float(name: str, trace: Trace, x: Tensor) -> Tensor:
    return trace.emit(f"Float::{name}", x)


def _compare(name: str, trace: Trace, x: Tensor, bound: float) -> Tensor:
    return trace.emit(f"NumericFloat::{name}", x, rhs=Scalar("Float", bound))


def _fill(trace: Trace, x: Tensor, mask: Tensor, value: float) -> Tensor:
    return trace.emit("BaseFloat::MaskFill", x, mask, value=Scalar("Float", value))


@WORDS.word("relu", "x:tensor")
def relu(trace: Trace, x: Tensor) -> Tensor:
    """0 where x is not positive."""
    need_float(x, "relu")
    return _fill(trace, x, _compare("LowerEqualElem", trace, x, 0.0), 0.0)


@WORDS.word("leaky_relu", "x:tensor, negative_slope:number=0.01")
def leaky_relu(trace: Trace, x: Tensor, negative_slope: float) -> Tensor:
    """Each element, scaled down where it is negative."""
    need_float(x, "leaky_relu")
    mask = _compare("LowerElem", trace, x, 0.0)
    return trace.emit("BaseFloat::MaskWhere", x, mask, _mul(trace, x, negative_slope))


@WORDS.word("prelu", "x:tensor, alpha:tensor")
def prelu(trace: Trace, x: Tensor, alpha: Tensor) -> Tensor:
    """Each element, scaled by a learned slope where it is negative."""
    need_float(x, "prelu")
    dim = 1 if len(x.shape) > 1 and alpha.shape != (1,) else 0
    slope = reshape(trace, alpha, along(x, dim, alpha.shape[0]))
    mask = _compare("LowerElem", trace, x, 0.0)
    return trace.emit("BaseFloat::MaskWhere", x, mask, _mul(trace, x, slope))


@WORDS.word("gelu", "x:tensor")
def gelu(trace: Trace, x: Tensor) -> Tensor:
    """Each element times the normal distribution's share below x."""
    need_float(x, "gelu")
    share = _add(trace, _float("Erf", trace, _div(trace, x, sqrt(2.0))), 1.0)
    return _div(trace, _mul(trace, x, share), 2.0)


@WORDS.word("sigmoid", "x:tensor")
def sigmoid(trace: Trace, x: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), by way of logarithms and in f32, as burn does it."""
    need_float(x, "sigmoid")
    single = trace.emit("BaseFloat::Cast", x, dtype=DType.F32)
    grown = _add(trace, _float("Exp", trace, negative(trace, single)), 1.0)
    value = _float("Exp", trace, negative(trace, _float("Log", trace, grown)))
    return trace.emit("BaseFloat::Cast", value, dtype=x.dtype)


@WORDS.word("silu", "x:tensor")
def silu(trace: Trace, x: Tensor) -> Tensor:
    """The product x * sigmoid(x)."""
    return _mul(trace, x, sigmoid(trace, x))


@WORDS.word("hard_sigmoid", "x:tensor, alpha:number=0.2, beta:number=0.5")
def hard_sigmoid(trace: Trace, x: Tensor, alpha: float, beta: float) -> Tensor:
    """A straight line between 0 and 1."""
    need_float(x, "hard_sigmoid")
    single = trace.emit("BaseFloat::Cast", x, dtype=DType.F32)
    line = _add(trace, _mul(trace, single, alpha), beta)
    low, high = Scalar("Float", 0.0), Scalar("Float", 1.0)
    bounded = trace.emit("NumericFloat::Clamp", line, min=low, max=high)
    return trace.emit("BaseFloat::Cast", bounded, dtype=x.dtype)


@WORDS.word("log_sigmoid", "x:tensor")
def log_sigmoid(trace: Trace, x: Tensor) -> Tensor:
    """The logarithm of sigmoid(x), kept from overflowing by taking max(-x, 0) out."""
    need_float(x, "log_sigmoid")
    flipped = negative(trace, x)
    largest = _fill(trace, flipped, _compare("LowerElem", trace, flipped, 0.0), 0.0)
    smallest = negative(trace, largest)
    rest = _float("Exp", trace, _sub(trace, flipped, largest))
    total = _add(trace, _float("Exp", trace, smallest), rest)
    return _sub(trace, smallest, _float("Log", trace, total))


@WORDS.word("softmax", "x:tensor, dim:int")
def softmax(trace: Trace, x: Tensor, dim: int) -> Tensor:
    """Exponentials that add up to 1 along a dimension."""
    need_float(x, "softmax")
    place = axis(x, dim, "softmax")
    largest = reduced(trace, "NumericFloat::MaxDim", x, place)
    powers = _float("Exp", trace, _sub(trace, x, largest))
    return _div(trace, powers, reduced(trace, "NumericFloat::SumDim", powers, place))


@WORDS.word("softmin", "x:tensor, dim:int")
def softmin(trace: Trace, x: Tensor, dim: int) -> Tensor:
    """The softmax of -x."""
    need_float(x, "softmin")
    return softmax(trace, negative(trace, x), dim)


@WORDS.word("log_softmax", "x:tensor, dim:int")
def log_softmax(trace: Trace, x: Tensor, dim: int) -> Tensor:
    """The logarithm of softmax."""
    need_float(x, "log_softmax")
    place = axis(x, dim, "log_softmax")
    shifted = _sub(trace, x, reduced(trace, "NumericFloat::MaxDim", x, place))
    total = reduced(trace, "NumericFloat::SumDim", _float("Exp", trace, shifted), place)
    return _sub(trace, shifted, _float("Log", trace, total))


@WORDS.word("matmul", "x:tensor, y:tensor")
def matmul(trace: Trace, x: Tensor, y: Tensor) -> Tensor:
    """Matrix product over the last two dimensions (x @ y)."""
    # Burn registers the product of int tensors under Float, too.
    return trace.emit("Float::Matmul", x, y)


@WORDS.word("cross", "x:tensor, y:tensor, dim:int=-1")
def cross(trace: Trace, x: Tensor, y: Tensor, dim: int) -> Tensor:
    """Cross product of vectors along a dimension of extent 3."""
    need_float(x, "cross")
    return trace.emit("Float::Cross", x, y, dim=axis(x, dim, "cross"))


@WORDS.word("linear", "x:tensor, weight:tensor, bias:tensor=None")
def linear(trace: Trace, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """The product x @ weight + bias, with weight as [in, out]."""
    need_rank(OPSET["Module::Linear"], "weight", weight.shape, 2)
    rank = len(x.shape)
    output = matmul(trace, x, reshape(trace, weight, (1,) * (rank - 2) + weight.shape))
    if bias is None:
        return output
    need_shape(OPSET["Module::Linear"], "bias", bias.shape, weight.shape[1:])
    return _add(trace, output, reshape(trace, bias, (1,) * (rank - 1) + bias.shape))


@WORDS.word("layer_norm", "x:tensor, gamma:tensor, beta:tensor=None, epsilon:number=1e-05")
def layer_norm(
    trace: Trace, x: Tensor, gamma: Tensor, beta: Tensor | None, epsilon: float
) -> Tensor:
    """Mean 0 and variance 1 along the last dimension, then scale and shift."""
    need_float(x, "layer_norm")
    last = len(x.shape) - 1
    centred = _sub(trace, x, reduced(trace, "NumericFloat::MeanDim", x, last))
    spread = reduced(trace, "NumericFloat::MeanDim", _mul(trace, centred, centred), last)
    scaled = _div(trace, centred, _float("Sqrt", trace, _add(trace, spread, epsilon)))
    for vector, combine in ((gamma, _mul), (beta, _add)):
        if vector is not None:
            need_shape(OPSET["Module::LayerNorm"], "gamma, beta", vector.shape, x.shape[-1:])
            scaled = combine(trace, scaled, reshape(trace, vector, along(x, last, x.shape[last])))
    return scaled


@WORDS.word(
    "batch_norm",
    "x:tensor, gamma:tensor, beta:tensor, mean:tensor, variance:tensor, epsilon:number=1e-05",
)
def batch_norm(  # noqa: PLR0917 -- one parameter an argument of the word
    trace: Trace,
    x: Tensor,
    gamma: Tensor,
    beta: Tensor,
    mean: Tensor,
    variance: Tensor,
    epsilon: float,
) -> Tensor:
    """Each channel with the given mean and variance taken out, then scale and shift."""
    need_float(x, "batch_norm")
    spec = OPSET["Module::BatchNorm"]
    if len(x.shape) < 2:
        need_rank(spec, "x", x.shape, 2)
    for name, vector in zip(spec.inputs[1:], (gamma, beta, mean, variance), strict=True):
        need_shape(spec, name, vector.shape, x.shape[1:2])
    shape = along(x, 1, x.shape[1])
    scale, shift, centre, spread = (
        reshape(trace, vector, shape) for vector in (gamma, beta, mean, variance)
    )
    root = _float("Sqrt", trace, _add(trace, spread, epsilon))
    normal = _div(trace, _sub(trace, x, centre), root)
    return _add(trace, _mul(trace, normal, scale), shift)


@WORDS.word("embedding", "weights:tensor, indices:tensor")
def embedding(trace: Trace, weights: Tensor, indices: Tensor) -> Tensor:
    """The rows of ``weights`` that ``indices`` [batch, length] name."""
    spec = OPSET["Module::Embedding"]
    need_rank(spec, "weights", weights.shape, 2)
    need_rank(spec, "indices", indices.shape, 2)
    need_int(spec, "indices", indices.dtype)
    need_float(weights, "embedding")
    flat = reshape(trace, indices, (indices.shape[0] * indices.shape[1],))
    rows = trace.emit("BaseFloat::Select", weights, flat, dim=0)
    return reshape(trace, rows, (*indices.shape, weights.shape[1]))
