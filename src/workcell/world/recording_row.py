"""The recording that a cell file holds beside the rows of the cell.

It is no step of the history and no part of the text form. A file gets its table with the first recording, so a file
from before has none, and an older Workcell leaves it alone.
"""

from __future__ import annotations

from workcell.world.connection import Connection
from workcell.world.transaction import Transaction

_TABLE = "CREATE TABLE IF NOT EXISTS recording(id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT"


def stored_recording(connection: Connection) -> bytes:
    """The bytes of the recording; none if the file holds none."""
    if not _has_table(connection):
        return b""
    row = connection.execute("SELECT CAST(data AS BLOB) FROM recording WHERE id = 1").fetchone()
    return b"" if row is None or row[0] is None else bytes(row[0])


def store_recording(connection: Connection, data: bytes) -> None:
    """Let the file hold these bytes, in one transaction; no bytes remove the recording."""
    if not data and not _has_table(connection):
        return
    with Transaction(connection):
        connection.execute(_TABLE)
        connection.execute("DELETE FROM recording")
        if data:
            connection.execute("INSERT INTO recording VALUES (1, ?)", (data,))


def _has_table(connection: Connection) -> bool:
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'recording'")
    return found.fetchone() is not None
