"""Access to the event loop from other threads."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable


class LoopDoor:
    """Hands work to the event loop while there is one, and drops it afterwards."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self.closed = False

    def do(self, work: Callable[..., object], *values: object) -> None:
        """Do something in the event loop; call it from any thread."""
        if self.loop is not None and not self.closed:
            with contextlib.suppress(RuntimeError):  # it has ended
                self.loop.call_soon_threadsafe(work, *values)

    def later(self, seconds: float, work: Callable[..., object], *values: object) -> None:
        """Do something in the event loop after some time [s]; call it from any thread."""
        if self.loop is not None:
            self.do(self.loop.call_later, seconds, work, *values)
