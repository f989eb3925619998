"""The segment as a Graphviz graph: the classic picture of blocks, for a tab and for export.

In: a run, a step, a language, a theme. Out: DOT text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fusionlab.events.run import Run
from fusionlab.i18n import Texts
from fusionlab.ir.operation import OperationIr
from fusionlab.views import words
from fusionlab.views.blocks import Lane, lanes_of
from fusionlab.views.moment import Moment
from fusionlab.views.segments import segment_operations


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a theme: text, borders, faint text, and (line, wash) by fuser letter."""

    text: str
    border: str
    faint: str
    fusers: dict[str, tuple[str, str]]


PALETTES = {
    "light": Palette(
        "#17181B",
        "#85857E",
        "#63656C",
        {
            "E": ("#0072B2", "#E4F0F8"),
            "M": ("#AD7300", "#FCF1DB"),
            "R": ("#B5588A", "#FAEBF3"),
            "B": ("#8A8100", "#FAF7CF"),
            "N": ("#1F8CB0", "#E1F3FA"),
        },
    ),
    "dark": Palette(
        "#ECEDEF",
        "#7C828D",
        "#9CA1AB",
        {
            "E": ("#4CA6E3", "#14293A"),
            "M": ("#E0A020", "#33280F"),
            "R": ("#D184B0", "#36222E"),
            "B": ("#CFC440", "#2F2D12"),
            "N": ("#4DBAD8", "#122E37"),
        },
    ),
}


def blocks_dot(run: Run, step: int, texts: Texts, theme: str = "light") -> str:
    """The segment as a Graphviz graph: ops as nodes, blocks as clusters, tensors as edges.

    Every op of the segment is there at every step, so the layout stays the same; ops that are not
    queued yet are dashed. ``theme`` is a key of ``PALETTES``.
    """
    moment, palette = Moment(run, step), PALETTES[theme]
    operations = segment_operations(moment)
    queued = len(moment.stream.queue)
    lines = [
        "digraph blocks {",
        '  rankdir=LR; bgcolor="transparent"; compound=true;',
        "  node [shape=box, style=rounded, fontsize=11];",
        f'  node [color="{palette.border}", fontcolor="{palette.text}"];',
        f'  edge [color="{palette.faint}", fontcolor="{palette.faint}", fontsize=9];',
    ]
    lanes = lanes_of(moment, texts)
    placed = {position for lane in lanes for position in lane.positions}
    for lane in lanes:
        lines += _cluster(lane, operations, texts, palette)
    for position, op in enumerate(operations):
        if position not in placed:
            lines.append("  " + _node(position, op, ghost=position >= queued))
    lines += _edges(operations, palette)
    return "\n".join([*lines, "}"])


def _cluster(
    lane: Lane, operations: Sequence[OperationIr], texts: Texts, palette: Palette
) -> Iterator[str]:
    line, wash = palette.fusers.get(lane.letter, (palette.border, "transparent"))
    label = texts("blocks.block", block=lane.number)
    if lane.fuser:
        label += f" · {lane.fuser} {lane.score}"
    yield f"  subgraph cluster_{lane.number} {{"
    yield f'    label="{label}"; color="{line}"; fontcolor="{palette.text}"; style=rounded;'
    yield f'    bgcolor="{wash}";'
    for position in lane.positions:
        yield "    " + _node(position, operations[position], ghost=False)
    yield "  }"


def _node(position: int, op: OperationIr, *, ghost: bool) -> str:
    makes = " ".join(words.names(op.outputs))
    style = ', style="rounded,dashed"' if ghost else ""
    return f'op{position} [label="{position} {words.short(op.kind)}\\n{makes}"{style}];'


def _edges(operations: Sequence[OperationIr], palette: Palette) -> Iterator[str]:
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
        yield f'  {name} [shape=plaintext, fontcolor="{palette.faint}"];'
    yield from edges
