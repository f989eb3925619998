"""The picture of the first screen: four ops, two blocks that merge, a winner, and the next calls.

In: the texts. Out: HTML (Streamlit strips SVG from it, so the picture is made of boxes). Colours
come from the player's tokens; its one number is checked against the engine by a test.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from fusionlab.i18n import Texts
from fusionlab.ui.player import tokens

SCORE = 630
"""What ElementWise wins with on the first program: 6 accesses and 3 launches saved."""

_WINNER = (
    '<div class="win"><i><span>E</span></i><span><b>ElementWise</b> '
    f"<em>6 × 100 + 3 × 10 =</em> <strong>{SCORE}</strong></span></div>"
)
_OPS = ("Mul", "MulScalar", "Add", "Exp")
_CALLS = (("64×64", "▤", ""), ("s = 3", "✓", "hit"), ("32×32", "✓", "hit"), ("64×32", "?", "ghost"))

_STYLE = Path(__file__).parent / "assets" / "home.css"


def figure(own: Texts, *, dark: bool) -> str:
    """The four stations, one below the other, 500 px wide at most."""
    theme = "dark" if dark else "light"
    looks = ("", "", "now", "ghost")
    merged = "".join(_box(op, look) for op, look in zip(_OPS, looks, strict=True))
    calls = "".join(_box(label, look, mark) for label, mark, look in _CALLS)
    body = [
        _heading(own("ui.home.four")),
        f'<div class="row">{"".join(_box(op, "") for op in _OPS)}</div>',
        _heading(own("ui.home.blocks")),
        f'<div class="row lane">{merged}</div>',
        '<div class="row lane"><div class="box was"></div></div>',
        _heading(own("ui.home.compete")),
        _WINNER,
        _heading(own("ui.home.stored")),
        f'<div class="row">{calls}</div>',
    ]
    return f'<div class="fl figure" data-theme="{theme}">{"".join(body)}</div>'


def style() -> str:
    """The style of the figure; on its own, because Streamlit strips a style from mixed HTML."""
    return f"<style>{tokens()}{_STYLE.read_text('utf-8')}</style>"


def _heading(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _box(label: str, look: str, mark: str = "") -> str:
    sign = f"<b>{mark}</b>" if mark else ""
    return f'<div class="box {look}">{escape(label)}{sign}</div>'
