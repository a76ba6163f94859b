"""Writes rows inside a transaction, and remembers their former values."""

from __future__ import annotations

from workcell.world.connection import Connection
from workcell.world.known_names import KnownNames
from workcell.world.row_change import DELETE, INSERT, Row, RowChange, put
from workcell.world.store import COLUMNS

_SELECT = {table: f"SELECT * FROM {table} WHERE {columns[0]} = ?" for table, columns in COLUMNS.items()}
_CHILD = COLUMNS["relation"].index("child")


class Writer:
    """Writes rows and remembers their former values."""

    __slots__ = ("_connection", "_known", "_write", "changes")

    def __init__(self, connection: Connection, known: KnownNames) -> None:
        self._connection = connection
        self._write = connection.write
        self._known = known
        self.changes: list[RowChange] = []

    @property
    def only_made(self) -> bool:
        """Whether no earlier row was changed, and nothing got a part."""
        return all(before is None and table != "relation" for table, _, before, _ in self.changes)

    def insert(self, table: str, row: Row) -> None:
        """Add a row, the key first."""
        self._write(INSERT[table], row)
        if table == "entity":
            self._known.made(row)
        elif table == "relation":
            self._known.loose.discard(row[_CHILD])
        self.changes.append((table, (), None, row))

    def update(self, table: str, key: object, **values: object) -> None:
        """Change some columns of a row."""
        known = COLUMNS[table]
        row = self._row(table, key)
        changed = tuple(name for name, value in values.items() if row[known.index(name)] != value)
        if changed:
            columns = (known[0], *changed)
            before = (key, *(row[known.index(name)] for name in changed))
            after = (key, *(values[name] for name in changed))
            put(self._write, table, columns, before, after)
            self._known.changed(table, row, values)
            self.changes.append((table, columns, before, after))

    def delete(self, table: str, key: object) -> None:
        """Remove a row; a missing one is ignored."""
        before = self._found(table, key)
        if before is not None:
            self._write(DELETE[table], (key,))
            self._known.changed(table, before, {})
            self.changes.append((table, (), before, None))

    def _row(self, table: str, key: object) -> Row:
        row = self._found(table, key)
        assert row is not None, f"there is no row {key} in {table}"
        return row

    def _found(self, table: str, key: object) -> Row | None:
        row: Row | None = self._connection.execute(_SELECT[table], (key,)).fetchone()
        return row
