"""What the screens are made of, read as text: an export needs the player but no server.

In: nothing. Out: the player's markup, styles, script and labels, and the design's colours.
The files belong to ``ui/player``; they are read here because that package loads Streamlit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fusionlab.i18n import Texts

_PLAYER = Path(__file__).parent.parent / "ui" / "player"
_VALUE = re.compile(r"--fl-([\w-]+):\s*([^;]+);")

THEMES = ("light", "dark")


@cache
def markup() -> str:
    """The player's HTML."""
    return _read("player.html")


@cache
def styles() -> str:
    """The design tokens, then the player's rules."""
    return tokens() + _read("player.css")


@cache
def tokens() -> str:
    """Every colour and size of the design, for an element of class ``fl``."""
    return _read("tokens.css")


@cache
def script() -> str:
    """The player's module."""
    return tight(script_of((_PLAYER / "js").glob("*.js")))


def script_of(files: Iterable[Path]) -> str:
    """One module out of files in the order of their names, without comments and indentation."""
    texts = (path.read_text("utf-8") for path in sorted(files))
    lines = (line.strip() for text in texts for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


# A text, a template with what is filled in (one level deep), a pattern; or a sign with its spaces.
_TOKEN = re.compile(
    r"""("(?:\\.|[^"\\\n])*"
    |`(?:\\.|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}|[^`\\])*`
    |(?<=[(,=:\[!&|?{};\n])[ ]?/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\\\n])+/[gimsuy]*)
    |[ ]*([{}()\[\]=,;:?<>*&|!+-])[ ]*""",
    re.VERBOSE,
)


def tight(code: str) -> str:
    """The code without the spaces around signs; texts, templates and patterns stay as they are."""
    return _TOKEN.sub(lambda found: found[1] or found[2], code)


def labels(texts: Texts) -> dict[str, Any]:
    """The player's own words; ``{n}`` and ``{total}`` are filled in the browser."""
    own = {key: text for key, text in texts.under("ui.player.").items() if "." not in key}
    sheet = [text.split(" | ", 1) for text in texts.under("ui.player.key.").values()]
    return own | {"key_sheet": sheet}


@cache
def palette(theme: str) -> Mapping[str, str]:
    """The colours of a theme by token, without the ``--fl-`` in front."""
    css = re.sub(r"/\*.*?\*/", "", tokens(), flags=re.DOTALL)
    found: dict[str, str] = {}
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        wanted = f'[data-theme="{theme}"]' in selector
        if wanted and "@media" not in selector:
            found |= {name: value.strip() for name, value in _VALUE.findall(body)}
    return found


@cache
def fonts() -> tuple[str, str]:
    """The font stacks for sentences and for what burn prints."""
    stacks = dict(re.findall(r"--fl-(ui|mono):\s*([^;]+);", tokens()))
    ui, mono = (" ".join(stacks[name].split()).replace('"', "'") for name in ("ui", "mono"))
    return ui, mono


def _read(name: str) -> str:
    return (_PLAYER / name).read_text("utf-8")
