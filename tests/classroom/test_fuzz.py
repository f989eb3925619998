"""Whatever is sent to the room routes, they answer, and no room learns of another."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzz import attack, target, untouched
from phones import play
from services import RedisServer, RoomServer

REQUESTS = 3000
AT_ONCE = 3


@pytest.fixture(params=["sqlite", "redis"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RoomServer]:
    redis: RedisServer | None = None
    if request.param == "redis":
        redis = request.getfixturevalue("redis_server")
    made = RoomServer(tmp_path, redis.url if redis else None, "--no-limits")
    made.start()
    yield made
    made.kill()


def test_odd_requests_cause_no_error_and_no_leak(server: RoomServer) -> None:
    async def scene() -> None:
        aim = await target(server)
        parts = [attack(aim, seed, REQUESTS // 2 // AT_ONCE) for seed in range(AT_ONCE)]
        await asyncio.gather(*parts)
        await untouched(aim)
        # The attack has reached every kind of answer, so it was not turned away at the door.
        assert {200, 201, 400, 403, 404, 405, 409, 413} <= set(aim.statuses), aim.statuses

    play(scene())
    assert '"level": "error"' not in server.log.read_text()


def test_the_search_for_leaks_finds_one(server: RoomServer) -> None:
    """The attack fails when the attacker is, by mistake, the teacher of the foreign room."""

    async def scene() -> None:
        aim = await target(server)
        aim.own = aim.foreign
        with pytest.raises(AssertionError, match="foreign"):
            await attack(aim, 1, 2000)

    play(scene())
