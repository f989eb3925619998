"""The server of one device: streams, their queues, and one plan store for all of them.

In: requests of clients (register, drain, read, share, drop). Out: executions and values. A stream
exists from its first op until it holds no live tensor; its exploration count goes with it.

Source: burn-fusion, server.rs, stream/multi.rs (``FusionServer``, ``MultiStream``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Generic, TypeVar

from fusionlab.config import FusionConfig
from fusionlab.engine.execution import Backend, Execution
from fusionlab.engine.parts import BURN, Parts
from fusionlab.engine.processor import Processor
from fusionlab.engine.queue import OperationQueue
from fusionlab.engine.store import ExecutionPlanStore
from fusionlab.errors import ExecutionError
from fusionlab.events.facts import (
    Fact,
    OpQueued,
    StreamCreated,
    StreamDeleted,
    SyncRequested,
    TensorRead,
)
from fusionlab.events.log import Recorder
from fusionlab.fusers.base import OperationFuser
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP
from fusionlab.ir.tensor import StreamId, TensorId, TensorIr, TensorStatus
from fusionlab.plan import ExecutionMode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]

BackendT = TypeVar("BackendT", bound=Backend)


class ReadPlan(Enum):
    """How a read gets at its tensor."""

    DRAIN = "drain"
    """It is not made yet: run everything that is queued on its stream."""
    DIRECT = "direct"
    """It is there; queued ops stay queued."""
    DEFER_FREE = "defer_free"
    """It is there, but a queued op still needs it: free it later."""


class Stream:
    """The queue of one thread with its processor."""

    __slots__ = ("execution", "processor", "queue")

    def __init__(self, queue: OperationQueue, processor: Processor, execution: Execution) -> None:
        """Tie the three together."""
        self.queue = queue
        self.processor = processor
        self.execution = execution

    def register(self, op: OperationIr) -> None:
        """Queue an op and let the processor react."""
        self.queue.add(op, self.processor.policy.expected)
        self.processor.process(ExecutionMode.LAZY)

    def drain(self) -> None:
        """Run everything that is queued."""
        self.processor.process(ExecutionMode.SYNC)
        self.execution.flush_deferred()


class FusionServer(Generic[BackendT]):
    """All streams of a device."""

    def __init__(
        self,
        config: FusionConfig,
        backend: BackendT,
        recorder: Recorder,
        store: ExecutionPlanStore | None = None,
        fusers: tuple[OperationFuser, ...] | None = None,
        *,
        parts: Parts = BURN,
    ) -> None:
        """A server without streams.

        ``store`` may hold plans of earlier runs; ``fusers`` replaces burn's five (tests do that),
        ``parts`` the stations that streams are built from (misconception engines do that).
        """
        self.parts = parts
        self.config = config
        self.backend = backend
        self.recorder = recorder
        self.store = ExecutionPlanStore() if store is None else store
        self.streams: dict[StreamId, Stream] = {}
        self.shared_sources: set[int] = set()
        self.errors: dict[int, ExecutionError] = {}
        made = parts.fusers(config.max_bindings, config.disabled_fusers)
        self._fusers = made if fusers is None else fusers

    # --- requests ------------------------------------------------------------------------------

    def register(self, stream: StreamId, operation: OperationIr) -> None:
        """Queue an op and let the stream's processor react (Lazy)."""
        if operation.spec is DROP:
            self.shared_sources.discard(operation.inputs[0].id)
        target = self.streams.get(stream) or self._create(stream)
        if not self.recorder.on:
            target.register(operation)
            return
        queued = len(target.queue)
        with self._span(stream, OpQueued(queued, operation, queued + 1)):
            target.register(operation)

    def drain(self, stream: StreamId) -> None:
        """Run everything that is queued on the stream.

        Raises:
            ExecutionError: An op of this stream failed since the last drain.
        """
        target = self.streams.get(stream)
        if target is None:
            return
        if not self.recorder.on:
            target.drain()
        else:
            with self._span(stream, SyncRequested(len(target.queue))):
                target.drain()
        error = target.execution.take_error()
        if error is not None:
            raise error

    def upload(self, tensor: TensorIr, data: Array) -> None:
        """Give a new tensor its values, before its ``Init`` op is registered."""
        self.backend.upload(tensor, data)

    def read(self, stream: StreamId, tensor: TensorIr) -> Array | None:
        """Copy a tensor to the host; ``None`` when nothing is executed here.

        Raises:
            ExecutionError: The tensor could not be made.
        """
        ready = self._prepare_read(stream, tensor)
        error = self.errors.get(tensor.id)
        data = None if error is not None else self.backend.fetch(ready)
        self.mark_read(stream, ready)
        if error is not None:
            raise error
        return data

    def read_plan(self, stream: StreamId, tensor: TensorIr) -> ReadPlan:
        """What a read of the tensor must do first."""
        if tensor.id not in self.backend:
            return ReadPlan.DRAIN
        if tensor.status is not TensorStatus.READ_WRITE:
            return ReadPlan.DIRECT
        home = self.streams.get(stream)
        waits = home is not None and home.queue.mentions(tensor.id)
        return ReadPlan.DEFER_FREE if waits else ReadPlan.DIRECT

    def _prepare_read(self, stream: StreamId, tensor: TensorIr) -> TensorIr:
        """Make a tensor ready to be fetched; returns it with the status to fetch it with."""
        match self.read_plan(stream, tensor):
            case ReadPlan.DRAIN:
                self.drain(stream)
            case ReadPlan.DEFER_FREE:
                self.streams[stream].queue.deferred_frees.append(tensor)
                return tensor._replace(status=TensorStatus.READ_ONLY)
            case ReadPlan.DIRECT:
                pass
        return tensor

    def mark_read(self, stream: StreamId, tensor: TensorIr) -> None:
        """Note that a tensor was fetched; the last reference ends its life."""
        last = tensor.status is TensorStatus.READ_WRITE
        with self._span(stream, TensorRead(tensor, last)):
            if last:
                self._forget(stream, tensor.id)

    def share_view(self, source_stream: StreamId, source: TensorId, view: TensorId) -> None:
        """Let another stream see a tensor under a new id; it is made first if it has to be."""
        if source not in self.shared_sources and source not in self.backend:
            self.shared_sources.add(source)
            self.drain(source_stream)
        if source in self.backend:
            self.backend.share(source, view)
        elif source in self.errors:
            self.errors[view] = self.errors[source]

    def foreign_drop(self, stream: StreamId, tensor: TensorIr) -> None:
        """A tensor was dropped on a thread that is not its home."""
        if tensor.id not in self.backend:
            self.drain(stream)
            self.register(stream, OperationIr(DROP, (tensor,), ()))
            return
        self.shared_sources.discard(tensor.id)
        home = self.streams.get(stream)
        if home is None:
            self.backend.free(tensor.id)
        elif home.queue.mentions(tensor.id):
            home.queue.deferred_frees.append(tensor)
        else:
            with self._as(stream):
                home.execution.free(tensor.id)
            self._forget(stream, tensor.id)

    # --- streams -------------------------------------------------------------------------------

    def _create(self, stream: StreamId) -> Stream:
        with self._as(stream):
            if self.recorder.on:
                self.recorder.emit(StreamCreated())
            created = self.streams[stream] = self._new_stream()
        return created

    def _new_stream(self) -> Stream:
        parts, config, recorder = self.parts, self.config, self.recorder
        queue = OperationQueue(recorder, parts.converter())
        execution = parts.execution(queue, self.backend, self.errors, recorder)
        optimizer = parts.optimizer(self._fusers, config.max_blocks, recorder, parts.block)
        explorer = parts.explorer(optimizer, config.max_explorations, recorder)
        policy = parts.policy(self.store, recorder)
        processor = parts.processor(
            queue, self.store, explorer, execution.run, recorder, policy=policy
        )
        return Stream(queue, processor, execution)

    def _forget(self, stream: StreamId, tensor: int) -> None:
        """Remove a tensor from a stream, and the stream when it was its last."""
        home = self.streams.get(stream)
        if home is None:
            return
        home.queue.variables.discard(tensor)
        if not home.queue.variables:
            del self.streams[stream]
            if self.recorder.on:
                self.recorder.emit(StreamDeleted())

    @contextmanager
    def _span(self, stream: StreamId, fact: Fact) -> Iterator[None]:
        """Record a request of a stream as a root (or below the request that caused it)."""
        with self._as(stream), self.recorder.span(fact):
            yield

    @contextmanager
    def _as(self, stream: StreamId) -> Iterator[None]:
        """Record what follows under the stream's identity."""
        outer, self.recorder.stream = self.recorder.stream, stream
        try:
            yield
        finally:
            self.recorder.stream = outer
