"""Entities and relations as text, for `show`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from workcell.commands.language.joint_values import slides
from workcell.commands.language.transforms import transform_text
from workcell.commands.operands import operation_summary
from workcell.commands.plan_marks import plan_shown
from workcell.commands.program_store import ORDER, PLANNED
from workcell.commands.results import Result
from workcell.commands.surfaces import surface_lines, surface_summary
from workcell.spatial.units import SCALES, Units, tidy
from workcell.world.entities import Entity, Relation
from workcell.world.expand import Expander
from workcell.world.foothold import BASE_FACE, FACE, KEPT, stands
from workcell.world.hanging import hangs_text
from workcell.world.kinds import property_of
from workcell.world.on_faces import base_called
from workcell.world.operations import is_operation
from workcell.world.places import KINDS as PLACES
from workcell.world.places import WORLD
from workcell.world.riding import CARRIER, LINK, rides
from workcell.world.robot_shape import is_robot
from workcell.world.sensor_places import BARRIER
from workcell.world.standing import Footing

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.spatial.pose import Pose


class Line(Result, frozen=True):
    """One fact about a thing, and the facts below it."""

    text: str
    below: tuple[Line, ...] = ()

    def lines(self, indent: int = 0) -> list[str]:
        """Return the fact and those below it, indented."""
        return ["  " * indent + self.text, *(line for part in self.below for line in part.lines(indent + 1))]

    def __str__(self) -> str:
        return "\n".join(self.lines())


class Shown(Result, frozen=True):
    """Everything about an entity or relation."""

    kind: str
    name: str
    id: str
    facts: dict[str, Any]
    """In SI."""
    text: str

    def __str__(self) -> str:
        return self.text


class Ties(NamedTuple):
    """The relations of an entity to its parts, and the number of relations that point to it."""

    relations: list[Relation]
    pointed_by: int


def ties(session: Session, thing: Entity | Relation) -> Ties:
    """Return the ties of an entity, read once for everything that is shown of it; a relation has none."""
    if isinstance(thing, Relation):
        return Ties([], 0)
    return Ties(*session.database.ties(thing))


def entity_facts(session: Session, entity: Entity, tied: Ties) -> dict[str, Any]:
    """Return the facts of an entity, in SI."""
    database = session.database
    return {
        "description": entity.description,
        "colour": entity.colour,
        "movable": bool(entity.movable),
        "pointed_by": tied.pointed_by,
        "properties": entity.properties,
        "relations": [
            {
                "name": relation.name,
                "kind": relation.kind,
                "to": database.by_id(relation.child).reference,
                "matrix": relation.matrix.tolist(),
            }
            for relation in tied.relations
        ],
        "shape": entity.shape,
    }


def relation_facts(session: Session, relation: Relation) -> dict[str, Any]:
    """Return the facts of a relation, in SI."""
    database = session.database
    return {
        "of": database.by_id(relation.parent).reference,
        "to": database.by_id(relation.child).reference,
        "transform": transform_text(relation.transform),
        "matrix": relation.matrix.tolist(),
        "description": relation.description,
        "properties": relation.properties,
    }


def brief(session: Session, thing: Entity | Relation, tied: Ties) -> str:
    """Describe a thing in one line."""
    database = session.database
    if isinstance(thing, Relation):
        child = database.by_id(thing.child)
        words = transform_text(thing.transform, session.units)
        return f"{thing.kind} {database.relation_path(thing)}{_label(thing)} -> {child.kind} {child.name}: {words}"
    parts = len(tied.relations)
    facts = [f"{parts} relation{'s' if parts != 1 else ''}" if parts else "", shape_text(session, thing)]
    facts.append(f"pointed_by {tied.pointed_by}")
    if thing.movable:
        facts.append("movable")
    return f"{thing.kind} {thing.name}{_label(thing)}: {', '.join(fact for fact in facts if fact)}"


def _label(thing: Entity | Relation) -> str:
    """Return the label of a thing, to follow its name; the label of a target is its branch, so it is left out."""
    label = "" if thing.kind == "target" else thing.properties.get("label")
    return f' "{label}"' if label else ""


def full(session: Session, thing: Entity | Relation, tied: Ties) -> str:
    """Describe a thing with all its facts."""
    units, database = session.units, session.database
    lines = [brief(session, thing, tied)]
    if thing.description:
        lines.append(f"  description: {thing.description}")
    if isinstance(thing, Entity) and thing.colour:
        lines.append(f"  colour: {thing.colour}")
    kept: tuple[str, ...] = ()
    if isinstance(thing, Relation) and stands(thing):
        own, kept = thing.properties, KEPT
        footing = Footing(Expander(database, leniently=True), database.by_id(thing.parent))
        base = base_called(database, footing, thing)
        lines.append(f"  its face {own[FACE]!r} lies on face {own[BASE_FACE]!r} of {base!r}")
    elif isinstance(thing, Relation) and rides(thing):
        kept = (CARRIER, LINK)
        carrier = next(
            (e.name for e in database.entities() if e.key == thing.properties[CARRIER]), "something that was removed"
        )
        lines.append(f"  rides on link {thing.properties[LINK]} of {carrier!r}")
    for name, value in thing.properties.items():
        if name == PLANNED and isinstance(thing, Entity) and thing.kind == "program":
            lines.append(f"  planned: {plan_shown(session, thing)}")
        elif name not in kept and not (name == ORDER and thing.kind == "program"):
            lines.append(f"  {name}: {property_text(units, thing, name, value, _learned_joints(session, thing, name))}")
    if isinstance(thing, Entity):
        for relation in tied.relations:
            child = database.by_id(relation.child)
            words = transform_text(relation.transform, units)
            lines.append(f"  {relation.kind} {relation.name} -> {child.kind} {child.name}: {words}")
        lines += [f"  {line}" for line in (*surface_lines(thing, units), *_beam_lines(session, thing))]
    else:
        shown = thing.matrix.copy()
        shown[:3, 3] /= units.size("length", "")
        for row in shown:
            lines.append("    " + "".join(f"{tidy(round(float(v), 9)):>14}" for v in row))
    lines.append(f"  id: {thing.key}")
    return "\n".join(lines)


def shape_text(session: Session, entity: Entity) -> str:
    """Describe the shape of an entity in a few words, or what it hangs on; '' if it has none."""
    if entity.kind in PLACES:
        return hangs_text(session, entity)
    if entity.shape is None:
        return ""
    if is_robot(entity):
        return f"model {entity.properties.get('model', '?')}"
    if entity.kind in ("surface", "curve"):
        return surface_summary(entity.shape)
    if is_operation(entity.shape):
        return operation_summary(session.units, entity.shape)
    shape = msgspec.json.decode(entity.shape)
    kind = shape.get("kind", "shape")
    sizes = [
        f"{name} {tidy(session.units.from_si(v, 'length'))}"
        for name, v in shape.items()
        if isinstance(v, int | float) and not isinstance(v, bool)
    ]
    return " ".join([kind, *sizes])


def _beam_lines(session: Session, thing: Entity) -> list[str]:
    """Return where the beam of a light barrier begins and ends."""
    if thing.kind != "sensor" or thing.properties.get("senses") != BARRIER:
        return []
    lines = []
    for one in session.snapshot().sensors:
        if one.name == thing.name and not one.problem:
            ends = (one.X_frame_sensor.xyz, one.X_frame_sensor.apply((0.0, 0.0, one.reach)))
            size = session.units.size("length", "")
            start, end = (",".join(str(tidy(round(float(v) / size, 6))) for v in point) for point in ends)
            frame = "" if one.frame == WORLD else f" in the frame of {one.frame}"
            frame += f" link {one.link}" if one.link >= 0 else ""
            lines.append(f"beam from {start} to {end}{frame}")
    return lines


def _learned_joints(session: Session, thing: Entity | Relation, name: str) -> tuple[bool, ...]:
    """Return which joints slide of the robot that a target was learned with; nothing if it is not known."""
    if thing.kind != "target" or name != "joints":
        return ()
    robot = session.database.find("robot", str(thing.properties.get("robot", "")))
    return () if robot is None else slides(robot)


def property_text(units: Units, thing: Entity | Relation, name: str, value: Any, learned: tuple[bool, ...] = ()) -> str:
    """Return the value of a property as text, in display units.

    ``learned`` is which joints slide, for the joints of a target whose robot is known.
    """
    declared = property_of(thing.kind, name) if isinstance(thing, Entity) else None
    quantity = declared.quantity if declared else "text"
    if isinstance(value, dict) and "si" in value:
        quantity, value = value["quantity"], value["si"]
    kinds = slides(thing) if isinstance(thing, Entity) and name in ("speed", "joints") else ()
    if learned and len(learned) == len(value):
        return ", ".join(units.show(v, "length" if one else "angle") for v, one in zip(value, learned, strict=True))
    if any(kinds):
        if name == "speed":
            return units.show(value, "speed" if all(kinds) else quantity)
        return ", ".join(units.show(v, "length" if one else "angle") for v, one in zip(value, kinds, strict=True))
    if quantity in SCALES and isinstance(value, int | float):
        return units.show(value, quantity)
    if isinstance(thing, Entity) and thing.kind == "target" and name == "joints":
        return ", ".join(f"{one:.6g}" for one in value) + " (rad; m for joints that slide)"
    scale = {"joints": "angle", "vector": "length", "lengths": "length"}.get(quantity)
    if scale and name not in ("rgb", "approach"):
        return ", ".join(units.show(v, scale) for v in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def tree(session: Session, thing: Entity | Relation) -> Line:
    """Return a thing with all its parts, as a tree."""
    database = session.database

    def of(entity: Entity, label: str) -> Line:
        shape = shape_text(session, entity)
        text = f"{label}{entity.kind} {entity.name}{_label(entity)}{f' ({shape})' if shape else ''}"
        return Line(
            text,
            tuple(
                of(
                    database.by_id(relation.child),
                    f"{relation.name}{_label(relation)}: " if relation.name != entity.name else "",
                )
                for relation in database.relations(entity)
            ),
        )

    entity = thing if isinstance(thing, Entity) else database.by_id(thing.child)
    return of(entity, "" if isinstance(thing, Entity) else f"{thing.name}: ")


def pose_text(units: Units, pose: Pose) -> str:
    """Return a pose as text: position and fanuc_wpr angles in these units, to 1 µm and 0.01 mrad."""
    x, y, z = (_number(units, float(v), "length") for v in pose.xyz)
    a, b, c = (_number(units, float(v), "angle") for v in pose.angles("fanuc_wpr"))
    return f"x {x} y {y} z {z} {units.length}, fanuc_wpr {a} {b} {c} {units.angle}"


def value_text(units: Units, value: float, quantity: str) -> str:
    """Return a value with its display unit."""
    return f"{_number(units, value, quantity)} {units.default(quantity)}"


def _number(units: Units, value: float, quantity: str) -> str:
    finest = 1e-6 if quantity == "length" else 1e-5
    places = max(0, round(math.log10(units.size(quantity, "") / finest)))
    return f"{round(units.from_si(value, quantity), places) + 0.0:.{places}f}"
