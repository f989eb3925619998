"""Frames around blocks and plans, and the lines that cross their border.

In: a canvas and a frame of the payload. Out: markup. Memory traffic crosses the border with a dot,
what stays inside is dotted: the score can be counted in the picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from fusionlab.export.svg.canvas import Canvas, Json, hue
from fusionlab.export.svg.geometry import Box, frame_boxes, lane_at
from fusionlab.export.svg.shapes import Markup, element, width


def frame_parts(canvas: Canvas, frame: Json) -> Iterator[Markup]:
    boxes = frame_boxes(frame, canvas.columns, canvas.lanes)
    family = hue(frame.get("fuser"))
    stroke = canvas.colour("border" if family == "none" else f"{family}-line")
    fill = "none" if family == "none" else canvas.colour(f"{family}-wash")
    middle = canvas.lanes[frame["lane"]].middle
    for left, right in pairwise(boxes):
        path = f"M{left.right} {middle}H{right.x}"
        yield element("path", d=path, stroke=stroke, stroke_width=2, fill="none")
    for box in boxes:
        size = {"x": box.x, "y": box.y, "width": box.right - box.x, "height": box.bottom - box.y}
        yield element("rect", **size, rx=10, fill=fill, stroke=stroke, stroke_width=1.5)
    yield _tab(canvas, frame, boxes[0], family)


def _tab(canvas: Canvas, frame: Json, box: Box, family: str) -> Markup:
    letter, tab = frame.get("fuser", ""), frame.get("tab", "")
    pad = 24 if letter else 8
    stroke = canvas.colour("border" if family == "none" else f"{family}-line")
    x, y = box.x + (0 if box.right - box.x < 50 else 12), box.y - 9
    back = element(
        "rect",
        x=x,
        y=y,
        width=width(tab, 11.5) + pad + 9,
        height=18,
        rx=4,
        fill=canvas.colour("surface"),
        stroke=stroke,
        stroke_width=1.25,
    )
    mark = ""
    if letter:
        mark = element(
            "rect", x=x + 1, y=y + 1, width=16, height=16, rx=3, fill=f"url(#hatch-{family})"
        ) + canvas.text(
            x + 9,
            y + 13.2,
            letter,
            11.5,
            text_anchor="middle",
            font_weight=700,
            fill=canvas.colour(f"{family}-text"),
            stroke=canvas.colour(f"{family}-wash"),
            stroke_width=3,
            paint_order="stroke",
        )
    return back + mark + canvas.text(x + pad, y + 13.2, tab, 11.5)


def rails(canvas: Canvas, frame: Json) -> Iterator[Markup]:
    boxes = frame_boxes(frame, canvas.columns, canvas.lanes)
    family = hue(frame.get("fuser"))
    stroke = canvas.colour("border" if family == "none" else f"{family}-line")
    yield from _reads(canvas, frame, boxes, stroke)
    yield from _inside(canvas, frame, stroke)
    for member in frame.get("out", ()):
        yield _out(canvas, frame, member, _box_of(canvas, boxes, member), stroke)


def _box_of(canvas: Canvas, boxes: Sequence[Box], member: int) -> Box:
    center = canvas.columns[member].center
    return next((box for box in boxes if box.x <= center <= box.right), boxes[0])


def _reads(canvas: Canvas, frame: Json, boxes: Sequence[Box], stroke: str) -> Iterator[Markup]:
    """One line per value that comes from memory, with a dot where it crosses the border."""
    pairs = frame.get("in", ())
    sources = list(dict.fromkeys(source for source, _ in pairs))
    lane = canvas.lanes[frame["lane"]]
    room = lane.node_top - boxes[0].y - 12
    gap = min(5.0, room / max(1, len(sources)))
    arrived: dict[int, int] = {}
    for order, source in enumerate(sources):
        members = [member for start, member in pairs if start == source]
        box = _box_of(canvas, boxes, members[0])
        column = canvas.columns[source]
        row = canvas.lanes[lane_at(canvas.payload["columns"][source], frame["from"])]
        up = row.number >= lane.number
        rail = box.y + 9 + order * gap
        start = row.node_top if up else row.node_bottom
        for member in members:
            count = sum(end == member for _, end in pairs)
            nth = arrived[member] = arrived.get(member, -1) + 1
            x = canvas.columns[member].center + (nth - (count - 1) / 2) * min(22, 50 / count)
            yield _line(canvas, f"M{column.center} {start}V{rail}H{x}V{lane.node_top - 3}")
        at = (box.x, rail) if column.center < box.x else (column.center, box.bottom)
        if column.center >= box.x and not up:
            at = (column.center, box.y)
        yield element("circle", cx=at[0], cy=at[1], r=3.2, fill=stroke)


def _line(canvas: Canvas, path: str) -> Markup:
    look = {"stroke": canvas.colour("text-3"), "stroke_width": 1.4, "fill": "none"}
    return element("path", d=path, **look, stroke_linejoin="round", marker_end="url(#arrow)")


def _inside(canvas: Canvas, frame: Json, stroke: str) -> Iterator[Markup]:
    """Values that never leave the kernel: dotted."""
    lane = canvas.lanes[frame["lane"]]
    for order, (start, end) in enumerate(frame.get("inside", ())):
        one, two = canvas.columns[start], canvas.columns[end]
        path = f"M{one.right} {lane.middle}H{two.left - 2}"
        if end != start + 1:
            y = lane.node_bottom + 6 + (order % 3) * 2.5
            path = (
                f"M{one.center + 2} {lane.node_bottom}V{y}H{two.center - 6}V{lane.node_bottom + 2}"
            )
        look = {"stroke": stroke, "stroke_width": 1.6, "stroke_dasharray": "1.6 3", "fill": "none"}
        yield element("path", d=path, **look)


def _out(canvas: Canvas, frame: Json, member: int, box: Box, stroke: str) -> Markup:
    """A result that must be written: a hollow dot where it leaves the frame."""
    column, lane = canvas.columns[member], canvas.lanes[frame["lane"]]
    right = column.right + 12 > box.right
    x, y = (box.right, lane.middle) if right else (column.center + 12, box.bottom)
    path = f"M{column.right} {y}H{x}" if right else f"M{x} {lane.node_bottom}V{y}"
    line = element("path", d=path, stroke=canvas.colour("text-3"), stroke_width=1.4, fill="none")
    look = {"fill": canvas.colour("surface"), "stroke": stroke, "stroke_width": 1.6}
    return line + element("circle", cx=x, cy=y, r=3.2, **look)
