"""Programs played to the engine, and what came of them as comparable values."""

from collections.abc import Iterator
from typing import Any

from fusionlab.conformance import _config, _perform
from fusionlab.engine.dry import DryBackend
from fusionlab.engine.server import FusionServer
from fusionlab.engine.store import ExecutionPlanStore
from fusionlab.events import facts as f
from fusionlab.events.log import EventLog, Recorder
from fusionlab.ir.event_form import operation_from_event, tensor_from_event
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP
from fusionlab.ir.tensor import StreamId, TensorStatus
from fusionlab.plan import Optimization
from fusionlab.program import compile_program, parse_program

Json = Any


def requests(text: str) -> Json:
    """A lab program as recorded requests."""
    return compile_program(parse_program(text))


def server_for(program: Json, recorder: Recorder, **options: Any) -> FusionServer[DryBackend]:
    return FusionServer(_config(program.get("config") or {}), DryBackend(), recorder, **options)


def play(program: Json, recorder: Recorder, **options: Any) -> FusionServer[DryBackend]:
    """Send every request, then drain every stream, so that nothing is left."""
    server = server_for(program, recorder, **options)
    for event in program["events"]:
        _perform(server, StreamId(event.get("stream", 0)), event)
    for stream in list(server.streams):
        server.drain(stream)
    return server


def registered(program: Json) -> list[OperationIr]:
    """Every op and drop of a program, in order."""
    return [_operation(event) for event in program["events"] if event["kind"] != "sync"]


def _operation(event: Json) -> OperationIr:
    if event["kind"] == "op":
        return operation_from_event(event)
    tensor = tensor_from_event(event["tensor"], TensorStatus.READ_WRITE)
    return OperationIr(DROP, (tensor,), ())


def ran(log: EventLog) -> Iterator[OperationIr]:
    """Every op in the order in which it ran."""
    for event in log.events:
        if isinstance(event.fact, f.ExecutionStarted):
            for block in event.fact.blocks:
                yield from block.operations


def queued(log: EventLog) -> list[OperationIr]:
    """Every op in the order in which it was queued."""
    return [e.fact.operation for e in log.events if isinstance(e.fact, f.OpQueued)]


def decisions(store: ExecutionPlanStore) -> list:
    """The stored plans as comparable values."""
    return [
        (
            plan.operations,
            plan.triggers,
            [
                (u.fused.fuser, u.score, u.ordering) if isinstance(u, Optimization) else u.ordering
                for u in plan.optimization.units
            ],
        )
        for plan in store.plans
    ]
