"""The programs that a room can show: named as an address does, run once for everybody.

In: a name, which is an id of the gallery or a packed text. Out: the player's payload, as a whole or
only up to the step at which a question waits.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from fusionlab.config import FusionConfig
from fusionlab.events.run import Run
from fusionlab.i18n import texts
from fusionlab.program.gallery import gallery, gallery_program
from fusionlab.ui import cache
from fusionlab.ui.link import pack, unpack
from fusionlab.ui.share import Side

CONFIG = FusionConfig()


def text_of(name: str) -> str | None:
    """The text of a program; ``None`` when the name means nothing."""
    if name in {program.id for program in gallery()}:
        return gallery_program(name).text
    return unpack(name)


def name_of(text: str) -> str:
    """The name of a text."""
    known = (program.id for program in gallery() if program.text == text)
    return next(known, None) or pack(text)


def run_of(text: str) -> Run:
    """The run that the player shows."""
    return cache.run_of(Side.of(text).name, text, CONFIG)


def payload(name: str, lang: str, gate: int | None = None) -> dict[str, Any] | None:
    """What the player shows; with a gate, nothing that comes after that event is in it."""
    text = text_of(name)
    if text is None:
        return None
    if gate is not None:
        return _gated(text, lang, gate)
    return cache.payload_of(Side.of(text).name, text, CONFIG, lang)


@lru_cache(maxsize=64)
def _gated(text: str, lang: str, gate: int) -> dict[str, Any]:
    from fusionlab.views.player import player_payload  # noqa: PLC0415 -- as in the cache

    return player_payload(run_of(text), texts(lang), until=gate)
