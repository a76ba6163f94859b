"""Who may talk to the server: the Host, the Origin and the token of a request."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

import msgspec

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
TOKEN_HEADER = "x-workcell-token"


def is_loopback(host: str) -> bool:
    """Whether a server bound to ``host`` is reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard(msgspec.Struct, frozen=True):
    """The rules of one server.

    A page from elsewhere must not reach a server on this machine: a foreign Origin is refused, and on a
    loopback address so is a Host that is not this machine's name (a foreign name made to point here).
    """

    loopback: bool
    token: str | None

    def refusal(self, headers: Mapping[str, str], query: str, *, public: bool) -> str:
        """Why a request is refused; empty when it is allowed.

        Args:
            headers: by lower-case name.
            query: the part of the address after the question mark.
            public: for the page's own files, which need no token.
        """
        host = headers.get("host", "")
        name = urlsplit(f"//{host}").hostname or ""
        if self.loopback and name not in LOOPBACK_NAMES:
            return f"This server answers to localhost only, not to the host {host!r}."
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return f"A page from {origin!r} may not talk to the server at {host!r}."
        if public or self.token is None or self._knows(headers, query):
            return ""
        return "This server needs its token: add ?token=… to the address, as it was printed at the start."

    def _knows(self, headers: Mapping[str, str], query: str) -> bool:
        offered = [headers.get(TOKEN_HEADER, ""), *parse_qs(query).get("token", [])]
        bearer = headers.get("authorization", "")
        if bearer.lower().startswith("bearer "):
            offered.append(bearer[7:].strip())
        expected = (self.token or "").encode()
        return any(hmac.compare_digest(text.encode(), expected) for text in offered)
