"""Requests that no page of ours would send, at random but repeatable, and what must not come back.

The attacker is the teacher of one room, a student of a second, and a stranger to a third. Every
text of the rooms carries a marker, so that a leak is one search away.
"""

import asyncio
import json
import random
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import quote

from phones import API, Browser, ask, head, read_body, read_head
from services import RoomServer

from fusionlab.classroom.codes import new_id, new_token

LONGEST_SECONDS = 20.0
METHODS = ["GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "BREW"]
ROUTES = (
    "POST open,POST join,GET state,GET state,GET events,POST votes,POST votes,POST moves,"
    "POST moves,POST moves,POST step,POST pairing,POST remote,POST qr,GET results,DELETE people"
).split(",")
# `end` is left out: nothing much can go wrong in a room that has ended.
MOVES = (
    "show discard ask close talk extend stop_timer again show_result reveal finish lock unlock x"
).split()
TEXTS = [
    "",
    "x",
    "../../etc/passwd",
    "' OR 1=1 --",
    "%00",
    "\x00",
    "\ud800",
    "１２３",
    "\u202e",
    "a" * 300,
    "{{7*7}}",
    "<script>alert(1)</script>",
    "*",
    "fusionlab:rooms",
]
VALUES: list[object] = [
    None,
    True,
    0,
    -1,
    7,
    2**31,
    2**63,
    10**400,
    -0.5,
    1e308,
    float("nan"),
    [],
    {},
    [[[]]],
    {"a": {"b": 1}},
    *TEXTS,
]
BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b"[" * 5000,
    b'{"a":' * 3000,
    b"x" * 40_000,
]


@dataclass
class Target:
    """The three rooms, and what the attacker holds."""

    port: int
    own: Browser
    joined: Browser
    foreign: Browser
    student_of_joined: Browser
    secrets: list[str]
    statuses: Counter[int] = field(default_factory=Counter)

    def rooms(self) -> list[str]:
        return [self.own.room, self.joined.room, self.foreign.room]

    def tokens(self) -> list[str]:
        return [self.own.token, self.student_of_joined.token]


async def target(server: RoomServer) -> Target:
    """Set the stage: the second room has an open question, the third a student with a name."""
    own = await server.opened("score", "more", marker="-mine-")
    joined = await server.opened("score", marker="-joined-")
    foreign = await server.opened("score", marker="-foreign-")
    student, named = Browser(server.port), Browser(server.port)
    await student.join(joined.pin)
    await named.join(foreign.pin, "SecretName")
    for teacher in (joined, foreign):
        await teacher.move("ask")
    await named.vote("1/1", 2)
    # What only the truth holds, of the room where the attacker is a student…
    secrets = ["launches forgotten-joined-", "three launches saved-joined-"]
    # …and everything of the room where the attacker is nobody.
    secrets += ["-foreign-", "SecretName", foreign.pin, foreign.key, foreign.token, named.token]
    secrets += [joined.token, joined.key]
    return Target(server.port, own, joined, foreign, student, secrets)


