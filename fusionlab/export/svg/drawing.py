"""The lanes of one step as SVG: lanes, nodes, the ruler above, and the frames between.

In: a payload and a step. Out: markup with resolved colours. It shows what the player shows; it
decides nothing and measures nothing of burn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fusionlab.export.svg.canvas import Canvas, Json
from fusionlab.export.svg.frames import frame_parts, rails
from fusionlab.export.svg.geometry import RULER, Column, lane_at, state_at
from fusionlab.export.svg.shapes import Markup, element, width, words


def drawing(canvas: Canvas, step: int, span: tuple[float, float]) -> Markup:
    """Everything between two x positions at a step."""
    now = canvas.payload["steps"][step]
    frames = [f for f in canvas.payload["frames"] if f["from"] <= step < f["to"]]
    segment = canvas.payload["segments"][now["segment"]] if "segment" in now else {"columns": []}
    matched = segment["columns"][: now.get("matched", 0)]
    return "".join(
        [
            *_lanes(canvas, span),
            *_wash(canvas, now),
            *(part for frame in frames for part in frame_parts(canvas, frame)),
            *(part for frame in frames if frame["lane"] for part in rails(canvas, frame)),
            *_nodes(canvas, step, now.get("column"), matched, span),
            *_ruler(canvas, now, segment),
            *(_was(canvas, now["was"]) if "was" in now else ()),
        ]
    )


def _lanes(canvas: Canvas, span: tuple[float, float]) -> Iterator[Markup]:
    left, right = span
    for lane in canvas.lanes:
        if lane.number == 0:
            fill = canvas.colour("sunken")
            box = {"x": left, "y": lane.top, "width": right - left, "height": lane.tall}
            yield element("rect", **box, fill=fill, opacity=0.55)
        path = f"M{left:.0f} {lane.end}H{right:.0f}"
        yield element("path", d=path, stroke=canvas.colour("hair"), fill="none")


def _wash(canvas: Canvas, now: Json) -> Iterator[Markup]:
    if "column" not in now:
        return
    at = canvas.columns[now["column"]]
    top = RULER if at.node else 0
    box = {"x": at.x, "y": top, "width": at.width, "height": canvas.height - top}
    yield element("rect", **box, fill=canvas.colour("now-wash"))


def _nodes(
    canvas: Canvas,
    step: int,
    current: int | None,
    matched: Sequence[int],
    span: tuple[float, float],
) -> Iterator[Markup]:
    for index, (column, at) in enumerate(
        zip(canvas.payload["columns"], canvas.columns, strict=True)
    ):
        if at.end < span[0] or at.x > span[1]:
            continue
        state = state_at(column, step, now=index == current)
        if not at.node:
            yield _drain(canvas, column, at, state)
        else:
            yield _node(canvas, column, at, step, state, current=index == current)
            if index in matched:
                lane = canvas.lanes[lane_at(column, step)]
                yield _tick(canvas, at.right - 3, lane.node_bottom - 3)


def _drain(canvas: Canvas, column: Json, at: Column, state: str) -> Markup:
    now, dash = state == "now", "4 3" if state == "ghost" else None
    stroke = canvas.colour("ink" if now else "hair" if state == "done" else "border")
    fill = canvas.colour("text" if now else "text-3")
    line = element(
        "path",
        d=f"M{at.x} 4V{canvas.height}",
        stroke=stroke,
        stroke_width=2 if now else 1.25,
        stroke_dasharray=dash,
        fill="none",
    )
    name = canvas.text(at.x + 7, 17, column["label"], 11.5, fill=fill)
    return line + name + canvas.text(at.x + 7, 32, column.get("sub", ""), 11, fill=fill)


_LOOKS: Mapping[str, tuple[str, float, str | None, str | None, int, str, str]] = {
    "ghost": ("border", 1.25, "4 3", None, 400, "text-3", "text-3"),
    "wait": ("border", 1.25, None, "surface", 600, "text", "text-2"),
    "now": ("ink", 2.5, None, "surface", 700, "text", "text-2"),
    "done": ("hair", 1, None, "sunken", 400, "text-2", "text-3"),
}
"""Border, its width and dashes, fill, weight of the name, colours of name and tensor."""


def _node(
    canvas: Canvas, column: Json, at: Column, step: int, state: str, *, current: bool
) -> Markup:
    lane = canvas.lanes[lane_at(column, step)]
    border, weight, dash, fill, bold, name, sub = _LOOKS[state]
    if current and state == "done":
        border, weight = "ink", 2.5
    box = element(
        "rect",
        x=at.left,
        y=lane.node_top,
        width=at.node,
        height=lane.node_tall,
        rx=6,
        stroke=canvas.colour(border),
        stroke_width=weight,
        stroke_dasharray=dash,
        fill=canvas.colour(fill) if fill else "none",
    )
    top = lane.node_top
    named = canvas.mono(
        at.center, top + 16, column["label"], font_weight=bold, fill=canvas.colour(name)
    )
    made = canvas.mono(at.center, top + 30, column.get("sub", ""), 11, fill=canvas.colour(sub))
    plan = column.get("plan", "") if state == "done" else ""
    by = canvas.mono(at.center, 20 if current else 33, plan, 11, fill=canvas.colour("text-3"))
    return element("g", element("title", words(column.get("title", ""))), box, named, made, by)


def _tick(canvas: Canvas, x: float, y: float) -> Markup:
    disc = element("circle", cx=x, cy=y, r=7, fill=canvas.colour("hit-line"))
    path = f"M{x - 3:.1f} {y:.1f}l2.2 2.4 3.8-4.4"
    line = {"stroke": canvas.colour("surface"), "stroke_width": 1.8, "fill": "none"}
    return disc + element("path", d=path, **line)


# --- above the lanes -----------------------------------------------------------------------------


def _ruler(canvas: Canvas, now: Json, segment: Json) -> Iterator[Markup]:
    grey = canvas.colour("text-3")
    current = canvas.columns[now["column"]] if "column" in now else None
    if current is not None and current.node:
        path = f"M{current.center - 6} 31h12l-6 7z"
        yield element("path", d=path, fill=canvas.colour("ink"))
    members = segment["columns"]
    for position, member in enumerate(members):
        if canvas.payload["columns"][member]["size"] != "small":
            x = canvas.columns[member].x + 10
            yield canvas.mono(x, 34, str(position), 11, fill=grey)
    if members:
        yield from _bracket(canvas, members, segment.get("text", ""))


def _bracket(canvas: Canvas, members: Sequence[int], text: str) -> Iterator[Markup]:
    left, right = canvas.columns[members[0]].x + 4, canvas.columns[members[-1]].end - 6
    if right - left < 60:
        return
    half = width(text, 12) / 2 + 10
    middle = (left + right) / 2
    fits = 2 * half < right - left
    gap = f"H{middle - half}M{middle + half} 19" if fits else ""
    look = {"stroke": canvas.colour("border"), "fill": "none"}
    yield element("path", d=f"M{left} 22V19{gap}H{right}v3", **look)
    if fits:
        yield canvas.text(middle, 22, text, text_anchor="middle")


def _was(canvas: Canvas, was: Json) -> Iterator[Markup]:
    """Where merged ops came from."""
    lane, goal = canvas.lanes[was["lane"]], canvas.lanes[was["to"]]
    look = {"stroke": canvas.colour("ink"), "fill": "none"}
    for member in was["columns"]:
        at = canvas.columns[member]
        box = {"x": at.left, "y": lane.node_top, "width": at.node, "height": lane.node_tall}
        yield element("rect", **box, rx=6, **look, stroke_width=1.25, stroke_dasharray="2 3")
    center = canvas.columns[was["columns"][(len(was["columns"]) - 1) // 2]].center
    up = was["to"] < was["lane"]
    start = lane.node_top + 2 if up else lane.node_bottom - 2
    end = goal.node_bottom + 19 if up else goal.node_top - 30
    yield element(
        "path", d=f"M{center} {start}V{end}", **look, stroke_width=2.2, marker_end="url(#arrow-ink)"
    )
    text = canvas.text(center, lane.middle + 4, was["text"], 11.5, text_anchor="middle")
    yield text
