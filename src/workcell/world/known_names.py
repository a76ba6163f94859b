"""What is known of entities without asking the file again: those that were named lately, and those that are loose."""

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
    """The entities of a name, of whatever kind; read once, until a row of that name is written.

    A :class:`~workcell.world.row_writer.Writer` says what it writes. Whatever else writes rows, such as undo or a
    transaction that is given up, shows in :attr:`~workcell.world.connection.Connection.generation`, and all is read
    again. What another process may write is never kept. A thread that reads beside the one that writes cannot keep what
    was written over meanwhile: it reads and keeps under the lock under which the other one forgets.
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
        """The entities of that name, in order of creation."""
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
        """An entity was made."""
        with self._lock:
            if self._generation != self._connection.generation or len(self.loose) > _MOST_KEPT:
                self._forget_all()
            self._found.pop(row[_NAME], None)
            if row[_SHAPE] is None or not is_operation(row[_SHAPE]):
                self.loose.add(row[0])

    def changed(self, table: str, before: tuple[object, ...], values: Mapping[str, object]) -> None:
        """A row was changed or taken away."""
        with self._lock:
            if table == "entity":
                self._found.pop(before[_NAME], None)
                self._found.pop(values.get("name"), None)
                self.loose.discard(before[0])
            elif table == "relation":
                self.loose.discard(values.get("child"))

    def _forget_all(self) -> None:
        """Rows may have been written that nobody told of, or it becomes too much."""
        self._found, self.loose = {}, set()
        self._generation = self._connection.generation
