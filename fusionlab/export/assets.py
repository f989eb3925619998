"""The player's own files, read as text: an export needs the screen but no server.

In: nothing. Out: the player's markup, styles, script and labels, and the design's colours.
The files belong to ``ui/player``; they are read here because that package loads Streamlit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fusionlab.i18n import Texts

_PLAYER = Path(__file__).parent.parent / "ui" / "player"
_PREFIX, _KEYS = "ui.player.", "ui.player.key."
_VALUE = re.compile(r"--fl-([\w-]+):\s*([^;]+);")

THEMES = ("light", "dark")


@cache
def markup() -> str:
    """The player's HTML."""
    return _read("player.html")


@cache
def styles() -> str:
    """The design tokens, then the player's rules."""
    return _read("tokens.css") + _read("player.css")


@cache
def script() -> str:
    """The player's module, without the comments and the indentation of its source."""
    files = (path.read_text("utf-8") for path in sorted((_PLAYER / "js").glob("*.js")))
    lines = (line.strip() for file in files for line in file.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def labels(texts: Texts) -> dict[str, Any]:
    """The player's own words in one language, as its script expects them."""
    own = {key: text for key, text in texts.catalog.items() if key.startswith(_PREFIX)}
    sheet = [text.split(" | ", 1) for key, text in own.items() if key.startswith(_KEYS)]
    plain = {key.removeprefix(_PREFIX): text for key, text in own.items()}
    return {key: text for key, text in plain.items() if "." not in key} | {"key_sheet": sheet}


@cache
def palette(theme: str) -> Mapping[str, str]:
    """The colours of a theme by token, without the ``--fl-`` in front."""
    css = re.sub(r"/\*.*?\*/", "", _read("tokens.css"), flags=re.DOTALL)
    found: dict[str, str] = {}
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        wanted = f'[data-theme="{theme}"]' in selector
        if wanted and "@media" not in selector:
            found |= {name: value.strip() for name, value in _VALUE.findall(body)}
    return found


@cache
def fonts() -> tuple[str, str]:
    """The font stacks for sentences and for what burn prints."""
    css = _read("tokens.css")
    stacks = dict(re.findall(r"--fl-(ui|mono):\s*([^;]+);", css))
    ui, mono = (" ".join(stacks[name].split()).replace('"', "'") for name in ("ui", "mono"))
    return ui, mono


def _read(name: str) -> str:
    return (_PLAYER / name).read_text("utf-8")
