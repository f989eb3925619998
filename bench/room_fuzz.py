"""Attack the room routes with a hundred thousand odd requests.

    python bench/room_fuzz.py [--requests 100000] [--seed 1] [--redis]

Starts a server of its own on this machine, without rate limits so that the requests reach what lies
behind them, and stops it again. Any server error and any text of a room that the attacker must not
see ends it with the request at fault.
"""

import asyncio
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "classroom")]

from fuzz import attack, target, untouched  # noqa: E402 -- the path must be set first
from services import RedisServer, RoomServer  # noqa: E402

AT_ONCE = 3
MOST = 1_000_000


async def attacked(server: RoomServer, seed: int, count: int) -> None:
    aim = await target(server)
    started = time.perf_counter()
    parts = (attack(aim, seed * AT_ONCE + n, count // AT_ONCE) for n in range(AT_ONCE))
    await asyncio.gather(*parts)
    await untouched(aim)
    took = time.perf_counter() - started
    print(f"{sum(aim.statuses.values())} requests in {took:.0f} s, no server error, no leak")
    print(", ".join(f"{status}: {n}" for status, n in sorted(aim.statuses.items())))


def main() -> int:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=100_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--redis", action="store_true", help="rooms in Redis, not in a file")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        redis = RedisServer(Path(folder)) if wanted.redis else None
        if redis is not None:
            redis.start()
        server = RoomServer(Path(folder), redis.url if redis else None, "--no-limits")
        server.start()
        try:
            asyncio.run(attacked(server, wanted.seed, min(wanted.requests, MOST)))
        finally:
            server.kill()
            if redis is not None:
                redis.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
