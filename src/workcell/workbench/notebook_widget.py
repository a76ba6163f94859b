"""The widget: carries messages between the page in an output of a notebook and the server in the kernel."""

from __future__ import annotations

import contextvars
import logging
from collections.abc import Sequence
from typing import Any

import anywidget

from workcell.errors import ServiceError
from workcell.service.in_process import InProcess
from workcell.workbench.notebook_view import WIDGET

log = logging.getLogger("workcell.workbench")


class CellWidget(anywidget.AnyWidget):
    """One output that shows a cell; the script of the widget makes the frame of the page.

    Args:
        pages: the server.
    """

    _esm = WIDGET

    def __init__(self, pages: InProcess) -> None:
        super().__init__()
        self._pages = pages
        self._asked_in = contextvars.copy_context()
        self.on_msg(self._hear)

    def _hear(self, _widget: object, content: Any, buffers: Sequence[bytes | memoryview]) -> None:
        self._asked_in = contextvars.copy_context()
        try:
            self._pages.receive(content, buffers, self._post)
        except ServiceError as error:  # another version of the page, in a notebook that was kept
            log.warning("%s", error)

    def _post(self, batch: dict[str, Any], buffers: list[bytes]) -> None:
        """Send a batch to the page, as an answer to the last message of the page.

        The kernel lets the page answer in the subshell whose message it answered last. As an answer to a running cell
        of the notebook, the batch would make the page wait for the end of that cell.
        """
        self._asked_in.copy().run(self.send, batch, buffers)
