"""The connection to SQLite: every problem of a file becomes a FileProblem of one sentence."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from workcell.errors import CellLocked, DamagedCell, DiskFull, FileProblem, InvalidValue

_OURS = ("BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "VACUUM", "ATTACH", "DETACH", "PRAGMA")
"""The statements that fail only by mistakes in Workcell, not by the content of a file."""
_TROUBLE = (sqlite3.Error, UnicodeEncodeError)
_DENIED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)


class Cursor(sqlite3.Cursor):
    """Rows of an answer; an unreadable page is reported when its row is read."""

    connection: Connection

    def __next__(self) -> Any:
        try:
            with self.connection.turn:
                return super().__next__()
        except _TROUBLE as error:
            self._broken_off(error)
            raise

    def fetchone(self) -> Any:
        """The next row, or None."""
        try:
            with self.connection.turn:
                return super().fetchone()
        except _TROUBLE as error:
            self._broken_off(error)
            raise

    def fetchall(self) -> list[Any]:
        """All remaining rows."""
        try:
            with self.connection.turn:
                return super().fetchall()
        except _TROUBLE as error:
            self._broken_off(error)
            raise

    def _broken_off(self, error: Exception) -> None:
        self.close()  # an interrupted answer keeps the file locked until then
        _raise_named(error, self.connection)


class Connection(sqlite3.Connection):
    """A connection that knows the name of its file. An IntegrityError is not converted; the writer does that."""

    file = ""
    """The name of the file in messages; empty for a cell in memory."""

    generation = 0
    """Changes when rows may have changed without a Writer: they were rolled back, undone, or read from a file."""
    _writing: sqlite3.Cursor | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.turn = threading.RLock()
        """Held by the thread that uses the connection: Python crashes if it is closed meanwhile."""

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Carry out one statement."""
        try:
            with self.turn:
                return self.cursor(Cursor).execute(sql, parameters)
        except _TROUBLE as error:
            _raise_named(error, self, sql)
            raise

    def write(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Carry out one statement without an answer, with one cursor that is kept for this."""
        try:
            with self.turn:
                if self._writing is None:
                    self._writing = self.cursor(Cursor)
                return self._writing.execute(sql, parameters)
        except _TROUBLE as error:
            _raise_named(error, self, sql)
            raise

    def close(self) -> None:
        """Close the file, after the statement of another thread."""
        with self.turn:
            super().close()

    def rollback_if_open(self) -> None:
        """Roll the transaction back; after some failures SQLite has already done so."""
        if self.in_transaction:
            self.write("ROLLBACK")
        self.generation += 1

    def roll_back_to(self, savepoint: str) -> None:
        """Roll back to a savepoint and release it."""
        self.write(f"ROLLBACK TO {savepoint}")
        self.write(f"RELEASE {savepoint}")
        self.generation += 1


def connect(target: str, file: str = "", uri: bool = False) -> Connection:
    """Open a database; ``file`` is its name in messages."""
    with naming(file):
        connection = sqlite3.connect(
            target, isolation_level=None, check_same_thread=False, cached_statements=256, uri=uri, factory=Connection
        )
    connection.file = file
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _raise_named(error: Exception, connection: sqlite3.Connection, sql: str = "") -> None:
    """Raise what an error means for the file of a connection; return if it is not a problem of the file."""
    meaning = problem(error, getattr(connection, "file", ""), ours=sql.lstrip().upper().startswith(_OURS))
    if meaning is not None:
        raise meaning from error


@contextmanager
def naming(file: str) -> Iterator[None]:
    """Turn errors of SQLite into a problem of this file."""
    try:
        yield
    except _TROUBLE as error:
        meaning = problem(error, file, ours=True)
        if meaning is None:
            raise
        raise meaning from error


def problem(error: Exception, file: str, ours: bool) -> FileProblem | InvalidValue | None:
    """What an error of SQLite means for a file; None for mistakes in Workcell and for broken constraints.

    Args:
        error: the error of SQLite.
        file: the name of the file; '' for a cell in memory.
        ours: whether a statement that cannot be carried out is a mistake in Workcell. For a query or a change it is
            not: a table or a column is missing, or a row contains something unreadable.
    """
    name = file or "The cell"
    if isinstance(error, UnicodeEncodeError):
        return InvalidValue(
            f"The text contains half a character ({error.object[error.start]!r}), which cannot be stored."
        )
    if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
        return None
    reason, code = str(error), getattr(error, "sqlite_errorcode", None)
    if code is None:  # raised by the module: a text is not UTF-8
        return damaged(file, reason) if isinstance(error, sqlite3.OperationalError) else None
    code &= 0xFF
    if code == sqlite3.SQLITE_FULL:
        return DiskFull(f"There is no room on the drive of {name}; nothing was changed. Make room and try again.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or (code == sqlite3.SQLITE_ERROR and not ours):
        return damaged(file, reason)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return CellLocked(f"{name} is in use by another program ({reason}); try again when it is closed.", holder={})
    if code in _DENIED:
        return FileProblem(f"{name} cannot be opened or written: {reason}.")
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_NOLFS):
        return FileProblem(f"The drive of {name} fails ({reason}); nothing was changed.")
    if code in (sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_NOMEM):
        return FileProblem(f"{name} cannot hold this much in one row ({reason}); nothing was changed.")
    return None


def damaged(file: str, what: str, problems: list[str] | None = None) -> DamagedCell:
    """The error for a damaged cell, with what to do."""
    name = file or "The cell"
    advice = f"; `workcell recover {file}` copies everything readable into a new cell." if file else "."
    return DamagedCell(f"{name} is damaged: {what.rstrip('.')}{advice}", problems=problems or [what])
