"""A channel: the requests and WebSockets of one page that reaches the server by messages of another program."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any, TypeAlias
from urllib.parse import unquote

from starlette.types import ASGIApp, Message, Scope

from workcell.service import channel_messages as messages
from workcell.service.wire import MAX_MESSAGE

Post: TypeAlias = Callable[[dict[str, Any], list[bytes]], object]
"""Sends a batch and its buffers to a page; the loop calls it."""

log = logging.getLogger("workcell.service")
PAUSE = 0.01
"""The time between two batches [s]: a Jupyter server drops messages of a kernel that sends 1000 in a second."""
BATCH = 2**20
"""About how much a batch has at most [bytes]; one large frame is not split."""
MAX_UNREAD = 32 * 2**20
"""So much is sent ahead of what the page has read [bytes]. It is much, since a busy kernel does not hear the page."""
WAITING = 64
"""How many messages wait for the next batch; after that, who sends has to wait."""
DRAIN_WITHIN = 2.0
"""How long open WebSockets may take to close when the server ends [s]."""
_ASGI = {"version": "3.0", "spec_version": "2.4"}


class _Stream:
    """A request or a WebSocket: what its application receives, and whether the page has ended it."""

    def __init__(self, wire: bool) -> None:
        self.wire = wire
        self.inbox: asyncio.Queue[Message] = asyncio.Queue()
        self.ended = False

    def end(self) -> None:
        self.ended = True
        self.inbox.put_nowait({"type": "websocket.disconnect" if self.wire else "http.disconnect", "code": 1005})


class Channel:
    """Carries the streams of one page to an application, in this process. Only the event loop uses it.

    Args:
        app: answers the requests.
        page: the name of the page; its batches have it, because several pages may share what carries them.
        post: sends a batch.
    """

    def __init__(self, app: ASGIApp, page: str, post: Post) -> None:
        self._app, self._page, self._post = app, page, post
        self._streams: dict[int, _Stream] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: asyncio.Queue[tuple[dict[str, Any], bytes | None] | None] = asyncio.Queue(WAITING)
        self._heard = self._unread = 0
        self._room = asyncio.Event()
        self._pump = asyncio.create_task(self._send_batches())

    def take(self, message: messages.FromPage, buffer: bytes) -> None:
        """Take a message of the page."""
        self._heard += 1
        match message:
            case messages.Wire(stream=stream, path=path):
                self._begin(stream, _scope("websocket", path, [(b"origin", b"notebook")]))
            case messages.Ask(stream=stream, path=path, method=method, size=size):
                headers = [(b"accept-encoding", b"gzip")]
                headers += [] if size is None else [(b"content-length", str(size).encode())]
                self._begin(stream, _scope("http", path, headers, method))
                if size is None:
                    self._give(stream, {"type": "http.request", "body": b"", "more_body": False})
            case messages.Piece(stream=stream, last=last):
                self._give(stream, {"type": "http.request", "body": buffer, "more_body": not last})
            case messages.Text(stream=stream, text=text) if len(text) > MAX_MESSAGE:
                self._end(stream)
            case messages.Text(stream=stream, text=text):
                self._give(stream, {"type": "websocket.receive", "text": text})
            case messages.End(stream=stream):
                self._end(stream)
            case messages.Read(size=size):
                self._unread -= size
                self._room.set()
            case _:
                pass
        if self._waiting.empty():
            self._waiting.put_nowait(None)  # the page waits to be heard

    def close(self) -> None:
        """End everything at once: the page has gone."""
        for task in (*self._tasks, self._pump):
            task.cancel()

    async def drain(self) -> None:
        """Let WebSockets that the server closes end, and send what waits; then end everything."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=DRAIN_WITHIN)
        self._pump.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._pump
        while not self._waiting.empty():
            self._send(self._waiting.get_nowait())
        self.close()

    # ---- from the page -----------------------------------------------------------------------------------

    def _begin(self, number: int, scope: Scope) -> None:
        self._end(number)
        stream = self._streams[number] = _Stream(scope["type"] == "websocket")
        if stream.wire:
            stream.inbox.put_nowait({"type": "websocket.connect"})
        task = asyncio.create_task(self._carry(number, stream, scope))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _give(self, number: int, message: Message) -> None:
        stream = self._streams.get(number)
        if stream is not None:
            stream.inbox.put_nowait(message)

    def _end(self, number: int) -> None:
        stream = self._streams.pop(number, None)
        if stream is not None:
            stream.end()

    # ---- to the page -------------------------------------------------------------------------------------

    async def _carry(self, number: int, stream: _Stream, scope: Scope) -> None:
        """Let the application answer one stream."""

        async def send(message: Message) -> None:
            if stream.ended:
                raise OSError("The page has closed this stream.")
            for head, buffer in _translated(message):
                await self._waiting.put(({"stream": number, **head}, buffer))

        try:
            await self._app(scope, stream.inbox.get, send)
        except OSError:
            if not stream.ended:
                raise
        except Exception:
            log.exception("A request of a page failed with an unexpected error.")
            failed = {"kind": "closed", "code": 1011, "reason": "The server failed."}
            await self._waiting.put(({"stream": number, **failed}, None))
        finally:
            if self._streams.get(number) is stream:
                del self._streams[number]

    async def _send_batches(self) -> None:
        while True:
            self._send(await self._waiting.get())
            while self._unread > MAX_UNREAD:
                self._room.clear()
                await self._room.wait()
            await asyncio.sleep(PAUSE)

    def _send(self, first: tuple[dict[str, Any], bytes | None] | None) -> None:
        """Send what waits, as one batch."""
        batch, buffers, size, found = [], [], 0, first
        while True:
            if found is not None:
                head, buffer = found
                if buffer is not None:
                    head["buffer"] = True
                    buffers.append(buffer)
                batch.append(head)
                size += len(buffer or b"") + len(head.get("text", ""))
            if size > BATCH or self._waiting.empty():
                break
            found = self._waiting.get_nowait()
        self._unread += size
        try:
            self._post({"page": self._page, "heard": self._heard, "messages": batch}, buffers)
        except Exception:
            log.debug("A page could not be reached.", exc_info=True)
            asyncio.get_running_loop().call_soon(self.close)


