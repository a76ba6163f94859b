"""A cell in a notebook: the page in a frame, linked to the kernel.

``%load_ext workcell.workbench.notebook`` once; then a cell at the end of a notebook cell shows itself. The page and the
kernel work on the same session, one command at a time. Without the extension, a cell shows itself as text.
"""

from __future__ import annotations

import html
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from workcell.commands.cell import Cell
from workcell.service.server import Server
from workcell.workbench.gallery import Gallery

if TYPE_CHECKING:
    from workcell.commands.session import Session

HEIGHT = 560
"""The height of the frame [pixels]."""
_views: WeakKeyDictionary[Cell, NotebookView] = WeakKeyDictionary()


class NotebookView:
    """Serves a cell of the kernel to frames of the notebook, from when it is made until the cell is closed."""

    def __init__(self, cell: Cell) -> None:
        session = cell.session

        @contextmanager
        def opened() -> Iterator[Session]:
            yield session

        session.gate = threading.RLock()
        self.server = Server(opened, samples=Gallery(), framed=True).start()
        self.server.hub.ready.result()
        self._forget: Callable[[], None] | None = session.on_change(lambda _change: self.server.hub.changed())
        cell.before_close.append(self.close)

    def html(self) -> str:
        """Return the frame, as HTML."""
        address = html.escape(self.server.url, quote=True)
        return f'<iframe src="{address}" width="100%" height="{HEIGHT}" style="border: 0" title="Workcell"></iframe>'

    def close(self) -> None:
        """End the server, once; the cell stays open."""
        forget, self._forget = self._forget, None
        if forget is not None:
            forget()
            self.server.stop()


def view_of(cell: Cell) -> NotebookView:
    """Return the view of a cell, which is made once."""
    found = _views.get(cell)
    if found is None:
        found = _views[cell] = NotebookView(cell)
    return found


def bundle(cell: Cell, **_wishes: object) -> dict[str, str]:
    """Return a cell for a notebook: the frame, and the text for front ends that show no HTML."""
    return {"text/plain": repr(cell), "text/html": view_of(cell).html()}


def load_ipython_extension(shell: Any) -> None:
    """Let IPython show cells with :func:`bundle`."""
    shell.display_formatter.mimebundle_formatter.for_type(Cell, bundle)


def unload_ipython_extension(shell: Any) -> None:
    """Let IPython show cells as text again, and end all views."""
    shell.display_formatter.mimebundle_formatter.pop(Cell, None)
    for view in list(_views.values()):
        view.close()
    _views.clear()
