"""Who may talk to the server: the Host, the Origin and the token of a request."""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
from collections.abc import Iterable
from urllib.parse import parse_qs

import msgspec

from workcell.errors import InvalidValue

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
TOKEN_HEADER = "x-workcell-token"
TOKEN_VARIABLE = "WORKCELL_TOKEN"
"""The environment variable that gives the token to a server and to programs that connect to it."""
_TOKEN = re.compile(r"[A-Za-z0-9._~-]{8,200}")
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._~-]{1,253}))(?::[0-9]{1,5})?")
_SINGLE = ("host", "origin", "authorization", TOKEN_HEADER)


def is_loopback(host: str) -> bool:
    """Whether a server bound to ``host`` can only be reached from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked_token(token: str | None) -> str:
    """Return the given token, or a new one; every server has a token."""
    if token is None:
        return secrets.token_urlsafe(24)
    if not _TOKEN.fullmatch(token):
        raise InvalidValue(
            f"A token has 8 to 200 letters, digits, dots, dashes or underscores; found {len(token)} characters. "
            "Leave it out, and the server makes one."
        )
    return token


class Refusal(msgspec.Struct, frozen=True):
    """The reason for a refusal, and its HTTP status."""

    status: int
    reason: str


class Guard(msgspec.Struct, frozen=True):
    """The rules of one server.

    A page from another site must not reach a server on this machine. A foreign Origin is refused; on a loopback
    address, so is a Host that is not a name of this machine (a foreign name that points here). Other accounts of this
    machine must not reach it either: everything that shows or changes the cell needs the token.
    """

    loopback: bool
    token: str

    def refusal(self, headers: Iterable[tuple[str, str]], query: str, *, public: bool) -> Refusal | None:
        """Return why a request is refused; None if it is allowed.

        Args:
            headers: names in lower case, and values.
            query: the part of the address after the question mark.
            public: whether it is for the files of the page, which need no token.
        """
        found: dict[str, str] = {}
        for name, value in headers:
            if name in _SINGLE and name in found:
                return Refusal(400, f"The request has the header {name!r} twice; send it once.")
            found[name] = value
        host = found.get("host", "")
        match = _HOST.fullmatch(host)
        if match is None:
            return Refusal(400, f"The host {host[:100]!r} of the request is not a name or address with a port.")
        if self.loopback and (match[1] or match[2]).lower() not in LOOPBACK_NAMES:
            return Refusal(403, f"This server answers to localhost only, not to the host {host!r}.")
        origin = found.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return Refusal(403, f"A page from {origin[:200]!r} may not talk to the server at {host!r}.")
        if public or self._knows(found, query):
            return None
        return Refusal(403, "This server needs its token: open the address with ?token=… that it printed at the start.")

    def _knows(self, headers: dict[str, str], query: str) -> bool:
        offered = [headers.get(TOKEN_HEADER, ""), *_tokens(query)]
        bearer = headers.get("authorization", "")
        if bearer.lower().startswith("bearer "):
            offered.append(bearer[7:].strip())
        expected = self.token.encode()
        # All are compared, each in constant time, so that the time of a refusal reveals nothing.
        return bool(sum(hmac.compare_digest(text.encode(), expected) for text in offered))


def _tokens(query: str) -> list[str]:
    try:
        return parse_qs(query, max_num_fields=50).get("token", [])
    except ValueError:
        return []
