"""The names of clients: a page that connects again, even to a server that was started anew, gets its own name.

A page keeps an identity that the server gave it. Which identity has which name is kept in the private folder of the
account, for each cell file. New names are those that nobody in the history of the cell has.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
import time
from collections.abc import Collection, Iterable
from pathlib import Path

import msgspec

from workcell.errors import ServiceError
from workcell.service.connections import runtime_folder, write_private

MOST = 200
"""The most identities that are kept for a cell; the oldest are forgotten first."""
DAYS = 30
"""How long the names of a cell are kept if nobody connects to it."""
_IDENTITY = re.compile(r"[\w-]{8,64}", re.ASCII)
_NAME = re.compile(r"(\w+) ([1-9]\d{0,8})", re.ASCII)


class ClientNames:
    """The names of the clients of one cell, by their identities."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._last: dict[str, int] = {}
        """The last number of each kind."""
        self._kept: tuple[Path | None, dict[str, str]] = (None, {})

    def begin(self, path: Path | None, authors: Iterable[str]) -> None:
        """Read the names of a cell file; ``authors`` are the names in its history, which nobody new gets."""
        if path is not None:
            with contextlib.suppress(OSError, ServiceError, msgspec.MsgspecError):
                self._names = msgspec.json.decode(_place(path).read_bytes(), type=dict[str, str])
        self._kept = path, dict(self._names)
        for name in (*authors, *self._names.values()):
            if found := _NAME.fullmatch(name):
                self._last[found[1]] = max(self._last.get(found[1], 0), int(found[2]))

    def adopt(self, other: ClientNames) -> None:
        """Take over the names of a cell that goes on as this one; those of a file that it replaced are gone."""
        self._names = dict(other._names)
        self._last |= {kind: max(self._last.get(kind, 0), number) for kind, number in other._last.items()}

    def given(self, kind: str, identity: str, connected: Collection[str]) -> tuple[str, str]:
        """Return identity and name of a client that connects.

        Args:
            kind: ``window`` or ``program``.
            identity: what it says it is; '' for a new client.
            connected: the identities of the others. A duplicated tab has the same; it gets a new one.
        """
        name = self._names.get(identity, "")
        if name.startswith(f"{kind} ") and identity not in connected:
            return identity, name
        self._last[kind] = self._last.get(kind, 0) + 1
        name = f"{kind} {self._last[kind]}"
        if not identity and kind == "program":  # most programs connect once
            return "", name
        if identity in connected or identity in self._names or not _IDENTITY.fullmatch(identity):
            identity = secrets.token_urlsafe(12)
        self._names[identity] = name
        while len(self._names) > MOST:
            del self._names[next(iter(self._names))]
        return identity, name

    def keep(self, path: Path | None) -> None:
        """Write the names for a cell file, if they or its path changed; without a private folder they are not kept."""
        if path is None or self._kept == (path, self._names):
            return
        self._kept = path, dict(self._names)
        with contextlib.suppress(OSError, ServiceError):
            _forget_old()
            write_private(_place(path), msgspec.json.encode(self._names))


def _place(path: Path) -> Path:
    return runtime_folder() / f"names-{hashlib.sha256(str(path).encode()).hexdigest()[:24]}.json"


def _forget_old() -> None:
    for file in runtime_folder().glob("names-*.json"):
        if time.time() - file.stat().st_mtime > DAYS * 86400:
            file.unlink(missing_ok=True)
