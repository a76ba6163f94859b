"""A server without a port: an application in its own thread, for pages that reach it by messages of this process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

from workcell.service import channel_messages as messages
from workcell.service.application import Application
from workcell.service.channel import Channel, Post
from workcell.service.switching import quick_switching

ENDED = 4410
"""The code that closes the wire of a page whose cell was closed for good."""
_FAREWELL = "The cell was closed in the notebook. Open it there again, and run the line that shows it."


class InProcess:
    """Serves an application to pages whose messages somebody else carries.

    Args:
        app: the application; its first cell is opened.
    """

    def __init__(self, app: Application) -> None:
        self.app = app
        self._channels: dict[str, Channel] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = asyncio.Event()
        self._lock = threading.Lock()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="workcell-pages", daemon=True)

    def start(self) -> InProcess:
        """Serve in an own thread; return once the cell is open."""
        self.app.hub.open()
        self._thread.start()
        self._started.wait()
        try:
            self.app.hub.ready.result()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Disconnect all pages and end every thread, once."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(self._ended.set)
            self._thread.join()

    def receive(self, content: Any, buffers: Sequence[bytes | memoryview], post: Post) -> None:
        """Take a message of a page; call it from any thread.

        Args:
            content: a page and its message, as :mod:`workcell.service.channel_messages` has them.
            buffers: at most one.
            post: sends batches to that page; the one of its first message is used.
        """
        parcel = messages.parcel_of(content)
        buffer = bytes(buffers[0]) if buffers else b""
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._take, parcel, buffer, post)
                return
        post(_farewell(parcel), [])

    def _run(self) -> None:
        with quick_switching():
            asyncio.run(self._serve())

    async def _serve(self) -> None:
        async with self.app.serving():
            self._loop = asyncio.get_running_loop()
            self._started.set()
            await self._ended.wait()
            self.app.cells.begin_close()
            await asyncio.gather(*(channel.drain() for channel in self._channels.values()))

    def _take(self, parcel: messages.Parcel, buffer: bytes, post: Post) -> None:
        channel = self._channels.get(parcel.page)
        if isinstance(parcel.message, messages.Bye):
            if channel is not None:
                del self._channels[parcel.page]
                channel.close()
            return
        if channel is None:
            channel = self._channels[parcel.page] = Channel(self.app, parcel.page, post)
        channel.take(parcel.message, buffer)


def _farewell(parcel: messages.Parcel) -> dict[str, Any]:
    """Return the answer to a page that comes after the end."""
    said: list[dict[str, Any]] = []
    stream = getattr(parcel.message, "stream", None)
    if stream is not None:
        said.append({"stream": stream, "kind": "closed", "code": ENDED, "reason": _FAREWELL})
    return {"page": parcel.page, "heard": None, "messages": said}
