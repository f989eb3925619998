"""A fused operation made ready to run: its group, its kernels, and how arguments are collected.

Everything that does not change from launch to launch is worked out once per fused operation; what
the moment decides (which inputs are contiguous, which buffers can be reused) picks a variant.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorStatus
from fusionlab.kernels.arguments import Maker, Place, maker
from fusionlab.kernels.codegen import KernelSource, Variant, generate
from fusionlab.kernels.compile import Kernel
from fusionlab.kernels.group import Group, analyse, reads_by_index
from fusionlab.kernels.reuse import ReuseChance, reuse_chances
from fusionlab.plan import FusedOperation

_PICKS_AN_ELEMENT = frozenset({"MaxDim", "MinDim", "MaxAbsDim", "ArgMax", "ArgMin"})


@dataclass(slots=True)
class Recipe:
    """One kernel of a fused operation and the functions that make its arguments."""

    source: KernelSource
    makers: tuple[Maker, ...]
    kernel: Kernel | None = None


@dataclass(slots=True)
class PreparedFusion:
    """A fused operation with everything that its launches share."""

    fused: FusedOperation
    group: Group
    places: dict[int, Place]
    chances: tuple[ReuseChance, ...]
    kinds: tuple[str, ...]
    """Burn's names of all ops but ``tail``."""
    read_ids: tuple[int, ...]
    """What the launch reads: the inputs of ``lead``, then those of the kernel."""
    write_ids: tuple[int, ...]
    """What the launch writes: the output of ``lead`` if it survives, then the kernel's."""
    kept: frozenset[int]
    """What gets a handle: made here and not used up by a later op of the same unit."""
    mentions: tuple[tuple[int, int, bool, int], ...]
    """Where the tensors that touch memory are described: (id, op, whether an output, index)."""
    indexed: tuple[int, ...]
    """Positions of the ops whose indices have to be checked."""
    picking: tuple[int, ...]
    """Positions of the reductions that need at least one element."""
    recipes: dict[Variant, Recipe] = field(default_factory=dict)
    plain: Recipe | None = None

    def plain_recipe(self) -> Recipe:
        """The kernel for contiguous inputs and nothing reused: what nearly every launch needs."""
        if self.plain is None:
            self.plain = self.recipe(Variant())
        return self.plain

    def recipe(self, variant: Variant) -> Recipe:
        """The kernel for this variant, generated on its first use."""
        if variant not in self.recipes:
            source, group = generate(self.group, variant), self.group
            operations, in_memory = self.fused.operations, {*group.reads, *group.writes}
            makers = [maker(param, operations, self.places, in_memory) for param in source.params]
            self.recipes[variant] = Recipe(source, tuple(makers))
        return self.recipes[variant]


class Preparations:
    """Fused operations that have run lately, for all labs of the process.

    They live as long as plans do, so the object itself is the key.
    """

    def __init__(self, capacity: int = 2048) -> None:
        self._capacity = capacity
        self._known: OrderedDict[int, PreparedFusion] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, fused: FusedOperation) -> PreparedFusion:
        """The prepared form of a fused operation."""
        prepared = self._known.get(id(fused))
        if prepared is not None and prepared.fused is fused:
            return prepared
        prepared = prepare(fused)
        with self._lock:
            self._known[id(fused)] = prepared
            while len(self._known) > self._capacity:
                self._known.popitem(last=False)
        return prepared


PREPARATIONS: Final = Preparations()
"""The table that all executors of this process share."""


def prepare(fused: FusedOperation) -> PreparedFusion:
    """Analyse a fused operation."""
    operations = fused.operations
    group = analyse(fused.fuser, operations)
    tail_position = group.tail.position if group.tail else None
    lead_inputs = [tensor.id for tensor in group.lead.op.inputs] if group.lead else []
    lead_output = [group.lead.output.id] if group.lead else []
    produced = {tensor.id for op in operations for tensor in op.outputs}
    read_ids = _unique([*lead_inputs, *(i for i in group.reads if i not in lead_output)])
    write_ids = (*(lead_output if group.lead_survives else ()), *group.writes)
    behind = [tensor.id for tensor in group.tail.op.nodes] if group.tail else []
    places = _places(operations)
    return PreparedFusion(
        fused=fused,
        group=group,
        places=places,
        chances=reuse_chances(group),
        kinds=tuple(op.kind for i, op in enumerate(operations) if i != tail_position),
        read_ids=read_ids,
        write_ids=write_ids,
        mentions=tuple(
            (i, places[i].position, places[i].output, places[i].index)
            for i in _unique([*read_ids, *write_ids, *group.consumed, *behind])
        ),
        kept=frozenset(i for i in produced if not _is_used_up(group, i)),
        indexed=tuple(
            step.position
            for step in group.steps
            if reads_by_index(step.op) and step.op.spec.variant != "Cat"
        ),
        picking=tuple(
            step.position for step in group.steps if step.op.spec.variant in _PICKS_AN_ELEMENT
        ),
    )


def _is_used_up(group: Group, tensor: int) -> bool:
    return group.tensors[tensor].status is TensorStatus.READ_WRITE


def _unique(ids: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(ids))


def _places(operations: tuple[OperationIr, ...]) -> dict[int, Place]:
    places: dict[int, Place] = {}
    for position, op in enumerate(operations):
        for output, tensors in ((False, op.inputs), (True, op.outputs)):
            for index, tensor in enumerate(tensors):
                places.setdefault(tensor.id, Place(position, output, index))
    return places
