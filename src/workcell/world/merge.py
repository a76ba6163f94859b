"""Taking over the entities and relations of another cell."""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec

from workcell.errors import NameTaken, Refused
from workcell.world.contents import Contents, Row, problems
from workcell.world.database import Database
from workcell.world.entities import Entity, Relation
from workcell.world.ids import id_number, id_text
from workcell.world.journal import Writer
from workcell.world.kinds import RIVALS, SENSOR_LISTS
from workcell.world.names import check_name
from workcell.world.renaming import renamed_lists
from workcell.world.riding import CARRIER
from workcell.world.standing import BASE_ID
from workcell.world.text_form import contents_of


class Taken(msgspec.Struct, frozen=True):
    """What was taken over from another cell.

    Attributes:
        entities: the new entities, as they are here.
        relations: how many relations are new.
        source: the kind and the name of everything that the other cell has, as it is there.
    """

    entities: tuple[Entity, ...]
    relations: int
    source: frozenset[tuple[str, str]]


def merge(database: Database, rows: Writer, text: str, prefix: str = "") -> Taken:
    """Insert what the text form of another cell holds; the texts of programs are inserted as they are there.

    Ids are kept, so an entity that is here already under the same id and unchanged is the same one and is not
    taken twice. Everything that clashes is reported before anything is changed. With a prefix the other cell's
    things come as copies: new names, new ids.
    """
    contents = contents_of(text)
    entities = [Entity(*row) for row in sorted(contents.rows["entity"])]
    relations = [Relation(*row) for row in sorted(contents.rows["relation"])]
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
        clashes += [
            f"{other} {prefix}{entity.name!r}"
            for other in RIVALS.get(entity.kind, ())
            if (other, f"{prefix}{entity.name}") in names
        ]
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
    called = {entity.name for entity in entities}
    numbers = {entity.id: database.ids.new() if prefix else entity.id for entity in entities}
    numbers |= {relation.id: database.ids.new() if prefix else relation.id for relation in relations}
    new: dict[str, list[Row]] = {
        "entity": [
            (
                numbers[one.id], one.kind, f"{prefix}{one.name}", one.description, one.colour, one.movable, one.shape,
                _renamed(one, prefix, called),
            )
            for one in entities
            if prefix or one.id not in here
        ],
        "relation": [
            (
                numbers[one.id], one.kind, one.name, numbers[one.parent], numbers[one.child], one.position, one.form,
                one.packed, one.description,
                _renumbered(one.raw_properties, numbers) if prefix else one.raw_properties,
            )
            for one in relations
            if prefix or one.id not in known_relations
        ],
    }  # fmt: skip
    _refuse_misfits(database, new)
    for table, added in new.items():
        for row in added:
            rows.insert(table, row)
    return Taken(
        tuple(Entity(*row) for row in new["entity"]),
        len(new["relation"]),
        frozenset((entity.kind, entity.name) for entity in entities),
    )


def _refuse_misfits(database: Database, new: dict[str, list[Row]]) -> None:
    """Refuse what is sound by itself and not together with what is here: circles, names and ids that are taken."""
    both = Contents.empty()
    for table, present in database.rows().items():
        if table in new:
            both.rows[table] = [*present, *new[table]]
    found = problems(both)
    if found:
        more = f"; {len(found) - 1} more do not fit" if len(found) > 1 else ""
        raise Refused(
            f"The other cell does not fit to this one: {found[0].text}{more}. Load it with `prefix NAME` as a copy.",
            problems=[one.text for one in found],
        )


def _renamed(entity: Entity, prefix: str, called: Collection[str]) -> str:
    """The properties of an entity that lists others by their names, with the names that these have here."""

    def new(name: str) -> str:
        owner = name.partition("/")[0]
        theirs = owner in called or any(owner.startswith(f"{one} ") for one in called)  # a second copy of an object
        return f"{prefix}{name}" if theirs else name

    told = renamed_lists(entity.kind, entity.properties, new) if prefix else {}
    told |= renamed_lists(entity.kind, entity.properties, lambda name: prefix + name, SENSOR_LISTS) if prefix else {}
    return (
        msgspec.json.encode({**entity.properties, **told}, order="sorted").decode() if told else entity.raw_properties
    )


def _renumbered(properties: str, numbers: dict[int, int]) -> str:
    """The properties of a relation that points to others by their ids, with the ids that these have now."""
    for name in (BASE_ID, CARRIER):
        properties = re.sub(
            rf'("{name}":\s*")([0-9a-f]+)(")',
            lambda found: found[1] + id_text(numbers.get(id_number(found[2]), id_number(found[2]))) + found[3],
            properties,
        )
    return properties
