"""Segments: which ops belong together, now and by the time they run.

In: a run. Out: for each step the ops of its segment, those still to come included.
A segment begins when a queue starts to fill (or keeps what an execution has left) and ends with
the next execution; ops that stay behind belong to both.
"""

from __future__ import annotations

from fusionlab.events.facts import OpQueued, QueueDrained
from fusionlab.ir.operation import OperationIr
from fusionlab.views.moment import Moment


def segment_operations(moment: Moment) -> tuple[OperationIr, ...]:
    """The ops of the step's segment: queued ones first, then those that will still join it."""
    queue = moment.stream.queue.operations
    events, stream = moment.run.events, moment.event.stream
    coming = []
    for event in events[moment.step + 1 :]:
        if event.stream != stream:
            continue
        if isinstance(event.fact, QueueDrained):
            break
        if isinstance(event.fact, OpQueued):
            coming.append(event.fact.operation)
    return (*queue, *coming)
