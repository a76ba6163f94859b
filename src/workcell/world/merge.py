"""Copies of the entities and relations of another cell, taken into this one."""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec

from workcell.errors import NameTaken, Refused
from workcell.world.contents import Contents, Row, problems
from workcell.world.database import Database
from workcell.world.entities import Entity, Relation
from workcell.world.foothold import BASE_ID
from workcell.world.ids import id_number, id_text
from workcell.world.kinds import RIVALS, SENSOR_LISTS, VIEW_LISTS
from workcell.world.names import check_name
from workcell.world.renaming import renamed_lists
from workcell.world.riding import CARRIER
from workcell.world.row_writer import Writer


class Taken(msgspec.Struct, frozen=True):
    """What was taken from another cell.

    Attributes:
        entities: the new entities, as they are here.
        relations: the number of new relations.
        source: the kind and the name of everything in the other cell, as it is there.
        merged: the programs that existed here and now contain lines of the other cell, by id.
    """

    entities: tuple[Entity, ...]
    relations: int
    source: frozenset[tuple[str, str]]
    merged: frozenset[int] = frozenset()


def take_copies(
    database: Database, rows: Writer, contents: Contents, prefix: str, scenes: tuple[str, Entity] | None = None
) -> Taken:
    """Insert copies of everything in another cell, with new ids and a prefix before every name.

    The texts of programs are inserted unchanged. All clashes are reported before anything is changed.

    Args:
        database: the cell.
        rows: where the command writes.
        contents: the other cell.
        prefix: what stands before every name.
        scenes: the name of a scene there, and the scene here into which its contents go; None to copy it, too.
    """
    there, here = scenes if scenes is not None else ("", None)
    all_there = [Entity(*row) for row in sorted(contents.rows["entity"])]
    entities = [one for one in all_there if here is None or (one.kind, one.name) != ("scene", there)]
    relations = [Relation(*row) for row in sorted(contents.rows["relation"])]
    names = {(entity.kind, entity.name) for entity in database.entities()}
    clashes: list[str] = []
    for entity in entities:
        name = check_name(f"{prefix}{entity.name}")
        clashes += [f"{kind} {name!r}" for kind in (entity.kind, *RIVALS.get(entity.kind, ())) if (kind, name) in names]
    if clashes:
        raise names_taken(clashes)
    called = {entity.name for entity in entities}
    numbers = {number: database.ids.new() for number in (*(e.id for e in entities), *(r.id for r in relations))}
    if here is not None:
        numbers |= {one.id: here.id for one in all_there if (one.kind, one.name) == ("scene", there)}
    new: dict[str, list[Row]] = {
        "entity": [
            (
                numbers[one.id], one.kind, f"{prefix}{one.name}", one.description, one.colour, one.movable, one.shape,
                _renamed(one, prefix, called),
            )
            for one in entities
        ],
        "relation": [
            (
                numbers[one.id], one.kind, prefix + one.name if here and numbers[one.parent] == here.id else one.name,
                numbers[one.parent], numbers[one.child], one.position, one.form,
                one.packed, one.description, _renumbered(one.raw_properties, numbers),
            )
            for one in relations
        ],
    }  # fmt: skip
    _refuse_misfits(database, new)
    for table, added in new.items():
        for row in added:
            rows.insert(table, row)
    source = frozenset((entity.kind, entity.name) for entity in entities)
    return Taken(tuple(Entity(*row) for row in new["entity"]), len(new["relation"]), source)


def names_taken(clashes: list[str]) -> NameTaken:
    """The refusal for things whose names are taken here."""
    shown = ", ".join(clashes[:10]) + (f" and {len(clashes) - 10} more" if len(clashes) > 10 else "")
    many = f"{len(clashes)} thing{'s' * (len(clashes) > 1)} already exist{'s' * (len(clashes) == 1)} here"
    return NameTaken(f"{many}: {shown}. Rename them, or load with `prefix NAME`.", clashes=clashes)


def _refuse_misfits(database: Database, new: dict[str, list[Row]]) -> None:
    """Refuse rows that are valid alone but not together with those here: circles, and names and ids that are taken."""
    both = Contents.empty()
    for table, present in database.rows().items():
        if table in new:
            both.rows[table] = [*present, *new[table]]
    found = problems(both)
    if found:
        more = f"; {len(found) - 1} more problems" if len(found) > 1 else ""
        raise Refused(
            f"The other cell does not fit this one: {found[0].text}{more}. Load it with `prefix NAME` as a copy.",
            problems=[one.text for one in found],
        )


def _renamed(entity: Entity, prefix: str, called: Collection[str]) -> str:
    """The properties of an entity that lists others by name, with their names here."""

    def new(name: str) -> str:
        owner = name.partition("/")[0]
        theirs = owner in called or any(owner.startswith(f"{one} ") for one in called)  # a second copy of an object
        return f"{prefix}{name}" if theirs else name

    renamed = renamed_lists(entity.kind, entity.properties, new)
    renamed |= renamed_lists(entity.kind, entity.properties, new, VIEW_LISTS)
    renamed |= renamed_lists(entity.kind, entity.properties, lambda name: prefix + name, SENSOR_LISTS)
    return (
        msgspec.json.encode({**entity.properties, **renamed}, order="sorted").decode()
        if renamed
        else entity.raw_properties
    )


def _renumbered(properties: str, numbers: dict[int, int]) -> str:
    """The properties of a relation that refers to others by id, with their present ids."""
    for name in (BASE_ID, CARRIER):
        properties = re.sub(
            rf'("{name}":\s*")([0-9a-f]+)(")',
            lambda found: found[1] + id_text(numbers.get(id_number(found[2]), id_number(found[2]))) + found[3],
            properties,
        )
    return properties
