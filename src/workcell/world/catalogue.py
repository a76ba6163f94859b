"""The catalogue: read access to the database of a cell by name, id, kind or place."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

from workcell.errors import UnknownName
from workcell.wording import quoted
from workcell.world.connection import damaged
from workcell.world.entities import ENTITY_COLUMNS, RELATION_COLUMNS, Entity, Relation
from workcell.world.kinds import RIVALS, kind_of
from workcell.world.known_names import KnownNames
from workcell.world.store import Store

_ENTITIES = f"SELECT {', '.join(ENTITY_COLUMNS)} FROM entity"
_USED = (
    f"SELECT {', '.join(ENTITY_COLUMNS)}, EXISTS (SELECT 1 FROM relation WHERE child = entity.id) FROM entity WHERE id"
)
_COUNTS = "SELECT EXISTS (SELECT 1 FROM relation WHERE parent = ?1), (SELECT count(*) FROM relation WHERE child = ?1)"
_LOOSE = """SELECT id, name, kind FROM entity
    WHERE kind IN ('surface', 'block', 'object', 'robot', 'mechanism', 'tool', 'gripper')
    AND NOT EXISTS (SELECT 1 FROM relation WHERE child = entity.id)
    AND NOT (kind = 'surface' AND shape LIKE '{"kind":"nurbs"%') ORDER BY id"""
_BELOW = """WITH RECURSIVE below(id) AS (
    SELECT value FROM json_each(?) UNION SELECT child FROM relation JOIN below ON parent = below.id) """
BREAKPOINTS = "breakpoints"
"""The setting with the breakpoints of programs, which no command of the history sets."""
_LONGEST = 80
"""The most characters of a name."""
_RELATIONS = f"SELECT {', '.join(RELATION_COLUMNS)} FROM relation"


class Catalogue:
    """The rows of a cell, as values."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._execute: Callable[..., sqlite3.Cursor] = store.connection.execute
        self.named = KnownNames(store.connection, kept=not store.read_only)
        """``named(name)`` returns the entities with a name, of any kind."""

    def entity(self, kind: str, name: str) -> Entity:
        """The entity of that kind and name; an unknown name is refused with the closest ones."""
        found = self.find(kind_of(kind).name, name)
        if found is None:
            raise UnknownName.among(kind, name, self.names(kind))
        return found

    def find(self, kind: str, name: str) -> Entity | None:
        """The entity, or None."""
        for entity in self.named(name):
            if entity.kind == kind:
                return entity
        return None

    def by_id(self, number: int) -> Entity:
        """The entity with that id."""
        return Entity(*self._execute(f"{_ENTITIES} WHERE id = ?", (number,)).fetchone())

    def with_ids(self, numbers: Iterable[int]) -> dict[int, tuple[Entity, bool]]:
        """The entities with these ids, by id, each with whether it is part of something."""
        return {row[0]: (Entity(*row[:-1]), bool(row[-1])) for row in self._with(_USED, numbers)}

    def parents(self, relations: Iterable[int]) -> set[int]:
        """The entities that have the relations with these ids."""
        return {number for (number,) in self._with("SELECT parent FROM relation WHERE id", relations)}

    def _with(self, select: str, numbers: Iterable[int]) -> list[Any]:
        """The rows with these ids, which are passed as one JSON value: a command may change any number of rows."""
        wanted = list(numbers)
        if len(wanted) == 1:
            return self._execute(f"{select} = ?", wanted).fetchall()
        return self._execute(f"{select} IN (SELECT value FROM json_each(?))", (str(wanted),)).fetchall()

    def entities(self, kind: str | None = None) -> list[Entity]:
        """All entities, or all of a kind, in order of creation."""
        if kind is None:
            rows = self._execute(f"{_ENTITIES} ORDER BY id").fetchall()
        else:
            rows = self._execute(f"{_ENTITIES} WHERE kind = ? ORDER BY id", (kind,)).fetchall()
        return [Entity(*row) for row in rows]

    def loose(self) -> list[tuple[int, str, str]]:
        """The id, name and kind of what could be part of something and is not, in order of creation; not patches."""
        return self._execute(_LOOSE).fetchall()

    def below(self, numbers: Iterable[int]) -> tuple[list[Entity], list[Relation]]:
        """The entities with these ids and all that they are made of, and the relations between them."""
        wanted = (str(list(numbers)),)
        rows = self._execute(f"{_BELOW}{_ENTITIES} WHERE id IN below", wanted).fetchall()
        ties = self._execute(f"{_BELOW}{_RELATIONS} WHERE parent IN below ORDER BY id", wanted).fetchall()
        return [Entity(*row) for row in rows], [Relation(*row) for row in ties]

    def names(self, kind: str | None = None, prefix: str = "", most: int = 200) -> list[str]:
        """Names in use that begin with ``prefix``."""
        if len(prefix) > _LONGEST:
            return []
        pattern = prefix.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]") + "*"
        chosen = "name GLOB ?" if kind is None else "kind = ? AND name GLOB ?"
        values = (pattern,) if kind is None else (kind, pattern)
        rows = self._execute(f"SELECT name FROM entity WHERE {chosen} ORDER BY name LIMIT {most}", values)
        return [name for (name,) in rows]

    def relations(self, parent: Entity | int) -> list[Relation]:
        """The relations of an entity to its parts, in order."""
        number = parent if isinstance(parent, int) else parent.id
        rows = self._execute(f"{_RELATIONS} WHERE parent = ? ORDER BY position, id", (number,)).fetchall()
        return [Relation(*row) for row in rows]

    def has_more_parts(self, parent: Entity, than: int) -> bool:
        """Whether an entity has more than this number of relations to parts."""
        rows = self._execute("SELECT 1 FROM relation WHERE parent = ? LIMIT ?", (parent.id, than + 1)).fetchall()
        return len(rows) > than

    def all_relations(self) -> list[Relation]:
        """Every relation, in order of creation."""
        return [Relation(*row) for row in self._execute(f"{_RELATIONS} ORDER BY id").fetchall()]

    def pointers(self, child: Entity | int) -> list[Relation]:
        """The relations that point to an entity."""
        number = child if isinstance(child, int) else child.id
        rows = self._execute(f"{_RELATIONS} WHERE child = ? ORDER BY id", (number,)).fetchall()
        return [Relation(*row) for row in rows]

    def relation(self, parent: Entity, name: str) -> Relation:
        """The relation of that name."""
        row = self._execute(f"{_RELATIONS} WHERE parent = ? AND name = ?", (parent.id, name)).fetchone()
        if row is None:
            known = [relation.name for relation in self.relations(parent)]
            raise UnknownName.among(f"relation of {parent.kind} {parent.name!r}", name, known)
        return Relation(*row)

    def pointed_by(self, entity: Entity | int) -> int:
        """The number of relations that point to it."""
        number = entity if isinstance(entity, int) else entity.id
        (count,) = self._execute("SELECT count(*) FROM relation WHERE child = ?", (number,)).fetchone()
        return int(count)

    def ties(self, entity: Entity) -> tuple[list[Relation], int]:
        """The relations of an entity to its parts, and the number of those that point to it; mostly one query."""
        parts, pointers = self._execute(_COUNTS, (entity.id,)).fetchone()
        return self.relations(entity) if parts else [], int(pointers)

    def setting(self, name: str, default: str = "") -> str:
        """A setting of the cell."""
        row = self._execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else default

    def state_json(self) -> str:
        """The present state, or '' if the cell is in its initial state."""
        row = self._execute("SELECT data FROM state WHERE id = 1").fetchone()
        return str(row[0]) if row else ""

    def blob(self, digest: str) -> bytes:
        """The bytes of a file that a command read."""
        row = self._execute("SELECT data FROM blob WHERE hash = ?", (digest,)).fetchone()
        if row is None:
            raise UnknownName(f"The cell has no file with the hash {digest}.")
        data = bytes(row[0])
        if hashlib.sha256(data).hexdigest() != digest:
            raise damaged(self.store.connection.file, f"the kept bytes of the file {digest} have another hash")
        return data

    def blobs(self) -> list[bytes]:
        """The bytes of every file that the journal needs."""
        return [bytes(data) for (data,) in self._execute("SELECT data FROM blob ORDER BY hash")]

    def rows(self) -> dict[str, list[tuple[object, ...]]]:
        """Every row that commands make, table by table; equal cells have equal rows.

        Breakpoints are left out: they are in the file, but no part of what a cell is.
        """
        tables = {"entity": "id", "relation": "id", "setting": "name", "state": "id"}
        rows = {
            table: self._execute(f"SELECT * FROM {table} ORDER BY {key}").fetchall() for table, key in tables.items()
        }
        rows["setting"] = [row for row in rows["setting"] if row[0] != BREAKPOINTS]
        return rows

    def free_relation_name(self, parent: Entity, wanted: str) -> str:
        """``wanted``, or with the next number if the parent already has a relation with that name."""
        if not self._execute("SELECT 1 FROM relation WHERE parent = ? AND name = ?", (parent.id, wanted)).fetchone():
            return wanted
        taken = {name for (name,) in self._execute("SELECT name FROM relation WHERE parent = ?", (parent.id,))}
        name, count = wanted, 1
        while name in taken:
            count += 1
            name = f"{wanted}-{count}"
        return name

    def free_name(self, kind: str, wanted: str) -> str:
        """``wanted``, or with the next number if something that cannot share the name has it."""
        name, count = wanted, 1
        while any(self.find(one, name) is not None for one in (kind, *RIVALS.get(kind, ()))):
            count += 1
            name = f"{wanted}-{count}"
        return name

    def called(self, relation: Relation) -> str:
        """The present name of a thing in a scene; that of its relation if the scene has it several times."""
        beside = self.relations(self.by_id(relation.parent))
        several = sum(one.child == relation.child for one in beside) > 1
        return relation.name if several else self.by_id(relation.child).name

    def relation_path(self, relation: Relation) -> str:
        """The name of a relation in commands: ``cube1/side1``."""
        return f"{quoted(self.by_id(relation.parent).name)}/{quoted(relation.name)}"
