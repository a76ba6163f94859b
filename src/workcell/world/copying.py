"""Copies of entities: alone with shared parts, or with everything below them."""

from __future__ import annotations

from workcell.errors import Refused
from workcell.geometry import recipe
from workcell.geometry.mapped import mapped
from workcell.geometry.nurbs.kept import curve_of, curve_text
from workcell.geometry.solid import Solid
from workcell.spatial.transform import Transform, rigid
from workcell.wording import an, capital
from workcell.world.database import Database
from workcell.world.entities import Entity
from workcell.world.kinds import RIVALS
from workcell.world.modelling import SCALED
from workcell.world.operations import is_operation, surface_of, surface_text
from workcell.world.places import CARRIERS, KINDS
from workcell.world.row_writer import Writer


def copy(
    database: Database,
    rows: Writer,
    entity: Entity,
    name: str,
    transform: Transform = Transform(),
    deep: bool = False,
    places: bool = False,
    tools: bool = False,
) -> int:
    """Copy an entity and its relations; the parts are shared, or copied too if ``deep``. Return the id of the copy.

    A transformation multiplies each copied relation and maps a shape of its own: the recipe of a block, a surface, a
    curve. An entity with neither has nothing to transform. Sensors, targets, frames and paths are in one place only, so
    a copy does not share them. With ``places``, those that hang on it are copied, as with ``deep``. With
    ``tools``, tools on its flange are copied, and their parts are shared. A copied target that was learned with a
    robot belongs to the copy of that robot, if the robot is copied too.
    """
    if transform.steps and not database.relations(entity) and not _shaped(entity):
        raise Refused(
            f"{entity.kind} {entity.name!r} has no shape and no relations that a transformation could change; "
            "attach the copy with the transformation instead."
        )
    made: dict[int, int] = {}
    number = _copied(database, rows, entity, name, transform, deep, made, places, tools)
    copies = {(one.kind, one.name): database.by_id(made[one.id]) for one in map(database.by_id, made)}
    for (kind, _), target in copies.items():
        learned = target.properties.get("robot") if kind == "target" else None
        robot = copies.get(("robot", learned)) or copies.get(("mechanism", learned)) if learned else None
        if robot is not None:
            database.set_properties(rows, target, {"robot": robot.name})
    return number


def _copied(
    database: Database,
    rows: Writer,
    entity: Entity,
    name: str,
    transform: Transform,
    deep: bool,
    made: dict[int, int],
    places: bool = False,
    tools: bool = False,
) -> int:
    number = database.add_entity(
        rows, entity.kind, name, description=entity.description, colour=entity.colour,
        movable=bool(entity.movable), shape=_mapped(entity, transform), properties=entity.properties,
    )  # fmt: skip
    made[entity.id] = number
    for relation in database.relations(entity):
        child = relation.child
        below = database.by_id(child)
        hangs = below.kind in KINDS and entity.kind in CARRIERS
        whole = deep or (places and hangs)
        if not whole and (below.kind == "sensor" or hangs):
            continue  # it can be in one place only
        if whole or (tools and relation.kind == "mount" and below.kind in ("tool", "gripper")):
            if child not in made:
                below_name = _free_name(database, below.kind, _name_below(entity, name, below))
                _copied(database, rows, below, below_name, Transform(), whole, made)
            child = made[child]
        # A sweep is placed by its surface; its curve stays in the sweep's own frame.
        follows = database.by_id(child).kind == "curve"
        product = relation.transform if follows else relation.transform.then(transform)
        # A scaled copy may shear the parts of a block (an ellipsoid made of a sphere's patches): they
        # are surfaces and blocks, for which any affine map is possible. Moving things stay rigid.
        if relation.kind not in SCALED and not rigid(product.rows()):
            raise Refused(f"{capital(an(relation.kind))} relation must stay rigid; copy it without scale.")
        row = (
            database.ids.new(), relation.kind, relation.name, number, child, relation.position,
            product.to_json(), product.packed(), relation.description, relation.raw_properties,
        )  # fmt: skip
        rows.insert("relation", row)
    return number


def _shaped(entity: Entity) -> bool:
    """Whether an entity has a shape that a transformation can map."""
    own = entity.kind in ("surface", "curve") or (entity.kind == "block" and not is_operation(entity.shape))
    return own and entity.shape is not None


def _mapped(entity: Entity, transform: Transform) -> str | None:
    """The shape of the copy of an entity under a transformation."""
    if entity.shape is None or not transform.steps or not _shaped(entity):
        return entity.shape
    matrix = transform.matrix
    if entity.kind == "curve":
        return curve_text(curve_of(entity.shape).transformed(matrix))
    if entity.kind == "surface":
        return surface_text(mapped(surface_of(entity.shape), matrix))
    return recipe.encode(Solid(recipe.decode(entity.shape.encode())).transformed(matrix).recipe).decode()


def _name_below(entity: Entity, name: str, below: Entity) -> str:
    """The name of the copy of a part: the targets of a path stay a numbered family."""
    if entity.kind == "path" and below.name.startswith(f"{entity.name}-"):
        return name + below.name[len(entity.name) :]
    return f"{name}-{below.name}" if below.kind in KINDS else f"{name} {below.name}"


def _free_name(database: Database, kind: str, wanted: str) -> str:
    name, count = wanted, 1
    while any(database.find(one, name) is not None for one in (kind, *RIVALS.get(kind, ()))):
        count += 1
        name = f"{wanted} {count}"
    return name
