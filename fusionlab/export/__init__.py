"""A run as a file: the whole player, a picture of a step, the facts, or burn's own log.

In: a run. Out: text. Nothing is computed and nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fusionlab.errors import ContentError
from fusionlab.events.codec import dump_events
from fusionlab.events.run import Run
from fusionlab.export.html import run_html
from fusionlab.export.svg import Footer, step_svg, strip_svg
from fusionlab.i18n import Texts
from fusionlab.views.burn_log import burn_log
from fusionlab.views.player import player_payload, stops

__all__ = [
    "FORMATS",
    "export_run",
    "picture",
    "run_html",
    "run_json",
    "run_log",
    "strip",
]

FORMATS = ("html", "svg", "json", "log")


def export_run(run: Run, form: str, texts: Texts, step: int = 0, level: int = 1) -> str:
    """A run in one of ``FORMATS``; ``step`` is a position at ``level``.

    Raises:
        ContentError: ``export_format``, or ``export_step`` when there is no such step.
    """
    match form:
        case "html":
            return run_html(run, texts, start=step)
        case "svg":
            return picture(player_payload(run, texts), texts, step, level=level)
        case "json":
            return run_json(run)
        case "log":
            return run_log(run)
        case _:
            raise ContentError("export_format", form=form, known=", ".join(FORMATS))


def run_json(run: Run) -> str:
    """All facts as JSON lines, with the schema's version in front."""
    return "".join(f"{line}\n" for line in dump_events(run.events))


def run_log(run: Run) -> str:
    """What burn would print at level full."""
    return "".join(f"{line.text}\n" for line in burn_log(run.events))


def picture(
    payload: dict[str, Any],
    texts: Texts,
    position: int,
    *,
    level: int = 1,
    theme: str = "light",
    address: str = "",
) -> str:
    """The picture of one step.

    Raises:
        ContentError: ``export_step`` when there is no such step.
    """
    step, footer = _placed(payload, texts, position, level, address)
    return step_svg(payload, step, footer, theme)


def strip(
    payload: dict[str, Any],
    texts: Texts,
    positions: Sequence[int],
    *,
    level: int = 1,
    theme: str = "light",
    address: str = "",
) -> str:
    """Several steps under each other; raises what ``picture`` raises."""
    placed = [_placed(payload, texts, position, level, address) for position in positions]
    return strip_svg(payload, placed, theme)


def _placed(
    payload: dict[str, Any], texts: Texts, position: int, level: int, address: str
) -> tuple[int, Footer]:
    found = stops(payload, level)
    if not 0 <= position < len(found):
        raise ContentError("export_step", step=position, last=max(0, len(found) - 1))
    told = texts("ui.player.position", n=position, total=len(found) - 1)
    return found[position], Footer(told, address)
