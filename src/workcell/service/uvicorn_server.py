"""Uvicorn as Workcell runs it."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
import types
from collections.abc import Callable, Iterator

import uvicorn


class Uvicorn(uvicorn.Server):
    """Uvicorn that reports its start, and ends quietly on Ctrl-C."""

    on_started: Callable[[], None] | None = None
    on_stopping: Callable[[], None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and report it."""
        await super().startup(sockets)
        if self.started and self.on_started is not None:
            self.on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Report the end, and end."""
        if self.on_stopping is not None:
            self.on_stopping()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let Ctrl-C end only the server."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        kinds = (signal.SIGINT, signal.SIGTERM)
        before = {kind: signal.signal(kind, self._leave) for kind in kinds}
        try:
            yield
        finally:
            for kind, handler in before.items():
                signal.signal(kind, handler)

    def _leave(self, _kind: int, _frame: types.FrameType | None) -> None:
        self.should_exit = True
