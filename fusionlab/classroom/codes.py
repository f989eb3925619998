"""The codes by which people enter a room, and the secrets that prove who they are.

A PIN is six letters and digits that nobody mistakes for one another; it is read aloud and typed. A
key is long and stands in the QR code: it cannot be guessed, so it needs no limit on wrong guesses.
A token is a secret that the browser makes for itself and shows with every request; the server
keeps only its hash, so a stolen database opens no room.
"""

from __future__ import annotations

import hashlib
import re
import secrets

PIN_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
PIN_LENGTH = 6
_PIN = re.compile(f"[{PIN_LETTERS}]{{{PIN_LENGTH}}}")
_KEY = re.compile(r"[A-Za-z0-9_-]{16}")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_ID = re.compile(r"[A-Za-z0-9_-]{12}")


def new_pin() -> str:
    """A PIN at random; 31 to the power of 6, about 890 million."""
    return "".join(secrets.choice(PIN_LETTERS) for _ in range(PIN_LENGTH))


def new_key() -> str:
    """A key at random: 96 bits."""
    return secrets.token_urlsafe(12)


def new_token() -> str:
    """A secret at random: 256 bits. Browsers make their own in the same form."""
    return secrets.token_urlsafe(32)


def new_id() -> str:
    """A name for a room or a student, unique and without meaning: 72 bits."""
    return secrets.token_urlsafe(9)


def as_pin(typed: str) -> str | None:
    """The PIN that somebody meant: any case, with spaces or dashes; ``None`` if it is none."""
    pin = re.sub(r"[\s\-·]", "", typed[:40]).upper()
    return pin if _PIN.fullmatch(pin) else None


def is_key(text: str) -> bool:
    """Whether the text has the form of a key."""
    return bool(_KEY.fullmatch(text))


def is_token(text: str) -> bool:
    """Whether the text has the form of a token."""
    return bool(_TOKEN.fullmatch(text))


def is_id(text: str) -> bool:
    """Whether the text has the form of an id."""
    return bool(_ID.fullmatch(text))


def hashed(token: str) -> str:
    """What is kept of a token. It has 256 random bits, so a plain hash is enough."""
    return hashlib.sha256(token.encode("ascii")).hexdigest()
