"""The messages of a channel: what a page sends that has no port to connect to, and what it gets.

A channel carries requests and WebSockets as *streams*, each with a number that the page chooses. A message is a head,
which can be JSON, and at most one buffer. Heads from the page are the classes below; the page gets batches::

    {"page": "…", "heard": 7, "messages": [{"stream": 1, "kind": "data", "buffer": true}, …]}

``heard`` counts the messages of the page that have arrived. The kinds are those of ASGI: ``opened``, ``text``,
``data`` and ``closed`` (code, reason) for a WebSocket; ``answer`` (status, headers) and ``piece`` (last) for a request.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from workcell.errors import ServiceError


class _FromPage(msgspec.Struct, frozen=True, tag_field="kind", tag=str.lower):
    """A message of a page."""


class Wire(_FromPage, frozen=True):
    """Open a WebSocket at a path, which may have a query."""

    stream: int
    path: str


class Text(_FromPage, frozen=True):
    """A frame of a WebSocket."""

    stream: int
    text: str


class Ask(_FromPage, frozen=True):
    """Begin a request; if it has a body of a size, pieces follow."""

    stream: int
    path: str
    method: str = "GET"
    size: int | None = None


class Piece(_FromPage, frozen=True):
    """A part of the body of a request, in the buffer."""

    stream: int
    last: bool


class End(_FromPage, frozen=True):
    """Close a WebSocket, or cancel a request."""

    stream: int


class Read(_FromPage, frozen=True):
    """So many bytes of batches have been read since the last of these messages."""

    size: int


class Probe(_FromPage, frozen=True):
    """Asks for nothing but to be heard."""


class Bye(_FromPage, frozen=True):
    """The page goes; everything of it ends."""


FromPage: TypeAlias = Wire | Text | Ask | Piece | End | Read | Probe | Bye
"""Any message of a page."""


class Parcel(msgspec.Struct, frozen=True):
    """A message with the page that sent it."""

    page: str
    message: FromPage


msgspec.json.Decoder(Parcel)  # here, because msgspec must not learn a class in two threads at once


def parcel_of(content: Any) -> Parcel:
    """Return the content of a message of another program's channel, checked."""
    try:
        return msgspec.convert(content, Parcel)
    except msgspec.ValidationError as error:
        raise ServiceError(f"A message of a page could not be read: {error}.") from None
