"""The Unix socket of a server; the permissions of its file protect it."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from pathlib import Path

from workcell.errors import ServiceError


class UnixSocket:
    """Listens at a path that only this account may use; :meth:`close` removes the file.

    Args:
        path: the path; an old socket there is replaced if nobody listens at it.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.abspath(path))
        _refuse_shared(self.path)
        _remove_stale(self.path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.socket.bind(str(self.path))
            os.chmod(self.path, 0o600)  # before it listens, so that nobody else can connect
            self.socket.listen(128)
            self.socket.setblocking(False)
            self._identity = _identity(self.path)
        except (OSError, ValueError) as error:
            self.socket.close()
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise ServiceError(f"The socket {self.path} cannot be opened: {why}. Choose another path.") from error

    def close(self) -> None:
        """Stop listening, and remove the file unless it was replaced by another."""
        self.socket.close()
        with contextlib.suppress(OSError):
            if _identity(self.path) == self._identity:
                self.path.unlink()


def refuse_impostor(path: str) -> None:
    """Refuse a socket of another account, which might spy on us."""
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ServiceError(
            f"No server answers at {path}: {why}. Start one with `workcell serve --socket {path}`.", path=path
        ) from error
    if not stat.S_ISSOCK(found.st_mode):
        raise ServiceError(f"{path} is not a socket; give the path of `workcell serve --socket`.", path=path)
    if found.st_uid not in (os.geteuid(), 0):
        raise ServiceError(f"The socket {path} belongs to another account, so it is not used.", path=path)


def _identity(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_dev, found.st_ino


def _refuse_shared(path: Path) -> None:
    try:
        mode = path.parent.stat().st_mode
    except OSError as error:
        raise ServiceError(f"There is no folder {path.parent} for the socket; make it first.") from error
    if mode & 0o022 and not mode & stat.S_ISVTX:
        raise ServiceError(
            f"Other accounts may write in {path.parent} and could replace the socket there; "
            f"choose a private folder, or `chmod go-w {path.parent}`."
        )


def _remove_stale(path: Path) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise ServiceError(f"{path} already exists and is not a socket; choose another path.")
    if found.st_uid != os.geteuid():
        raise ServiceError(f"{path} is a socket of another account; choose another path.")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(2.0)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except OSError:
            pass
    raise ServiceError(f"Another server listens at {path}; stop it, or choose another path.")