def _scope(kind: str, address: str, headers: list[tuple[bytes, bytes]], method: str = "") -> Scope:
    path, _, query = address.partition("?")
    return {
        "type": kind,
        "asgi": _ASGI,
        "http_version": "1.1",
        "scheme": "ws" if kind == "websocket" else "http",
        "path": unquote(f"/{path.lstrip('/')}"),
        "root_path": "",
        "query_string": query.encode(),
        "headers": headers,
        **({"method": method} if kind == "http" else {"subprotocols": []}),
    }


def _translated(message: Message) -> list[tuple[dict[str, Any], bytes | None]]:
    """Return what the application sends, for the page."""
    match message["type"]:
        case "websocket.accept":
            return [({"kind": "opened"}, None)]
        case "websocket.send" if message.get("text") is not None:
            return [({"kind": "text", "text": message["text"]}, None)]
        case "websocket.send":
            return [({"kind": "data"}, message["bytes"])]
        case "websocket.close":
            code, reason = message.get("code", 1000), message.get("reason") or ""
            return [({"kind": "closed", "code": code, "reason": reason}, None)]
        case "http.response.start":
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in message.get("headers", ())}
            return [({"kind": "answer", "status": message["status"], "headers": headers}, None)]
        case "http.response.body":
            body, more = bytes(message.get("body", b"")), message.get("more_body", False)
            cuts = range(0, max(1, len(body)), BATCH)
            return [({"kind": "piece", "last": not more and cut == cuts[-1]}, body[cut : cut + BATCH]) for cut in cuts]
        case _:
            return []
