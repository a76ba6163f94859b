"""Taking over the entities and relations of another cell."""

from __future__ import annotations

import re

from workcell.errors import NameTaken, Refused
from workcell.world.database import Database
from workcell.world.ids import id_number, id_text
from workcell.world.journal import Writer
from workcell.world.names import check_name
from workcell.world.riding import CARRIER
from workcell.world.standing import BASE_ID
from workcell.world.text_form import from_text


def merge(database: Database, rows: Writer, text: str, prefix: str = "") -> tuple[int, int]:
    """Insert what the text form of another cell holds; returns how many entities and relations.

    Ids are kept, so an entity that is here already under the same id and unchanged is the same one and is not
    taken twice. Everything that clashes is reported before anything is changed. With a prefix the other cell's
    things come as copies: new names, new ids.
    """
    other = Database.memory()
    try:
        from_text(text, other)
        entities, relations = other.entities(), other.all_relations()
    finally:
        other.close()
    here = {entity.id: entity for entity in database.entities()}
    names = {(entity.kind, entity.name) for entity in here.values()}
    known_relations = {relation.id: relation for relation in database.all_relations()}
    clashes: list[str] = []
    for entity in entities:
        if prefix:
            name = check_name(f"{prefix}{entity.name}")
            if (entity.kind, name) in names:
                clashes.append(f"{entity.kind} {name!r}")
        elif entity.id in here:
            if here[entity.id] != entity:
                clashes.append(f"{entity.kind} {entity.name!r} (changed on both sides)")
        elif (entity.kind, entity.name) in names:
            clashes.append(f"{entity.kind} {entity.name!r}")
    if not prefix:
        clashes += [
            f"relation {relation.name!r} (changed on both sides)"
            for relation in relations
            if relation.id in known_relations and known_relations[relation.id] != relation
        ]
    if clashes:
        shown = ", ".join(clashes[:10]) + (f" and {len(clashes) - 10} more" if len(clashes) > 10 else "")
        raise NameTaken(
            f"{len(clashes)} thing{'s are' if len(clashes) > 1 else ' is'} here already: {shown}. "
            "Rename them, or load with `prefix NAME`.",
            clashes=clashes,
        )
    if not entities:
        raise Refused("The other cell is empty; there is nothing to take over.")
    numbers: dict[int, int] = {}
    made = [0, 0]
    for entity in entities:
        numbers[entity.id] = database.ids.new() if prefix else entity.id
        if not prefix and entity.id in here:
            continue
        name = f"{prefix}{entity.name}" if prefix else entity.name
        row = (
            numbers[entity.id], entity.kind, name, entity.description, entity.colour, entity.movable, entity.shape,
            entity.raw_properties,
        )  # fmt: skip
        rows.insert("entity", row)
        made[0] += 1
    numbers |= {relation.id: database.ids.new() if prefix else relation.id for relation in relations}
    for relation in relations:
        if not prefix and relation.id in known_relations:
            continue
        values = (
            numbers[relation.id], relation.kind, relation.name, numbers[relation.parent], numbers[relation.child],
            relation.position, relation.form, relation.packed, relation.description,
            _renumbered(relation.raw_properties, numbers) if prefix else relation.raw_properties,
        )  # fmt: skip
        rows.insert("relation", values)
        made[1] += 1
    return made[0], made[1]


def _renumbered(properties: str, numbers: dict[int, int]) -> str:
    """The properties of a relation that points to others by their ids, with the ids that these have now."""
    for name in (BASE_ID, CARRIER):
        properties = re.sub(
            rf'("{name}":\s*")([0-9a-f]+)(")',
            lambda found: found[1] + id_text(numbers.get(id_number(found[2]), id_number(found[2]))) + found[3],
            properties,
        )
    return properties
