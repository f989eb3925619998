"""Stand-ins for the parts of the engine that a test wants to control."""

from collections.abc import Sequence
from typing import Self

from fusionlab.engine.dry import HandlesOnly
from fusionlab.errors import ExecutionError
from fusionlab.fusers.base import FuserAnswer, FuserProperties, FuserStatus, Refusal, RefusalCode
from fusionlab.fusers.fused import Fusion
from fusionlab.ir.operation import OperationIr
from fusionlab.kernels.launch import Launch
from fusionlab.plan import FusedOperation


class ScriptedFuser:
    """Wants exactly the ops of its script, in their order, and is ready once it has them all.

    Its score is the length of the script. It never forgets: an op out of order closes it.
    """

    def __init__(self, number: int, script: Sequence[OperationIr]) -> None:
        self.name = f"P{number}"
        self.number = number
        self.script = tuple(script)
        self.seen: tuple[OperationIr, ...] = ()

    def fuse(self, op: OperationIr) -> FuserAnswer:
        self.seen = (*self.seen, op)
        as_scripted = self.seen == self.script[: len(self.seen)]
        refusal = None if as_scripted else Refusal(RefusalCode.KIND)
        return FuserAnswer(refusal, self.status)

    @property
    def is_open(self) -> bool:
        seen = len(self.seen)
        return seen < len(self.script) and self.seen == self.script[:seen]

    @property
    def status(self) -> FuserStatus:
        return FuserStatus.OPEN if self.is_open else FuserStatus.CLOSED

    @property
    def is_ready(self) -> bool:
        return self.seen[: len(self.script)] == self.script

    def properties(self) -> FuserProperties:
        return FuserProperties(self.is_ready, len(self.script) if self.is_ready else 0, ())

    def __len__(self) -> int:
        return len(self.script)

    def finish(self, operations: tuple[OperationIr, ...]) -> Fusion:
        return Fusion(self.name, operations, None)

    def reset(self) -> None:
        self.seen = ()

    def clone(self) -> Self:
        copy = type(self)(self.number, self.script)
        copy.seen = self.seen
        return copy


class OpenFuser(ScriptedFuser):
    """Takes everything for ever and never has anything to offer."""

    def __init__(self, number: int = 0, script: Sequence[OperationIr] = ()) -> None:
        super().__init__(number, script)
        self.name = "Open"

    def fuse(self, op: OperationIr) -> FuserAnswer:
        self.seen = (*self.seen, op)
        return FuserAnswer(None, FuserStatus.OPEN)

    @property
    def is_open(self) -> bool:
        return True

    @property
    def is_ready(self) -> bool:
        return False


class BreakingBackend(HandlesOnly):
    """Fails on every op that makes one of these tensors; notes what ran and what was freed."""

    def __init__(self, breaks_on: Sequence[int] = ()) -> None:
        super().__init__()
        self.breaks_on = frozenset(breaks_on)
        self.ran: list[int] = []
        self.freed: list[int] = []

    def run_operation(self, op: OperationIr) -> Launch | None:
        self._break_on([op])
        return super().run_operation(op)

    def run_fused(
        self, fused: FusedOperation, operations: Sequence[OperationIr]
    ) -> Sequence[Launch]:
        self._break_on(operations)
        return super().run_fused(fused, operations)

    def _break_on(self, operations: Sequence[OperationIr]) -> None:
        made = [tensor.id for op in operations for tensor in op.outputs]
        if self.breaks_on.intersection(made):
            raise ExecutionError("broken", tensor=made[0])
        self.ran += made

    def free(self, tensor: int) -> None:
        self.freed.append(tensor)
        super().free(tensor)
