"""Listening sockets."""

from __future__ import annotations

import socket

from workcell.errors import ServiceError


def bound(host: str, port: int) -> socket.socket:
    """Return a listening socket; ServiceError if the address cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(128)
    except (OSError, OverflowError) as error:
        made.close()
        raise ServiceError(
            f"Port {port} of {host} cannot be opened: {error}. Choose another port, or 0 for a free one.",
            host=host,
            port=port,
        ) from error
    made.setblocking(False)
    return made
