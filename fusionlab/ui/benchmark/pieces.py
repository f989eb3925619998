"""What the charts are made of: axes, lines with a label at their end, areas, notes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fusionlab.bench.findings import Point, elements
from fusionlab.ui.benchmark.style import side

Figure = dict[str, Any]
Colours = Mapping[str, str]

_GAP = 0.07
"""Labels closer than this share of the axis are moved apart."""


@dataclass(frozen=True, slots=True)
class Line:
    """One series of a chart."""

    label: str
    points: Sequence[Point]
    hue: str
    mark: str
    dash: str


def line_chart(lines: Sequence[Line], tint: Colours, ys: list[float], title: str) -> Figure:
    """Lines over sizes, on logarithmic axes."""
    sizes = sorted({point.size for line in lines for point in line.points}, key=elements)
    xs = [elements(sizes[0]), elements(sizes[-1])]
    traces = []
    for line in lines:
        colour = tint["ink"] if line.hue == "ink" else tint[f"{line.hue}-line"]
        trace = trace_of(
            [elements(point.size) for point in line.points],
            [point.value for point in line.points],
            colour,
            2.5,
        )
        trace |= {"name": line.label, "mode": "lines+markers" if line.mark else "lines"}
        trace["line"]["dash"] = line.dash
        trace["marker"] = {"symbol": line.mark or "circle", "size": 8, "line": {"width": 2}}
        trace["hovertemplate"] = "%{text}<extra></extra>"
        trace["text"] = [f"{line.label}, {side(p.size)}: {p.value:.3g}" for p in line.points]
        traces.append(trace)
    around = layout(tint) | {
        "annotations": list(_ends(lines, tint, ys)),
        "xaxis": axis(tint, title, xs, pad=0.02)
        | {"tickvals": [elements(size) for size in sizes], "ticktext": [side(s) for s in sizes]},
        "yaxis": axis(tint, "", ys),
    }
    around["margin"] |= {"r": 12 + 7.2 * max(_width(x.label) for x in lines)}
    return {"data": traces, "layout": around}


def _width(text: str) -> int:
    """Roughly how many Latin letters wide a text is."""
    return sum(2 if ord(letter) > 0x2E7F else 1 for letter in text)


def _ends(lines: Sequence[Line], tint: Colours, ys: list[float]) -> Iterator[dict[str, Any]]:
    """A label at the end of each line, moved up where it would touch another."""
    reach = math.log(ys[1] / ys[0])
    below = -math.inf
    for line in sorted(lines, key=lambda line: line.points[-1].value):
        last = line.points[-1]
        height = math.log(last.value / ys[0]) / reach
        shown = max(height, below + _GAP)
        below = shown
        colour = tint["text"] if line.hue == "ink" else tint[f"{line.hue}-text"]
        yield {
            "x": math.log10(elements(last.size)),
            "y": shown,
            "yref": "paper",
            "text": f"<b>{line.label}</b>",
            "showarrow": False,
            "xanchor": "left",
            "xshift": 9,
            "font": {"size": 13, "color": colour},
        }


def layout(tint: Colours) -> dict[str, Any]:
    """What all charts share."""
    return {
        "height": 300,
        "margin": {"l": 52, "r": 14, "t": 8, "b": 44},
        "showlegend": False,
        "dragmode": False,
        "hoverlabel": {"font": {"size": 13}},
        "font": {"size": 12, "color": tint["text-2"]},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
    }


def axis(
    tint: Colours, title: str, ends: Sequence[float] | None, *, pad: float = 0.0
) -> dict[str, Any]:
    """An axis; ``ends`` make it logarithmic."""
    axis: dict[str, Any] = {
        "title": {"text": title, "font": {"size": 12.5, "color": tint["text-2"]}, "standoff": 8},
        "gridcolor": tint["hair"],
        "zeroline": False,
        "tickfont": {"size": 12, "color": tint["text-2"]},
        "fixedrange": True,
    }
    if ends is not None:
        low, high = math.log10(ends[0]), math.log10(ends[1])
        room = pad * (high - low)
        axis |= {"type": "log", "range": [low - room, high + room], "minor": {"showgrid": False}}
    return axis


def ticks(values: Sequence[float], write: Callable[[float], str]) -> dict[str, Any]:
    """Labels at these values."""
    return {"tickvals": list(values), "ticktext": [write(value) for value in values]}


def trace_of(xs: Sequence[float], ys: Sequence[float], colour: str, width: float) -> dict[str, Any]:
    """A line through points."""
    return {
        "type": "scatter",
        "x": list(xs),
        "y": list(ys),
        "line": {"color": colour, "width": width},
    }


def powers(values: Sequence[float], room: int = 0) -> list[float]:
    """The powers of two around all values, with room for so many more on the right."""
    low, high = (math.log2(pick(values)) for pick in (min, max))
    return [2.0 ** math.floor(low - 0.1), 2.0 ** (math.ceil(high + 0.1) + room)]


def doubling(low: float, high: float) -> list[float]:
    """Powers of two from one end to the other, at most eight of them."""
    first, last = round(math.log2(low)), round(math.log2(high))
    step = math.ceil((last - first + 1) / 8)
    # One is always among them: it is break even.
    return [2.0**k for k in range(first, last + 1) if k % step == 0]


def fraction(value: float) -> str:
    """``1/8``, ``1``, ``2``."""
    return f"{value:g}" if value >= 1 else f"1/{1 / value:g}"


def area(low: float, high: float, colour: str) -> dict[str, Any]:
    """A filled band between two values."""
    return {
        "type": "rect",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": low,
        "y1": high,
        "fillcolor": colour,
        "line": {"width": 0},
        "layer": "below",
    }


def level(at: float, colour: str) -> dict[str, Any]:
    """A bold line at a value."""
    line = {"color": colour, "width": 1.5}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": at, "y1": at, "line": line}


def note(text: str, at: tuple[float, float], colour: str, anchor: str) -> dict[str, Any]:
    """A text above a value (``at``: share of the width, value)."""
    x, y = at
    return {
        "xref": "paper",
        "x": x,
        "y": math.log10(y),
        "text": text,
        "showarrow": False,
        "xanchor": anchor,
        "yshift": 10,
        "font": {"size": 12.5, "color": colour},
    }
