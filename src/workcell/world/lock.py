"""One writer per file: an operating-system lock beside the cell that ends with its process."""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import json
import os
import socket
import time
from pathlib import Path

from workcell.errors import CellLocked, FileProblem

_NOBODY = {"user": "someone", "process": "?", "host": "?"}


class WriterLock:
    """Held while a cell is open for writing; the file names its holder.

    It is beside the file itself, also if the cell is opened through a symbolic link. A file with several names (hard
    links) cannot be opened for writing: each name would have a lock and a log of its own, and writers would overwrite
    each other.

    Args:
        cell: the file, which may be missing.
        replaces: whether another file takes the name, so that the other names of this one do not matter.
    """

    def __init__(self, cell: Path, replaces: bool = False) -> None:
        cell = cell.resolve()
        self._path = cell.with_name(cell.name + ".lock")
        if not replaces and cell.exists() and cell.stat().st_nlink > 1:
            raise FileProblem(
                f"{cell.name} has {cell.stat().st_nlink} names (hard links), and two writers could not see each "
                f"other: copy it to a file of its own, and write there.",
                names=cell.stat().st_nlink,
            )
        self._file = -1
        for _ in range(10):
            try:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError as error:
                raise FileProblem(f"Cannot write beside {cell}: {error.strerror}.") from error
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                holder = _read(self._file)
                os.close(self._file)
                who = "{user} (process {process} on {host})".format(**{**_NOBODY, **holder})
                raise CellLocked(
                    f"{cell.name} is being written by {who}; open it read-only, or close it there first.",
                    holder=holder,
                ) from None
            if self._is_current():
                break
            os.close(self._file)  # the last holder removed the file between our open and our lock
        facts = {
            "user": _user(),
            "process": os.getpid(),
            "host": socket.gethostname(),
            "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        }
        with contextlib.suppress(OSError):  # a full drive: the lock works, but does not name its holder
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, json.dumps(facts).encode(), 0)

    def _is_current(self) -> bool:
        try:
            return os.fstat(self._file).st_ino == self._path.stat().st_ino
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Admit the next writer and leave nothing behind."""
        if self._file >= 0:
            with contextlib.suppress(FileNotFoundError):
                self._path.unlink()
            os.close(self._file)
            self._file = -1


def is_locked(cell: Path) -> bool:
    """Whether a process has the cell open for writing."""
    cell = cell.resolve()
    try:
        file = os.open(cell.with_name(cell.name + ".lock"), os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def _read(file: int) -> dict[str, object]:
    try:
        facts = json.loads(os.pread(file, 4096, 0).decode())
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
