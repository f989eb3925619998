"""The room routes on a small server of their own: `python server.py PORT [--no-limits]`.

Settings come by environment. Besides the routes it can put a question into a room's deck, which in
the app the teacher's page does.
"""

import sys
from dataclasses import fields
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

sys.path.insert(0, str(Path(__file__).parent))

from examples import question

from fusionlab.classroom.http import token_of
from fusionlab.classroom.limits import Bucket, Limits
from fusionlab.classroom.process import classroom, routes


def prepare(request: Request) -> JSONResponse:
    asked = request.query_params
    made = question(asked["id"], answer=int(asked["answer"]), marker=asked["marker"])
    room = classroom().prepare(request.path_params["room"], token_of(request), made)
    return JSONResponse({"seq": room.seq})


app = Starlette(routes=[*routes(), Route("/prepare/{room}", prepare, methods=["POST"])])


def without_limits() -> Limits:
    """Limits that nobody reaches, for tests of what lies behind them."""
    return Limits(**{field.name: Bucket(1e9, 1e9) for field in fields(Limits)})


if __name__ == "__main__":
    if "--no-limits" in sys.argv:
        classroom().limits = without_limits()
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), access_log=False, log_level="warning")
