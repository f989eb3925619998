"""One step of a run as a picture that stands alone: SVG with its own colours, fonts and title.

In: a payload (see ``ui/player/FORMAT.md``), steps, a theme. Out: an SVG document as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fusionlab.export.svg.canvas import Canvas
from fusionlab.export.svg.drawing import drawing
from fusionlab.export.svg.geometry import GUTTER
from fusionlab.export.svg.shapes import Markup, element, width, words, wrapped

Json = dict[str, Any]

MARGIN = 16.0
_NARROWEST = 560.0
_MOST_COLUMNS = 28
"""More columns than this are not shown for the sake of a value that comes from far away."""

_HATCHES = {
    "E": (6, "M-1 7 7-1M2 10 10 2M-4 4 4-4"),
    "M": (6, "M3 0V6M0 3H6"),
    "R": (5, "M0 2.5H6"),
    "B": (6, "M-1-1 7 7M2-4 10 4M-4 2 4 10"),
    "N": (5, "M2.4 2.5h.2"),
    "X": (6, "M-1 7 7-1M-1-1 7 7"),
}


@dataclass(frozen=True, slots=True)
class Footer:
    """The words of the last line: where the step is, in the reader's language, and the address."""

    position: str
    address: str = ""


def step_svg(payload: Json, step: int, footer: Footer, theme: str = "light") -> str:
    """The picture of one step.

    Args:
        payload: A run in one language.
        step: Index into its steps.
        footer: The last line.
        theme: ``light`` or ``dark``.

    Raises:
        IndexError: The run has no such step.
    """
    return strip_svg(payload, [(step, footer)], theme)


def strip_svg(payload: Json, steps: Sequence[tuple[int, Footer]], theme: str = "light") -> str:
    """Several steps under each other, all at the same place and scale."""
    canvas = Canvas.of(payload, theme)
    spans = [_span(canvas, step) for step, _ in steps]
    left, right = min(s[0] for s in spans), max(s[1] for s in spans)
    inner = max(_NARROWEST, right - left + GUTTER)
    pictures, y = [], MARGIN
    for step, footer in steps:
        picture, tall = _picture(canvas, step, (left, left + inner - GUTTER), footer)
        pictures.append(element("g", picture, transform=f"translate({MARGIN:g} {y:g})"))
        y += tall + 20
    total = inner + 2 * MARGIN
    back = element("rect", width=total, height=y, fill=canvas.colour("surface"))
    return _document(canvas, payload["steps"][steps[0][0]], (total, y), [back, *pictures])


def _document(canvas: Canvas, step: Json, size: tuple[float, float], parts: list[Markup]) -> str:
    wide, tall = size
    title = element("title", words(f"{canvas.payload['name']}: {_plain(step['what'])}"))
    described = element("desc", words(_plain(step.get("why", ""))))
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "width": round(wide),
        "height": round(tall),
        "viewBox": f"0 0 {wide:g} {tall:g}",
        "role": "img",
        "lang": "zh-CN" if canvas.payload["lang"] == "zh" else "en",
        "font_size": 12,
    }
    return element("svg", title, described, _definitions(canvas), *parts, **attributes) + "\n"


def _definitions(canvas: Canvas) -> Markup:
    patterns = [
        element(
            "pattern",
            element("path", d=path, stroke=canvas.colour(f"{name}-line"), stroke_width=1.1),
            id=f"hatch-{name}",
            width=6,
            height=size,
            patternUnits="userSpaceOnUse",
        )
        for name, (size, path) in _HATCHES.items()
    ]
    arrows = [
        _arrow("arrow", canvas.colour("text-3"), 7),
        _arrow("arrow-ink", canvas.colour("ink"), 12),
    ]
    return element("defs", *patterns, *arrows)


def _arrow(name: str, colour: str, size: int) -> Markup:
    return element(
        "marker",
        element("path", d="M0 1 7 4 0 7z", fill=colour),
        id=name,
        viewBox="0 0 8 8",
        refX=7,
        refY=4,
        markerUnits="userSpaceOnUse",
        markerWidth=size,
        markerHeight=size,
        orient="auto",
    )


