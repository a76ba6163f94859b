"""The queue of frames for one client, counted in frames and in bytes."""

from __future__ import annotations

import asyncio
from typing import TypeAlias

Frame: TypeAlias = str | bytes | None
"""Text, binary, or None to close the connection."""
MAX_FRAMES = 2000
"""A client that leaves this many messages unread is disconnected."""
MAX_BYTES = 256 * 2**20
"""A client that leaves more than this unread is disconnected [bytes]."""
ROOM = 16 * 2**20
"""Large data is made for a client only if less than this waits for it [bytes]."""


class Outbox(asyncio.Queue[Frame]):
    """A queue that counts its bytes; only the event loop uses it."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = 0
        """The bytes that wait."""
        self._read = asyncio.Event()

    @property
    def overfull(self) -> bool:
        """Whether the client has left too much unread."""
        return self.qsize() >= MAX_FRAMES or self.waiting > MAX_BYTES

    async def has_room(self) -> None:
        """Wait until the client has read most of what waits for it."""
        while self.waiting > ROOM:
            self._read.clear()
            await self._read.wait()

    def _put(self, item: Frame) -> None:
        super()._put(item)
        self.waiting += len(item or "")

    def _get(self) -> Frame:
        item = super()._get()
        self.waiting -= len(item or "")
        self._read.set()
        return item
