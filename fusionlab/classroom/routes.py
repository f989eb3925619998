"""The room routes: what browsers ask of a classroom, below ``/api/rooms``.

====================================  =====================================================
``POST open``, ``POST join``          come in; the browser brings the secret it will use
``GET  {room}/events``                listen: events ``room``, ``place``, ``own`` and ``gone``
``POST {room}/votes``                 a student votes
``POST {room}/moves``, ``…/step``     a teacher asks, closes, reveals, shows a step
``DELETE {room}/people/{student}``    a teacher sends somebody out
``POST {room}/pairing``, ``…/remote``  a teacher's phone becomes a remote
``POST {room}/qr``                    a teacher's link as a QR code
``GET  {room}/results``               the votes as a table or as JSON
====================================  =====================================================

``/healthz`` and ``/metrics`` are for whoever runs the server.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router, request_response

from fusionlab.classroom import results, stopping
from fusionlab.classroom.codes import hashed, is_id
from fusionlab.classroom.http import (
    BadRequest,
    Endpoint,
    SecureHeaders,
    address_of,
    answer,
    body,
    guarded,
    number_of,
    text_of,
    token_of,
)
from fusionlab.classroom.hub import Listener
from fusionlab.classroom.limits import TooManyRequests
from fusionlab.classroom.metrics import CONTENT_TYPE
from fusionlab.classroom.model import RoomError
from fusionlab.classroom.moves import move_of
from fusionlab.classroom.qr import LONGEST, qr
from fusionlab.classroom.service import Classroom
from fusionlab.classroom.store import Pass, Place, Role
from fusionlab.classroom.stream import EventStream
from fusionlab.classroom.wire import Audience, own_view, view

PREFIX = "/api/rooms"
_LONGEST_CODE = 40
_LONGEST_TOKEN = 80
_LONGEST_NAME = 200
_LONGEST_BY = 16
_MOST_STEPS = 1_000_000
_MOST_TURNS = 2**53

T = TypeVar("T")


def classroom_routes(classroom: Classroom) -> list[BaseRoute]:
    """The routes of a classroom, for the app's own server."""
    api = _Api(classroom)

    def route(path: str, endpoint: Endpoint, method: str) -> Route:
        name = f"{method} {path}"
        return Route(path, guarded(name, endpoint, classroom.metrics), methods=[method])

    room = "/{room}"
    inner = Router(
        [
            route("/open", api.open, "POST"),
            route("/join", api.join, "POST"),
            route(f"{room}/state", api.state, "GET"),
            route(f"{room}/events", api.events, "GET"),
            route(f"{room}/votes", api.vote, "POST"),
            route(f"{room}/moves", api.move, "POST"),
            route(f"{room}/step", api.step, "POST"),
            route(f"{room}/people/{{student}}", api.kick, "DELETE"),
            route(f"{room}/pairing", api.pair, "POST"),
            route(f"{room}/remote", api.take_over, "POST"),
            route(f"{room}/qr", api.qr, "POST"),
            route(f"{room}/results", api.results, "GET"),
        ],
        redirect_slashes=False,
    )
    return [
        Route("/healthz", SecureHeaders(request_response(api.health)), methods=["GET"]),
        Route("/metrics", SecureHeaders(request_response(api.metrics)), methods=["GET"]),
        Mount(PREFIX, app=SecureHeaders(ExceptionMiddleware(inner))),
    ]


