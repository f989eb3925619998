"""What whoever runs the server may decide, read from the environment once.

Source of each value: an environment variable of the same name with the prefix ``FUSIONLAB_``; the
hosting page of the documentation lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fusionlab.errors import ContentError

_PREFIX = "FUSIONLAB_"


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and places.

    ``redis_url`` makes several servers share their rooms; without it they are in one file below
    ``data``. ``room_hours`` is how long a room is kept after the teacher's last move. ``rooms`` and
    ``streams`` bound what one server holds, ``room_people`` how many may join one room.
    """

    redis_url: str | None = None
    data: Path = field(default_factory=lambda: Path.home() / ".local" / "state" / "fusionlab")
    room_hours: float = 24.0
    room_people: int = 300
    rooms: int = 1000
    streams: int = 2000

    @property
    def room_seconds(self) -> float:
        """How long a room is kept, in seconds."""
        return self.room_hours * 3600.0


def settings_from(environment: Mapping[str, str]) -> Settings:
    """The settings of an environment.

    Raises:
        ContentError: ``setting_malformed`` (``name``, ``value``) for what is no positive number.
    """
    plain = Settings()
    state = environment.get("XDG_STATE_HOME")
    folder = Path(state) / "fusionlab" if state else plain.data
    return Settings(
        redis_url=environment.get(f"{_PREFIX}REDIS_URL") or None,
        data=Path(environment.get(f"{_PREFIX}DATA") or folder),
        room_hours=_number(environment, "ROOM_HOURS", plain.room_hours),
        room_people=int(_number(environment, "ROOM_PEOPLE", plain.room_people)),
        rooms=int(_number(environment, "ROOMS", plain.rooms)),
        streams=int(_number(environment, "STREAMS", plain.streams)),
    )


def _number(environment: Mapping[str, str], name: str, default: float) -> float:
    text = environment.get(f"{_PREFIX}{name}", "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise ContentError("setting_malformed", name=f"{_PREFIX}{name}", value=text)
    return value
