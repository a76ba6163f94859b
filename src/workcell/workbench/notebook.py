"""Cells, robots and solids in a notebook.

``%load_ext workcell.workbench.notebook`` once; then a cell at the end of a notebook cell shows itself as the page,
linked to the kernel, and a robot or a solid as a picture. The page and the kernel work on the same session, one command
at a time. Without the extension, all of them show themselves as text.
"""

from __future__ import annotations

import importlib.util
from typing import Any
from weakref import WeakKeyDictionary

from workcell.commands.cell import Cell
from workcell.geometry.solid import Solid
from workcell.robots.robot import Robot
from workcell.workbench.notebook_frame import FrameView
from workcell.workbench.notebook_pictures import picture_of
from workcell.workbench.notebook_view import WIDGET, NotebookView

WITHOUT_WIDGET = (
    "This page comes from a port of the kernel's machine, so only a browser on that machine shows it; after "
    "<code>pip install workcell[notebook]</code> and a restart of the kernel, it is shown wherever the notebook is."
)
"""What stands below the frame, as HTML."""
_views: WeakKeyDictionary[Cell, NotebookView | FrameView] = WeakKeyDictionary()


def has_widget() -> bool:
    """Whether the page can be shown as a widget: anywidget is installed, and the page is built."""
    return importlib.util.find_spec("anywidget") is not None and WIDGET.is_file()


def view_of(cell: Cell) -> NotebookView | FrameView:
    """Return the view of a cell, which is made once."""
    found = _views.get(cell)
    if found is None:
        found = _views[cell] = NotebookView(cell) if has_widget() else FrameView(cell)
    return found


def bundle(cell: Cell, **_wishes: object) -> dict[str, Any]:
    """Return a cell for a notebook: the page in a window of its own, and the text for others."""
    view = view_of(cell)
    if isinstance(view, FrameView):
        return {"text/plain": repr(cell), "text/html": f"{view.html()}<p>{WITHOUT_WIDGET}</p>"}
    from workcell.workbench.notebook_widget import CellWidget  # needs anywidget

    made: Any = CellWidget(view.pages)._repr_mimebundle_()  # with metadata in some versions
    return {**(made[0] if isinstance(made, tuple) else made), "text/plain": repr(cell)}


def load_ipython_extension(shell: Any) -> None:
    """Let IPython show cells with :func:`bundle`, and robots and solids as pictures."""
    shell.display_formatter.mimebundle_formatter.for_type(Cell, bundle)
    for kind in (Robot, Solid):
        shell.display_formatter.formatters["image/png"].for_type(kind, picture_of)


def unload_ipython_extension(shell: Any) -> None:
    """Let IPython show everything as text again, and end all views."""
    shell.display_formatter.mimebundle_formatter.pop(Cell, None)
    for kind in (Robot, Solid):
        shell.display_formatter.formatters["image/png"].pop(kind, None)
    for view in list(_views.values()):
        view.close()
    _views.clear()
