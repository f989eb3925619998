"""The four charts as plotly dictionaries: speed-up, time, roofline, bytes.

In: rows, texts, colours. Out: figures. One bold line is the limit (break even, the memory bus);
lines differ by mark, dash and a label at their end, not by hue alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fusionlab.bench.findings import Gain, elements, speed_ups, times
from fusionlab.bench.model import ENGINE, FUSIONLAB, KERNEL, NUMPY, TWIN, Table
from fusionlab.bench.workloads import FAMILIES
from fusionlab.i18n import Texts
from fusionlab.ui.benchmark.pieces import (
    Colours,
    Figure,
    Line,
    area,
    axis,
    doubling,
    fraction,
    layout,
    level,
    line_chart,
    note,
    powers,
    ticks,
    trace_of,
)
from fusionlab.ui.benchmark.style import duration, factor, megabytes
from fusionlab.ui.benchmark.words import contender

_MARKS = ("circle-open", "square-open", "triangle-up-open", "diamond-open", "cross-open", "x-open")
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_HUES = ("E", "R", "M", "N", "B")


def speed_up_chart(table: Table, own: Texts, tint: Colours) -> Figure:
    """Speed-up over NumPy by size, for programs of 4, 8 and 40 ops; below 1 fusing loses."""
    lines = [
        Line(own(f"bench.family.{name}"), speed_ups(table, name), _HUES[i], _MARKS[i], _DASHES[i])
        for i, name in enumerate(FAMILIES)
    ]
    values = [point.value for line in lines for point in line.points]
    low, high = powers([*values, 0.5, 2.0])
    figure = line_chart(lines, tint, [low, high], own("bench.crossover.axis"))
    figure["layout"]["yaxis"] |= ticks(doubling(low, high), lambda v: f"{fraction(v)}×")
    figure["layout"]["shapes"] = [
        area(low, 1.0, tint["miss-wash"]),
        level(1.0, tint["text"]),
    ]
    figure["layout"]["annotations"] += [
        note(own("bench.crossover.loss_area"), (0.985, low), tint["miss-text"], "right"),
        note(own("bench.crossover.break_even"), (0.01, 1.0), tint["text"], "left"),
    ]
    return figure


def time_chart(table: Table, workload: str, own: Texts, tint: Colours) -> Figure:
    """Time of one run by size, for everyone who was measured; the memory limit is bold."""
    chosen = [
        name for name in table.contenders(workload) if name not in (TWIN, KERNEL, "numpy_out")
    ]
    chosen.sort(key=lambda name: (name != FUSIONLAB, name != ENGINE, name != NUMPY))
    lines = [
        Line(
            contender(name, own),
            times(table, workload, name),
            "defer" if name == NUMPY else _HUES[i % len(_HUES)],
            _MARKS[i % len(_MARKS)],
            _DASHES[i % len(_DASHES)],
        )
        for i, name in enumerate(chosen)
    ]
    limit = times(table, workload, TWIN)
    if limit:
        lines.append(Line(contender(TWIN, own), limit, "ink", "", "solid"))
    values = [point.value for line in lines for point in line.points]
    low, high = 10 ** math.floor(math.log10(min(values))), 10 ** math.ceil(math.log10(max(values)))
    figure = line_chart(lines, tint, [low, high], own("bench.crossover.axis"))
    decades = [10.0**k for k in range(round(math.log10(low)), round(math.log10(high)) + 1)]
    figure["layout"]["yaxis"] |= ticks(decades, duration)
    return figure


def roofline_chart(found: Gain, own: Texts, tint: Colours) -> Figure:
    """Operations a second over operations a byte: op by op, fused, and what memory allows."""
    before = _spot(found, found.costs.bytes_before, found.before_us)
    after = _spot(found, found.costs.bytes_after, found.after_us)
    roof = found.roof
    # Room on the right for the label that begins at the fused program's point.
    xs = powers([before[0], after[0]], room=2)
    xs[1] = max(xs[1], after[0] * (xs[1] / xs[0]) ** 0.6)
    tops = [before[1], after[1], *([roof * x / 1e9 for x in xs] if roof else [])]
    ys = powers(tops, room=1)
    # The labels hang below the points.
    ys[0] /= 4
    traces = []
    if roof is not None:
        line = [roof * x / 1e9 for x in xs]
        traces.append(
            trace_of(xs, line, tint["ink"], 2.5)
            | {"fill": "none", "hoverinfo": "skip", "mode": "lines"}
        )
    spots = [
        (before, "defer", "square-open", own("bench.roofline.before"), found.costs.bytes_before),
        (after, "E", "circle-open", _after_label(found, own), found.costs.bytes_after),
    ]
    traces += [_dot(spot, tint[f"{hue}-line"], mark, label) for spot, hue, mark, label, _ in spots]
    notes = [_arrow(before, after, tint["ink"])]
    for at, (spot, hue, _, label, moved) in enumerate(spots):
        told = _accesses(found, moved, own, with_roof=at == 1)
        text = f"<b>{label}</b><br>{told}"
        notes.append(_label(spot, text, tint[f"{hue}-text"]))
    if roof is not None:
        notes.append(_roof_label(own, roof, xs, ys, tint["text"]))
    else:
        notes.append(note(own("bench.roofline.no_roof"), (0.99, ys[0]), tint["text-2"], "right"))
    return {
        "data": traces,
        "layout": layout(tint)
        | {
            "annotations": notes,
            "xaxis": axis(tint, own("bench.roofline.axis"), xs) | ticks(doubling(*xs), fraction),
            "yaxis": axis(tint, "GFLOP/s", ys) | ticks(doubling(*ys), lambda v: f"{v:g}"),
            "shapes": [_above(roof, xs, ys, tint["sunken"])] if roof is not None else [],
        },
    }


def traffic_chart(found: Gain, own: Texts, tint: Colours) -> Figure:
    """Bytes through memory and launches, op by op and fused."""
    bars = [
        (own("bench.traffic.before"), found.costs.bytes_before, found.costs.ops, "defer"),
        (own("bench.traffic.after"), found.costs.bytes_after, found.costs.launches, "E"),
    ]
    texts = [
        own("bench.traffic.launched", bytes=megabytes(moved), n=launches)
        for _, moved, launches, _ in bars
    ]
    trace = {
        "type": "bar",
        "orientation": "h",
        "y": [label for label, *_ in bars],
        "x": [moved / 1e6 for _, moved, *_ in bars],
        "text": texts,
        "textposition": "auto",
        "insidetextanchor": "start",
        "textfont": {"size": 13, "color": tint["text"]},
        "marker": {
            "color": [tint[f"{hue}-wash"] for *_, hue in bars],
            "line": {"color": [tint[f"{hue}-line"] for *_, hue in bars], "width": 2},
            "pattern": {"shape": ["", "/"], "fgcolor": tint["E-line"], "size": 6, "solidity": 0.2},
        },
        "hoverinfo": "skip",
        "cliponaxis": False,
    }
    around = layout(tint) | {
        "xaxis": axis(tint, own("bench.traffic.axis"), None) | {"rangemode": "tozero"},
        "yaxis": {"autorange": "reversed", "tickfont": {"size": 13, "color": tint["text"]}},
        "bargap": 0.45,
    }
    return {"data": [trace], "layout": around}


# --- the roofline

Spot = tuple[float, float]
"""Operations a byte, and 10^9 operations a second."""


def _spot(found: Gain, moved: int, us: float) -> Spot:
    return found.costs.operations / moved, found.costs.operations / us / 1000


def _dot(spot: Spot, colour: str, mark: str, label: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [spot[0]],
        "y": [spot[1]],
        "marker": {"symbol": mark, "size": 13, "color": colour, "line": {"width": 2.5}},
        "hovertemplate": f"{label}: %{{y:.3g}} GFLOP/s<extra></extra>",
    }


def _arrow(start: Spot, end: Spot, colour: str) -> dict[str, Any]:
    (x0, y0), (x1, y1) = ((math.log10(x), math.log10(y)) for x, y in (start, end))
    return {
        "x": x0 + 0.93 * (x1 - x0),
        "y": y0 + 0.93 * (y1 - y0),
        "ax": x0 + 0.06 * (x1 - x0),
        "ay": y0 + 0.06 * (y1 - y0),
        "axref": "x",
        "ayref": "y",
        "showarrow": True,
        "arrowhead": 2,
        "arrowwidth": 1.5,
        "arrowcolor": colour,
        "text": "",
    }


def _label(spot: Spot, text: str, colour: str) -> dict[str, Any]:
    return {
        "x": math.log10(spot[0]),
        "y": math.log10(spot[1]),
        "text": text,
        "showarrow": False,
        "align": "left",
        "xanchor": "left",
        "yanchor": "top",
        "yshift": -9,
        "font": {"size": 12.5, "color": colour},
    }


def _roof_label(
    own: Texts, roof: float, xs: Sequence[float], ys: Sequence[float], colour: str
) -> dict[str, Any]:
    # Above the line's right end: to the left of it, the line falls away from the text.
    x = min(xs[1], ys[1] * 1e9 / roof)
    return {
        "x": math.log10(x),
        "y": math.log10(roof * x / 1e9),
        "text": f"<b>{own('bench.roofline.roof', speed=f'{roof / 1e9:.3g}')}</b>",
        "showarrow": False,
        "xanchor": "right",
        "yanchor": "bottom",
        "xshift": -4,
        "font": {"size": 12.5, "color": colour},
    }


def _above(roof: float, xs: Sequence[float], ys: Sequence[float], colour: str) -> dict[str, Any]:
    """What no program can reach. Paths take plain values on logarithmic axes."""
    left, right = (roof * x / 1e9 for x in xs)
    path = f"M {xs[0]} {left} L {xs[1]} {right} L {xs[1]} {ys[1]} L {xs[0]} {ys[1]} Z"
    return {
        "type": "path",
        "path": path,
        "fillcolor": colour,
        "line": {"width": 0},
        "layer": "below",
    }


def _after_label(found: Gain, own: Texts) -> str:
    launches = found.costs.launches
    if launches == 1:
        return own("bench.roofline.after_one")
    return own("bench.roofline.after", n=launches)


def _accesses(found: Gain, moved: int, own: Texts, *, with_roof: bool) -> str:
    n = factor(moved / 4 / elements(found.size))
    share = found.of_roof()
    if with_roof and share is not None:
        return own("bench.roofline.accesses_roof", n=n, percent=round(100 * share))
    return own("bench.roofline.accesses", n=n)