class Requests:
    """Makes odd requests: what a page would send, with some parts replaced by anything."""

    def __init__(self, seed: int, aim: Target) -> None:
        self.random = random.Random(seed)
        self.aim = aim
        self.asked = ""

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def room(self) -> str:
        """Mostly the attacker's own room."""
        own, joined, foreign = self.aim.rooms()
        known = [own, own, own, joined, joined, foreign]
        return self.random.choice([new_id(), *TEXTS] if self.chance(0.15) else known)

    def path(self, name: str) -> str:
        pick = self.random
        path = API
        if name not in ("open", "join"):
            self.asked = self.room()
            path += "/" + quote(self.asked, safe="", errors="replace")
        path += f"/{name}"
        if name == "people":
            path += "/" + quote(pick.choice([new_id(), *TEXTS]), safe="", errors="replace")
        if self.chance(0.15):
            what = pick.choice(["screen", "teacher", "json", *TEXTS])
            path += "?as=" + quote(what, errors="replace")
        if self.chance(0.03):
            path += pick.choice(["/", "//", "/..", "/%2e%2e/", "/" + "a" * 500])
        return path

    def token(self) -> str:
        """Mostly the one that fits the room, if the attacker has one."""
        pick, aim = self.random, self.aim
        fitting = {aim.own.room: aim.own.token, aim.joined.room: aim.student_of_joined.token}
        if self.asked in fitting and self.chance(0.75):
            return fitting[self.asked]
        odd = [new_token(), new_id(), "", "x", "a" * 43, "é" * 43, "Bearer", *self.aim.rooms()]
        return pick.choice(odd if self.chance(0.15) else self.aim.tokens())

    def body(self, name: str) -> bytes:
        pick = self.random
        if self.chance(0.08):
            return pick.choice(BODIES)
        makers = {"votes": self.vote, "moves": self.move, "step": self.step, "join": self.come_in}
        kind = pick.choice([*makers]) if self.chance(0.1) else name
        data = makers.get(kind, self.anything)()
        for key in list(data):
            if self.chance(0.12):
                data[key] = pick.choice(VALUES)
        return json.dumps(data).encode()

    def anything(self) -> dict[str, object]:
        return {"text": "x", "token": new_token(), "code": new_token()}

    def vote(self) -> dict[str, object]:
        ballot = self.random.choice(["1/1", "1/2", "2/1", "x"])
        return {"ballot": ballot, "choice": self.random.randrange(5), "turn": 1}

    def move(self) -> dict[str, object]:
        data: dict[str, object] = {"move": self.random.choice(MOVES)}
        if self.chance(0.3):
            data |= {"seq": self.random.randrange(20), "seconds": 60, "question": "score"}
        return data | {"program": "mul_add_exp"}

    def step(self) -> dict[str, object]:
        return {"showing": 0, "step": self.random.randrange(100), "level": 1}

    def come_in(self) -> dict[str, object]:
        code = self.random.choice([self.aim.own.pin, self.aim.joined.pin, "ZZZZZZ", new_token()])
        return {"code": code, "token": self.random.choice([new_token(), "x"]), "name": "N"}

    def raw(self) -> bytes:
        method, name = self.random.choice(ROUTES).split()
        if self.chance(0.06):
            method = self.random.choice(METHODS)
        body = self.body(name)
        path = self.path(name)
        return head(method, path, self.token(), len(body)) + body


async def attack(aim: Target, seed: int, count: int) -> None:
    """Send odd requests; fail on the first server error and on the first leak."""
    made = Requests(seed, aim)
    for _ in range(count):
        request = made.raw()
        status, text = await answered(aim.port, request)
        aim.statuses[status] += 1
        assert status < 500, (status, request[:2000], text[:2000])
        for secret in aim.secrets:
            assert secret not in text, (secret, request[:2000], text[:2000])


async def answered(port: int, request: bytes) -> tuple[int, str]:
    """Status and everything that came back; of an event stream, what came at once."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        async with asyncio.timeout(LONGEST_SECONDS):
            return await read_answer(reader, request)
    except TimeoutError as silent:
        raise AssertionError(f"no answer: {request[:2000]!r}") from silent
    finally:
        writer.close()


async def read_answer(reader: asyncio.StreamReader, request: bytes) -> tuple[int, str]:
    status, headers = await read_head(reader)
    text = " ".join(headers.values())
    if request.startswith(b"HEAD"):
        return status, text
    if headers.get("content-type", "").startswith("text/event-stream"):
        return status, text + (await reader.read(65536)).decode(errors="replace")
    return status, text + (await read_body(reader, headers)).decode(errors="replace")


async def untouched(aim: Target) -> None:
    """Fail if anything has changed in the room where the attacker is nobody."""
    state = await ask(aim.port, "GET", f"{API}/{aim.foreign.room}/state", token=aim.foreign.token)
    room = state.json["room"]
    assert (room["joined"], room["voted"], room["poll"]["stage"]) == (1, 1, "voting")
    joined = await ask(aim.port, "GET", f"{API}/{aim.joined.room}/state", token=aim.joined.token)
    assert joined.json["room"]["poll"]["stage"] == "voting"
