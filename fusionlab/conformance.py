"""Conformance: op streams in the event form in, decisions in the recorded form out.

In: one JSON program a line (``{"name", "config", "events"}``). Out: one result a line with every
log line, execution, relative op and plan. Nothing is computed: decisions only. A line that is
malformed or names an unknown op gives ``{"name", "error"}`` and the rest goes on.
"""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from fusionlab.config import FusionConfig
from fusionlab.engine.dry import DryBackend
from fusionlab.engine.parts import BURN, Parts
from fusionlab.engine.server import FusionServer
from fusionlab.errors import FusionLabError
from fusionlab.events import facts as f
from fusionlab.events.log import EventLog
from fusionlab.ir.event_form import operation_from_event, operation_to_event, tensor_from_event
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP
from fusionlab.ir.tensor import StreamId, TensorStatus
from fusionlab.plan import (
    BlockOptimization,
    Composed,
    ExecutionStrategy,
    ExecutionTrigger,
    OnOperations,
    OnSync,
    Operations,
    Optimization,
)
from fusionlab.views.burn_log import burn_log

Json = dict[str, Any]


def run_lines(lines: Iterable[str]) -> Iterator[Json]:
    """The result of each line that is not blank."""
    for line in lines:
        if line.strip():
            yield _run_line(line)


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a file, which may be compressed (``.gz``, ``.xz``)."""
    with _open(path) as lines:
        yield from lines


def _open(path: Path) -> TextIO:
    match path.suffix:
        case ".gz":
            return gzip.open(path, "rt", encoding="utf-8")
        case ".xz":
            return lzma.open(path, "rt", encoding="utf-8")
        case _:
            return path.open(encoding="utf-8")


def _run_line(line: str) -> Json:
    name: object = None
    try:
        document = json.loads(line)
        program = document.get("program", document)
        name = program.get("name")
        return run_program(program)
    except FusionLabError as error:
        return {"name": name, "error": str(error)}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return {"name": name, "error": f"malformed: {type(error).__name__}: {error}"}


def run_program(program: Json, parts: Parts = BURN) -> Json:
    """The decisions for one program.

    Raises:
        FusionLabError: An op is unknown.
        ValueError, KeyError, TypeError: The program is not in the event form.
    """
    config = _config(program.get("config") or {})
    default_stream = program.get("stream") or 0
    recorder = EventLog()
    server = FusionServer(config, DryBackend(), recorder, parts=parts)
    results, relative = [], []
    for event in program["events"]:
        stream = StreamId(event.get("stream", default_stream))
        first = len(recorder.events)
        _perform(server, stream, event)
        events = recorder.events[first:]
        home = server.streams.get(stream)
        results.append(_event_result(events, 0 if home is None else len(home.queue)))
        relative += [
            operation_to_event(e.fact.operation)
            for e in events
            if isinstance(e.fact, f.OpRelativized) and not e.fact.renumbered
        ]
    plans = [
        _plan_result(index, plan.operations, plan.triggers, plan.optimization)
        for index, plan in enumerate(server.store.plans)
    ]
    return {"name": program.get("name"), "events": results, "relative": relative, "plans": plans}


def _config(raw: Json) -> FusionConfig:
    return FusionConfig(
        max_blocks=5 if raw.get("max_blocks") is None else int(raw["max_blocks"]),
        max_explorations=raw.get("max_explorations"),
        max_bindings=int(raw.get("max_bindings") or 1024),
    )


def _perform(server: FusionServer[DryBackend], stream: StreamId, event: Json) -> None:
    match event["kind"]:
        case "op":
            server.register(stream, operation_from_event(event))
        case "drop":
            tensor = tensor_from_event(event["tensor"], TensorStatus.READ_WRITE)
            server.register(stream, OperationIr(DROP, (tensor,), ()))
        case "sync":
            server.drain(stream)
            if event.get("tensor") is not None:
                tensor = tensor_from_event(event["tensor"], TensorStatus.READ_WRITE)
                server.mark_read(stream, tensor)
        case other:
            raise ValueError(f"unknown event kind {other!r}")


def _event_result(events: list[f.Event], queued: int) -> Json:
    log = [line.text for line in burn_log(events)]
    executed = []
    for event in events:
        if isinstance(event.fact, f.ExecutionStarted):
            row: Json = {"plan": event.fact.plan, "strategy": strategy_tree(event.fact.strategy)}
            if event.fact.fallback:
                row["fallback"] = True
            executed.append(row)
    return {"log": log, "executed": executed, "queued": queued}


def _plan_result(
    index: int,
    operations: tuple[OperationIr, ...],
    triggers: list[ExecutionTrigger],
    optimization: BlockOptimization,
) -> Json:
    return {
        "id": index,
        "num_ops": len(operations),
        "triggers": [_trigger(trigger) for trigger in triggers],
        "strategy": strategy_tree(optimization.strategy),
        "ordering": list(optimization.ordering),
    }


def _trigger(trigger: ExecutionTrigger) -> str | Json:
    match trigger:
        case OnOperations(operations):
            return {"OnOperations": [operation_to_event(op) for op in operations]}
        case OnSync():
            return "OnSync"
        case _:
            return "Always"


def strategy_tree(strategy: ExecutionStrategy) -> Json:
    """A strategy in the recorded form."""
    match strategy:
        case Optimization(fused, ordering, score):
            return {
                "kind": "optimization",
                "fuser": fused.fuser,
                "score": score,
                "len": len(fused.operations),
                "max_relative_shape_id": fused.max_relative_shape_id,
                "ordering": list(ordering),
            }
        case Operations(ordering):
            return {"kind": "operations", "ordering": list(ordering)}
        case Composed(items):
            return {"kind": "composed", "items": [strategy_tree(item) for item in items]}
