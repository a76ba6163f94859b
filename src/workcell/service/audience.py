"""A client of a server: its outbox and its requests."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from workcell.service import protocol
from workcell.service.outbox import Frame, Outbox

if TYPE_CHECKING:
    from workcell.service.jobs import Job
    from workcell.world.group import Group

log = logging.getLogger("workcell.service")

SLOW_BYTES = 4 * 2**20
"""A client that has left more than this unread gets no differences until it asks for the whole."""
SLOW_FRAMES = 500
"""The same, counted in frames."""


class Client:
    """One connection: an outbox, and the requests in progress. Only the event loop uses it."""

    def __init__(self, name: str, loop: asyncio.AbstractEventLoop) -> None:
        self.name = name
        self.outbox = Outbox()
        self.tasks: set[asyncio.Task[None]] = set()
        self.jobs: set[Job] = set()
        self.closed = False
        self.behind = True
        """Whether it missed a difference and has not received the whole since then."""
        self.group: Group | None = None
        """The group that its commands belong to; only the cell thread uses it."""
        self._loop = loop

    def send(self, message: protocol.ServerMessage) -> None:
        """Queue a message."""
        self.put(protocol.encode(message).decode())

    def put(self, frame: Frame) -> None:
        """Queue a frame; a client that leaves too much unread is disconnected."""
        if self.closed:
            return
        if frame is None or self.outbox.overfull:
            self.closed = True
            frame = None
        self.outbox.put_nowait(frame)

    def show(self, frames: list[str], number: int) -> None:
        """Queue what changed in the picture of this client; a slow one gets a message that it is behind."""
        if self.behind or self.closed:
            return
        if self.outbox.waiting > SLOW_BYTES or self.outbox.qsize() > SLOW_FRAMES:
            self.behind = True
            self.send(protocol.Behind(number))
            return
        for frame in frames:
            self.put(frame)

    def post(self, message: protocol.ServerMessage) -> None:
        """Queue a message from any thread."""
        try:
            self._loop.call_soon_threadsafe(self.send, message)
        except RuntimeError:  # the loop has ended
            log.debug("message for %s after the end: %s", self.name, message)
