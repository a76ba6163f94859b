"""The desk of a server: answers the requests of clients about its cells."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from workcell.errors import WorkcellError
from workcell.service import protocol
from workcell.service.answers import failure, unforeseen

if TYPE_CHECKING:
    from workcell.service.audience import Client
    from workcell.service.cells import Cells
    from workcell.service.hub import Hub

log = logging.getLogger("workcell.service")


class Desk:
    """Answers requests about cells; only the event loop uses it."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    async def answer(self, hub: Hub, client: Client, message: protocol.ClientMessage) -> None:
        """Do what a client of a hub asks for, and answer."""
        request = getattr(message, "request", 0)
        try:
            client.send(await self._found(hub, message))
        except WorkcellError as error:
            client.send(failure(request, error))
        except Exception as error:
            log.exception("A request about cells failed with an unexpected error.")
            client.send(failure(request, unforeseen(error)))

    async def _found(self, hub: Hub, message: protocol.ClientMessage) -> protocol.ServerMessage:
        cells = self._cells
        match message:
            case protocol.ListSamples(request=request):
                return protocol.SampleList(request, list(cells.samples.infos()))
            case protocol.ListFolder(request=request, folder=folder):
                return await asyncio.to_thread(cells.folder, request, hub, folder)
            case protocol.NewCell(request=request, file=file):
                return protocol.CellOpened(request, await cells.new(hub, file))
            case protocol.OpenCell(request=request, file=file):
                return protocol.CellOpened(request, await cells.open_file(hub, file))
            case protocol.OpenSample(request=request, name=name):
                return protocol.CellOpened(request, await cells.open_sample(hub, name))
            case protocol.SaveCell(request=request, file=file, replace=replace):
                return protocol.CellOpened(request, await cells.save(hub, file, replace))
            case protocol.CloseCell(request=request, cell=cell):
                await cells.close_one(cell)
                return cells.listed(request, hub)
            case _:
                return cells.listed(getattr(message, "request", 0), hub)
