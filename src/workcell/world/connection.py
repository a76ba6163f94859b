"""The connection to SQLite: whatever goes wrong in a file is a FileProblem of one sentence."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from workcell.errors import CellLocked, DamagedCell, DiskFull, FileProblem, InvalidValue

_OURS = ("BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "VACUUM", "ATTACH", "DETACH", "PRAGMA")
"""The statements that fail by our own mistakes and not by what a file holds."""
_TROUBLE = (sqlite3.Error, UnicodeEncodeError)
_DENIED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)


class Cursor(sqlite3.Cursor):
    """Rows of an answer; a page that cannot be read is reported when its row is asked for."""

    def __next__(self) -> Any:
        try:
            return super().__next__()
        except _TROUBLE as error:
            self._broken_off(error)
            raise

    def fetchone(self) -> Any:
        """The next row, or nothing."""
        try:
            return super().fetchone()
        except _TROUBLE as error:
            self._broken_off(error)
            raise

    def fetchall(self) -> list[Any]:
        """All rows that are left."""
        try:
            return super().fetchall()
        except _TROUBLE as error:
            self._broken_off(error)
            raise

    def _broken_off(self, error: Exception) -> None:
        self.close()  # an answer that broke off keeps the file locked until then
        _raise_named(error, self.connection)


class Connection(sqlite3.Connection):
    """A connection that knows the name of its file. An IntegrityError stays one: who wrote the row explains it."""

    file = ""
    """What messages call the file; nothing for a cell in memory."""

    generation = 0
    """Changes when rows may have changed that no Writer wrote: they were taken back, undone, or read from a file."""
    _writing: sqlite3.Cursor | None = None

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Carry out one statement."""
        try:
            return self.cursor(Cursor).execute(sql, parameters)
        except _TROUBLE as error:
            _raise_named(error, self, sql)
            raise

    def write(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Carry out one statement that answers with no rows, by the one cursor that is kept for such."""
        try:
            if self._writing is None:
                self._writing = self.cursor(Cursor)
            return self._writing.execute(sql, parameters)
        except _TROUBLE as error:
            _raise_named(error, self, sql)
            raise

    def rollback_if_open(self) -> None:
        """Give the transaction up; SQLite has done so itself after some failures."""
        if self.in_transaction:
            self.write("ROLLBACK")
        self.generation += 1

    def roll_back_to(self, savepoint: str) -> None:
        """Take back what was done since a savepoint, which is gone then."""
        self.write(f"ROLLBACK TO {savepoint}")
        self.write(f"RELEASE {savepoint}")
        self.generation += 1


def connect(target: str, file: str = "", uri: bool = False) -> Connection:
    """Open a database; ``file`` is what messages call it."""
    with naming(file):
        connection = sqlite3.connect(
            target, isolation_level=None, check_same_thread=False, cached_statements=256, uri=uri, factory=Connection
        )
    connection.file = file
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _raise_named(error: Exception, connection: sqlite3.Connection, sql: str = "") -> None:
    """Raise what an error means for the file of a connection; nothing where it is no problem of the file."""
    told = problem(error, getattr(connection, "file", ""), ours=sql.lstrip().upper().startswith(_OURS))
    if told is not None:
        raise told from error


@contextmanager
def naming(file: str) -> Iterator[None]:
    """Turn what SQLite raises into a problem of this file."""
    try:
        yield
    except _TROUBLE as error:
        told = problem(error, file, ours=True)
        if told is None:
            raise
        raise told from error


def problem(error: Exception, file: str, ours: bool) -> FileProblem | InvalidValue | None:
    """What an error of SQLite means for a file; nothing for our own mistakes and for broken constraints.

    Args:
        error: what SQLite raised.
        file: the name of the file; '' for a cell in memory.
        ours: whether a statement that cannot be carried out is our own mistake. Of a question or a change it is
            none: a table or a column is missing, or a row holds what cannot be read.
    """
    name = file or "The cell"
    if isinstance(error, UnicodeEncodeError):
        return InvalidValue(f"The text has half a character ({error.object[error.start]!r}); it cannot be kept.")
    if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
        return None
    said, code = str(error), getattr(error, "sqlite_errorcode", None)
    if code is None:  # raised by the module: a text is no UTF-8
        return damaged(file, said) if isinstance(error, sqlite3.OperationalError) else None
    code &= 0xFF
    if code == sqlite3.SQLITE_FULL:
        return DiskFull(f"There is no room on the drive of {name}; nothing was changed. Make room and try again.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or (code == sqlite3.SQLITE_ERROR and not ours):
        return damaged(file, said)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return CellLocked(f"{name} is in use by another program ({said}); try again when it is closed.", holder={})
    if code in _DENIED:
        return FileProblem(f"{name} cannot be opened or written: {said}.")
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_NOLFS):
        return FileProblem(f"The drive of {name} fails ({said}); nothing was changed.")
    if code in (sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_NOMEM):
        return FileProblem(f"{name} cannot hold so much in one row ({said}); nothing was changed.")
    return None


def damaged(file: str, what: str, problems: list[str] | None = None) -> DamagedCell:
    """A cell that is broken, and what to do."""
    name = file or "The cell"
    advice = f"; `workcell recover {file}` brings out what can be read." if file else "."
    return DamagedCell(f"{name} is damaged: {what.rstrip('.')}{advice}", problems=problems or [what])
