"""Where programs that send lines can connect: the ports that a server opens for each language."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from workcell.errors import InvalidValue
from workcell.service.hub import Hub
from workcell.service.line_port import LinePort, Speech
from workcell.service.listening import bound
from workcell.service.unix_socket import UnixSocket


class LineDoors:
    """Opens and closes the line ports of one server.

    Args:
        hub: carries out the lines.
        host: the address that TCP ports are bound to.
        token: what programs on TCP ports have to send first.
    """

    def __init__(self, hub: Hub, host: str, token: str) -> None:
        self._hub = hub
        self._host = host
        self._token = token
        self._stack = contextlib.ExitStack()
        self.ports: list[LinePort] = []

    def add(self, language: Callable[[], Speech], places: Sequence[str]) -> None:
        """Bind the places where a language is spoken: port numbers (0 for a free one) and paths of Unix sockets."""
        try:
            for place in places:
                listening, token = self._bound(place)
                self.ports.append(LinePort(self._hub, language, listening, token))
        except BaseException:
            self.release()
            raise

    def _bound(self, place: str) -> tuple[socket.socket, str | None]:
        if place.isdecimal():
            tcp = bound(self._host, int(place))
            self._stack.callback(tcp.close)
            return tcp, self._token
        if not place.strip():
            raise InvalidValue("Expected a port number or the path of a socket; found nothing.")
        unix = UnixSocket(Path(place))
        self._stack.callback(unix.close)
        return unix.socket, None

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where programs connect."""
        return tuple(port.address for port in self.ports)

    async def open(self) -> None:
        """Begin to accept programs."""
        addresses = self.addresses
        self._hub.cell.submit(lambda session: setattr(session, "ports", addresses))
        for port in self.ports:
            await port.open()

    async def close(self) -> None:
        """End all programs."""
        for port in self.ports:
            await port.close()

    def release(self) -> None:
        """Release the sockets, and remove those that are files."""
        self._stack.close()
