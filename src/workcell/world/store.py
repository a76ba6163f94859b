"""The SQLite file behind a cell: schema, migrations, durability, one writer."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

from workcell.errors import FileProblem, NewerFile, NotACell
from workcell.world.lock import WriterLock

APPLICATION_ID = 0x57434C31  # 'WCL1'
SCHEMA = 1

_TABLES = """
CREATE TABLE entity(
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, colour TEXT,
    movable INTEGER NOT NULL, shape TEXT, properties TEXT NOT NULL, UNIQUE(kind, name)) STRICT;
CREATE INDEX entity_name ON entity(name);
CREATE TABLE relation(
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, parent INTEGER NOT NULL,
    child INTEGER NOT NULL, position INTEGER NOT NULL, form TEXT NOT NULL, matrix BLOB NOT NULL,
    description TEXT NOT NULL, properties TEXT NOT NULL, UNIQUE(parent, name)) STRICT;
CREATE INDEX relation_child ON relation(child, parent);
CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE state(id INTEGER PRIMARY KEY, data TEXT NOT NULL) STRICT;
CREATE TABLE journal(
    seq INTEGER PRIMARY KEY, who TEXT NOT NULL, time REAL NOT NULL, command TEXT NOT NULL,
    typed TEXT NOT NULL, difference BLOB NOT NULL, world INTEGER NOT NULL, undone INTEGER NOT NULL) STRICT;
CREATE TABLE blob(hash TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT;
"""

COLUMNS: dict[str, tuple[str, ...]] = {
    "entity": ("id", "kind", "name", "description", "colour", "movable", "shape", "properties"),
    "relation": (
        "id", "kind", "name", "parent", "child", "position", "form", "matrix", "description", "properties",
    ),
    "setting": ("name", "value"),
    "state": ("id", "data"),
}  # fmt: skip
"""The tables that commands change, the key first."""

MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {}
"""From schema n to n + 1; each runs in its own transaction."""


class Store:
    """An open cell file, or one in memory."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None, lock: WriterLock | None) -> None:
        self.connection = connection
        self.path = path
        self.read_only = path is not None and lock is None
        self.note = ""
        """What the user should know about this file, such as a drive without WAL."""
        self._lock = lock

    @classmethod
    def memory(cls) -> Store:
        """A cell that lives in memory only."""
        connection = _connect(":memory:")
        _create_schema(connection)
        return cls(connection, None, None)

    @classmethod
    def create(cls, path: Path) -> Store:
        """A new file; an existing one is not overwritten."""
        if path.exists():
            raise FileProblem(f"{path} exists already; open it, or choose another name.")
        if not path.parent.is_dir():
            raise FileProblem(f"There is no folder {path.parent} to put {path.name} in.")
        lock = WriterLock(path)
        try:
            connection = _connect(str(path))
            store = cls(connection, path, lock)
            store._make_durable()
            _create_schema(connection)
            # The tables go into the file itself, so that losing the whole WAL leaves an empty cell and not a ruin.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except BaseException:
            lock.release()
            raise
        return store

    @classmethod
    def open(cls, path: Path, read_only: bool = False) -> Store:
        """An existing file; one of an older schema is brought up to date."""
        if not path.is_file():
            raise FileProblem(f"There is no file {path}; `workcell shell {path}` makes a new cell.")
        _check_header(path)
        if read_only:
            connection = _connect_read_only(path)
            store = cls(connection, path, None)
            store._check_schema()
            return store
        lock = WriterLock(path)
        try:
            connection = _connect(str(path))
            store = cls(connection, path, lock)
            store._check_schema()
            store._make_durable()
            store._migrate()
        except BaseException as error:
            lock.release()
            if isinstance(error, sqlite3.DatabaseError):
                raise NotACell(f"{path.name} is damaged: {error}.") from error
            raise
        return store

    def _check_schema(self) -> None:
        try:
            (application,) = self.connection.execute("PRAGMA application_id").fetchone()
            (schema,) = self.connection.execute("PRAGMA user_version").fetchone()
        except sqlite3.DatabaseError as error:
            raise NotACell(f"{self._name} is not a cell: {error}.") from error
        if application != APPLICATION_ID:
            raise NotACell(f"{self._name} is a database of another program, not a cell.")
        if schema > SCHEMA:
            raise NewerFile(
                f"{self._name} was written by a later Workcell (schema {schema}; this one knows {SCHEMA}): "
                "update Workcell to open it.",
                schema=schema,
            )
        if schema < SCHEMA and self.read_only:
            raise FileProblem(f"{self._name} has an older schema; open it once for writing to update it.")

    def _migrate(self) -> None:
        (schema,) = self.connection.execute("PRAGMA user_version").fetchone()
        for version in range(schema, SCHEMA):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                MIGRATIONS[version](self.connection)
                self.connection.execute(f"PRAGMA user_version = {version + 1}")
                self.connection.execute("COMMIT")
            except BaseException:
                self.connection.execute("ROLLBACK")
                raise

    def _make_durable(self) -> None:
        (mode,) = self.connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            self.connection.execute("PRAGMA journal_mode = DELETE")
            self.note = f"{self._name} is on a drive without WAL; a rollback journal is used, which is slower."
        self.connection.execute("PRAGMA synchronous = FULL")

    @property
    def _name(self) -> str:
        return self.path.name if self.path else "the cell"

    def save_as(self, path: Path) -> None:
        """A compact copy in another file, which must not exist."""
        if path.exists():
            raise FileProblem(f"{path} exists already; choose another name.")
        try:
            self.connection.execute("VACUUM INTO ?", (str(path),))
        except sqlite3.Error as error:
            raise FileProblem(f"Cannot write {path}: {error}.") from error

    def close(self) -> None:
        """Write everything home and let the next writer in."""
        if self.path is not None and not self.read_only:
            with contextlib.suppress(sqlite3.Error):
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.connection.close()
        if self._lock is not None:
            self._lock.release()
        elif self.path is not None:
            _tidy_after_reading(self.path)


def _connect(target: str, uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(target, isolation_level=None, check_same_thread=False, cached_statements=256, uri=uri)
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def _connect_read_only(path: Path) -> sqlite3.Connection:
    address = path.resolve().as_uri()
    connection = _connect(f"{address}?mode=ro", uri=True)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        # A folder where the shared-memory file cannot be made: nobody can be writing there either.
        connection.close()
        connection = _connect(f"{address}?immutable=1", uri=True)
    return connection


def _tidy_after_reading(path: Path) -> None:
    """A reader cannot remove the files beside a WAL database; a moment as the only writer does."""
    if not path.with_name(path.name + "-wal").exists():
        return
    with contextlib.suppress(FileProblem, sqlite3.Error):
        lock = WriterLock(path)
        try:
            sqlite3.connect(path).close()
        finally:
            lock.release()


def _create_schema(connection: sqlite3.Connection) -> None:
    connection.executescript(
        f"BEGIN; {_TABLES} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA}; COMMIT;"
    )


def _check_header(path: Path) -> None:
    with path.open("rb") as file:
        header = file.read(16)
    if header != b"SQLite format 3\x00":
        what = "empty" if not header else "not a database"
        made = path.with_suffix(".cell").name
        raise NotACell(f"{path.name} is {what}; a cell is made by `workcell shell {made}` or `workcell convert`.")
