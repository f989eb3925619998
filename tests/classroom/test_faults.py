"""What happens to a vote when something dies in the middle of it: nothing.

The phones do what the page does: repeat a vote until it is acknowledged, and come back by
themselves. What was acknowledged must be counted, once, and everybody must be back within five
seconds of the recovery.
"""

import asyncio
import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from phones import Browser, play
from services import AppServer, Nginx, RedisServer, RoomServer, Wire

# They measure how long a recovery takes.
pytestmark = pytest.mark.alone

BACK_SECONDS = 5.0
CLASS = 20


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    (tmp_path / "redis").mkdir()
    server = RedisServer(tmp_path / "redis")
    server.start()
    yield server
    server.kill()


class Class:
    """A teacher and students in a room that votes."""

    def __init__(self, teacher: Browser, students: list[Browser]) -> None:
        self.teacher = teacher
        self.students = students
        self.acknowledged: dict[int, int] = {}
        self.voting = True

    @property
    def everybody(self) -> list[Browser]:
        return [self.teacher, *self.students]

    async def keep_voting(self, student: Browser) -> None:
        """Change one's mind all the time; remember the last choice that was acknowledged."""
        choice = student.number % 4
        while self.voting:
            given = await student.vote("1/1", choice)
            assert given.status == 200, given
            self.acknowledged[student.number] = choice
            choice = (choice + 1) % 4
            await asyncio.sleep(0.05)

    async def all_back(self) -> float:
        """Wait until everybody hears the room again; return how long that took."""
        started = time.monotonic()
        for browser in self.everybody:
            browser.connected = 0.0
        while not all(browser.connected for browser in self.everybody):
            assert time.monotonic() - started < 30, "somebody never came back"
            await asyncio.sleep(0.02)
        return time.monotonic() - started

    async def counted(self) -> list[int]:
        closed = await self.teacher.move("close")
        assert closed.status == 200, closed
        counts = await self.teacher.sees(
            lambda seen: seen["room"]["closed"]["counts"], what="the result"
        )
        return counts[0]

    def expected(self) -> list[int]:
        return [list(self.acknowledged.values()).count(option) for option in range(4)]


@contextlib.asynccontextmanager
async def voting(server: RoomServer, *ports: int):
    """A class that votes; with ports given, its phones are spread over these."""
    teacher = await server.opened("score")
    students = [Browser((ports or (server.port,))[n % max(1, len(ports))]) for n in range(CLASS)]
    teacher.port = ports[0] if ports else server.port
    for student in students:
        await student.join(teacher.pin)
    await teacher.move("ask")
    all_ = Class(teacher, students)
    for browser in all_.everybody:
        browser.listen()
    for browser in all_.everybody:
        await browser.sees(lambda seen: seen["room"]["poll"], 20, "the question")
    busy = [asyncio.create_task(all_.keep_voting(student)) for student in students]
    try:
        await asyncio.sleep(0.5)
        yield all_
        all_.voting = False
        await asyncio.gather(*busy)
        assert len(all_.acknowledged) == CLASS
        assert await all_.counted() == all_.expected()
    finally:
        for task in busy:
            task.cancel()
        for browser in all_.everybody:
            await browser.leave()


def test_a_server_killed_in_a_vote_loses_none_and_everybody_comes_back(tmp_path: Path) -> None:
    server = RoomServer(tmp_path, None, "--no-limits")
    server.start()

    async def scene() -> None:
        async with voting(server) as all_:
            for _ in range(2):
                server.kill()
                await asyncio.sleep(1.0)
                await asyncio.to_thread(server.start)
                assert await all_.all_back() < BACK_SECONDS
                await asyncio.sleep(0.3)

    try:
        play(scene())
    finally:
        server.kill()


