"""The addresses of files: ``POST …/files?name=NAME`` sends one to a cell, ``GET …/files?name=NAME`` fetches one."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from workcell.errors import UnknownName, WorkcellError
from workcell.service.cell_address import FIRST
from workcell.service.cell_messages import Uploaded
from workcell.service.cells import Cells
from workcell.service.client_files import ClientFiles
from workcell.service.transfers import chunks


class FileRoutes:
    """Takes uploads and serves downloads of all cells; the gate has checked token and origin."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route(path, handle, methods=[method])
            for path in ("/files", "/cells/{cell}/files")
            for method, handle in (("POST", self._upload), ("GET", self._download))
        ]

    async def _files(self, request: Request) -> ClientFiles:
        """Return the files of the cell of a request, once it is open."""
        hub = self._cells.hub(request.path_params.get("cell", FIRST))
        await asyncio.shield(asyncio.wrap_future(hub.ready))
        assert hub.files is not None
        return hub.files

    async def _upload(self, request: Request) -> Response:
        name = request.query_params.get("name", "")
        try:
            files = await self._files(request)
            announced = request.headers.get("content-length", "")
            size = int(announced) if announced.isdecimal() else None
            path = await files.uploads.receive(name, request.stream(), size)
            files.may_upload()
            found = Uploaded(str(path), path.stat().st_size)
        except ClientDisconnect:
            return PlainTextResponse("The upload was cancelled.", status_code=499)
        except UnknownName as error:
            return PlainTextResponse(str(error), status_code=404)
        except WorkcellError as error:
            return PlainTextResponse(str(error), status_code=400)
        return Response(msgspec.json.encode(found), status_code=201, media_type="application/json")

    async def _download(self, request: Request) -> Response:
        try:
            name, body = await chunks(await self._files(request), request.query_params.get("name", ""))
        except WorkcellError as error:
            return PlainTextResponse(str(error), status_code=404)
        headers = {
            "content-disposition": f"attachment; filename*=UTF-8''{quote(name)}",
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
        }
        return StreamingResponse(body, media_type="application/octet-stream", headers=headers)
