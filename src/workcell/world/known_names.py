"""A cache of entities by name: those that were used lately, and those that are part of nothing."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from workcell.world.connection import Connection
from workcell.world.entities import ENTITY_COLUMNS, Entity
from workcell.world.operations import is_operation

_NAMED = f"SELECT {', '.join(ENTITY_COLUMNS)} FROM entity WHERE name = ? ORDER BY id"
_NAME, _SHAPE = ENTITY_COLUMNS.index("name"), ENTITY_COLUMNS.index("shape")
_MOST_KEPT = 1024


class KnownNames:
    """The entities with a name, of any kind; read once, until a row with that name is written.

    A :class:`~workcell.world.row_writer.Writer` reports what it writes. Any other write of rows, such as an undo or a
    rollback, changes :attr:`~workcell.world.connection.Connection.generation`, and everything is read
    again. Rows that another process may write are never kept. A thread that reads beside the one that writes cannot
    keep an overwritten row: it reads and keeps under the same lock under which the other one forgets.
    """

    def __init__(self, connection: Connection, kept: bool) -> None:
        self._connection = connection
        self._kept = kept
        self._found: dict[object, tuple[Entity, ...]] = {}
        self._generation = 0
        self._lock = threading.Lock()
        self.loose: set[object] = set()
        """The ids of entities that nothing points to and no operation makes; only some of those made lately."""

    def __call__(self, name: str) -> tuple[Entity, ...]:
        """The entities with that name, in order of creation."""
        if self._generation == self._connection.generation:
            found = self._found.get(name)
            if found is not None:
                return found
        with self._lock:
            if self._generation != self._connection.generation or len(self._found) > _MOST_KEPT:
                self._forget_all()
            rows = self._connection.execute(_NAMED, (name,)).fetchall()
            found = (Entity(*rows[0]),) if len(rows) == 1 else tuple([Entity(*row) for row in rows])
            if self._kept:
                self._found[name] = found
            return found

    def is_loose(self, number: int) -> bool:
        """Whether an entity is known to be part of nothing and to be made by no operation on its parts."""
        return number in self.loose and self._generation == self._connection.generation

    def made(self, row: tuple[Any, ...]) -> None:
        """Note that an entity was made."""
        with self._lock:
            if self._generation != self._connection.generation or len(self.loose) > _MOST_KEPT:
                self._forget_all()
            self._found.pop(row[_NAME], None)
            if row[_SHAPE] is None or not is_operation(row[_SHAPE]):
                self.loose.add(row[0])

    def changed(self, table: str, before: tuple[object, ...], values: Mapping[str, object]) -> None:
        """Note that a row was changed or removed."""
        with self._lock:
            if table == "entity":
                self._found.pop(before[_NAME], None)
                self._found.pop(values.get("name"), None)
                self.loose.discard(before[0])
            elif table == "relation":
                self.loose.discard(values.get("child"))

    def _forget_all(self) -> None:
        """Forget everything: rows may have been written without a report, or the cache is too large."""
        self._found, self.loose = {}, set()
        self._generation = self._connection.generation
