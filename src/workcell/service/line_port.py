"""A port for programs that send lines of text: any program that can open a socket.

One connection is one program. Its lines are carried out in order, each after the answer to the one before. Everything
here runs in the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
from collections.abc import Callable
from typing import Any, Protocol

from workcell.errors import ServiceError
from workcell.service.audience import Client
from workcell.service.hub import Hub
from workcell.service.outbox import Frame
from workcell.service.strangers import Strangers

MAX_LINE = 64 * 1024
"""The longest line that a program may send [bytes]."""
TOKEN_WITHIN = 10.0
"""How long a program may take to send its token [s]."""
KEEP_ALIVE = 1.0
"""How often a program that sends no more is asked whether it is still there, while its line is carried out [s]."""


class Speech(Protocol):
    """One program's use of a language."""

    spoken: str
    """What programs send, for people."""
    comment: str
    """Begins a comment; the token comes in one."""
    working: str
    """A line that a program may pass over, sent to find out whether it is still there."""

    @property
    def ended(self) -> bool:
        """Whether the program has ended the conversation."""

    def carry_out(self, hub: Hub, client: Client, request: int, line: str) -> bool:
        """Begin the work of a line; return whether an answer will come to the client's outbox."""

    def answer(self, frame: str) -> tuple[str, bool]:
        """Return the text that answers a line, made from the message of the hub, and whether it was refused."""


class LinePort:
    """Serves one language on a listening socket.

    Args:
        hub: carries out the lines.
        language: begins one program's use of the language.
        listening: the socket, which the port takes over.
        token: what a program has to send first; None on a Unix socket, which only its account can open.
    """

    def __init__(self, hub: Hub, language: Callable[[], Speech], listening: socket.socket, token: str | None) -> None:
        self._hub = hub
        self._language = language
        self._listening = listening
        self._token = token
        self._strangers = Strangers()
        self._server: asyncio.Server | None = None
        self._visits: set[asyncio.Task[None]] = set()

    @property
    def spoken(self) -> str:
        """What programs send there, for people."""
        return self._language().spoken

    @property
    def address(self) -> str:
        """Where programs connect: a host and a port, or the path of a Unix socket."""
        name = self._listening.getsockname()
        return f"unix:{name}" if isinstance(name, str) else f"{name[0]}:{name[1]}"

    async def open(self) -> None:
        """Begin to accept connections."""
        self._server = await asyncio.start_server(self._visit, sock=self._listening, limit=MAX_LINE)

    async def close(self) -> None:
        """End all connections."""
        if self._server is not None:
            self._server.close()
        for visit in list(self._visits):
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = asyncio.current_task()
        assert visit is not None
        self._visits.add(visit)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass  # the program has gone, or the server ends
        finally:
            self._visits.discard(visit)
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        speech = self._language()
        try:
            await self._require_token(reader, writer, speech.comment)
            client = await self._hub.visit()
        except ServiceError as error:
            await _send(writer, f"error ServiceError {error}\n")
            return
        try:
            await self._converse(client, speech, reader, writer)
        finally:
            for job in client.jobs:  # nobody waits for them any more
                job.cancel.set()
            self._hub.leave(client)

    async def _require_token(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, comment: str) -> None:
        """Refuse a program whose first line is not the token."""
        if self._token is None:
            return
        peer = writer.get_extra_info("peername")
        try:
            async with asyncio.timeout(TOKEN_WITHIN) as patience:
                with self._strangers.waiting(str(peer[0] if peer else ""), lambda: patience.reschedule(0.0)):
                    line = await _line(reader)
        except TimeoutError:
            line = None
        words = (line or "").removeprefix(comment).split()
        offered = words[1] if len(words) == 2 and words[0] == "token" else ""
        if not hmac.compare_digest(offered.encode(), self._token.encode()):
            raise ServiceError(f"This port needs the token of the server as its first line: {comment} token …")

    async def _converse(
        self, client: Client, speech: Speech, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Carry out lines until the program ends, or an error ends it."""
        request, ahead = 0, asyncio.ensure_future(_line(reader))
        try:
            while (line := await ahead) is not None:
                request += 1
                ahead = asyncio.ensure_future(_line(reader))
                if not speech.carry_out(self._hub, client, request, line):
                    continue
                frame = await _answer(client, speech, ahead, writer)
                if frame is None:
                    return  # the server closes
                text, refused = speech.answer(frame)
                await _send(writer, text)
                if speech.ended or (refused and self._hub.program_ended(client)):
                    return
            self._hub.program_ended(client)
        except ServiceError as error:
            await _send(writer, f"error ServiceError {error}\n")
        finally:
            ahead.cancel()
            with contextlib.suppress(ServiceError, asyncio.CancelledError):
                await ahead


async def _line(reader: asyncio.StreamReader) -> str | None:
    """Return the next line without its end, None after the last; refuse what is no line of text."""
    try:
        data = await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError as error:
        data = error.partial
        if not data:
            return None
    except asyncio.LimitOverrunError:
        raise ServiceError(f"A line may have at most {MAX_LINE} bytes; this one is longer.") from None
    try:
        return data.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ServiceError(f"A line must be UTF-8; byte {error.start + 1} of this one is not.") from None


async def _answer(
    client: Client, speech: Speech, ahead: asyncio.Future[Any], writer: asyncio.StreamWriter
) -> str | None:
    """Return the message that answers the line in progress; None if the server closes.

    A program that sends no more may still read its answer, or may be gone. Only a line that it does not take shows
    that: then OSError is raised.
    """
    while True:
        get: asyncio.Future[Any] = asyncio.ensure_future(client.outbox.get())
        try:
            await asyncio.wait({get, ahead}, return_when=asyncio.FIRST_COMPLETED)
            while not get.done():
                await asyncio.wait({get}, timeout=KEEP_ALIVE)
                if not get.done() and _has_ended(ahead):
                    await _send(writer, speech.working)
        finally:
            get.cancel()
        frame: Frame = get.result()
        if frame is None:
            return None
        if isinstance(frame, str) and not frame.startswith('{"type":"progress"'):
            return frame


def _has_ended(ahead: asyncio.Future[str | None]) -> bool:
    """Return whether the program sends no more lines."""
    return ahead.done() and ahead.exception() is None and ahead.result() is None


async def _send(writer: asyncio.StreamWriter, text: str) -> None:
    if writer.is_closing():
        raise ConnectionResetError("the program has gone")
    writer.write(text.encode())
    await writer.drain()
