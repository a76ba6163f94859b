"""The SQLite file of a cell: schema, migrations, durability, one writer."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from workcell.errors import FileProblem, NewerFile, NotACell, Refused, WorkcellError
from workcell.geometry.formats.whole_file import whole_file
from workcell.world.connection import Connection, connect, damaged
from workcell.world.lock import WriterLock, is_locked
from workcell.world.reader import open_to_read, tidy_after_reading
from workcell.world.recording_row import store_recording
from workcell.world.seals import seal, sealed, stamp
from workcell.world.wal import read_wal, wal_path

APPLICATION_ID = 0x57434C31  # 'WCL1'
SCHEMA = 1
_FIRST_PAGE = 65536
"""The largest first page of a database, which describes its tables [bytes]."""

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

MIGRATIONS: dict[int, Callable[[Connection], None]] = {}
"""From schema n to n + 1; each runs in its own transaction."""


class Store:
    """An open cell file, or one in memory."""

    def __init__(self, connection: Connection, path: Path | None, lock: WriterLock | None, note: str = "") -> None:
        self.connection = connection
        self.path = path
        self.read_only = path is not None and lock is None
        self.note = note
        """A note for the user about this file, such as a drive without WAL."""
        self.sound = path is None
        """Whether its content is known to be that of a cell: it was checked, or is as Workcell left it."""
        self._lock = lock
        self._copy: Path | None = None
        self._sealed: tuple[int, int, int] | None = None
        """The stamp of the file when its seal was found, before it was opened."""

    @classmethod
    def memory(cls) -> Store:
        """A cell in memory only."""
        connection = connect(":memory:")
        create_schema(connection)
        return cls(connection, None, None)

    @classmethod
    def create(cls, path: Path, settings: Mapping[str, str] | None = None) -> Store:
        """Create a file with its first settings; an existing one is not changed, and a failure leaves nothing."""
        if path.exists():
            raise FileProblem(f"{path} already exists; open it, or choose another name.")
        if not path.parent.is_dir():
            raise FileProblem(f"There is no folder {path.parent} to put {path.name} in.")
        lock = WriterLock(path)
        connection: Connection | None = None
        try:
            connection = connect(str(path), path.name)
            store = cls(connection, path, lock)
            store._make_durable()
            create_schema(connection, settings)
            # The tables go into the file itself, so that losing the whole WAL leaves an empty cell, not a broken file.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            store.sound = True
        except BaseException:
            if connection is not None:
                connection.close()
            path.unlink(missing_ok=True)
            _remove_logs(path)
            lock.release()
            raise
        return store

    @classmethod
    def open(cls, path: Path, read_only: bool = False) -> Store:
        """Open an existing file; an older schema is updated, a damaged file is refused."""
        if not path.is_file():
            raise FileProblem(f"There is no file {path}; `workcell shell {path}` makes a new cell.")
        if not is_database(path):
            raise not_a_cell(path)
        return cls._open_to_read(path) if read_only else cls._open_to_write(path)

    @classmethod
    def _open_to_read(cls, path: Path) -> Store:
        _check_log(path, live=True)
        known = _as_left(path)
        reading = open_to_read(path.resolve())
        store = cls(reading.connection, path, None, reading.note)
        store._copy = reading.folder
        try:
            store._check_schema()
            if not known:
                store._check_pages()
            store.sound = known
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def _open_to_write(cls, path: Path) -> Store:
        lock = WriterLock(path)
        connection: Connection | None = None
        try:
            _check_log(path)
            before = stamp(path)
            known = _as_left(path)
            connection = connect(str(path.resolve()), path.name)
            store = cls(connection, path, lock)
            store._sealed = before if known else None
            store._check_schema()
            store._make_durable()
            known = not store._migrate() and known
            if not known:
                store._check_pages()
            store.sound = known
        except BaseException:
            if connection is not None:
                connection.close()
            lock.release()
            raise
        return store

    def _check_schema(self) -> None:
        (application,) = self.connection.execute("PRAGMA application_id").fetchone()
        (schema,) = self.connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID:
            if self._has_tables():
                raise damaged(self._name, "its header does not name it as a cell")
            raise NotACell(f"{self._name} is a database of another program, not a cell.")
        if schema > SCHEMA:
            raise NewerFile(
                f"{self._name} was written by a later Workcell (schema {schema}; this version supports {SCHEMA}): "
                "update Workcell to open it.",
                schema=schema,
            )
        if schema < SCHEMA and schema not in MIGRATIONS:
            raise damaged(self._name, f"it has schema {schema}, which no version of Workcell writes")
        if schema < SCHEMA and self.read_only:
            raise FileProblem(f"{self._name} has an older schema; open it once for writing to update it.")

    def _has_tables(self) -> bool:
        names = {name for (name,) in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return {"entity", "relation", "journal"} <= names

    def _check_pages(self) -> None:
        """Refuse a file whose tables or indices are damaged: answers from it would be wrong."""
        known = _schema_of(self.connection)
        wanted = _wanted_schema()
        odd = [name for name in wanted if known.get(name) != wanted[name]]
        odd += [name for name, (kind, _) in known.items() if kind in ("trigger", "view")]
        if odd:
            raise damaged(self._name, f"its description of {', '.join(odd[:4])} is not that of a cell")
        found = [str(row[0]) for row in self.connection.execute("PRAGMA integrity_check(20)")]
        if found != ["ok"]:
            more = f" and {len(found) - 1} more problems" if len(found) > 1 else ""
            raise damaged(self._name, f"{' '.join(found[0].split())}{more}", found)

    def _migrate(self) -> bool:
        """Update an older file; return whether it was one."""
        (schema,) = self.connection.execute("PRAGMA user_version").fetchone()
        for version in range(schema, SCHEMA):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                MIGRATIONS[version](self.connection)
                self.connection.execute(f"PRAGMA user_version = {version + 1}")
                self.connection.execute("COMMIT")
            except BaseException:
                self.connection.rollback_if_open()
                raise
        return bool(schema < SCHEMA)

    def _make_durable(self) -> None:
        (mode,) = self.connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            self.connection.execute("PRAGMA journal_mode = DELETE")
            self.note = f"{self._name} is on a drive without WAL; a rollback journal is used, which is slower."
        self.connection.execute("PRAGMA synchronous = FULL")

    @property
    def _name(self) -> str:
        return self.path.name if self.path else "the cell"

    def save_as(self, path: Path, replace: bool = False, recording: bytes = b"") -> None:
        """Write a compact copy to another file, completely or not at all; refuse an existing one unless ``replace``.

        The copy holds the recording that is given.
        """
        if path.exists() and not replace:
            raise FileProblem(f"{path} already exists; choose another name.")
        if self.connection.in_transaction:
            raise Refused("A copy cannot be saved while a group is open; `end` or `cancel-group` first.")
        with _name_free(path), whole_file(path) as part:
            try:
                self.connection.execute("VACUUM INTO ?", (str(part),))
                _put_recording(part, recording)
            except FileProblem as error:
                reason = error.__cause__ or error
                raise FileProblem(f"{path.name} cannot be written: {reason}; no file was created.") from error
            finally:
                part.with_name(part.name + "-journal").unlink(missing_ok=True)
            _remove_logs(path)

    def close(self) -> None:
        """Write everything to the file and admit the next writer."""
        if self.path is not None and not self.read_only:
            with contextlib.suppress(WorkcellError, sqlite3.Error):
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        written = self.connection.total_changes
        self.connection.close()
        if self.sound and self.path is not None and not self.read_only:
            # Reading a large file takes the longest; a file that nobody wrote to already has its seal.
            with contextlib.suppress(OSError):
                if written or stamp(self.path) != self._sealed:
                    seal(self.path)
        if self._lock is not None:
            self._lock.release()
        elif self._copy is not None:
            shutil.rmtree(self._copy, ignore_errors=True)
        elif self.path is not None:
            tidy_after_reading(self.path.resolve())


def _put_recording(path: Path, recording: bytes) -> None:
    """Let a copy that nobody else uses hold a recording."""
    copy = connect(str(path), path.name)
    try:
        store_recording(copy, recording)
    finally:
        copy.close()


@contextlib.contextmanager
def _name_free(path: Path) -> Iterator[None]:
    """Keep writers away from a name while a new file takes it; refused while there is one."""
    lock = WriterLock(path, replaces=True)
    try:
        yield
    finally:
        lock.release()


def _remove_logs(path: Path) -> None:
    """Remove the logs of a former cell; SQLite would apply them to the next one with its name."""
    for ending in ("-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _as_left(path: Path) -> bool:
    """Whether a file is as Workcell left it, valid, with nothing beside it that still has to be written to it."""
    beside = (path.with_name(path.name + ending) for ending in ("-wal", "-journal"))
    return not any(one.exists() and one.stat().st_size for one in beside) and sealed(path)


def create_schema(connection: Connection, settings: Mapping[str, str] | None = None) -> None:
    """Make the tables of an empty cell, with its first settings."""
    for statement in ("BEGIN", *_TABLES.split(";")[:-1], f"PRAGMA application_id = {APPLICATION_ID}"):
        connection.execute(statement)
    for setting in (settings or {}).items():
        connection.execute("INSERT INTO setting VALUES (?, ?)", setting)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")
    connection.execute("COMMIT")


def is_database(path: Path) -> bool:
    """Whether a file begins like a database of SQLite."""
    if is_locked(path):
        # This process may have it open, and closing a file releases the locks that SQLite has on it.
        return True
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\x00"
    except OSError as error:
        raise FileProblem(f"{path.name} cannot be read: {error.strerror or error}.") from error


def not_a_cell(path: Path) -> FileProblem:
    """The refusal of a file that does not begin like a database: a damaged cell, or not a cell."""
    try:
        with path.open("rb") as file:
            page = file.read(_FIRST_PAGE)
        logged = bool(read_wal(wal_path(path.resolve())).frames)
    except OSError as error:
        return FileProblem(f"{path.name} cannot be read: {error.strerror or error}.")
    ours = b"CREATE TABLE entity(" in page or page[68:72] == APPLICATION_ID.to_bytes(4, "big")
    if ours or logged or (path.suffix == ".cell" and b"\0" in page):
        return damaged(path.name, "it does not begin like a cell" if page else "it is empty, but its log is not")
    what = "not a database" if page else "empty"
    made = path.with_suffix(".cell").name
    return NotACell(f"{path.name} is {what}; `workcell shell {made}` or `workcell convert` makes a cell.")


def _check_log(path: Path, live: bool = False) -> None:
    """Refuse a file whose log is broken before its end: SQLite would silently drop what follows."""
    try:
        lost = read_wal(wal_path(path.resolve()))
    except OSError as error:
        raise FileProblem(f"The log of {path.name} cannot be read: {error.strerror or error}.") from error
    if lost.broken and not (live and is_locked(path)):
        raise damaged(path.name, f"its log is broken, and {lost.lost_commits} later steps would be lost")


def _schema_of(connection: Connection) -> dict[str, tuple[str, str]]:
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master")
    return {name: (kind, " ".join((sql or "").split())) for kind, name, sql in rows}


@lru_cache(maxsize=1)
def _wanted_schema() -> dict[str, tuple[str, str]]:
    connection = connect(":memory:")
    create_schema(connection)
    found = _schema_of(connection)
    connection.close()
    return found
