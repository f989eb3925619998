"""Keepers of rooms for the tests: a file, and a real Redis."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# The helpers beside this file are modules of their own.
sys.path.insert(0, str(Path(__file__).parent))

from examples import DAY, Clock
from services import RedisServer, RoomServer

from fusionlab.classroom.redis_store import RedisStore
from fusionlab.classroom.sqlite_store import SqliteStore
from fusionlab.classroom.store import RoomStore


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One Redis for all tests that do not kill it; each uses rooms of its own."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture(params=["sqlite", "redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[RoomStore]:
    if request.param == "sqlite":
        kept: RoomStore = SqliteStore(tmp_path / "rooms.sqlite", seconds=DAY, clock=clock)
    else:
        kept = RedisStore(request.getfixturevalue("redis_server").url, seconds=DAY, clock=clock)
    yield kept
    kept.close()


@pytest.fixture(scope="session")
def room_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoomServer]:
    """One server of room routes over a file, for all tests that do not end it."""
    server = RoomServer(tmp_path_factory.mktemp("rooms"))
    server.start()
    yield server
    server.kill()
