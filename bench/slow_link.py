"""A slow link: a door to a server that lets few bytes pass each second, in each direction of each connection."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

PIECE = 0.05
"""How often bytes pass [s]."""


@dataclass
class Link:
    """The address at the end of the link, and how much passes [bytes a second]; the rate may be changed."""

    url: str
    rate: float


@contextlib.contextmanager
def slowed(url: str, rate: float) -> Iterator[Link]:
    """Yield a link to a server."""
    parts = urlsplit(url)
    target = parts.hostname or "127.0.0.1", parts.port or 80
    door = socket.create_server(("127.0.0.1", 0))
    ends: list[socket.socket] = []
    link = Link(urlunsplit(parts._replace(netloc=f"127.0.0.1:{door.getsockname()[1]}")), rate)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = door.accept()
                far = socket.create_connection(target)
                ends.extend((near, far))
                for one, other in ((near, far), (far, near)):
                    # small buffers, so that what waits is in the server and not on the way
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
                    threading.Thread(target=_pass, args=(one, other, link), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield link
    finally:
        for one in (door, *ends):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


def _pass(source: socket.socket, target: socket.socket, link: Link) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(max(1, int(link.rate * PIECE))):
            target.sendall(data)
            time.sleep(len(data) / link.rate)
        target.shutdown(socket.SHUT_WR)
