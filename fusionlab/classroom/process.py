"""The one classroom of this process, made from its environment when somebody first asks for it."""

from __future__ import annotations

import os
import threading
from functools import cache

from starlette.routing import BaseRoute

from fusionlab.classroom import logs
from fusionlab.classroom.routes import classroom_routes
from fusionlab.classroom.service import Classroom
from fusionlab.classroom.settings import Settings, settings_from
from fusionlab.classroom.sqlite_store import SqliteStore
from fusionlab.classroom.store import RoomStore, StoreUnavailable
from fusionlab.errors import ContentError

FILE = "rooms.sqlite"
_making = threading.Lock()


def classroom() -> Classroom:
    """The classroom of this process.

    Raises:
        ContentError: ``setting_malformed``, ``redis_missing`` when a Redis is named but its client
            is not installed, or ``data_unwritable`` (``path``).
    """
    with _making:
        return _classroom()


@cache
def _classroom() -> Classroom:
    logs.start()
    settings = settings_from(os.environ)
    return Classroom(store_of(settings), settings)


@cache
def routes() -> list[BaseRoute]:
    """The classroom's routes for the app's server; the same ones on every run of the script."""
    return classroom_routes(classroom())


def store_of(settings: Settings) -> RoomStore:
    """The keeper that the settings ask for; raises what ``classroom`` raises."""
    if settings.redis_url:
        return _redis(settings, settings.redis_url)
    try:
        settings.data.mkdir(parents=True, exist_ok=True)
        return SqliteStore(
            settings.data / FILE, seconds=settings.room_seconds, limit=settings.rooms
        )
    except (OSError, StoreUnavailable) as problem:
        raise ContentError("data_unwritable", path=str(settings.data)) from problem


def _redis(settings: Settings, url: str) -> RoomStore:
    try:
        from fusionlab.classroom.redis_store import RedisStore  # noqa: PLC0415 -- optional
    except ImportError as problem:
        raise ContentError("redis_missing") from problem
    store = RedisStore(url, seconds=settings.room_seconds, limit=settings.rooms)
    try:
        for weakness in store.warnings():
            logs.warn("redis_may_lose_votes", setting=weakness)
    except StoreUnavailable:
        logs.warn("redis_unavailable")
    return store
