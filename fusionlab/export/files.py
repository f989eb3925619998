"""Writing a run to a file whose name says what is wanted.

In: a run, a path such as ``out.svg``, which steps. Out: the file.
"""

from __future__ import annotations

import re
from pathlib import Path

from fusionlab.errors import ContentError
from fusionlab.events.run import Run
from fusionlab.export import FORMATS, export_run, strip
from fusionlab.i18n import Texts
from fusionlab.views.player import player_payload

MOST_IN_A_STRIP = 24
"""More steps under each other are no picture any more."""


def export_text(run: Run, target: str, texts: Texts, steps: str, theme: str = "light") -> str:
    """What the file of this name holds.

    Args:
        run: The run.
        target: A path that ends in one of ``FORMATS``.
        texts: The language.
        steps: A position at the level of decisions (``12``), or a range for a strip (``12-15``).
        theme: ``light`` or ``dark``, for a picture.

    Raises:
        ContentError: ``export_format`` or ``export_step``.
    """
    form = Path(target).suffix.removeprefix(".").lower()
    if form not in FORMATS:
        known = ", ".join(f".{known}" for known in FORMATS)
        raise ContentError("export_format", form=form or target, known=known)
    first, last = _range(steps)
    if form == "svg":
        positions = range(first, last + 1)
        return strip(player_payload(run, texts), texts, positions, theme=theme)
    return export_run(run, form, texts, first)


def _range(steps: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", steps)
    if found is None:
        raise ContentError("export_steps", steps=steps, most=MOST_IN_A_STRIP)
    first, last = int(found[1]), int(found[2] or found[1])
    if not first <= last < first + MOST_IN_A_STRIP:
        raise ContentError("export_steps", steps=steps, most=MOST_IN_A_STRIP)
    return first, last
