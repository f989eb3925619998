"""A photograph of the live engine as a ``LabState``: what a replay of its facts must show.

In: a server. Out: plain values. Used by tests, and to tell a run what its lab knew before.
"""

from __future__ import annotations

from typing import Any

from fusionlab.engine.block import Block
from fusionlab.engine.policy import AvailablePlan, Policy
from fusionlab.engine.queue import OperationQueue
from fusionlab.engine.server import FusionServer, Stream
from fusionlab.engine.store import ExecutionPlanStore
from fusionlab.events.state import (
    Available,
    BlockState,
    Candidate,
    ExplorerState,
    FuserStanding,
    LabState,
    PlanState,
    QueueState,
    StreamState,
    TriggerProgress,
)
from fusionlab.ir.tensor import StreamId


def snapshot(server: FusionServer[Any]) -> LabState:
    """The state of all streams and plans of a server."""
    streams = (
        _stream(stream_id, server.streams[stream_id]) for stream_id in sorted(server.streams)
    )
    return LabState(streams=tuple(streams), plans=plan_states(server.store))


def plan_states(store: ExecutionPlanStore) -> tuple[PlanState, ...]:
    """The plans of a store, by id."""
    return tuple(
        PlanState(
            plan.operations,
            tuple(plan.triggers),
            plan.optimization.strategy,
            plan.optimization.ordering,
        )
        for plan in store.plans
    )


def _stream(stream_id: StreamId, stream: Stream) -> StreamState:
    policy, explorer = stream.processor.policy, stream.processor.explorer
    blocks = sorted(explorer.optimizer.blocks, key=lambda block: block.start)
    return StreamState(
        stream=stream_id,
        queue=_queue(stream.queue),
        candidates=_candidates(policy),
        availables=tuple(_available(available) for available in policy.availables),
        explorer=ExplorerState(
            explorer.num_deferred,
            explorer.num_explored,
            explorer.is_still_optimizing,
            explorer.num_explorations,
        ),
        blocks=tuple(_block(block) for block in blocks),
        stopped=explorer.optimizer.stopped,
    )


def _queue(queue: OperationQueue) -> QueueState:
    converter = queue.converter
    return QueueState(
        operations=tuple(queue.operations),
        relative=tuple(queue.relative),
        shapes_assigned=tuple(queue.shapes_assigned),
        tensors=tuple(converter.tensor_ids),
        extents=tuple(converter.shape_ids),
        scalars=tuple(scalar.value for scalar in converter.scalars),
    )


def _candidates(policy: Policy) -> tuple[Candidate, ...]:
    return tuple(Candidate(plan, policy.num_operations) for plan in policy.candidates)


def _available(available: AvailablePlan) -> Available:
    return Available(
        available.plan,
        available.size,
        available.always,
        tuple(
            TriggerProgress(validator.index, validator.checked or 0, validator.state)
            for validator in available.validators
        ),
    )


def _block(block: Block) -> BlockState:
    standings = []
    for fuser in block.fusers:
        state = fuser.properties()
        standings.append(
            FuserStanding(
                fuser.name, fuser.status, state.ready, state.score, len(fuser), state.terms
            )
        )
    return BlockState(block.id, tuple(block.positions), tuple(standings))
