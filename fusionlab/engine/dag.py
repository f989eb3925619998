"""The graph of blocks: who must come before whom, and which blocks may become one.

Knows nothing of tensors or fusers: a node says what it produces, reads and frees, and where it
starts. ``read`` holds external reads only.

Source: burn-fusion, search/graph/{node,dag,reachability,lifetime}.rs.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Protocol

from fusionlab.ir.operation import OperationIr
from fusionlab.ir.tensor import TensorStatus


class GraphNode(Protocol):
    """What the graph needs to know of a group of ops."""

    @property
    def produced(self) -> AbstractSet[int]:
        """Tensors that the group makes."""

    @property
    def read(self) -> AbstractSet[int]:
        """Tensors that the group reads and does not make."""

    @property
    def freed(self) -> AbstractSet[int]:
        """Tensors whose last use is in the group."""

    @property
    def start(self) -> int:
        """Position of the first op."""


class Node(NamedTuple):
    """A plain node, for groups that are not blocks."""

    produced: frozenset[int]
    read: frozenset[int]
    freed: frozenset[int]
    start: int


def dependencies(nodes: Sequence[GraphNode]) -> list[list[int]]:
    """For each node the nodes that must come before it.

    They make what it reads, or read what it frees.
    """
    return [
        [
            j
            for j, other in enumerate(nodes)
            if i != j
            and not (node.read.isdisjoint(other.produced) and node.freed.isdisjoint(other.read))
        ]
        for i, node in enumerate(nodes)
    ]


def topological_order(nodes: Sequence[GraphNode]) -> list[int] | None:
    """Indices of the nodes, each after all that it depends on, earlier starts first.

    ``None`` when the graph has a cycle.
    """
    needs = dependencies(nodes)
    waiting = [len(before) for before in needs]
    after: list[list[int]] = [[] for _ in nodes]
    for i, before in enumerate(needs):
        for j in before:
            after[j].append(i)
    ready = [(nodes[i].start, i) for i, count in enumerate(waiting) if count == 0]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        _, i = heapq.heappop(ready)
        order.append(i)
        for j in after[i]:
            waiting[j] -= 1
            if waiting[j] == 0:
                heapq.heappush(ready, (nodes[j].start, j))
    return order if len(order) == len(nodes) else None


class Reachability:
    """All ancestors and descendants of every node, as bit sets. A node of a cycle is its own."""

    __slots__ = ("ancestors", "descendants")

    def __init__(self, nodes: Sequence[GraphNode]) -> None:
        """Close the dependencies of ``nodes`` transitively."""
        needs = dependencies(nodes)
        self.ancestors = [sum(1 << j for j in before) for before in needs]
        changed = True
        while changed:
            changed = False
            for i, before in enumerate(needs):
                closed = self.ancestors[i]
                for j in before:
                    closed |= self.ancestors[j]
                if closed != self.ancestors[i]:
                    self.ancestors[i] = closed
                    changed = True
        self.descendants = [
            sum(1 << i for i, above in enumerate(self.ancestors) if above >> j & 1)
            for j in range(len(nodes))
        ]

    def can_contract(self, one: AbstractSet[int], two: AbstractSet[int]) -> bool:
        """Whether two groups of nodes may become one: nothing lies between them.

        A node between them needs one group and is needed by the other, which would close a cycle.
        """
        if not one or not two:
            return False
        above = below = together = 0
        for i in one | two:
            above |= self.ancestors[i]
            below |= self.descendants[i]
            together |= 1 << i
        return not above & below & ~together


def order_is_valid(operations: Iterable[OperationIr]) -> bool:
    """Whether every op finds its inputs alive: made before they are read, not yet freed."""
    ordered = list(operations)
    made_here = {tensor.id for op in ordered for tensor in op.outputs}
    alive: set[int] = set()
    dead: set[int] = set()
    for op in ordered:
        for tensor in op.inputs:
            if tensor.id in dead or (tensor.id not in alive and tensor.id in made_here):
                return False
            alive.add(tensor.id)
        for tensor in op.inputs:
            if tensor.status is TensorStatus.READ_WRITE:
                alive.discard(tensor.id)
                dead.add(tensor.id)
        for tensor in op.outputs:
            dead.discard(tensor.id)
            alive.add(tensor.id)
    return True
