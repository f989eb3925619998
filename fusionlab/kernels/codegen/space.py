"""The loops of a kernel: which dimensions collapse into one, and how a tensor is indexed in them.

Relative shapes say everything: id 0 is a size of 1, and inside one kernel a dimension has one other
id at most. Neighbouring dimensions collapse when every tensor has both or neither of them; then
most kernels are one flat loop. It is off when a tensor is read by index or is not contiguous.

Source of the rule: measured, a loop over collapsed dimensions is up to five times faster in cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fusionlab.errors import UnsupportedError
from fusionlab.ir.tensor import Shape

_LOOP_NAMES = "ijklmn"


@dataclass(frozen=True, slots=True)
class Axis:
    """One loop: its variable, the parameter with its extent, the tensor dimensions it covers."""

    name: str
    extent: str
    dims: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Space:
    """The axes of one kernel, outermost first."""

    axes: tuple[Axis, ...]

    def axes_of(self, shape: Shape) -> tuple[Axis, ...]:
        """The axes along which a tensor of this relative shape really extends."""
        if not shape:
            return ()
        return tuple(axis for axis in self.axes if shape[axis.dims[0]] != 0)

    def index(self, shape: Shape) -> str:
        """The subscript of the current element of a tensor of this relative shape."""
        return ", ".join(axis.name for axis in self.axes_of(shape)) or "0"

    def groups(self, shape: Shape) -> tuple[tuple[int, ...], ...]:
        """For each axis of the tensor the dimensions that it covers: how the array is reshaped."""
        return tuple(axis.dims for axis in self.axes_of(shape))

    def coordinate(self, dim: int) -> str:
        """The coordinate of the current element along one tensor dimension (no collapsing)."""
        names = [axis.name for axis in self.axes if dim in axis.dims]
        return names[0] if names else "0"


def build_space(shapes: Sequence[Shape], *, collapse: bool) -> Space:
    """The loops over tensors of these relative shapes.

    All have one rank, but a tensor without dimensions may meet any (a fuser takes ops on single
    numbers in front of ops on matrices).

    Raises:
        UnsupportedError: The shapes do not broadcast together.
    """
    shapes = [shape for shape in shapes if shape]
    rank = len(shapes[0]) if shapes else 0
    if any(len(shape) != rank for shape in shapes):
        raise UnsupportedError("kernel_ranks", ranks=sorted({len(shape) for shape in shapes}))
    used = [dim for dim in range(rank) if _extends(shapes, dim)]
    merged: list[list[int]] = []
    for dim in used:
        if merged and collapse and _alike(shapes, merged[-1][-1], dim):
            merged[-1].append(dim)
        else:
            merged.append([dim])
    return Space(tuple(_axis(place, dims) for place, dims in enumerate(merged)))


def _axis(place: int, dims: list[int]) -> Axis:
    name = _LOOP_NAMES[place] if place < len(_LOOP_NAMES) else f"i{place}"
    return Axis(name, f"n{name}", tuple(dims))


def _extends(shapes: Iterable[Shape], dim: int) -> bool:
    ids = {shape[dim] for shape in shapes} - {0}
    if len(ids) > 1:
        raise UnsupportedError("kernel_shapes", dim=dim, ids=sorted(ids))
    return bool(ids)


def _alike(shapes: Iterable[Shape], left: int, right: int) -> bool:
    return all((shape[left] == 0) == (shape[right] == 0) for shape in shapes)
