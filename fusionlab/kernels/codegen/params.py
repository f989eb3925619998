"""The parameters of a generated kernel: what the executor has to pass, in order."""

from __future__ import annotations

from dataclasses import dataclass

from fusionlab.ir.tensor import DType


@dataclass(frozen=True, slots=True)
class ArrayParam:
    """A tensor's buffer.

    ``groups`` lists, for each dimension of the array as the kernel sees it, the tensor dimensions
    that it covers; ``None`` passes the array in its own shape (``rank`` dimensions). ``view`` is
    the position of the view op through which the tensor is read: then ``tensor`` is that op's
    input. ``strided`` arrays may have any strides; all others are contiguous.
    """

    name: str
    tensor: int
    dtype: DType
    rank: int
    groups: tuple[tuple[int, ...], ...] | None = None
    view: int | None = None
    strided: bool = False
    writable: bool = False


@dataclass(frozen=True, slots=True)
class ExtentParam:
    """The product of some extents of a tensor."""

    name: str
    tensor: int
    dims: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScalarParam:
    """A scalar argument of the op at ``position``, in the type that the op computes in."""

    name: str
    position: int
    argument: str
    dtype: DType


@dataclass(frozen=True, slots=True)
class ScaleParam:
    """The scale of a quantised tensor."""

    name: str
    tensor: int


Param = ArrayParam | ExtentParam | ScalarParam | ScaleParam


@dataclass(frozen=True, slots=True)
class KernelSource:
    """A readable kernel: its text (equal structure gives equal text) and what it wants passed."""

    source_id: str
    name: str
    text: str
    params: tuple[Param, ...]
