"""Captions of stations 1 to 3: an op is asked for, queued, and renamed."""

from __future__ import annotations

from fusionlab.events import facts as f
from fusionlab.ir.operation import OperationIr
from fusionlab.ir.opset import DROP
from fusionlab.ir.tensor import TensorIr, TensorStatus
from fusionlab.views import words
from fusionlab.views.moment import Moment
from fusionlab.views.said import Line, Said, line

RequestFact = f.OpQueued | f.SyncRequested | f.TensorRead | f.StreamCreated | f.StreamDeleted


def request(moment: Moment, fact: RequestFact) -> Said:
    """What was asked of the engine."""
    match fact:
        case f.OpQueued():
            return _queued(fact)
        case f.SyncRequested(queued=0):
            return Said("drain", line("fact.SyncRequested.empty"))
        case f.SyncRequested(queued=queued):
            return Said(
                "drain",
                line("fact.SyncRequested.what", queued=queued),
                (line("fact.SyncRequested.why"),),
            )
        case f.TensorRead():
            return _read(moment, fact)
        case f.StreamCreated():
            return Said("stream", line("fact.StreamCreated.what", stream=moment.event.stream))
        case f.StreamDeleted():
            return Said("stream", line("fact.StreamDeleted.what", stream=moment.event.stream))


def _queued(fact: f.OpQueued) -> Said:
    op = fact.operation
    variant = "first" if fact.position == 0 else "next"
    what = line(
        f"fact.OpQueued.{variant}",
        op=words.short(op.kind),
        position=fact.position,
        queued=fact.queued,
    )
    return Said("queued", what, tuple(_uses(op)))


def _uses(op: OperationIr) -> list[Line]:
    reads, makes = words.names(op.inputs), words.names(op.outputs)
    if op.spec is DROP:
        return [line("fact.OpQueued.drops", tensor=reads)]
    said = []
    if reads and makes:
        said.append(line("fact.OpQueued.reads_makes", reads=reads, makes=makes))
    elif makes:
        said.append(line("fact.OpQueued.makes", makes=makes))
    last = words.names(t for t in op.inputs if t.status is TensorStatus.READ_WRITE)
    if last:
        said.append(line("fact.OpQueued.last_use", tensors=last, n=len(last)))
    return said


def _read(moment: Moment, fact: f.TensorRead) -> Said:
    why = [line("fact.TensorRead.last" if fact.last else "fact.TensorRead.kept")]
    for value in moment.run.outputs:
        if value.step == moment.step and value.first:
            shown = ", ".join(f"{number:.6g}" for number in value.first[:4])
            why.append(line("fact.TensorRead.values", values=shown))
    what = line(
        "fact.TensorRead.what", tensor=words.name(fact.tensor), size=words.size(fact.tensor.shape)
    )
    return Said("read", what, tuple(why))


def relativized(moment: Moment, fact: f.OpRelativized) -> Said:
    """An op gets its relative form."""
    asked = moment.operation(fact.position)
    op = words.short(fact.operation.kind)
    pairs = _pairs(asked, fact.operation)
    new = dict(fact.new_tensors)
    first = next((pair for pair in pairs if pair[0].id in new), None)
    if fact.renumbered:
        form = words.tensor_list(fact.operation)
        what = line("fact.OpRelativized.renumbered", op=op, position=fact.position, form=form)
    elif first is None:
        what = line("fact.OpRelativized.known", op=op)
    else:
        what = _renamed(*first)
    first_scalar = len(moment.stream.queue.scalars) - len(fact.scalars)
    return Said("relative", what, tuple(_details(fact, pairs, first_scalar))[:2])


def _pairs(asked: OperationIr | None, relative: OperationIr) -> list[tuple[TensorIr, TensorIr]]:
    """Each tensor of the op as it was asked for and as the cache sees it."""
    return [] if asked is None else list(zip(asked.nodes, relative.nodes, strict=True))


def _renamed(asked: TensorIr, relative: TensorIr) -> Line:
    variant = "what_one" if 1 in asked.shape else "what"
    return line(
        f"fact.OpRelativized.{variant}",
        tensor=words.name(asked),
        relative=words.name(relative),
        size=words.size(asked.shape),
        ids=words.ids(relative.shape),
    )


def _details(
    fact: f.OpRelativized, pairs: list[tuple[TensorIr, TensorIr]], first_scalar: int
) -> list[Line]:
    details = []
    # The tensor that the headline tells about is the first with a new number.
    told = next((pair[0].id for pair in pairs if pair[0].id in dict(fact.new_tensors)), None)
    one = next((pair for pair in pairs if 1 in pair[0].shape), None)
    if one is not None and one[0].id != told:
        size, ids = words.size(one[0].shape), words.ids(one[1].shape)
        details.append(line("fact.OpRelativized.one", size=size, ids=ids))
    for number, value in enumerate(fact.scalars, start=first_scalar):
        details.append(line("fact.OpRelativized.scalar", value=str(value), number=number))
    for extent, number in fact.new_shapes:
        details.append(line("fact.OpRelativized.extent", extent=extent, number=number))
    return details
