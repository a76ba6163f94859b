"""Reads a cell without writing beside it, correctly even if the folder cannot be written."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import NamedTuple

from workcell.errors import FileProblem
from workcell.world.connection import Connection, connect, naming
from workcell.world.lock import WriterLock

_LOGS = ("-wal", "-journal")
"""The files with rows that are not in the database itself yet."""


class Reading(NamedTuple):
    """A read-only connection."""

    connection: Connection
    note: str = ""
    """A note for the user."""
    folder: Path | None = None
    """The folder of the copy that is read, if there is one."""


def open_to_read(path: Path) -> Reading:
    """Open a read-only connection to a file; ``path`` contains no links."""
    address = path.as_uri()
    connection = connect(f"{address}?mode=ro", path.name, uri=True)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except FileProblem as error:
        connection.close()
        if not isinstance(error.__cause__, sqlite3.OperationalError):
            raise
        # The files beside it cannot be made, but the content of a log counts.
        if any(_size(path.with_name(path.name + ending)) for ending in _LOGS):
            return _read_copy(path)
        return Reading(connect(f"{address}?immutable=1", path.name, uri=True))
    return Reading(connection)


def _read_copy(path: Path) -> Reading:
    folder = Path(tempfile.mkdtemp(prefix="workcell-"))
    try:
        copy_with_logs(path, folder / path.name)
        with naming(path.name):
            connection = connect(str(folder / path.name), path.name)
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    note = f"The folder of {path.name} cannot be written; a copy is read, including its log."
    return Reading(connection, note, folder)


def copy_with_logs(path: Path, target: Path) -> None:
    """Copy a database and its logs at one instant."""
    for _ in range(5):
        before = _stamps(path)
        try:
            shutil.copyfile(path, target)
            for ending in _LOGS:
                log = target.with_name(target.name + ending)
                log.unlink(missing_ok=True)
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(path.with_name(path.name + ending), log)
        except OSError as error:
            raise FileProblem(f"{path.name} cannot be copied to be read: {error.strerror or error}.") from error
        if _stamps(path) == before:
            return
    raise FileProblem(f"{path.name} changes all the time; read it when it is closed.")


def tidy_after_reading(path: Path) -> None:
    """Remove the files beside a WAL database, which a reader cannot do; this needs a moment as the only writer."""
    if not path.with_name(path.name + "-wal").exists():
        return
    with contextlib.suppress(FileProblem, sqlite3.Error):
        lock = WriterLock(path)
        try:
            sqlite3.connect(path).close()
        finally:
            lock.release()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _stamps(path: Path) -> list[tuple[int, int, int] | None]:
    return [_stamp(path.with_name(path.name + ending)) for ending in ("", *_LOGS)]


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino
