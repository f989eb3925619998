"""A class on one server: how long a step takes to every phone, and whether every vote counts once.

    python bench/classroom.py [--students 100] [--seconds 20] [--app] [--redis]

Starts a server of its own on this machine and stops it again. `--app` takes the whole app instead
of the room routes alone (then nobody votes: only the teacher's page can ask), `--redis` keeps the
rooms in a Redis of its own. The phones are simulated in this process, over the loopback only.
"""

import asyncio
import random
import statistics
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "classroom")]

from phones import Browser  # noqa: E402 -- the path must be set first
from services import AppServer, RedisServer, RoomServer  # noqa: E402

STEPS_PER_SECOND = 5
MOST_STUDENTS, MOST_SECONDS = 300, 120
GOAL_MS, GOAL_CORES = 200.0, 1.0


def arguments() -> Namespace:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    students, seconds = range(1, MOST_STUDENTS + 1), range(1, MOST_SECONDS + 1)
    parser.add_argument("--students", type=int, default=100, choices=students, metavar="N")
    parser.add_argument("--seconds", type=int, default=20, choices=seconds, metavar="S")
    parser.add_argument("--app", action="store_true", help="the whole app, not the routes alone")
    parser.add_argument("--redis", action="store_true", help="rooms in Redis, not in a file")
    return parser.parse_args()


async def entered(server: RoomServer, count: int) -> tuple[Browser, list[Browser], float]:
    """A teacher and students who listen, and how long it took until all were in."""
    teacher = await server.opened(*([] if isinstance(server, AppServer) else ["score"]))
    students = [Browser(server.port) for _ in range(count)]
    started = time.perf_counter()
    for group in range(0, count, 25):
        await asyncio.gather(*(one.join(teacher.pin) for one in students[group : group + 25]))
    for browser in (teacher, *students):
        browser.listen()
    for browser in (teacher, *students):
        await browser.sees(lambda seen: seen["place"], 30, "the first message")
    return teacher, students, time.perf_counter() - started


async def stepped(teacher: Browser, students: list[Browser], seconds: int) -> list[float]:
    """Seconds from each step of the teacher to each phone; a phone may skip to a newer step."""
    sent: dict[int, float] = {}
    for student in students:
        student.heard.clear()
    for step in range(1, seconds * STEPS_PER_SECOND + 1):
        sent[step] = time.monotonic()
        await teacher.step(step)
        await asyncio.sleep(max(0.0, sent[step] + 1 / STEPS_PER_SECOND - time.monotonic()))
    last = max(sent)
    for student in students:
        await student.sees(lambda seen: seen["place"]["step"] == last, 10, "the last step")
    return [
        at - sent[place["step"]]
        for student in students
        for at, kind, place in student.heard
        if kind == "place" and place["step"] in sent
    ]


async def voted(teacher: Browser, students: list[Browser]) -> tuple[float, bool]:
    """Everybody votes within two seconds, one in three twice; time to the last acknowledgement."""
    await teacher.move("ask")
    final: list[int] = []
    pick = random.Random(1)  # noqa: S311 -- the same votes on every run

    async def vote(student: Browser) -> None:
        await asyncio.sleep(pick.random() * 2)
        choices = pick.choices(range(4), k=2 if student.number % 3 == 0 else 1)
        answers = [(await student.vote("1/1", choice)).status for choice in choices]
        if set(answers) == {200}:
            final.append(choices[-1])

    started = time.perf_counter()
    await asyncio.gather(*(vote(student) for student in students))
    took = time.perf_counter() - started
    await teacher.move("close")
    counts = await teacher.sees(lambda seen: seen["room"]["closed"]["counts"][0])
    exact = counts == [final.count(option) for option in range(4)]
    return took, exact and len(final) == len(students)


async def lesson(server: RoomServer, count: int, seconds: int) -> bool:
    teacher, students, coming_in = await entered(server, count)
    print(f"{count} students in and listening after {coming_in:.1f} s")
    before, began = server.cpu_seconds(), time.perf_counter()
    delays = sorted(1000 * delay for delay in await stepped(teacher, students, seconds))
    cores = (server.cpu_seconds() - before) / (time.perf_counter() - began)
    p95 = delays[int(len(delays) * 0.95)]
    share = len(delays) / (count * seconds * STEPS_PER_SECOND)
    print(
        f"step to phone: median {statistics.median(delays):.0f} ms, p95 {p95:.0f} ms,"
        f" worst {delays[-1]:.0f} ms; {share:.1%} of the steps seen one by one;"
        f" {cores:.2f} cores at {STEPS_PER_SECOND} steps/s"
    )
    exact = True
    if not isinstance(server, AppServer):
        took, exact = await voted(teacher, students)
        print(f"votes: all acknowledged after {took:.1f} s, each counted once: {exact}")
    for browser in (teacher, *students):
        await browser.leave()
    return p95 <= GOAL_MS and cores <= GOAL_CORES and exact


def main() -> int:
    wanted = arguments()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        redis = RedisServer(place) if wanted.redis else None
        if redis is not None:
            redis.start()
        kind = AppServer if wanted.app else RoomServer
        server = kind(place, redis.url if redis else None)
        server.start()
        try:
            held = asyncio.run(lesson(server, wanted.students, wanted.seconds))
        finally:
            server.kill()
            if redis is not None:
                redis.kill()
    goal = f"p95 ≤ {GOAL_MS:.0f} ms, ≤ {GOAL_CORES:.0f} core, every vote once"
    print(f"goal ({goal}): {'held' if held else 'MISSED'}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
