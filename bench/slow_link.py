"""A slow link: a door to a server that lets few bytes pass each second, in each direction of each connection."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

PIECE = 0.05
"""How often bytes pass [s]."""


@contextlib.contextmanager
def slowed(url: str, rate: float) -> Iterator[str]:
    """Yield an address that leads to the same server over links of ``rate`` bytes a second."""
    parts = urlsplit(url)
    target = parts.hostname or "127.0.0.1", parts.port or 80
    door = socket.create_server(("127.0.0.1", 0))
    ends: list[socket.socket] = []

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = door.accept()
                far = socket.create_connection(target)
                ends.extend((near, far))
                for one, other in ((near, far), (far, near)):
                    # small buffers, so that what waits is in the server and not on the way
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
                    threading.Thread(target=_pass, args=(one, other, rate), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield urlunsplit(parts._replace(netloc=f"127.0.0.1:{door.getsockname()[1]}"))
    finally:
        for one in (door, *ends):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


def _pass(source: socket.socket, target: socket.socket, rate: float) -> None:
    size = max(1, int(rate * PIECE))
    with contextlib.suppress(OSError):
        while data := source.recv(size):
            target.sendall(data)
            time.sleep(len(data) / rate)
        target.shutdown(socket.SHUT_WR)
