"""What the parts of an executor share: the buffers, the compiler, the sources used so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from fusionlab.ir.operation import OperationIr
from fusionlab.kernels.codegen import KernelSource
from fusionlab.kernels.compile import Kernel, KernelCompiler
from fusionlab.kernels.dtypes import Array
from fusionlab.kernels.handles import HandleContainer
from fusionlab.kernels.prepared import Recipe
from fusionlab.kernels.reference import run_operation


class KernelMode(Enum):
    """How fused operations are computed."""

    COMPILED = "compiled"
    """By generated kernels."""
    TIERED = "tiered"
    """Op by op in NumPy until a background thread has compiled the kernel."""
    REFERENCE = "reference"
    """Op by op in NumPy; the launches are reported as if a kernel had run."""


@dataclass(slots=True)
class Device:
    """One lab's stand-in for a GPU."""

    handles: HandleContainer
    seed: int
    mode: KernelMode
    compiler: KernelCompiler
    sources: dict[str, str] = field(default_factory=dict)

    def compute(self, op: OperationIr, inputs: Sequence[Array]) -> list[Array]:
        """The NumPy meaning of an op with this lab's seed."""
        return run_operation(op, inputs, self.seed)

    def remember(self, source: KernelSource) -> bool:
        """Keep the text of a source; whether it had been used here before."""
        known = source.source_id in self.sources
        if not known:
            self.sources[source.source_id] = source.text
        return known

    def kernel(self, recipe: Recipe) -> Kernel | None:
        """The compiled kernel; ``None`` when NumPy shall do it (this time)."""
        if self.mode is KernelMode.REFERENCE:
            return None
        if recipe.kernel is None:
            wait = self.mode is KernelMode.COMPILED
            find = self.compiler.get if wait else self.compiler.try_get
            recipe.kernel = find(recipe.source)
        return recipe.kernel
