"""What links a cell of the kernel with pages: they share its session, one command at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workcell.commands.cell import Cell
    from workcell.commands.session import Session
    from workcell.service.hub import Hub


class Link:
    """Lets a hub use the session of a cell of the kernel, from when it is made until one of both is closed.

    Args:
        cell: the one of the kernel.
    """

    def __init__(self, cell: Cell) -> None:
        self._session = cell.session
        self._session.gate = threading.RLock()
        self._endings: list[Callable[[], object]] = []
        cell.before_close.append(self.close)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """The session for the hub; it stays open when the hub ends."""
        yield self._session

    def follow(self, hub: Hub, stop: Callable[[], object]) -> None:
        """Let the pages of a hub see what the kernel does; ``stop`` ends their server."""
        self._endings = [stop, self._session.on_change(lambda _change: hub.changed())]

    def close(self) -> None:
        """End the server, once; the cell stays open."""
        while self._endings:
            self._endings.pop()()
