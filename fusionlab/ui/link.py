"""What a link carries: a program as an id of the gallery or as packed text.

In: a program text. Out: a token that is safe in an address. Unpacking accepts anything and answers
``None`` for what is not such a token, because addresses are edited, cut off and grown old.
"""

from __future__ import annotations

import base64
import binascii
import zlib

from fusionlab.config import Limits

_PACKED = "z."
LARGEST = Limits().program_bytes
"""Bytes of a program text: the limit of the lab, and a guard against packed bombs."""


def pack(text: str) -> str:
    """The text as a token: zlib, then base64 with the letters that an address may hold."""
    squeezed = zlib.compress(text.encode("utf-8"), 9)
    return _PACKED + base64.urlsafe_b64encode(squeezed).decode("ascii").rstrip("=")


def unpack(token: str) -> str | None:
    """The text of a token, or ``None`` when it is not one (zlib's checksum tells)."""
    if not token.startswith(_PACKED):
        return None
    body = token[len(_PACKED) :]
    try:
        squeezed = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
        expander = zlib.decompressobj()
        raw = expander.decompress(squeezed, LARGEST)
        return raw.decode("utf-8") if expander.eof else None
    except (binascii.Error, zlib.error, ValueError):
        return None
