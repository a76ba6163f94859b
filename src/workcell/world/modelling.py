"""Modelling: entities and relations are made, changed and removed, each inside an edit, by the rules of the model."""

from __future__ import annotations

import hashlib
import sqlite3
from typing import Any

import msgspec

from workcell.errors import CycleRefused, NameTaken, PointedTo, Refused
from workcell.spatial.transform import Rows, Transform, packed, rigid, shear_of
from workcell.wording import an, capital
from workcell.world.catalogue import Catalogue
from workcell.world.connection import naming
from workcell.world.entities import Entity, Relation
from workcell.world.ids import Ids
from workcell.world.kinds import KINDS, RIVALS, SIGNALLING, kind_of, relation_kind
from workcell.world.names import check_name
from workcell.world.row_writer import Writer

_encode = msgspec.json.Encoder(order="sorted").encode
SCALED = ("transform-surface", "transform-block", "operand")
"""The relations below the level of moving things: they may scale and mirror."""


class Modelling(Catalogue):
    """The changes that a command may make to the rows of a cell; ``rows`` is the writer of its edit."""

    ids: Ids
    """Allocates the ids of new rows."""

    def keep_blob(self, data: bytes) -> str:
        """Store the bytes of a file that a command read; return their hash. Call it inside an edit."""
        digest = hashlib.sha256(data).hexdigest()
        self._execute("INSERT OR IGNORE INTO blob VALUES (?, ?)", (digest, data))
        return digest

    def add_entity(
        self,
        rows: Writer,
        kind: str,
        name: str,
        *,
        description: str = "",
        colour: str | None = None,
        movable: bool = False,
        shape: str | None = None,
        properties: dict[str, Any] | None = None,
    ) -> int:
        """Add an entity; return its id."""
        check_name(name)
        self._require_own_name(kind, name)
        number = self.ids.new()
        text = _json(properties) if properties else "{}"
        try:
            rows.insert("entity", (number, kind, name, description, colour, int(movable), shape, text))
        except sqlite3.IntegrityError:
            raise NameTaken(f"There is {an(kind)} called {name!r} already; choose another name.", name=name) from None
        return number

    def attach(
        self,
        rows: Writer,
        parent: Entity,
        child: Entity,
        name: str,
        transform: Transform = Transform(),
        properties: dict[str, Any] | None = None,
    ) -> int:
        """Add a relation from ``parent`` to its part ``child``; return its id."""
        kind = relation_kind(parent.kind, child.kind)
        check_name(name)
        matrix = transform.rows()
        self._check_transform(kind, matrix)
        if child.kind in _ANCESTORS[child.kind] or parent.id == child.id:
            self._check_cycle(parent, child)
        number = self.ids.new()
        text = _json(properties) if properties else "{}"
        row = (
            number, kind, name, parent.id, child.id, number, transform.to_json(), packed(matrix), "", text,
        )  # fmt: skip
        try:
            rows.insert("relation", row)
        except sqlite3.IntegrityError:
            raise NameTaken(
                f"{parent.kind} {parent.name!r} has a relation called {name!r} already; choose another name.",
                name=name,
            ) from None
        return number

    def _check_transform(self, kind: str, matrix: Rows) -> None:
        if kind in SCALED:
            reason = shear_of(matrix)
            if reason:
                raise Refused(
                    f"This transformation shears: {reason}. Scale before you rotate, or scale all axes equally."
                )
        elif not rigid(matrix):
            raise Refused(
                f"{capital(an(kind))} relation must be rigid: objects and everything that moves keep their size. "
                "Scale the block inside the object instead."
            )

    def _check_cycle(self, parent: Entity, child: Entity) -> None:
        if parent.id == child.id:
            raise CycleRefused(f"{parent.kind} {parent.name!r} cannot be part of itself.")
        below = self._execute(
            "WITH RECURSIVE below(id) AS (SELECT ? UNION SELECT child FROM relation JOIN below ON parent = below.id)"
            " SELECT 1 FROM below WHERE id = ?",
            (child.id, parent.id),
        ).fetchone()
        if below:
            raise CycleRefused(
                f"{parent.kind} {parent.name!r} is already part of {child.kind} {child.name!r}, so the second "
                "cannot become part of the first."
            )

    def detach(self, rows: Writer, relation: Relation) -> None:
        """Remove a relation; both entities stay."""
        rows.delete("relation", relation.id)

    def remove(self, rows: Writer, entity: Entity) -> None:
        """Remove an entity and its relations to its parts; refused while anything points to it."""
        pointers = self.pointers(entity)
        if pointers:
            who = [self.relation_path(relation) for relation in pointers]
            shown = ", ".join(who[:8]) + (f" and {len(who) - 8} more" if len(who) > 8 else "")
            raise PointedTo(
                f"{entity.kind} {entity.name!r} is used by {len(who)} relation{'s' if len(who) > 1 else ''}: "
                f"{shown}. Detach {'them' if len(who) > 1 else 'it'} first.",
                pointers=who,
                pointed_by=len(who),
            )
        for relation in reversed(self.relations(entity)):
            rows.delete("relation", relation.id)
        rows.delete("entity", entity.id)

    def clear(self, rows: Writer) -> int:
        """Remove every entity and relation, the tested pairs, the chosen scene and the state; return how many entities.

        Settings that concern no entity stay: units, profile, mode, step, watch, how far parts may fall.
        """
        entities = self.entities()
        for entity in entities:
            for relation in self.relations(entity):
                rows.delete("relation", relation.id)
        for entity in entities:
            rows.delete("entity", entity.id)
        for setting in ("pairs", "scene"):
            rows.delete("setting", setting)
        self.set_state(rows, "")
        return len(entities)

    def rename(self, rows: Writer, thing: Entity | Relation, name: str) -> None:
        """Give it another name; its id and everything that points to it stay."""
        check_name(name)
        if isinstance(thing, Entity):
            self._require_own_name(thing.kind, name)
        table = "entity" if isinstance(thing, Entity) else "relation"
        try:
            rows.update(table, thing.id, name=name)
        except sqlite3.IntegrityError:
            where = f"{thing.kind}" if isinstance(thing, Entity) else "relation there"
            raise NameTaken(f"There is {an(where)} called {name!r} already; choose another name.") from None

    def retype(self, rows: Writer, entity: Entity, kind: str) -> None:
        """Change the kind of an entity; refused if its relations would no longer fit."""
        kind_of(kind)
        self._require_own_name(kind, entity.name, entity.id)
        renamed = [
            (relation, relation_kind(kind, self.by_id(relation.child).kind)) for relation in self.relations(entity)
        ]
        renamed += [
            (relation, relation_kind(self.by_id(relation.parent).kind, kind)) for relation in self.pointers(entity)
        ]
        try:
            rows.update("entity", entity.id, kind=kind)
        except sqlite3.IntegrityError:
            raise NameTaken(f"There is {an(kind)} called {entity.name!r} already; rename one of them.") from None
        for relation, name in renamed:
            rows.update("relation", relation.id, kind=name)

    def _require_own_name(self, kind: str, name: str, but: int = 0) -> None:
        """Refuse one name for two things that are used by name alone: sensor and signal, machine and robot."""
        for other in RIVALS.get(kind, ()):
            found = self.find(other, name)
            if found is not None and found.id != but:
                why = "a sensor is the signal with its name" if other in SIGNALLING else "both are moved by their names"
                raise NameTaken(f"There is {an(other)} called {name!r} already, and {why}; choose another.", name=name)

    def set_properties(self, rows: Writer, thing: Entity | Relation, changes: dict[str, Any]) -> None:
        """Set properties; a value of None removes the property."""
        values = {**thing.properties, **changes}
        text = _json({name: value for name, value in values.items() if value is not None})
        rows.update("entity" if isinstance(thing, Entity) else "relation", thing.id, properties=text)

    def set_transform(self, rows: Writer, relation: Relation, transform: Transform) -> None:
        """Give a relation another transformation."""
        self._check_transform(relation.kind, transform.rows())
        rows.update("relation", relation.id, form=transform.to_json(), matrix=transform.packed())

    def set_position(self, rows: Writer, relation: Relation, position: int) -> None:
        """Give a relation another place among the parts of its parent."""
        rows.update("relation", relation.id, position=position)

    def set_setting(self, rows: Writer, name: str, value: str) -> None:
        """Set a setting of the cell."""
        if self._execute("SELECT 1 FROM setting WHERE name = ?", (name,)).fetchone():
            rows.update("setting", name, value=value)
        else:
            rows.insert("setting", (name, value))

    def set_state(self, rows: Writer, data: str) -> None:
        """Make this the present state; '' means the initial one."""
        present = self.state_json()
        if present and data:
            rows.update("state", 1, data=data)
        elif present:
            rows.delete("state", 1)
        elif data:
            rows.insert("state", (1, data))


def _json(properties: dict[str, Any]) -> str:
    with naming(""):
        return _encode(properties).decode()


def _ancestors() -> dict[str, set[str]]:
    """For each kind, the kinds that may contain it, directly or indirectly."""
    above: dict[str, set[str]] = {name: set() for name in KINDS}
    for _ in KINDS:
        for kind in KINDS.values():
            for part in kind.parts:
                above[part] |= {kind.name, *above[kind.name]}
    return above


_ANCESTORS = _ancestors()
