"""What every room route does the same way: read little, check all, answer plainly.

Answers are JSON with a ``code`` for what went wrong; the sentence comes from the page's catalog. A
request proves who it is by a bearer token in a header: nothing that a browser sends along by
itself, so another site cannot make it act (no cookies, no cross-site forgery).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from math import ceil
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fusionlab.classroom import logs
from fusionlab.classroom.limits import TooManyRequests, neighbourhood
from fusionlab.classroom.metrics import Metrics
from fusionlab.classroom.model import RoomError
from fusionlab.classroom.store import StoreUnavailable

LONGEST_BODY = 32 * 1024

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}

_STATUS = {
    "not_allowed": 403,
    "kicked": 403,
    "room_locked": 403,
    "code_unknown": 404,
    "student_unknown": 404,
    "request_malformed": 400,
    "token_malformed": 400,
    "choice_unknown": 400,
    "body_too_large": 413,
}
_CONFLICT = 409

Endpoint = Callable[[Request], Awaitable[Response]]


class BadRequest(RoomError):  # noqa: N818 -- the name of the HTTP status
    """The request is not one that our pages send."""


def answer(data: Mapping[str, Any], status: int = 200) -> Response:
    """A JSON answer."""
    return JSONResponse(data, status)


def refusal(error: RoomError | TooManyRequests | StoreUnavailable) -> Response:
    """The answer that says why not."""
    match error:
        case TooManyRequests():
            wait = max(1, ceil(error.seconds))
            body = {"code": error.code, "seconds": wait}
            return JSONResponse(body, 429, {"retry-after": str(wait)})
        case StoreUnavailable():
            return JSONResponse({"code": error.code}, 503, {"retry-after": "1"})
        case _:
            body = {"code": error.code, **error.params}
            return JSONResponse(body, _STATUS.get(error.code, _CONFLICT))


def guarded(name: str, endpoint: Endpoint, metrics: Metrics) -> Endpoint:
    """An endpoint whose errors become answers, counted under its name."""

    async def asked(request: Request) -> Response:
        try:
            given = await endpoint(request)
        except (RoomError, TooManyRequests, StoreUnavailable) as error:
            metrics.refused.add(error.code)
            given = refusal(error)
        except ClientDisconnect:
            given = Response(status_code=400)
        except Exception as problem:  # noqa: BLE001 -- said in the log, and plainly to the browser
            logs.failed("request_failed", problem, route=name)
            given = answer({"code": "internal"}, 500)
        metrics.requests.add(name, str(given.status_code))
        return given

    return asked


async def body(request: Request) -> dict[str, Any]:
    """The JSON object that was sent.

    Raises:
        BadRequest: ``body_too_large`` or ``request_malformed``.
    """
    text = b""
    async for part in request.stream():
        text += part
        if len(text) > LONGEST_BODY:
            raise BadRequest("body_too_large")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise BadRequest("request_malformed") from problem
    if not isinstance(data, dict):
        raise BadRequest("request_malformed")
    return data


def text_of(data: Mapping[str, Any], name: str, longest: int, default: str | None = None) -> str:
    """A text of the body; raises ``BadRequest`` when it is missing, no text, or too long."""
    value = data.get(name, default)
    if not isinstance(value, str) or len(value) > longest or not _writable(value):
        raise BadRequest("request_malformed", field=name)
    return value


def _writable(text: str) -> bool:
    """JSON may name half of a character, which no file and no answer can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def number_of(data: Mapping[str, Any], name: str, highest: int, default: int | None = None) -> int:
    """A whole number of the body from 0 to ``highest``; raises ``BadRequest`` for all else."""
    value = data.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= highest:
        raise BadRequest("request_malformed", field=name)
    return value


def token_of(request: Request) -> str:
    """The token that the request shows, or an empty text."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def address_of(request: Request) -> str:
    """Whom to count a request against. It is compared, never kept or logged.

    Behind a proxy the server itself (uvicorn) puts the visitor's address here, if
    ``FORWARDED_ALLOW_IPS`` names the proxy.
    """
    return neighbourhood(request.client.host if request.client else None)


class SecureHeaders:
    """Every answer of the wrapped app, its errors included, carries the security headers."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an app."""
        self._app = app
        self._headers = [
            (name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def send_with_headers(event: Message) -> None:
            if event["type"] == "http.response.start":
                names = {name for name, _ in event.get("headers", [])}
                missing = [header for header in self._headers if header[0] not in names]
                event["headers"] = [*event.get("headers", []), *missing]
            await send(event)

        await self._app(scope, receive, send_with_headers)
