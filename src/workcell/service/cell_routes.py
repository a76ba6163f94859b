"""The addresses of the cells of a server: their wires, their shapes, and the pictures of the samples."""

from __future__ import annotations

import asyncio
import contextlib
import time

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from workcell.errors import UnknownName, WorkcellError
from workcell.service.audience import Client
from workcell.service.cell_address import FIRST
from workcell.service.cells import Cells
from workcell.service.robot_pictures import RobotPictures
from workcell.service.static_page import takes_gzip

MAX_RATE = 2000
"""How many messages of one client are read per second."""
GONE = 4404
"""The code that closes the wire of a cell that is not open."""


class CellRoutes:
    """Answers requests to ``/cells/ID/…``; without ``/cells/ID``, they are for the first cell."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._pictures = RobotPictures()

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            WebSocketRoute("/ws", self._wire),
            WebSocketRoute("/cells/{cell}/ws", self._wire),
            Route("/glb/{name}", self._glb),
            Route("/cells/{cell}/glb/{name}", self._glb),
            Route("/samples/{name}.webp", self._sample_picture),
            Route("/robots/{name}.webp", self._robot_picture),
        ]

    async def _glb(self, request: Request) -> Response:
        gzipped = takes_gzip(request.headers)
        try:
            hub = self._cells.hub(request.path_params.get("cell", FIRST))
            data = await hub.glb(request.path_params["name"], gzipped=gzipped)
        except UnknownName as error:
            return PlainTextResponse(str(error), status_code=404)
        except WorkcellError as error:
            return PlainTextResponse(str(error), status_code=500)
        headers = {"cache-control": "private, max-age=31536000, immutable", "vary": "accept-encoding"}
        if gzipped:
            headers["content-encoding"] = "gzip"
        return Response(data, media_type="model/gltf-binary", headers=headers)

    async def _sample_picture(self, request: Request) -> Response:
        try:
            data = await asyncio.to_thread(self._cells.samples.picture, request.path_params["name"])
        except UnknownName as error:
            return PlainTextResponse(str(error), status_code=404)
        return Response(data, media_type="image/webp", headers={"cache-control": "public, max-age=3600"})

    async def _robot_picture(self, request: Request) -> Response:
        try:
            data = await asyncio.wrap_future(self._pictures.of(request.path_params["name"]))
        except UnknownName as error:
            return PlainTextResponse(str(error), status_code=404)
        return Response(data, media_type="image/webp", headers={"cache-control": "public, max-age=3600"})

    async def _wire(self, socket: WebSocket) -> None:
        await socket.accept()
        try:
            hub = self._cells.hub(socket.path_params.get("cell", FIRST))
            client = await hub.join("window" if "origin" in socket.headers else "program")
        except Exception as error:
            await socket.close(GONE if isinstance(error, UnknownName) else 1011, reason=str(error)[:100])
            return
        writer = asyncio.create_task(_write(socket, client))
        pace = _Pace()
        try:
            while True:
                hub.receive(client, await socket.receive_text())
                await pace.keep()
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass  # the client left, was disconnected, or sent a binary frame, which is not allowed
        finally:
            hub.leave(client)
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await writer


class _Pace:
    """Limits the messages of one client per second; the rest waits in its socket."""

    def __init__(self) -> None:
        self._begun, self._count = time.monotonic(), 0

    async def keep(self) -> None:
        self._count += 1
        now = time.monotonic()
        if now - self._begun >= 1.0:
            self._begun, self._count = now, 0
        elif self._count >= MAX_RATE:
            await asyncio.sleep(self._begun + 1.0 - now)


async def _write(socket: WebSocket, client: Client) -> None:
    """Send a client the frames of its outbox, in order."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
        while (frame := await client.outbox.get()) is not None:
            if isinstance(frame, str):
                await socket.send_text(frame)
            else:
                await socket.send_bytes(frame)
        await socket.close(1012, reason="The server closed this connection.")
