"""The WebSocket of a server: frames of a client in, frames of its outbox out. All of it runs in the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from workcell.errors import ServiceError, UnknownName
from workcell.service.answers import failure
from workcell.service.audience import Client
from workcell.service.cell_address import FIRST
from workcell.service.pace import Pace

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from workcell.service.cells import Cells
    from workcell.service.hub import Hub

MAX_MESSAGE = 4_000_000
"""The longest message that a client may send [bytes]."""
GONE = 4404
"""The code that closes the wire of a cell that is not open."""
_WIRE = re.compile(r"/cells/([^/]+)/ws")
AT_ONCE = 8
"""How many messages of a client are read before others have their turn."""


class Wire:
    """An ASGI application for the WebSocket of each cell; there are no layers between, which cost time.

    Args:
        cells: those of the server.
    """

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection until one of its ends closes it."""
        await receive()  # the request to connect
        await send({"type": "websocket.accept"})
        page = any(name == b"origin" for name, _ in scope["headers"])
        try:
            hub = self._cells.hub(cell_named(scope["path"]) or FIRST)
            identity = parse_qs(scope["query_string"].decode("latin-1")).get("client", [""])[0]
            client = await hub.join("window" if page else "program", identity)
        except Exception as error:
            code = GONE if isinstance(error, UnknownName) else 1011
            await send({"type": "websocket.close", "code": code, "reason": str(error)[:100]})
            return
        writer = asyncio.create_task(_write(client, send))
        try:
            await _read(hub, client, receive)
        finally:
            hub.leave(client)
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await writer


def cell_named(path: str) -> str | None:
    """Return the cell whose WebSocket is at a path; None if there is none at it."""
    if path == "/ws":
        return FIRST
    found = _WIRE.fullmatch(path)
    return None if found is None else found[1]


async def _read(hub: Hub, client: Client, receive: Receive) -> None:
    """Begin the work of each message until the client leaves."""
    pace, count = Pace(), 0
    while not client.closed and (frame := await receive())["type"] == "websocket.receive":
        begun = time.thread_time()
        text = frame.get("text")
        if text is None:
            client.send(
                failure(0, ServiceError(f"A message is a text frame; found {len(frame['bytes'])} binary bytes."))
            )
        else:
            hub.receive(client, text)
        took, client.spent = time.thread_time() - begun + client.spent, 0.0
        wait = pace.wait(took, hub.audience.heard(client))
        count += 1
        if wait or count % AT_ONCE == 0:  # messages that have come already are read without a pause for others
            await asyncio.sleep(wait)


async def _write(client: Client, send: Send) -> None:
    """Send a client the frames of its outbox, in order."""
    with contextlib.suppress(RuntimeError, OSError):  # it has left
        while (frame := await client.outbox.get()) is not None:
            await send({"type": "websocket.send", "text" if isinstance(frame, str) else "bytes": frame})
        await send({"type": "websocket.close", "code": 1012, "reason": "The server closed this connection."})
