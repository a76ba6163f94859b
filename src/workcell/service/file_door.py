"""The door for files: a page sends a file to the folder of the cell, and fetches one from there.

Both go through the confined access of clients, so that they reach what a command of a client reaches, and nothing else.
"""

from __future__ import annotations

import asyncio
import filecmp
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from workcell.errors import FileProblem, WorkcellError
from workcell.service.cell_address import FIRST

if TYPE_CHECKING:
    from workcell.commands.file_access import FileAccess
    from workcell.service.cells import Cells

LARGEST = 256 * 2**20
"""The largest file that a client may send [bytes]."""
MOST_OF_ONE_NAME = 100
"""How many files with the same name, but other content, are kept; each gets a number."""
CHUNK = 2**18
HEADERS = {
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class FileDoor:
    """Takes and gives files of the cell's folder.

    Args:
        cells: the cells of the server.
    """

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    def routes(self) -> list[BaseRoute]:
        """Return the routes: PUT takes a file, GET gives one; without ``/cells/ID``, of the first cell."""
        return [
            Route(f"{cell}/files/{{name:path}}", self._serve, methods=["GET", "PUT"]) for cell in ("", "/cells/{cell}")
        ]

    async def _access(self, cell: str) -> FileAccess:
        """Return the files of a cell, once it is open."""
        hub = self._cells.hub(cell)
        await asyncio.shield(asyncio.wrap_future(hub.ready))
        assert hub.files is not None
        return hub.files.access

    async def _serve(self, request: Request) -> Response:
        name = request.path_params["name"]
        try:
            access = await self._access(request.path_params.get("cell", FIRST))
            if request.method == "PUT":
                return PlainTextResponse(await _take(access, request, name), headers=HEADERS)
            return await asyncio.to_thread(_give, access, name)
        except WorkcellError as error:
            return PlainTextResponse(str(error), status_code=404 if request.method == "GET" else 400, headers=HEADERS)


async def _take(access: FileAccess, request: Request, name: str) -> str:
    """Keep the body of a request as a file; return its name, which has a number if the name was taken."""
    if "/" in name or "\\" in name:
        raise FileProblem(f"A file is sent under its own name, without folders; found {name!r}.")
    if int(request.headers.get("content-length", "0")) > LARGEST:
        raise _too_large(name)
    with tempfile.TemporaryDirectory(prefix="workcell-") as folder:
        draft = Path(folder) / "draft"
        size = 0
        with await asyncio.to_thread(draft.open, "wb") as target:
            try:
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > LARGEST:
                        raise _too_large(name)
                    await asyncio.to_thread(target.write, chunk)
            except ClientDisconnect:
                raise FileProblem(f"{name} did not arrive completely; send it again.") from None
        return await asyncio.to_thread(_keep, access, name, draft)


def _keep(access: FileAccess, name: str, draft: Path) -> str:
    """Move a draft to the first name that is free; a file with the same content is there already."""
    path = Path(name)
    for number in range(1, MOST_OF_ONE_NAME + 1):
        called = name if number == 1 else f"{path.stem}-{number}{path.suffix}"
        if not access.is_file(called):
            with access.written(called) as place:
                os.replace(draft, place)
            return called
        with access.readable(called) as known:
            if filecmp.cmp(known, draft, shallow=False):
                return called
    raise FileProblem(f"The folder of the cell already has {MOST_OF_ONE_NAME} files called {name}; rename yours.")


def _give(access: FileAccess, name: str) -> Response:
    with ExitStack() as stack:
        source = stack.enter_context(access.opened(name))
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


def _too_large(name: str) -> FileProblem:
    return FileProblem(f"{name} has more than {LARGEST // 2**20} MiB; copy it to the folder of the cell instead.")
