"""The lanes of one step as SVG: lanes, nodes, frames, and the lines that cross a frame's border.

In: a payload and a step. Out: markup with resolved colours. It shows what the player shows; it
decides nothing and measures nothing of burn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fusionlab.export.assets import fonts, palette
from fusionlab.export.svg.geometry import (
    RULER,
    Box,
    Column,
    Lane,
    frame_boxes,
    lane_at,
    place_columns,
    place_lanes,
    state_at,
)
from fusionlab.export.svg.shapes import Markup, element, width, words

Json = dict[str, Any]

_HUES = frozenset("EMRBN")


@dataclass(frozen=True, slots=True)
class Canvas:
    """A payload with its geometry and its colours."""

    payload: Json
    columns: Sequence[Column]
    lanes: Sequence[Lane]
    colours: Mapping[str, str]

    @classmethod
    def of(cls, payload: Json, theme: str) -> Canvas:
        """The canvas of a run."""
        columns = place_columns(payload["columns"])
        return cls(payload, columns, place_lanes(payload), palette(theme))

    def colour(self, token: str) -> str:
        """The value of a colour token; fusers without a hue of their own are grey."""
        plain = {"X-line": "border", "X-text": "text-2", "X-wash": "sunken"}
        return self.colours[plain.get(token, token)]

    @property
    def height(self) -> float:
        """The lower edge of the last lane."""
        return self.lanes[-1].end + 1

    def text(self, x: float, y: float, text: str, size: float = 12, **more: object) -> Markup:
        """A text in the font of sentences."""
        style = {"fill": self.colour("text"), "font_size": size, "font_family": fonts()[0], **more}
        return element("text", words(text), x=x, y=y, **style) if text else ""

    def mono(self, x: float, y: float, text: str, size: float = 12, **more: object) -> Markup:
        """A centred text in the font of what burn prints."""
        more = {"text_anchor": "middle", "font_family": fonts()[1], **more}
        return self.text(x, y, text, size, **more)


def hue(letter: str | None) -> str:
    """The colour family of a fuser."""
    if not letter:
        return "none"
    return letter if letter in _HUES else "X"


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
            *(part for frame in frames for part in _frame(canvas, frame)),
            *(part for frame in frames if frame["lane"] for part in _rails(canvas, frame)),
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


# --- frames and what crosses them --------------------------------------------------------------


def _frame(canvas: Canvas, frame: Json) -> Iterator[Markup]:
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


def _rails(canvas: Canvas, frame: Json) -> Iterator[Markup]:
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
