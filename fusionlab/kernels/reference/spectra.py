"""Real Fourier transforms along one dimension; ``n`` cuts or zero-pads the signal."""

from __future__ import annotations

import numpy as np

from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.reference.registry import Call, as_int, meaning


def _length(call: Call, default: int) -> int:
    n = call.optional("n")
    return default if n is None else as_int(n)


@meaning("Module::Rfft")
def _rfft(call: Call) -> list[Array]:
    (signal,) = call.operands()
    dim = call.integer("dim")
    spectrum = np.fft.rfft(signal, _length(call, signal.shape[dim]), axis=dim)
    return [spectrum.real, spectrum.imag]


@meaning("Module::IRfft")
def _irfft(call: Call) -> Array:
    real, imaginary = call.operands()
    dim = call.integer("dim")
    length = _length(call, 2 * (real.shape[dim] - 1))
    return np.fft.irfft(real + 1j * imaginary, length, axis=dim)
