"""A connection of the server that has to send a request in time."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from workcell.service.strangers import Strangers

REQUEST_WITHIN = 10.0
"""How long a new connection may take to send its first request [s]."""


class HttpConnection(HttpToolsProtocol):
    """Uvicorn's connection, which may be silent for a while only; many silent ones lock out nobody."""

    strangers: Strangers
    """Those of the server; set by :func:`connections_of`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._late = self.loop.call_later(REQUEST_WITHIN, transport.close)
        self.strangers.arrive(self._address, self, transport.close)

    def on_headers_complete(self) -> None:
        """Take note of a request, and begin to answer it."""
        self._known()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._known()
        super().connection_lost(exc)

    def _known(self) -> None:
        self._late.cancel()
        self.strangers.leave(self._address, self)


def connections_of(strangers: Strangers) -> type[HttpConnection]:
    """Return the class of the connections of one server."""
    kind: Any = type("HttpConnection", (HttpConnection,), {"strangers": strangers})
    made: type[HttpConnection] = kind
    return made
