"""Connectionist temporal classification: the loss of each sample and its gradient.

The forward (alpha) and backward (beta) recursions in log space over the target with blanks between
its labels. The gradient is that of the loss with respect to ``log_probs`` as the output of a
log-softmax (``exp(log_probs) - posterior``); frames behind a sample's length, and samples whose
target cannot be reached, get zero.

Source: Graves et al. 2006, equations 6 to 16.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.reference.registry import Call, meaning


@dataclass(frozen=True, slots=True)
class _Sample:
    """One sample: its frames [time, classes], its labels with blanks, and where a skip is legal."""

    frames: Array
    labels: Array
    may_skip: Array

    @property
    def emitted(self) -> Array:
        """Log probability of each label at each time."""
        return self.frames[:, self.labels]


def _samples(call: Call) -> list[_Sample]:
    probs, targets, frames, lengths = call.inputs[:4]
    return [
        _sample(
            probs[: int(frames[n]), n].astype(np.float64),
            targets[n, : int(lengths[n])].astype(np.int64),
            call.integer("blank"),
        )
        for n in range(probs.shape[1])
    ]


def _sample(frames: Array, target: Array, blank: int) -> _Sample:
    labels = np.full(2 * len(target) + 1, blank, np.int64)
    labels[1::2] = target
    may_skip = np.zeros(len(labels), bool)
    may_skip[2:] = (labels[2:] != blank) & (labels[2:] != labels[:-2])
    return _Sample(frames, labels, may_skip)


def _shifted(row: Array, by: int) -> Array:
    return np.concatenate([np.full(min(by, len(row)), -np.inf), row[: max(len(row) - by, 0)]])


def _alpha(sample: _Sample) -> Array:
    """Log probability of all prefixes: [time, labels]."""
    emitted = sample.emitted
    alpha = np.full(emitted.shape, -np.inf)
    if not len(alpha):
        return alpha
    alpha[0, :2] = emitted[0, :2]
    for time in range(1, len(alpha)):
        before = alpha[time - 1]
        skipped = np.where(sample.may_skip, _shifted(before, 2), -np.inf)
        stayed = np.logaddexp(before, _shifted(before, 1))
        alpha[time] = np.logaddexp(stayed, skipped) + emitted[time]
    return alpha


def _beta(sample: _Sample) -> Array:
    """The same from the end: the recursion on the reversed sample."""
    labels = sample.labels[::-1]
    # A skip between two labels is legal in both directions: shift the mark to its other end.
    may_skip = np.zeros(len(labels), bool)
    may_skip[2:] = sample.may_skip[::-1][: max(len(labels) - 2, 0)]
    return _alpha(_Sample(sample.frames[::-1], labels, may_skip))[::-1, ::-1]


def _log_likelihood(alpha: Array) -> float:
    if not len(alpha):
        return -np.inf
    return float(np.logaddexp.reduce(alpha[-1, -2:]))


@meaning("Module::CtcLoss")
def _ctc_loss(call: Call) -> Array:
    return np.array(
        [-_log_likelihood(_alpha(s)) if len(s.frames) else np.inf for s in _samples(call)]
    )


@meaning("Module::CtcLossBackward")
def _ctc_loss_backward(call: Call) -> Array:
    probs, grad_loss = call.inputs[0], call.inputs[4]
    result = np.zeros(probs.shape)
    for n, sample in enumerate(_samples(call)):
        if len(sample.frames):
            result[: len(sample.frames), n] = _gradient(sample) * float(grad_loss[n])
    return result


def _gradient(sample: _Sample) -> Array:
    alpha = _alpha(sample)
    likelihood = _log_likelihood(alpha)
    if np.isneginf(likelihood):
        return np.zeros(sample.frames.shape)
    # Alpha and beta both contain the emission of their own time: divide one of them out.
    posterior = np.exp(alpha + _beta(sample) - sample.emitted - likelihood)
    summed = np.zeros(sample.frames.shape)
    for place, label in enumerate(sample.labels):
        summed[:, label] += posterior[:, place]
    return np.exp(sample.frames) - summed
