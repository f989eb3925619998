"""Station 9, the plan index: all stored plans as one tree of relative ops.

In: plans, once each. Out: the node behind each op of a segment. Plans that begin alike share their
nodes, so a segment is compared with all of them at once, in one step an op.

Source: burn-fusion, stream/store/index.rs. Deviation: burn looks plans up by the hash of their
first op and then compares each candidate op by op; what is found is the same.
"""

from __future__ import annotations

from fusionlab.ir.operation import OperationIr
from fusionlab.plan import PlanId


class PlanNode:
    """What all plans that begin with the same ops have in common."""

    __slots__ = ("_children", "complete", "likely", "longer", "op")

    def __init__(self, op: OperationIr | None = None) -> None:
        """A node behind ``op``; ``None`` is for the root, in front of every plan."""
        self.op = op
        self.complete: list[PlanId] = []
        """The plans that end here, oldest first."""
        self.longer: list[PlanId] = []
        """The plans that go on, oldest first."""
        self.likely: PlanNode | None = None
        """The node that the last step led to: a program mostly does what it did before."""
        self._children: dict[OperationIr, PlanNode] = {}

    def add(self, plan: PlanId, operations: tuple[OperationIr, ...]) -> None:
        """Put a plan below this node."""
        node = self
        for op in operations:
            node.longer.append(plan)
            child = node._children.get(op)
            if child is None:
                child = node._children[op] = PlanNode(op)
            node = child
        node.complete.append(plan)

    def step(self, op: OperationIr) -> PlanNode | None:
        """The node behind ``op``; ``None`` when no plan goes on with it."""
        likely = self.likely
        if likely is not None and likely.op is op:
            return likely
        child = self._children.get(op)
        if child is not None:
            self.likely = child
        return child

    def plans(self) -> list[PlanId]:
        """Every plan that begins with the ops up to here, oldest first."""
        return sorted(self.complete + self.longer)