class _Api:
    def __init__(self, classroom: Classroom) -> None:
        self._room = classroom

    async def _work(self, call: Callable[..., T], *args: Any) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._room.workers, lambda: call(*args))

    async def _enter(self, request: Request) -> tuple[str, Pass]:
        room, token = request.path_params["room"], token_of(request)
        try:
            return room, await self._work(self._room.enter, room, token)
        except RoomError:
            self._room.limits.strangers.take(address_of(request))
            raise

    async def _teacher(self, request: Request) -> str:
        room, who = await self._enter(request)
        if who.role is not Role.TEACHER:
            raise RoomError("not_allowed")
        return room

    # --- coming in ---------------------------------------------------------------------------

    async def open(self, request: Request) -> Response:
        token = text_of(await body(request), "token", _LONGEST_TOKEN)
        room = await self._work(self._room.open, token, address_of(request))
        return answer({"room": room.id, "pin": room.pin, "key": room.key}, 201)

    async def join(self, request: Request) -> Response:
        data = await body(request)
        code = text_of(data, "code", _LONGEST_CODE)
        token = text_of(data, "token", _LONGEST_TOKEN)
        name = text_of(data, "name", _LONGEST_NAME, "")
        room, student = await self._work(self._room.join, code, token, name, address_of(request))
        return answer({"room": room.id, "pin": room.pin, "number": student.number}, 201)

    async def pair(self, request: Request) -> Response:
        room = await self._teacher(request)
        self._room.limits.moving.take(room)
        return answer({"code": await self._work(self._room.pair, room)}, 201)

    async def take_over(self, request: Request) -> Response:
        self._room.limits.strangers.take(address_of(request))
        data = await body(request)
        code, token = (text_of(data, name, _LONGEST_TOKEN) for name in ("code", "token"))
        await self._work(self._room.take_over, request.path_params["room"], code, token)
        return answer({"room": request.path_params["room"]}, 201)

    # --- reading -----------------------------------------------------------------------------

    async def state(self, request: Request) -> Response:
        room, who = await self._enter(request)
        audience = _audience(request, who)
        state = await self._work(self._room.state, room)
        seen = {"room": view(state, audience)}
        if own := next((one for one in state.students if one.id == who.student), None):
            if own.kicked:
                raise RoomError("kicked")
            seen["own"] = own_view(state, own)
        return answer(seen)

    async def events(self, request: Request) -> Response:
        room, who = await self._enter(request)
        if request.method == "HEAD":
            return Response(media_type=EventStream.media_type)
        self._room.limits.streaming.take(hashed(token_of(request)))
        if self._room.metrics.streams >= self._room.settings.streams:
            raise TooManyRequests(5.0)
        listener = Listener(_audience(request, who), who.student)
        # Listen first, read afterwards: a change in between is told twice rather than never.
        self._room.hub.add(room, listener)
        stopping.watch(self._room.hub.close)
        try:
            listener.put(
                await self._work(self._room.greeting, room, listener.audience, who.student)
            )
        except BaseException:
            self._room.hub.remove(room, listener)
            raise
        return EventStream(room, listener, self._room.hub)

    async def results(self, request: Request) -> Response:
        room = await self._teacher(request)
        self._room.limits.moving.take(room)
        lang = "zh" if request.query_params.get("lang") == "zh" else "en"
        write, kind, ending = (
            (results.as_json, "application/json", "json")
            if request.query_params.get("as") == "json"
            else (results.as_csv, "text/csv; charset=utf-8", "csv")
        )
        text, pin = await self._work(self._results, room, write, lang)
        name = f'attachment; filename="fusionlab-{pin}.{ending}"'
        return Response(text, media_type=kind, headers={"content-disposition": name})

    def _results(self, room: str, write: Callable[..., str], lang: str) -> tuple[str, str]:
        kept = self._room.state(room)
        votes = {
            poll.number: self._room.store.votes(room, poll.number)
            for poll in results.polls_of(kept.room)
        }
        return write(kept.room, kept.students, votes, lang), kept.room.pin

    # --- acting ------------------------------------------------------------------------------

    async def vote(self, request: Request) -> Response:
        room, who = await self._enter(request)
        if who.role is not Role.STUDENT:
            raise RoomError("not_allowed")
        data = await body(request)
        ballot = text_of(data, "ballot", 12)
        choice = number_of(data, "choice", 7)
        turn = number_of(data, "turn", _MOST_TURNS, 0)
        await self._work(self._room.vote, room, who.student, ballot, choice, turn)
        return answer({"ballot": ballot, "choice": choice})

    async def move(self, request: Request) -> Response:
        room = await self._teacher(request)
        self._room.limits.moving.take(room)
        data = await body(request)
        seen = number_of(data, "seq", _MOST_STEPS) if "seq" in data else None
        now = await self._work(self._room.act, room, move_of(data, time.time()), seen)
        return answer({"seq": now.seq})

    async def step(self, request: Request) -> Response:
        room = await self._teacher(request)
        self._room.limits.stepping.take(room)
        data = await body(request)
        place = Place(
            showing=number_of(data, "showing", _MOST_STEPS),
            step=number_of(data, "step", _MOST_STEPS),
            level=number_of(data, "level", 2, 1),
            by=text_of(data, "by", _LONGEST_BY, ""),
        )
        await self._work(self._room.show_step, room, place)
        return answer({"step": place.step})

    async def kick(self, request: Request) -> Response:
        room = await self._teacher(request)
        self._room.limits.moving.take(room)
        student = request.path_params["student"]
        if not is_id(student):
            raise BadRequest("student_unknown")
        await self._work(self._room.kick, room, student)
        return answer({"student": student})

    async def qr(self, request: Request) -> Response:
        room = await self._teacher(request)
        self._room.limits.moving.take(room)
        link = text_of(await body(request), "text", LONGEST)
        return answer(await self._work(qr, link))

    # --- for whoever runs the server -----------------------------------------------------------

    async def health(self, _request: Request) -> Response:
        ready = await self._work(self._room.store.ready)
        return answer({"status": "ok" if ready else "store_unavailable"}, 200 if ready else 503)

    async def metrics(self, _request: Request) -> Response:
        return PlainTextResponse(self._room.metrics.text(), media_type=CONTENT_TYPE)


def _audience(request: Request, who: Pass) -> Audience:
    """A teacher's token may also listen as the projector does; a student's only as a student."""
    if who.role is Role.STUDENT:
        return Audience.STUDENT
    asked = request.query_params.get("as")
    return Audience.SCREEN if asked == Audience.SCREEN.value else Audience.TEACHER
