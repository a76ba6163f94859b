"""The door for files: a page fetches a file from the folder of the cell.

It goes through the confined access of clients, so that it reaches what a command of a client reaches, and nothing else.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from workcell.errors import WorkcellError
from workcell.service.cell_address import FIRST
from workcell.service.cell_thread import settled

if TYPE_CHECKING:
    from workcell.service.cells import Cells
    from workcell.service.client_files import ClientFiles

CHUNK = 2**18
HEADERS = {
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class FileDoor:
    """Gives files of the cell's folder.

    Args:
        cells: the cells of the server.
    """

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    def routes(self) -> list[BaseRoute]:
        """Return the routes; without ``/cells/ID``, they are for the first cell."""
        return [Route(f"{cell}/files/{{name:path}}", self._serve, methods=["GET"]) for cell in ("", "/cells/{cell}")]

    async def _files(self, cell: str) -> ClientFiles:
        """Return the files of a cell, once it is open."""
        hub = self._cells.hub(cell)
        await settled(hub.ready)
        assert hub.files is not None
        return hub.files

    async def _serve(self, request: Request) -> Response:
        name = request.path_params["name"]
        try:
            files = await self._files(request.path_params.get("cell", FIRST))
            return await asyncio.to_thread(_give, files, name)
        except WorkcellError as error:
            return PlainTextResponse(str(error), status_code=404, headers=HEADERS)


def _give(files: ClientFiles, name: str) -> Response:
    with ExitStack() as stack:
        stack.callback(files.downloads.forget, name)  # where an open file cannot be removed
        source = stack.enter_context(files.access.opened(name))
        files.downloads.forget(name)  # it is kept for one client and one time
        size = os.fstat(source.fileno()).st_size
        headers = {
            **HEADERS,
            "content-length": str(size),
            "content-disposition": f"attachment; filename*=UTF-8''{quote(Path(name).name)}",
        }
        opened = stack.pop_all()
    return StreamingResponse(_pieces(source, opened, size), media_type="application/octet-stream", headers=headers)


def _pieces(source: BinaryIO, opened: ExitStack, size: int) -> Iterator[bytes]:
    """Return what the file had when it was opened, piece by piece."""
    with opened:
        while size > 0 and (piece := source.read(min(CHUNK, size))):
            size -= len(piece)
            yield piece
