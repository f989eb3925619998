"""Shape rules of Fourier transforms and of the CTC loss.

Source: burn-tensor, signal/fft.rs; burn-backend, ops/modules/ctc.rs.
"""

from __future__ import annotations

from typing import Final

from fusionlab.ir.shapes.request import (
    Described,
    Request,
    Rule,
    bad_argument,
    need_int,
    need_rank,
    need_same_dtype,
    need_shape,
    replaced,
)


def _length(request: Request, default: int) -> int:
    value = request.args.get("n")
    length = default if value is None else value
    if not isinstance(length, int) or length < 1:
        raise bad_argument(request.spec, "n", length, "≥ 1")
    return length


def _rfft(request: Request) -> tuple[Described, ...]:
    shape, dtype = request.inputs[0]
    dim = request.dim("dim")
    # The spectrum of a real signal is symmetric: half of it says everything.
    half = replaced(shape, dim, _length(request, shape[dim]) // 2 + 1)
    return (half, dtype), (half, dtype)


def _irfft(request: Request) -> tuple[Described, ...]:
    (shape, dtype), (imaginary, other) = request.inputs
    need_same_dtype(request.spec, dtype, other)
    need_shape(request.spec, "input_im", imaginary, shape)
    dim = request.dim("dim")
    return ((replaced(shape, dim, _length(request, 2 * (shape[dim] - 1))), dtype),)


def _ctc_loss(request: Request) -> tuple[Described, ...]:
    log_probs, dtype = request.inputs[0]
    need_rank(request.spec, "log_probs", log_probs, 3)
    batch, targets = log_probs[1], request.input_shape(1)
    need_rank(request.spec, "targets", targets, 2)
    need_shape(request.spec, "targets", targets, (batch, targets[1]))
    for index, name in ((2, "input_lengths"), (3, "target_lengths")):
        need_shape(request.spec, name, request.input_shape(index), (batch,))
    for index, name in ((1, "targets"), (2, "input_lengths"), (3, "target_lengths")):
        need_int(request.spec, name, request.input_dtype(index))
    blank = request.integer("blank")
    if not 0 <= blank < log_probs[2]:
        raise bad_argument(request.spec, "blank", blank, f"0 … {log_probs[2] - 1}")
    return (((batch,), dtype),)


def _ctc_loss_backward(request: Request) -> tuple[Described, ...]:
    ((loss, _),) = _ctc_loss(request)
    need_shape(request.spec, "grad_loss", request.input_shape(4), loss)
    return (request.inputs[0],)


RULES: Final[dict[str, Rule]] = {
    "Rfft": _rfft,
    "IRfft": _irfft,
    "CtcLoss": _ctc_loss,
    "CtcLossBackward": _ctc_loss_backward,
}
