"""Copies of entities: alone with shared parts, or with everything below them."""

from __future__ import annotations

from workcell.errors import Refused
from workcell.spatial.transform import Transform, rigid
from workcell.wording import an, capital
from workcell.world.database import Database
from workcell.world.entities import Entity
from workcell.world.journal import Writer
from workcell.world.kinds import RIVALS
from workcell.world.modelling import SCALED


def copy(
    database: Database,
    rows: Writer,
    entity: Entity,
    name: str,
    transform: Transform = Transform(),
    deep: bool = False,
) -> int:
    """Copy an entity and its relations; the parts are shared, or copied too when ``deep``. Returns its id.

    A transformation multiplies each copied relation. An entity without relations has nothing to multiply.
    """
    if transform.steps and not database.relations(entity):
        raise Refused(
            f"{entity.kind} {entity.name!r} has no relations that a transformation could multiply; "
            "attach the copy with the transformation instead."
        )
    return _copied(database, rows, entity, name, transform, deep, {})


def _copied(
    database: Database,
    rows: Writer,
    entity: Entity,
    name: str,
    transform: Transform,
    deep: bool,
    made: dict[int, int],
) -> int:
    number = database.add_entity(
        rows, entity.kind, name, description=entity.description, colour=entity.colour,
        movable=bool(entity.movable), shape=entity.shape, properties=entity.properties,
    )  # fmt: skip
    made[entity.id] = number
    for relation in database.relations(entity):
        child = relation.child
        if not deep and database.by_id(child).kind == "sensor":
            continue  # it is in one place only
        if deep:
            if child not in made:
                below = database.by_id(child)
                below_name = _free_name(database, below.kind, f"{name} {below.name}")
                _copied(database, rows, below, below_name, Transform(), True, made)
            child = made[child]
        product = relation.transform.then(transform)
        # A scaled copy may shear the parts of a block (an ellipsoid made of a sphere's patches): they
        # are surfaces and blocks, which bear any affine map. What moves stays rigid.
        if relation.kind not in SCALED and not rigid(product.rows()):
            raise Refused(f"{capital(an(relation.kind))} relation must stay rigid; copy it without scale.")
        row = (
            database.ids.new(), relation.kind, relation.name, number, child, relation.position,
            product.to_json(), product.packed(), relation.description, relation.raw_properties,
        )  # fmt: skip
        rows.insert("relation", row)
    return number


def _free_name(database: Database, kind: str, wanted: str) -> str:
    name, count = wanted, 1
    while any(database.find(one, name) is not None for one in (kind, *RIVALS.get(kind, ()))):
        count += 1
        name = f"{wanted} {count}"
    return name
