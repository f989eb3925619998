"""Misconceptions about the key of the cache: what must be equal for a plan to be hit.

Two kinds: the relative form keeps something that burn renames, or the policy compares less than
burn does. The second kind leaves the queue and the search alone: only what the policy looks at
loses a detail.
"""

from __future__ import annotations

from collections.abc import Callable

from fusionlab.engine.explorer import Explorer
from fusionlab.engine.policy import Policy
from fusionlab.engine.processor import Processor, Run
from fusionlab.engine.queue import OperationQueue
from fusionlab.engine.relative import OperationConverter
from fusionlab.engine.store import ExecutionPlanStore
from fusionlab.events.log import NullRecorder, Recorder
from fusionlab.ir.operation import ArgValue, OperationIr, Scalar
from fusionlab.ir.tensor import DType, StreamId, TensorIr, TensorStatus
from fusionlab.plan import ExecutionPlan, ExecutionTrigger, OnOperations


class SizesInKey(OperationConverter):
    """Sizes stay as they are; 1 is still id 0."""

    __slots__ = ()

    def convert(self, op: OperationIr, *hints: OperationIr | None) -> OperationIr:
        """The relative form with the true sizes in it."""
        relative = super().convert(op, *hints)
        sizes = {number: extent for extent, number in self.shape_ids.items()} | {0: 0}
        return _each_tensor(
            relative, lambda t: t._replace(shape=tuple(sizes[number] for number in t.shape))
        )


class DimOneIsOrdinary(OperationConverter):
    """Size 1 gets the next free id like any other size."""

    __slots__ = ()

    def clear(self) -> None:
        """Forget every name; id 0 is taken by nothing that can occur."""
        super().clear()
        del self.shape_ids[1]
        self.shape_ids[-1] = 0


class ScalarsInKey(OperationConverter):
    """A scalar keeps its value."""

    __slots__ = ()

    def _placeholder(self, value: ArgValue) -> ArgValue:
        return value if isinstance(value, Scalar) else super()._placeholder(value)


class TensorIdsInKey(OperationConverter):
    """A tensor keeps its number."""

    __slots__ = ()

    def convert(self, op: OperationIr, *hints: OperationIr | None) -> OperationIr:
        """The relative form with the true tensor numbers in it."""
        relative = super().convert(op, *hints)
        numbers = {number: tensor for tensor, number in self.tensor_ids.items()}
        return _each_tensor(relative, lambda t: t._replace(id=numbers[t.id]))


class CoarsePolicy(Policy):
    """Compares ops after ``key`` has taken a detail away from both sides."""

    __slots__ = ("device",)

    @staticmethod
    def key(op: OperationIr) -> OperationIr:
        """What is compared of an op. Here: everything, as burn does."""
        return op

    def __init__(self, store: ExecutionPlanStore, recorder: Recorder) -> None:
        """Look at the store of the device through the key."""
        self.device = store
        super().__init__(self._seen(), recorder)

    def update(self, op: OperationIr) -> None:
        """Take notice of what is left of the segment's next op."""
        if self.num_operations == 0:
            self.store = self._seen()
            self.reset()
        super().update(self.key(op))

    def _seen(self) -> ExecutionPlanStore:
        """The stored plans under their ids, as this policy sees them now."""
        seen, key = ExecutionPlanStore(), self.key
        for plan in self.device.plans:
            operations = tuple(map(key, plan.operations))
            triggers: list[ExecutionTrigger] = [
                OnOperations(tuple(map(key, t.operations))) if isinstance(t, OnOperations) else t
                for t in plan.triggers
            ]
            seen.add(ExecutionPlan(operations, triggers, plan.optimization), NullRecorder())
        return seen


def _each_tensor(op: OperationIr, change: Callable[[TensorIr], TensorIr]) -> OperationIr:
    return op._replace(inputs=tuple(map(change, op.inputs)), outputs=tuple(map(change, op.outputs)))


class RankOnlyInKey(CoarsePolicy):
    """Of a shape only the rank is compared."""

    __slots__ = ()

    @staticmethod
    def key(op: OperationIr) -> OperationIr:
        """The op with every size id set to 0."""
        return _each_tensor(op, lambda t: t._replace(shape=(0,) * len(t.shape)))


class LivenessNotInKey(CoarsePolicy):
    """Whether a use is the last one is not compared."""

    __slots__ = ()

    @staticmethod
    def key(op: OperationIr) -> OperationIr:
        """The op with every status set to the same value."""
        return _each_tensor(op, lambda t: t._replace(status=TensorStatus.READ_ONLY))


class DtypeNotInKey(CoarsePolicy):
    """Element types are not compared."""

    __slots__ = ()

    @staticmethod
    def key(op: OperationIr) -> OperationIr:
        """The op with every element type set to f32."""
        args = tuple((name, value) for name, value in op.args if not isinstance(value, DType))
        return _each_tensor(op, lambda t: t._replace(dtype=DType.F32))._replace(args=args)


class NamesOnlyInKey(CoarsePolicy):
    """Only the names of the ops are compared."""

    __slots__ = ()

    @staticmethod
    def key(op: OperationIr) -> OperationIr:
        """The op without tensors and arguments."""
        return OperationIr(op.spec, (), ())


class _OwnPlans(ExecutionPlanStore):
    """The plans of one stream: found by nobody else, numbered with all the others."""

    __slots__ = ()

    def __init__(self, device: ExecutionPlanStore) -> None:
        super().__init__()
        self.plans = device.plans


def cache_per_stream() -> type[Processor]:
    """A processor that finds only what its own stream has stored. Each call is for one server."""
    stores: dict[StreamId, _OwnPlans] = {}

    class CachePerStream(Processor):
        __slots__ = ()

        def __init__(
            self,
            queue: OperationQueue,
            store: ExecutionPlanStore,
            explorer: Explorer,
            run: Run,
            recorder: Recorder,
            *,
            policy: Policy | None = None,  # noqa: ARG002 -- it looks at the store of the device
        ) -> None:
            own = stores.setdefault(recorder.stream, _OwnPlans(store))
            super().__init__(queue, own, explorer, run, recorder, policy=Policy(own, recorder))

    return CachePerStream
