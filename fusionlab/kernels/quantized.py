"""Quantised tensors: int8 codes that carry their scale.

Only burn's default scheme is computed: symmetric, 8 bit, one scale for the tensor
(``value = code x scale``, codes from -127 to 127).

Source: burn-std, tensor/quantization (``QuantScheme``); cubek-quant for the arithmetic.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fusionlab.kernels.dtypes import Array

LARGEST_CODE = 127


class QuantizedArray(np.ndarray[Any, np.dtype[np.int8]]):
    """int8 codes with the scale that turns them back into numbers; views keep the scale."""

    scale: float

    def __new__(cls, codes: NDArray[np.int8], scale: float) -> Self:
        """A view of ``codes`` that remembers ``scale``."""
        self = np.asarray(codes, dtype=np.int8).view(cls)
        self.scale = scale
        return self

    def __array_finalize__(self, source: object) -> None:
        self.scale = getattr(source, "scale", 1.0)


def quantize(values: Array, scale: float) -> QuantizedArray:
    """The codes of ``values``: divide by the scale, round half to even, clip."""
    with np.errstate(all="ignore"):
        codes = np.rint(np.asarray(values, dtype=np.float32) / np.float32(scale))
    codes = np.where(np.isnan(codes), 0.0, codes)
    clipped = np.clip(codes, -LARGEST_CODE, LARGEST_CODE)
    return QuantizedArray(clipped.astype(np.int8), float(np.float32(scale)))


def dequantize(array: Array) -> NDArray[np.float32]:
    """The numbers that the codes stand for, as float32."""
    scale = np.float32(getattr(array, "scale", 1.0))
    return np.asarray(array, dtype=np.float32) * scale
