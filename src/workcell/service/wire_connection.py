"""A connection of the WebSocket whose data is read in slices, so that many small frames hold up nobody."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

SLICE = 4096
"""How much is read at a time [bytes]: at most some hundred frames. Other connections come in between."""


class WireConnection(WebSocketsSansIOProtocol):
    """Uvicorn's connection; that one reads all frames that have come at once, which takes 0.1 s in a flood."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        """Read the beginning of what came; the rest comes later, in order."""
        if self._rest:
            self._rest += data
            return
        super().data_received(data[:SLICE])
        if len(data) > SLICE:
            self._rest = data[SLICE:]
            self.loop.call_soon(self._go_on)

    def send_receive_event_to_app(self) -> None:
        """Hand a message over. If it is no UTF-8, uvicorn closes the connection, which fails if the client did."""
        with suppress(InvalidState):
            super().send_receive_event_to_app()

    def _go_on(self) -> None:
        data, self._rest = self._rest, b""
        if not self.transport.is_closing():
            self.data_received(data)
