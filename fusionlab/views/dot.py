"""The segment as a Graphviz graph: the classic picture of blocks, for a tab and for export.

In: a run, a step, a language, the colours of a theme. Out: DOT text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fusionlab.events.run import Run
from fusionlab.i18n import Texts
from fusionlab.ir.operation import OperationIr
from fusionlab.views import words
from fusionlab.views.blocks import Lane, lanes_of
from fusionlab.views.moment import Moment
from fusionlab.views.segments import segment_operations


def blocks_dot(run: Run, step: int, texts: Texts, colour: Mapping[str, str]) -> str:
    """The segment as a Graphviz graph: ops as nodes, blocks as clusters, tensors as edges.

    Every op of the segment is there at every step, so the layout stays the same; ops that are not
    queued yet are dashed. ``colour`` holds the design's colours by token.
    """
    moment = Moment(run, step)
    operations = segment_operations(moment)
    queued = len(moment.stream.queue)
    lines = [
        "digraph blocks {",
        '  rankdir=LR; bgcolor="transparent"; compound=true;',
        "  node [shape=box, style=rounded, fontsize=11];",
        f'  node [color="{colour["border"]}", fontcolor="{colour["text"]}"];',
        f'  edge [color="{colour["text-3"]}", fontcolor="{colour["text-3"]}", fontsize=9];',
    ]
    lanes = lanes_of(moment, texts)
    placed = {position for lane in lanes for position in lane.positions}
    for lane in lanes:
        lines += _cluster(lane, operations, texts, colour)
    for position, op in enumerate(operations):
        if position not in placed:
            lines.append("  " + _node(position, op, ghost=position >= queued))
    lines += _edges(operations, colour)
    return "\n".join([*lines, "}"])


def _cluster(
    lane: Lane, operations: Sequence[OperationIr], texts: Texts, colour: Mapping[str, str]
) -> Iterator[str]:
    line = colour.get(f"{lane.letter}-line", colour["border"])
    wash = colour.get(f"{lane.letter}-wash", "transparent")
    label = texts("blocks.block", block=lane.number)
    if lane.fuser:
        label += f" · {lane.fuser} {lane.score}"
    yield f"  subgraph cluster_{lane.number} {{"
    yield f'    label="{label}"; color="{line}"; fontcolor="{colour["text"]}"; style=rounded;'
    yield f'    bgcolor="{wash}";'
    for position in lane.positions:
        yield "    " + _node(position, operations[position], ghost=False)
    yield "  }"


def _node(position: int, op: OperationIr, *, ghost: bool) -> str:
    makes = " ".join(words.names(op.outputs))
    style = ', style="rounded,dashed"' if ghost else ""
    return f'op{position} [label="{position} {words.short(op.kind)}\\n{makes}"{style}];'


def _edges(operations: Sequence[OperationIr], colour: Mapping[str, str]) -> Iterator[str]:
    made: dict[int, int] = {}
    outside: dict[str, None] = {}
    edges = []
    for position, op in enumerate(operations):
        for tensor in dict.fromkeys(t.id for t in op.inputs):
            name = words.name(tensor)
            if tensor in made:
                edges.append(f'  op{made[tensor]} -> op{position} [label="{name}"];')
            else:
                outside[name] = None
                edges.append(f"  {name} -> op{position};")
        made.update((tensor.id, position) for tensor in op.outputs)
    for name in outside:
        yield f'  {name} [shape=plaintext, fontcolor="{colour["text-3"]}"];'
    yield from edges
