"""An answer that does not end: everything that is left for one listener, as it comes."""

from __future__ import annotations

import asyncio

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from fusionlab.classroom.hub import Hub, Listener


class EventStream(Response):
    """An event stream. The listener leaves the hub when the browser does, at once."""

    media_type = "text/event-stream"

    def __init__(self, room: str, listener: Listener, hub: Hub) -> None:
        """Stream what the hub leaves for a listener who is already in it."""
        super().__init__(headers={"x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._room = room
        self._listener = listener
        self._hub = hub

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send until either side has enough."""
        leaving = asyncio.create_task(_left(receive))
        leaving.add_done_callback(lambda _: self._listener.end())
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        try:
            await send(start)
            async for news in self._listener.receive():
                await send({"type": "http.response.body", "body": news, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except OSError:
            # The connection broke while something was sent: the same as leaving.
            return
        finally:
            leaving.cancel()
            self._hub.remove(self._room, self._listener)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
