"""How programs of the same account find a server and its token: a private file for each running server."""

from __future__ import annotations

import contextlib
import html
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from workcell.errors import ServiceError

_HERE = frozenset({"localhost", "127.0.0.1", "0.0.0.0"})
"""The names of this machine; a server at 0.0.0.0 answers at all of its addresses."""


class Connection(msgspec.Struct, frozen=True):
    """A running server: its address, its token, its process and its machine."""

    host: str
    port: int
    token: str
    process: int
    machine: str = msgspec.field(default_factory=socket.gethostname)

    @property
    def url(self) -> str:
        """The address with the token."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/?token={self.token}"


_READER = msgspec.json.Decoder(Connection)


def runtime_folder() -> Path:
    """Return the private folder of the account for runtime files; it is made if it does not exist."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    try:
        folder = (Path(base) if base and Path(base).is_dir() else Path.home() / ".local" / "state") / "workcell"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = folder.stat()
        if found.st_uid != os.geteuid():
            raise ServiceError(f"The folder {folder} belongs to another account; set XDG_RUNTIME_DIR to one of yours.")
        if found.st_mode & 0o077:
            folder.chmod(0o700)
    except (OSError, RuntimeError) as error:  # there may be no home folder
        raise ServiceError(
            f"There is no folder for connection files: {error}. Set XDG_RUNTIME_DIR to a private folder."
        ) from error
    return folder


@contextmanager
def announced(connection: Connection, fragment: str = "") -> Iterator[str]:
    """Let programs of the same account find a server; yield the address that a browser should open.

    ``fragment`` is what the page should open with: ``#gallery`` for the sample cells.

    It is a private page that leads to the address with the token, because other accounts can see the arguments of a
    program. Without a private folder nothing is written, and it is the address itself.
    """
    try:
        folder = runtime_folder()
    except ServiceError:
        yield connection.url + fragment
        return
    facts = folder / f"server-{connection.port}.json"
    page = folder / f"open-{connection.port}.html"
    address = html.escape(connection.url + fragment, quote=True)
    try:
        write_private(facts, msgspec.json.encode(connection))
        write_private(page, f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">'.encode())
        yield page.as_uri()
    finally:
        for file in (facts, page):
            with contextlib.suppress(OSError):
                file.unlink()


def running() -> list[Connection]:
    """Return the servers of this account on this machine, by port."""
    try:
        found = sorted(runtime_folder().glob("server-*.json"))
    except ServiceError:
        return []
    alive = []
    for file in found:
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            connection = _READER.decode(file.read_bytes())
            # Machines may share a home folder; there the same address is another server.
            if connection.machine == socket.gethostname() and _lives(connection.process):
                alive.append(connection)
    return sorted(alive, key=lambda one: one.port)


def token_for(url: str) -> str | None:
    """Return the token of a server of this account at exactly this address; None if there is none."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 80
    except ValueError:
        return None
    names = _HERE if host in _HERE else {host}
    return next((one.token for one in running() if one.port == port and one.host in names), None)


def only_one() -> Connection:
    """Return the only server of this account; refused if there is none or more than one."""
    found = running()
    if len(found) == 1:
        return found[0]
    if not found:
        raise ServiceError("No server of this account is running on this machine; start one with `workcell serve`.")
    places = ", ".join(f"http://{one.host}:{one.port}/" for one in found)
    raise ServiceError(f"{len(found)} servers of this account are running; choose one: {places}.", count=len(found))


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return False
    return True


def write_private(file: Path, data: bytes) -> None:
    """Write a file that only this account can read, from the beginning."""
    with contextlib.suppress(FileNotFoundError):
        file.unlink()
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as target:
        target.write(data)
