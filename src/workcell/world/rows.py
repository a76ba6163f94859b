"""The entities and relations of a database in memory, updated row by row as they change."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from workcell.world.entities import ENTITY_COLUMNS, RELATION_COLUMNS, Entity, Relation
from workcell.world.row_change import RowChange
from workcell.world.store import COLUMNS

if TYPE_CHECKING:
    from workcell.world.database import Database

Thing = TypeVar("Thing", Entity, Relation)


class Changed(NamedTuple):
    """The changes that an update found: entities, with everything that contains them, and relations with their ends."""

    entities: set[int]
    relations: dict[int, set[int]]
    """By the number of a relation, the entities that it belonged and belongs to."""


class Rows:
    """Every entity and relation by its id, and their connections.

    A row that changes gets a new object here, and an unchanged one keeps its own; so ``is`` shows whether it changed.
    """

    def __init__(self, entities: Iterable[Entity], relations: Iterable[Relation]) -> None:
        self.entities = {entity.id: entity for entity in entities}
        self.relations = {relation.id: relation for relation in relations}
        self._stamp = 0
        self._stamps: dict[int, int] = {}
        self._kind_stamps: dict[str, int] = {}

    @classmethod
    def read(cls, database: Database) -> Rows:
        """All rows of a database."""
        return cls(database.entities(), database.all_relations())

    # ---- reading --------------------------------------------------------------------------------------

    def parts(self, parent: int) -> list[Relation]:
        """The relations of an entity to its parts, in order."""
        return self._parts.get(parent, [])

    def of_kind(self, kind: str) -> list[Entity]:
        """All entities of a kind, in order of creation."""
        return [self.entities[number] for number in sorted(self._kinds.get(kind, ()))]

    def pointers(self, child: int) -> list[Relation]:
        """The relations that point to an entity, in order of creation."""
        return [self.relations[number] for number in sorted(self._above.get(child, ()))]

    def stamp(self, number: int) -> int:
        """A number that changes when an entity, or anything that it contains, changes."""
        return self._stamps.get(number, 0)

    def kind_stamp(self, *kinds: str) -> int:
        """A number that changes when an entity of these kinds changes, or a relation from or to one."""
        return max(self._kind_stamps.get(kind, 0) for kind in kinds)

    @cached_property
    def _parts(self) -> dict[int, list[Relation]]:
        found: dict[int, list[Relation]] = {}
        for relation in sorted(self.relations.values(), key=_order):
            found.setdefault(relation.parent, []).append(relation)
        return found

    @cached_property
    def _above(self) -> dict[int, set[int]]:
        found: dict[int, set[int]] = defaultdict(set)
        for relation in self.relations.values():
            found[relation.child].add(relation.id)
        return found

    @cached_property
    def _kinds(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for entity in self.entities.values():
            found[entity.kind].add(entity.id)
        return found

    # ---- updates from the database --------------------------------------------------------------------

    def update(self, database: Database, touched: Collection[tuple[str, object]]) -> Changed:
        """Read rows again that may have changed."""
        execute = database.store.connection.execute
        found: set[int] = set()
        moved: dict[int, set[int]] = {}
        kinds: set[str] = set()
        numbers = {table: [key for of, key in touched if of == table] for table in ("entity", "relation")}
        for entity, number in _again(execute, "entity", ENTITY_COLUMNS, Entity, numbers["entity"]):
            before = self.entities.get(number)
            if before != entity:
                found.add(number)
                kinds |= {one.kind for one in (before, entity) if one is not None}
                self._put_entity(before, entity)
        for relation, number in _again(execute, "relation", RELATION_COLUMNS, Relation, numbers["relation"]):
            known = self.relations.get(number)
            if known != relation:
                for one in (known, relation):
                    if one is not None:
                        found.add(one.parent)
                        moved.setdefault(number, set()).add(one.parent)
                        kinds |= {self.entities[end].kind for end in (one.parent, one.child) if end in self.entities}
                self._put_relation(known, relation)
        if found:
            self._stamp += 1
            found |= self._all_above(found)
            self._stamps.update(dict.fromkeys(found, self._stamp))
            self._kind_stamps.update(dict.fromkeys(kinds, self._stamp))
        return Changed(found, moved)

    def undo(self, change: RowChange) -> None:
        """Restore the row before a change."""
        table, columns, before, after = change
        if table == "entity":
            entity, number = _undone(self.entities, Entity, table, columns, before, after)
            self._put_entity(self.entities.get(number), entity)
        elif table == "relation":
            relation, number = _undone(self.relations, Relation, table, columns, before, after)
            self._put_relation(self.relations.get(number), relation)

    def _put_entity(self, before: Entity | None, after: Entity | None) -> None:
        if before is not None:
            del self.entities[before.id]
            self._kinds[before.kind].discard(before.id)
        if after is not None:
            self.entities[after.id] = after
            self._kinds[after.kind].add(after.id)

    def _put_relation(self, before: Relation | None, after: Relation | None) -> None:
        if before is not None:
            siblings = self._parts[before.parent]
            del siblings[bisect_left(siblings, _order(before), key=_order)]
            del self.relations[before.id]
            self._above[before.child].discard(before.id)
        if after is not None:
            siblings = self._parts.setdefault(after.parent, [])
            siblings.insert(bisect_left(siblings, _order(after), key=_order), after)
            self.relations[after.id] = after
            self._above[after.child].add(after.id)

    def _all_above(self, numbers: Iterable[int]) -> set[int]:
        """Everything that contains the entities."""
        found: set[int] = set()
        waiting = list(numbers)
        while waiting:
            for relation in self._above.get(waiting.pop(), ()):
                parent = self.relations[relation].parent
                if parent not in found:
                    found.add(parent)
                    waiting.append(parent)
        return found


def _order(relation: Relation) -> tuple[int, int]:
    return relation.position, relation.id


def _again(
    execute: Callable[..., Iterable[tuple[object, ...]]],
    table: str,
    columns: tuple[str, ...],
    kind: Callable[..., Thing],
    numbers: list[object],
) -> Iterator[tuple[Thing | None, int]]:
    """The present rows with these numbers, with removed ones first."""
    if not numbers:
        return
    asked = f"SELECT {', '.join(columns)} FROM {table} WHERE id IN (SELECT value FROM json_each(?))"
    there = {int(str(row[0])): kind(*row) for row in execute(asked, (json.dumps(numbers),))}
    for number in numbers:
        if number not in there:
            yield None, int(str(number))
    for found, thing in there.items():
        yield thing, found


def _undone(
    rows: dict[int, Thing],
    kind: Callable[..., Thing],
    table: str,
    columns: tuple[str, ...],
    before: tuple[object, ...] | None,
    after: tuple[object, ...] | None,
) -> tuple[Thing | None, int]:
    """A row before a change, and its number."""
    if before is None:
        assert after is not None
        return None, int(str(after[0]))
    number = int(str(before[0]))
    if after is None or number not in rows:
        return (kind(*before) if after is None else None), number
    values = list(msgspec.structs.astuple(rows[number]))
    for name, value in zip(columns, before, strict=True):
        values[COLUMNS[table].index(name)] = value
    return kind(*values), number
