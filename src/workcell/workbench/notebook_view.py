"""A cell in a notebook: the page as a widget, which speaks with the kernel by messages of the notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.service.application import Application
from workcell.service.in_process import InProcess
from workcell.service.static_page import PAGE
from workcell.workbench.gallery import Gallery
from workcell.workbench.notebook_link import Link

if TYPE_CHECKING:
    from workcell.commands.cell import Cell

WIDGET = PAGE / "notebook" / "widget.js"
"""The script of the widget; it fetches the page."""


class NotebookView:
    """Serves a cell of the kernel to widgets, from when it is made until the cell is closed. It needs no port."""

    def __init__(self, cell: Cell) -> None:
        self._link = Link(cell)
        self.pages = InProcess(Application(self._link.session, samples=Gallery())).start()
        self._link.follow(self.pages.app.hub, self.pages.stop)

    def close(self) -> None:
        """Disconnect the pages, once; the cell stays open."""
        self._link.close()