def _span(canvas: Canvas, step: int) -> tuple[float, float]:
    """From where to where the picture shows columns: the round, its frames, and their sources."""
    payload = canvas.payload
    now = payload["steps"][step]
    if not canvas.columns:
        return 0.0, 0.0
    number = payload["columns"][now["column"]]["round"] if "column" in now else 0
    shown = {i for i, column in enumerate(payload["columns"]) if column["round"] == number}
    frames = [frame for frame in payload["frames"] if frame["from"] <= step < frame["to"]]
    shown |= {member for frame in frames for member in frame["columns"]}
    sources = shown | {source for frame in frames for source, _ in frame.get("in", ())}
    if max(sources) - min(sources) < _MOST_COLUMNS:
        shown = sources
    first, last = canvas.columns[min(shown)], canvas.columns[max(shown)]
    return first.x - 6, last.end + 12


def _picture(
    canvas: Canvas, step: int, span: tuple[float, float], footer: Footer
) -> tuple[Markup, float]:
    """Caption, lanes and footer of one step, and how tall that is."""
    now = canvas.payload["steps"][step]
    room = span[1] - span[0] + GUTTER
    caption, top = _caption(canvas, now, room)
    lanes = element(
        "svg",
        drawing(canvas, step, span),
        x=GUTTER,
        y=top,
        width=room - GUTTER,
        height=canvas.height,
        viewBox=f"{span[0]:g} 0 {room - GUTTER:g} {canvas.height:g}",
    )
    bottom = top + canvas.height
    last = " · ".join(part for part in ("FusionLab", footer.position, footer.address) if part)
    foot = canvas.text(0, bottom + 20, last, 11, fill=canvas.colour("text-3"))
    return caption + _gutter(canvas, top, now.get("block")) + lanes + foot, bottom + 26


def _caption(canvas: Canvas, now: Json, room: float) -> tuple[Markup, float]:
    kind = canvas.payload["kinds"][now["kind"]]
    tone = kind["tone"]
    badge = f"{_GLYPHS.get(tone, '')} {kind['badge']}".strip()
    wide = width(badge, 12, bold=True) + 14
    back = element("rect", width=wide, height=19, rx=4, fill=canvas.colour(f"{tone}-wash"))
    if tone == "explore":
        edge = {"fill": "none", "stroke": canvas.colour("explore-line"), "stroke_width": 1.25}
        back = element("rect", x=0.6, y=0.6, width=wide - 1, height=18, rx=4, **edge)
    parts = [
        back,
        canvas.text(7, 13.6, badge, 12, font_weight=600, fill=canvas.colour(f"{tone}-text")),
        canvas.text(wide + 8, 13.6, _plain(now["head"]), 12, fill=canvas.colour("text-3")),
    ]
    y = 24.0
    for line in wrapped(_plain(now["what"]), 20, room, 3, bold=True):
        y += 20
        parts.append(canvas.text(0, y, line, 20, font_weight=600))
        y += 5
    for line in wrapped(_plain(now.get("why", "")), 13, room, 3):
        if line:
            y += 16
            parts.append(canvas.text(0, y, line, 13, fill=canvas.colour("text-2")))
            y += 3
    return "".join(parts), y + 10


_GLYPHS = {"hit": "✓", "miss": "✕", "defer": "…", "explore": "◇", "execute": "▶"}


def _gutter(canvas: Canvas, top: float, block: int | None) -> Markup:
    """The names of the lanes: those that the payload's language gives to its blocks."""
    names = []
    for lane in canvas.lanes:
        on = lane.number == block and block is not None
        fill = canvas.colour("text" if on else "text-3")
        middle = top + lane.top + lane.tall / 2 + 4
        size = 12 if lane.used else 10.5
        name = _lane_name(canvas, lane.number) if lane.used else str(lane.number)
        weight = 600 if on else 400
        names.append(canvas.text(0, middle, name, size, fill=fill, font_weight=weight))
    return "".join(names)


def _lane_name(canvas: Canvas, number: int) -> str:
    from fusionlab.i18n import texts  # noqa: PLC0415 -- the catalog is parsed at first use

    own = texts(canvas.payload["lang"])
    return own("ui.player.block", n=number) if number else own("ui.player.queue_lane")


def _plain(text: str) -> str:
    return text.replace("**", "").replace("`", "")
