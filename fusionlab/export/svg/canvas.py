"""A payload with its geometry and its colours: what every part of a drawing draws on.

In: a payload, a theme. Out: places, colours, and texts in the design's two fonts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fusionlab.export.assets import fonts, palette
from fusionlab.export.svg.geometry import Column, Lane, place_columns, place_lanes
from fusionlab.export.svg.shapes import Markup, element, words

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
