"""The application: the cells of a server and everything that answers for them, as ASGI. It needs no port."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.routing import BaseRoute
from starlette.types import Lifespan, Receive, Scope, Send

from workcell.service.cell_address import CellAddress
from workcell.service.cell_routes import CellRoutes
from workcell.service.cell_thread import OpenSession
from workcell.service.cells import Cells
from workcell.service.client_files import checked_folders
from workcell.service.desk import Desk
from workcell.service.file_door import FileDoor
from workcell.service.hub import Hub
from workcell.service.recent_files import RecentFiles
from workcell.service.samples import NoSamples, Samples
from workcell.service.static_page import PAGE, page_route
from workcell.service.upload_routes import UploadRoutes
from workcell.service.wire import Wire, cell_named


class Application:
    """Answers requests and wires for the cells of a server.

    Whoever runs it opens the first cell (``app.hub.open()``) and stays in :meth:`serving` as long as it answers.

    Args:
        open_session: opens the session of the first cell, in its cell thread.
        page: the folder of the built page.
        allow: folders whose files clients may use, in addition to the folder of the cell.
        samples: the sample cells that clients may open.
        recent: the file that remembers which cells were open; None for none.
        framed: whether notebooks of this machine may show the page in a frame.
        lifespan: what the server does at its start and end; it is in :meth:`serving` between.
    """

    def __init__(
        self,
        open_session: OpenSession,
        *,
        page: Path = PAGE,
        allow: Sequence[Path] = (),
        samples: Samples | None = None,
        recent: Path | None = None,
        framed: bool = False,
        lifespan: Lifespan[Starlette] | None = None,
    ) -> None:
        folders = checked_folders(allow)
        self.hub = Hub(open_session, folders, CellAddress(beside=folders[0] if folders else None))
        """The hub of the first cell."""
        self.cells = Cells(self.hub, folders, samples or NoSamples(), RecentFiles(recent))
        self.hub.desk = Desk(self.cells)
        self._wire = Wire(self.cells)
        routes: list[BaseRoute] = [
            *CellRoutes(self.cells).routes(),
            *FileDoor(self.cells).routes(),
            *UploadRoutes(self.cells).routes(),
            page_route(page, framed),
        ]
        self._pages = Starlette(routes=routes, lifespan=lifespan)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the wire or to the pages."""
        wire = scope["type"] == "websocket" and cell_named(scope["path"]) is not None
        await (self._wire if wire else self._pages)(scope, receive, send)

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Inside, the cells answer; at the end, all of them are closed."""
        self.cells.start()
        try:
            yield
        finally:
            await self.cells.close()
