"""A cell in a notebook without anywidget: the page in a frame, from a port of the kernel's machine."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from workcell.service.server import Server
from workcell.workbench.gallery import Gallery
from workcell.workbench.notebook_link import Link

if TYPE_CHECKING:
    from workcell.commands.cell import Cell

HEIGHT = 560
"""The height of the frame [pixels]."""


class FrameView:
    """Serves a cell of the kernel to frames of the notebook, from when it is made until the cell is closed."""

    def __init__(self, cell: Cell) -> None:
        self._link = Link(cell)
        self.server = Server(self._link.session, samples=Gallery(), framed=True).start()
        self.server.hub.ready.result()
        self._link.follow(self.server.hub, self.server.stop)

    def html(self) -> str:
        """Return the frame, as HTML."""
        address = html.escape(self.server.url, quote=True)
        return f'<iframe src="{address}" width="100%" height="{HEIGHT}" style="border: 0" title="Workcell"></iframe>'

    def close(self) -> None:
        """End the server, once; the cell stays open."""
        self._link.close()
