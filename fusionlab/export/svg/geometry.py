"""Where everything stands in the lane drawing: the player's own measures.

In: a payload. Out: columns by x, lanes by y, boxes of nodes and frames. A column never moves in x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

Json = dict[str, Any]

GUTTER, RULER = 60.0, 38.0
_MONO = 7.25
"""Advance of one letter of the 12 px mono face."""


@dataclass(frozen=True, slots=True)
class Column:
    """The extent of a column, and of the node in it (0: a drain has none)."""

    x: float
    width: float
    node: float

    @property
    def center(self) -> float:
        """The middle."""
        return self.x + self.width / 2

    @property
    def left(self) -> float:
        """The node's left edge."""
        return self.center - self.node / 2

    @property
    def right(self) -> float:
        """The node's right edge."""
        return self.center + self.node / 2

    @property
    def end(self) -> float:
        """Where the next column begins."""
        return self.x + self.width


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane; 0 is the queue. Unused lanes are thin."""

    number: int
    top: float
    tall: float
    used: bool

    @property
    def end(self) -> float:
        """The lower edge."""
        return self.top + self.tall

    @property
    def node_tall(self) -> float:
        """How tall a node is here."""
        return 38 if self.number else 36

    @property
    def node_bottom(self) -> float:
        """The lower edge of nodes: below them a frame needs room for its lines."""
        return self.end - (19 if self.number and self.tall >= 90 else 7)

    @property
    def node_top(self) -> float:
        """The upper edge of nodes."""
        return self.node_bottom - self.node_tall

    @property
    def middle(self) -> float:
        """The middle of nodes."""
        return self.node_bottom - self.node_tall / 2


@dataclass(frozen=True, slots=True)
class Box:
    """One box of a frame, around members that are neighbours."""

    x: float
    right: float
    y: float
    bottom: float


def place_columns(columns: Sequence[Json]) -> list[Column]:
    """The columns from left to right; rounds stand apart."""
    placed: list[Column] = []
    x = 6.0
    for index, column in enumerate(columns):
        if index and column["round"] != columns[index - 1]["round"]:
            x += 18
        width = _width(column)
        node = {"op": width - 16, "small": width - 4, "drop": 38.0}.get(column["size"], 0.0)
        placed.append(Column(x, width, node))
        x += width
    return placed


def _width(column: Json) -> float:
    letters = len(column["label"])
    if column["size"] == "small":
        return max(30.0, ceil(letters * _MONO + 14))
    if column["size"] != "op":
        return 44.0
    return 88.0 if letters <= 9 else float(ceil(letters * _MONO + 24))


def place_lanes(payload: Json) -> list[Lane]:
    """The lanes from top to bottom."""
    used = payload["lanes"]
    most = min(max(payload["max_blocks"] or 0, used), used + 6)
    talls = [52.0 if used > 3 else 70.0, *(_tall(lane, used) for lane in range(1, most + 1))]
    lanes, top = [], RULER
    for number, tall in enumerate(talls):
        lanes.append(Lane(number, top, tall, number <= used))
        top += tall
    return lanes


def _tall(lane: int, used: int) -> float:
    if lane > used:
        return 13.0
    return 98.0 if lane == 1 and used < 4 else 68.0


def frame_boxes(frame: Json, columns: Sequence[Column], lanes: Sequence[Lane]) -> list[Box]:
    """The boxes of a frame."""
    lane = lanes[frame["lane"]]
    y, bottom = max(lane.top + 11, lane.node_top - 38), min(lane.end - 3, lane.node_bottom + 15)
    groups: list[list[int]] = []
    for member in frame["columns"]:
        if groups and groups[-1][-1] == member - 1:
            groups[-1].append(member)
        else:
            groups.append([member])
    boxes = []
    for group in groups:
        first, last = columns[group[0]], columns[group[-1]]
        pad = 3 if first.node < 40 and len(group) == 1 else 7
        boxes.append(Box(first.left - pad, last.right + pad, y, bottom))
    return boxes


def lane_at(column: Json, step: int) -> int:
    """The lane of a column at a step: where it is, or where it will first be."""
    moves = column.get("moves") or [[0, 0]]
    seen = [lane for start, lane in moves if start <= step]
    return int(seen[-1] if seen else moves[0][1])


def state_at(column: Json, step: int, *, now: bool) -> str:
    """``done``, ``ghost``, ``now`` or ``wait``."""
    if "done" in column and step >= column["done"]:
        return "done"
    if step < column["born"]:
        return "ghost"
    return "now" if now else "wait"
