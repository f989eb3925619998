"""The shipped nginx configuration in front of two servers that share a Redis."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from phones import API, ask, play
from services import Nginx, RedisServer, RoomServer

from fusionlab.classroom.codes import new_token


@pytest.fixture(scope="module")
def cluster(
    redis_server: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Nginx, list[RoomServer]]]:
    folder = tmp_path_factory.mktemp("nginx")
    servers = [RoomServer(folder, redis_server.url) for _ in range(2)]
    for server in servers:
        server.start()
    nginx = Nginx(folder, [server.port for server in servers])
    nginx.start()
    yield nginx, servers
    nginx.stop()
    for server in servers:
        server.kill()


async def requests_at(server: RoomServer) -> int:
    """How many room requests a server has had."""
    text = (await ask(server.port, "GET", "/metrics")).text
    found = re.findall(r"^fusionlab_room_requests_total\{.*\} (\d+)$", text, re.MULTILINE)
    return sum(map(int, found))


Cluster = tuple[Nginx, list[RoomServer]]


def test_a_visitor_stays_with_one_server(cluster: Cluster) -> None:
    nginx, servers = cluster

    async def scene() -> None:
        for _ in range(6):
            first = await ask(nginx.port, "GET", f"{API}/x/state")
            cookie = first.headers["set-cookie"].partition(";")[0]
            before = [await requests_at(server) for server in servers]
            for _ in range(5):
                again = await ask(nginx.port, "GET", f"{API}/x/state", headers={"cookie": cookie})
                assert "set-cookie" not in again.headers
            after = [await requests_at(server) for server in servers]
            assert sorted(b - a for a, b in zip(before, after, strict=True)) == [0, 5]

    play(scene())


def test_visitors_are_spread_over_the_servers(cluster: Cluster) -> None:
    nginx, servers = cluster

    async def scene() -> None:
        before = [await requests_at(server) for server in servers]
        for _ in range(40):
            await ask(nginx.port, "GET", f"{API}/x/state")
        after = [await requests_at(server) for server in servers]
        assert min(b - a for a, b in zip(before, after, strict=True)) >= 5

    play(scene())


def test_a_visitor_cannot_claim_another_address(cluster: Cluster) -> None:
    """Wrong PINs are counted against the address that nginx saw, whatever the request claims."""
    nginx, _ = cluster

    async def guess(n: int, source: str) -> str:
        data = {"code": "ZZZZZZ", "token": new_token()}
        headers = {"x-forwarded-for": f"203.0.113.{n}", "cookie": "fusionlab_node=same"}
        given = await ask(nginx.port, "POST", f"{API}/join", data, headers=headers, source=source)
        return given.json["code"]

    async def scene() -> None:
        said = [await guess(n, "127.0.0.7") for n in range(40)]
        assert said[0] == "code_unknown"
        assert said[-1] == "too_many"
        assert await guess(0, "127.0.0.8") == "code_unknown"

    play(scene())


def test_metrics_are_not_for_the_world(cluster: Cluster) -> None:
    nginx, _ = cluster
    inside = play(ask(nginx.port, "GET", "/metrics"))
    outside = play(ask(nginx.port, "GET", "/metrics", source="127.0.0.9"))
    assert (inside.status, outside.status) == (200, 403)


def test_the_access_log_names_nobody(cluster: Cluster) -> None:
    nginx, _ = cluster
    path = f"{API}/x/state?name=Ada"
    play(ask(nginx.port, "GET", path, source="127.0.0.9", token=new_token()))
    log = Path(nginx.folder, "nginx-access.log").read_text()
    assert f"GET {API}/x/state 403" in log
    log += Path(nginx.folder, "nginx-error.log").read_text()
    assert not re.search(r"127\.0\.0|Ada|Bearer", log)
