"""Links that carry everything: the program, what is switched off, the place, and a second program.

In: what is on the screen. Out: the query of an address, and back. Such a link needs nothing of the
session in which it was made. It says its version, and a checksum tells when it was cut off, or when
a program of the gallery has changed since. What cannot be read is left out with a notice; a link
never breaks a page.

    v=1&program=softmax&step=17&level=ops&lang=zh&c=1k2m3n4
    v=1&program=z.eJw…&b=d.eJw…&b_off=Reduce&change=shape@41=64x32&c=…

``program`` is an id of the gallery or a packed text (see ``link``); ``b`` also a packed difference
to the first program (``d.``). The order is fixed, so the same screen gives the same link.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlencode

from fusionlab.i18n import LANGUAGES
from fusionlab.program.gallery import gallery
from fusionlab.ui.link import LARGEST, pack, unpack
from fusionlab.views.levels import LEVELS

VERSION: Final = 1
LONGEST: Final = 16 * 1024
"""Characters of one part of a link. Browsers and chat programs cut longer ones anyway."""

THEMES: Final = ("light", "dark")
_DIFFERENCE = "d."
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Side:
    """A program with the fusers that are off. ``id`` names it in the gallery, if it is there."""

    text: str
    id: str | None = None
    off: frozenset[str] = frozenset()

    @classmethod
    def of(cls, text: str, off: frozenset[str] = frozenset()) -> Side:
        """The side for a text, under its name in the gallery if it has one."""
        same = (program.id for program in gallery() if program.text == text)
        return cls(text, next(same, None), off)

    @property
    def name(self) -> str:
        """The name of the program's file, as the screens show it."""
        return f"{self.id or 'my_program'}.lab"


@dataclass(frozen=True, slots=True)
class Shared:
    """What a link carries. ``None`` and empty: the receiver's own, or the default."""

    program: Side
    step: int | None = None
    level: str | None = None
    other: Side | None = None
    change: str = ""
    panels: tuple[str, ...] = ()
    lang: str | None = None
    theme: str | None = None
    embed: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """What an address holds: as much of it as can be read, and the key of a notice if not all."""

    shared: Shared | None
    notice: str | None = None


def query(shared: Shared) -> str:
    """The query of the link, ready to stand behind ``?``."""
    first, other = shared.program, shared.other
    parts = {
        "v": str(VERSION),
        "program": first.id or pack(first.text),
        "off": _names(first.off),
        "step": "" if shared.step is None else str(shared.step),
        "level": shared.level or "",
        "b": "" if other is None else other.id or _packed_difference(first.text, other.text),
        "b_off": "" if other is None else _names(other.off),
        "change": shared.change,
        "panels": ",".join(shared.panels),
        "lang": shared.lang or "",
        "theme": shared.theme or "",
        "embed": "true" if shared.embed else "",
        "c": checksum(shared),
    }
    # Commas and the like may stand in a query, and are shorter and easier to read there.
    return urlencode({k: v for k, v in parts.items() if v}, safe="@,=*", quote_via=quote)


def opened(params: Mapping[str, str]) -> Opened:
    """What the parameters of an address say."""
    if max((len(value) for value in params.values()), default=0) > LONGEST:
        return Opened(None, "share.too_long")
    version = params.get("v", "1")
    token = params.get("program", "")
    if not token:
        return Opened(None, None if version == "1" else "share.newer")
    program = _side(token, params.get("off", ""), None)
    if program is None:
        return Opened(None, "share.newer" if version != str(VERSION) else "share.unreadable")
    if version != str(VERSION):
        # Only the program can be trusted to mean the same.
        return Opened(Shared(program), "share.newer")
    return _whole(params, program)


def _whole(params: Mapping[str, str], program: Side) -> Opened:
    other, notice = None, None
    if params.get("b"):
        other = _side(params["b"], params.get("b_off", ""), program.text)
        notice = "share.unreadable" if other is None else None
    step, level, lang, theme = (params.get(k, "") for k in ("step", "level", "lang", "theme"))
    shared = Shared(
        program,
        step=int(step) if step.isdecimal() and len(step) < 7 else None,
        level=level if level in LEVELS else None,
        other=other,
        change=params.get("change", "")[:80],
        panels=tuple(name for name in params.get("panels", "").split(",") if name),
        lang=lang if lang in LANGUAGES else None,
        theme=theme if theme in THEMES else None,
        embed=params.get("embed") == "true",
    )
    if notice is None and params.get("c") and params["c"] != checksum(shared):
        notice = "share.changed"
    return Opened(shared, notice)


def checksum(shared: Shared) -> str:
    """Seven letters or digits over what a link is about; the place in the run is not part of it.

    The player moves ``step`` in the address while the reader walks, so that must not count.
    """
    sides = [shared.program, *([shared.other] if shared.other else [])]
    parts = [str(VERSION), shared.change, *(p for s in sides for p in (s.text, _names(s.off)))]
    number = zlib.crc32("\x00".join(parts).encode("utf-8", "surrogatepass"))
    digits = ""
    for _ in range(7):
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits


def _names(fusers: frozenset[str]) -> str:
    return ",".join(sorted(fusers))


def _side(token: str, off: str, first: str | None) -> Side | None:
    fusers = frozenset(name for name in off.split(",") if name.isalnum() and len(name) < 40)
    for program in gallery():
        if program.id == token:
            return Side(program.text, program.id, fusers)
    if first is not None and token.startswith(_DIFFERENCE):
        text = _unpacked_difference(first, token)
    else:
        text = unpack(token)
    return None if text is None else Side.of(text, fusers)


def _packed_difference(first: str, second: str) -> str:
    """The second text, told by what the first one says already."""
    squeezer = zlib.compressobj(9, zdict=first.encode("utf-8"))
    body = squeezer.compress(second.encode("utf-8")) + squeezer.flush()
    return _DIFFERENCE + base64.urlsafe_b64encode(body).decode("ascii").rstrip("=")


def _unpacked_difference(first: str, token: str) -> str | None:
    body = token[len(_DIFFERENCE) :]
    try:
        squeezed = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
        expander = zlib.decompressobj(zdict=first.encode("utf-8"))
        raw = expander.decompress(squeezed, LARGEST)
        return raw.decode("utf-8") if expander.eof else None
    except (binascii.Error, zlib.error, ValueError):
        return None
