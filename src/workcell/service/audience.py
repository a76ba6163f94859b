"""The clients of a server: those that are shown the cell, and programs that send lines."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from workcell.errors import ServiceError
from workcell.service import protocol
from workcell.service.answers import text_of
from workcell.service.client_names import ClientNames
from workcell.service.outbox import Frame, Outbox

if TYPE_CHECKING:
    from pathlib import Path

    from workcell.service.jobs import Job
    from workcell.world.group import Group

log = logging.getLogger("workcell.service")

MAX_CLIENTS = 64
"""The most clients at a time."""
MAX_NOTICES = 10
"""How many refused lines of one program are shown to all others in a second."""
LATELY = 1.0
"""How long a client counts as one that asks for something [s]."""
SLOW_BYTES = 4 * 2**20
"""A client that has left more than this unread gets no differences until it asks for the whole."""
MAX_SELECTED = 10_000
"""The most things that one client may have selected."""
SLOW_FRAMES = 500
"""The same, counted in frames."""


class Client:
    """One connection: an outbox, and the requests in progress. Only the event loop uses it.

    Args:
        kind: ``window`` for a page, ``program`` for anything else.
        name: its name, which nobody else has.
        identity: what it keeps to get the same name again.
        loop: the event loop.
    """

    def __init__(self, kind: str, name: str, identity: str, loop: asyncio.AbstractEventLoop) -> None:
        self.kind = kind
        self.name = name
        self.identity = identity
        self.interpreted = False
        """Whether it is the program that `interpret` waited for: its first error ends it."""
        self.spent = 0.0
        """The processor time that the cell thread spent on its requests, until it is counted [s]."""
        self.noticed = 0.0, 0
        """When its refused lines were last counted [s], and how many were since then."""
        self.whole_due = False
        """Whether it will be sent the whole."""
        self.outbox = Outbox()
        self.tasks: set[asyncio.Task[object]] = set()
        self.jobs: set[Job] = set()
        self.asked = 0
        """Requests that wait for a short answer of the cell thread."""
        self.closed = False
        self.behind = True
        """Whether it missed a difference and has not received the whole since then."""
        self.group: Group | None = None
        """The group that its commands belong to; only the cell thread uses it."""
        self.last: Job | None = None
        """The last job that awaits something, or that waits behind such a job; only the cell thread uses it."""
        self.selected: list[str] = []
        """What it has selected: ids of the scene."""
        self._loop = loop

    @property
    def busy(self) -> int:
        """The number of its requests in progress."""
        return len(self.tasks) + len(self.jobs) + self.asked

    @property
    def waits(self) -> Job | None:
        """The job that its next command waits for, so that commands keep their order; None if it need not wait."""
        return None if self.last is None or self.last.ended.done() else self.last

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

    def answer(self, found: str | bytes | protocol.Failure) -> None:
        """Queue what answers a request: a frame, or the message of an error."""
        if isinstance(found, protocol.Failure):
            self.send(found)
        else:
            self.put(found)

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

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        """Do work for it in the event loop; it is cancelled when the client leaves."""
        task = self._loop.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def post(self, message: protocol.ServerMessage) -> None:
        """Queue a message from any thread."""
        try:
            self._loop.call_soon_threadsafe(self.send, message)
        except RuntimeError:  # the loop has ended
            log.debug("message for %s after the end: %s", self.name, message)


class Audience:
    """All clients of a server. Only the event loop uses it."""

    def __init__(self) -> None:
        self.shown: set[Client] = set()
        """Clients that are shown the cell."""
        self.visitors: set[Client] = set()
        """Programs that only get the answers to their lines."""
        self.names = ClientNames()
        self._heard: dict[Client, float] = {}
        """When clients last asked for something [s]."""
        self._counted = 0.0

    def __len__(self) -> int:
        return len(self.shown) + len(self.visitors)

    def others(self, client: Client) -> frozenset[str]:
        """Return the names of all other clients, also in other threads: sets are copied whole."""
        return frozenset(one.name for one in (*self.shown.copy(), *self.visitors.copy()) if one is not client)

    def heard(self, client: Client) -> int:
        """Note that a client asks for something; return how many have done so lately."""
        now = time.monotonic()
        self._heard[client] = now
        if now - self._counted > LATELY / 4:
            self._counted = now
            self._heard = {one: at for one, at in self._heard.items() if now - at < LATELY}
        return len(self._heard)

    def require_room(self) -> None:
        """Refuse one more client if there are too many."""
        if len(self) >= MAX_CLIENTS:
            raise ServiceError(f"The server already has {MAX_CLIENTS} clients; close one of them.")

    def new(self, kind: str, identity: str = "", path: Path | None = None) -> Client:
        """Return a new client, which is not in the audience yet; with its identity it gets the name that it had.

        The name is kept for the cell file at ``path``.
        """
        connected = {one.identity for one in self.shown | self.visitors}
        identity, name = self.names.given(kind, identity, connected)
        self.names.keep(path)
        return Client(kind, name, identity, asyncio.get_running_loop())

    def admit(self, client: Client) -> None:
        """Let in a client that is shown the cell, and show it what the others have selected."""
        for other in self.shown:
            if other.selected:
                client.send(protocol.Selected(other.name, other.selected))
        self.shown.add(client)

    def visited_by_a_program(self, receiving: bool) -> Client:
        """Let in a program that is not shown the cell; it is interpreted if one is awaited and none is there."""
        client = self.new("program")
        client.interpreted = receiving and not any(one.interpreted for one in self.visitors)
        self.visitors.add(client)
        return client

    def remove(self, client: Client) -> None:
        """Remove a client that has left."""
        self.shown.discard(client)
        self.visitors.discard(client)
        client.closed = True
        if client.selected:
            self.select(client, [])

    def select(self, client: Client, things: list[str]) -> None:
        """Show all other clients what a client has selected."""
        if len(things) > MAX_SELECTED:
            raise ServiceError(f"At most {MAX_SELECTED} things can be selected; found {len(things)}.")
        client.selected = things
        self.broadcast(text_of(protocol.Selected(client.name, things)), leaving_out=client)

    def broadcast(self, frame: str, leaving_out: Client | None = None) -> None:
        """Send a frame to all clients that are shown the cell, but one."""
        for client in self.shown - {leaving_out}:
            client.put(frame)

    def notify(self, program: Client, line: str, refused: protocol.Failure) -> None:
        """Show all other clients that a line of a program was refused; of many in a second, only the first ones."""
        now = time.monotonic()
        if now - program.noticed[0] > 1.0:
            program.noticed = now, 0
        program.noticed = program.noticed[0], program.noticed[1] + 1
        if program.noticed[1] > MAX_NOTICES and not program.interpreted:
            return
        ended = f" {program.name} has ended." if program.interpreted else ""
        notice = protocol.Notice(program.name, line, refused.kind, f"{refused.message}{ended}")
        self.broadcast(text_of(notice), leaving_out=program)

    def close(self) -> None:
        """Disconnect everybody."""
        for client in self.shown | self.visitors:
            client.put(None)
