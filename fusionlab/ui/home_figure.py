"""The picture of the first screen: four ops, two blocks that merge, a winner, and the next calls.

In: the texts and the story of a run. Out: HTML (Streamlit strips SVG from it, so the picture is
made of boxes). Colours come from the player's tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from fusionlab.export.assets import tokens
from fusionlab.fusers.scoring import ACCESS_POINTS, LAUNCH_POINTS
from fusionlab.i18n import Texts
from fusionlab.views.first_screen import Call, FirstScreen

_STYLE = Path(__file__).parent / "assets" / "home.css"


def figure(own: Texts, story: FirstScreen, *, dark: bool) -> str:
    """The four stations, one below the other, 500 px wide at most."""
    theme = "dark" if dark else "light"
    arrived = "".join(_box(op, "") for op in story.ops)
    merged = "".join(_box(op, _look(at, story)) for at, op in enumerate(story.ops))
    body = [
        _heading(own("ui.home.four")),
        f'<div class="row">{arrived}</div>',
        _heading(own("ui.home.blocks")),
        f'<div class="row lane">{merged}</div>',
        '<div class="row lane"><div class="box was"></div></div>',
        _heading(own("ui.home.compete")),
        _winner(story),
        _heading(own("ui.home.stored")),
        f'<div class="row">{"".join(_calls(story.calls))}</div>',
    ]
    return f'<div class="fl figure" data-theme="{theme}">{"".join(body)}</div>'


def _look(position: int, story: FirstScreen) -> str:
    if position == story.merging:
        return "now"
    return "ghost" if position > story.merging else ""


def _winner(story: FirstScreen) -> str:
    books = story.ledger
    saved = books.reads[2] + books.writes[2]
    sum_ = f"{saved} × {ACCESS_POINTS} + {books.launches[2]} × {LAUNCH_POINTS} ="
    return (
        f'<div class="win"><i><span>{escape(story.winner[0])}</span></i><span>'
        f"<b>{escape(story.winner)}</b> <em>{sum_}</em> <strong>{books.score}</strong></span></div>"
    )


def _calls(calls: Sequence[Call]) -> Iterator[str]:
    """The first call, the next ones that differ from all before, and the last one as a riddle."""
    seen: list[Call] = []
    for call in calls:
        if any((call.shape, call.scalar) == (other.shape, other.scalar) for other in seen):
            continue
        label = "×".join(map(str, call.shape))
        if any(call.shape == other.shape for other in seen):
            label = f"s = {call.scalar:g}"
        seen.append(call)
        if call is calls[-1]:
            yield _box(label, "ghost", "?")
        else:
            yield _box(label, "hit", "✓") if call.hit else _box(label, "", "▤")


def style() -> str:
    """The style of the figure; on its own, because Streamlit strips a style from mixed HTML."""
    return f"<style>{tokens()}{_STYLE.read_text('utf-8')}</style>"


def _heading(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _box(label: str, look: str, mark: str = "") -> str:
    sign = f"<b>{mark}</b>" if mark else ""
    return f'<div class="box {look}">{escape(label)}{sign}</div>'