def test_a_redis_killed_in_a_vote_loses_none_and_everybody_goes_on(
    tmp_path: Path, own_redis: RedisServer
) -> None:
    server = RoomServer(tmp_path, own_redis.url, "--no-limits")
    server.start()

    async def scene() -> None:
        async with voting(server) as all_:
            own_redis.kill()
            await asyncio.sleep(1.0)
            await asyncio.to_thread(own_redis.start)
            recovered = time.monotonic()
            # The phones were never cut off; news must reach them again.
            step = 7
            while True:
                await all_.teacher.step(step)
                with contextlib.suppress(AssertionError):
                    await all_.students[-1].sees(lambda seen: seen["place"]["step"] == step, 0.5)
                    break
            assert time.monotonic() - recovered < BACK_SECONDS
            await asyncio.sleep(0.3)

    try:
        play(scene())
    finally:
        server.kill()


@pytest.mark.parametrize("seconds", [2.0, 8.0], ids=["a short one", "a long one"])
def test_a_network_dropped_in_a_vote_loses_none_and_everybody_comes_back(
    tmp_path: Path, seconds: float
) -> None:
    server = RoomServer(tmp_path, None, "--no-limits")
    server.start()

    async def scene() -> None:
        async with Wire(server.port) as wire, voting(server, wire.port) as all_:
            wire.cut()
            await asyncio.sleep(seconds)
            wire.mend()
            assert await all_.all_back() < BACK_SECONDS
            await asyncio.sleep(0.3)

    try:
        play(scene())
    finally:
        server.kill()


def test_one_of_two_servers_behind_nginx_is_killed_and_nobody_notices(
    tmp_path: Path, own_redis: RedisServer
) -> None:
    servers = [RoomServer(tmp_path, own_redis.url, "--no-limits") for _ in range(2)]
    for server in servers:
        server.start()
    nginx = Nginx(tmp_path, [server.port for server in servers])
    nginx.start()

    async def scene() -> None:
        async with voting(servers[0], nginx.port) as all_:
            before = [listening(server) for server in servers]
            assert await asyncio.gather(*before) != [0, 0]
            servers[1].kill()
            assert await all_.all_back() < BACK_SECONDS
            await asyncio.to_thread(servers[1].start)
            await asyncio.sleep(0.3)

    try:
        play(scene())
    finally:
        nginx.stop()
        for server in servers:
            server.kill()


async def listening(server: RoomServer) -> int:
    """How many browsers listen to a server."""
    text = (await Browser(server.port).until_answered("GET", "/metrics", None)).text
    return int(float(text.partition("\nfusionlab_streams ")[2].split()[0]))


def test_a_step_reaches_students_of_every_server(tmp_path: Path, own_redis: RedisServer) -> None:
    servers = [RoomServer(tmp_path, own_redis.url) for _ in range(2)]
    for server in servers:
        server.start()

    async def scene() -> None:
        teacher = await servers[0].opened("score")
        student = Browser(servers[1].port)
        await student.join(teacher.pin)
        student.listen()
        await student.sees(lambda seen: seen["place"])
        await teacher.step(23)
        await student.sees(lambda seen: seen["place"]["step"] == 23, 1.0, "the step")
        await teacher.move("ask")
        await student.sees(lambda seen: seen["room"]["poll"], 1.0, "the question")
        teacher.listen()
        assert (await student.vote("1/1", 2)).status == 200
        await teacher.sees(lambda seen: seen["room"]["voted"] == 1, 1.0, "the vote")
        await student.leave()
        await teacher.leave()

    try:
        play(scene())
    finally:
        for server in servers:
            server.kill()


@pytest.mark.parametrize("kind", [RoomServer, AppServer], ids=["the routes", "the whole app"])
def test_a_server_that_is_told_to_stop_does_not_wait_for_listeners(
    tmp_path: Path, kind: type[RoomServer]
) -> None:
    server = kind(tmp_path)
    server.start()

    async def scene() -> float:
        teacher = await server.opened()
        teacher.listen()
        await teacher.sees(lambda seen: seen["room"])
        took = await asyncio.to_thread(server.stop)
        await teacher.leave()
        return took

    try:
        assert play(scene()) < 5.0
    finally:
        server.kill()
