"""The cells of a server, from a Python program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.service import protocol

if TYPE_CHECKING:
    from workcell.service.client import Client


class RemoteCells:
    """Lists, opens, saves and closes cells of a server; ``wc.connect(url + "?cell=ID")`` connects to one of them."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def listed(self) -> protocol.CellList:
        """Return the open cells, and the files that were open before."""
        return self._client.ask(protocol.CellList, protocol.ListCells)

    def samples(self) -> list[protocol.SampleInfo]:
        """Return the sample cells."""
        return self._client.ask(protocol.SampleList, protocol.ListSamples).samples

    def folder(self, folder: str = "") -> protocol.FolderList:
        """Return what can be opened in a folder of the server; "" is the one where names begin."""
        return self._client.ask(protocol.FolderList, lambda number: protocol.ListFolder(number, folder))

    def new(self, file: str = "") -> protocol.CellInfo:
        """Make a cell, in memory or as a new file."""
        return self._client.ask(protocol.CellOpened, lambda number: protocol.NewCell(number, file)).cell

    def open(self, file: str) -> protocol.CellInfo:
        """Open a file of the server; relative paths begin in the folder of the cell."""
        return self._client.ask(protocol.CellOpened, lambda number: protocol.OpenCell(number, file)).cell

    def open_sample(self, name: str) -> protocol.CellInfo:
        """Open a sample as a new cell in memory."""
        return self._client.ask(protocol.CellOpened, lambda number: protocol.OpenSample(number, name)).cell

    def save_as(self, file: str, replace: bool = False) -> protocol.CellInfo:
        """Save the cell of this connection as a file; the cell goes on under the id that is returned."""
        return self._client.ask(protocol.CellOpened, lambda number: protocol.SaveCell(number, file, replace)).cell

    def close(self, cell: str) -> protocol.CellList:
        """Close a cell by its id."""
        return self._client.ask(protocol.CellList, lambda number: protocol.CloseCell(number, cell))
