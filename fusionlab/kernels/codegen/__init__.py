"""From a group to readable Numba source: one kernel for all ops of the group.

In: a ``Group`` and what is only known at the launch. Out: a ``KernelSource``. The text depends on
relative ids and shapes only, so other sizes, scalars and tensors of one structure share it.
"""

from __future__ import annotations

from fusionlab.errors import UnsupportedError
from fusionlab.kernels.codegen.builder import Builder, Variant, is_loop_reduce, reduce_dim
from fusionlab.kernels.codegen.columns import ColumnKernel
from fusionlab.kernels.codegen.elementwise import write_elementwise
from fusionlab.kernels.codegen.params import KernelSource
from fusionlab.kernels.codegen.rows import RowKernel
from fusionlab.kernels.codegen.text import Writer
from fusionlab.kernels.group import Group

__all__ = ["KernelSource", "Variant", "generate"]


def generate(group: Group, variant: Variant) -> KernelSource:
    """The kernel of a group that writes something.

    Raises:
        UnsupportedError: The group holds an op, a type or a combination that no kernel covers.
    """
    builder, writer = Builder(group, variant), Writer(1)
    reduces = [step for step in group.steps if is_loop_reduce(step)]
    if not reduces:
        write_elementwise(builder, writer)
        return builder.finish(writer.text())
    dims = {reduce_dim(step.op) for step in reduces}
    axes = [axis for axis in builder.space.axes if dims & set(axis.dims)]
    if len(axes) == 1 and axes[0] is builder.space.axes[-1]:
        RowKernel(builder, writer, axes[0]).write()
    elif len(reduces) == 1:
        ColumnKernel(builder, writer, reduces[0], axes[0]).write()
    else:
        raise UnsupportedError("kernel_reduces", dims=sorted(dims))
    return builder.finish(writer.text())
