"""Commands that answer questions: show, where, list, query."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from workcell.commands.combining import operation_summary
from workcell.commands.hanging import hangs_text
from workcell.commands.language.joint_values import slides
from workcell.commands.language.references import Ref, Thing
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import transform_text
from workcell.commands.language.values import Choice, Rest
from workcell.commands.results import Result, Table
from workcell.commands.surfaces import surface_lines, surface_summary
from workcell.spatial.units import SCALES, Units, tidy
from workcell.world.absence import absence
from workcell.world.entities import Entity, Relation
from workcell.world.kinds import KINDS, property_of
from workcell.world.operations import is_operation
from workcell.world.places import KINDS as PLACES
from workcell.world.places import WORLD
from workcell.world.queries import Query
from workcell.world.riding import CARRIER, LINK, rides
from workcell.world.sensor_places import BARRIER
from workcell.world.standing import BASE, BASE_FACE, FACE, KEPT, stands

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.spatial.pose import Pose


_JOINED = {
    "PROPERTY": "[>= VALUE]: has the property, or it compares so",
    "and": "both hold",
    "or": "one of them holds",
    "not": "it does not hold",
}
_ENTITY_CONDITIONS = {
    "kind": "KIND: block, object, robot …",
    "level": "KIND: the same",
    "name": "PATTERN: a name, with * for anything",
    "label": "PATTERN: what files call it, with * for anything",
    "movable": "it can be moved",
    "colour": "COLOUR",
    "description": "PATTERN",
    "uses": "WHAT [>= COUNT]: made of it at any depth",
    "made-of": "WHAT [>= COUNT]: made of it directly",
    "used-by": "WHAT: part of it at any depth",
    "part-of": "WHAT: part of it directly",
    "parts": ">= COUNT: so many relations of its own",
    "pointed_by": ">= COUNT: so many relations point to it",
    **_JOINED,
}
_RELATION_CONDITIONS = {
    "kind": "KIND: transform-block, mount …",
    "name": "PATTERN: a name, with * for anything",
    "label": "PATTERN: what files call it, with * for anything",
    "of": "WHAT: whose relation it is",
    "to": "WHAT: what it points to",
    **_JOINED,
}


class Line(Result, frozen=True):
    """One fact about a thing, and the facts below it."""

    text: str
    below: tuple[Line, ...] = ()

    def lines(self, indent: int = 0) -> list[str]:
        """The fact and those below it, indented."""
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


@command(
    "show {thing} [{detail}]",
    help="tell about an entity or relation: brief, full, or as a tree of its parts",
    effect="reads",
    thing=Thing(),
    detail=Choice({"brief": "one line", "full": "everything", "tree": "with all its parts"}, "brief|full|tree"),
    examples=[
        "> create surface square1 contour (0,0) (1,0) (1,1) (0,1)",
        "> create block cube1",
        "> attach square1 to cube1 as side1",
        "show cube1",
        "show block cube1 full",
        "show cube1 tree",
        "show cube1/side1",
    ],
)
def show(session: Session, thing: Entity | Relation, detail: str = "full") -> Result:
    """Full unless asked otherwise."""
    if detail == "tree":
        return _tree(session, thing)
    facts = _entity_facts(session, thing) if isinstance(thing, Entity) else _relation_facts(session, thing)
    text = _brief(session, thing) if detail == "brief" else _full(session, thing)
    return Shown(thing.kind, thing.name, thing.key, facts, text)


def _entity_facts(session: Session, entity: Entity) -> dict[str, Any]:
    database = session.database
    relations = database.relations(entity)
    return {
        "description": entity.description,
        "colour": entity.colour,
        "movable": bool(entity.movable),
        "pointed_by": database.pointed_by(entity),
        "properties": entity.properties,
        "relations": [
            {
                "name": relation.name,
                "kind": relation.kind,
                "to": database.by_id(relation.child).reference,
                "matrix": relation.matrix.tolist(),
            }
            for relation in relations
        ],
        "shape": entity.shape,
    }


def _relation_facts(session: Session, relation: Relation) -> dict[str, Any]:
    database = session.database
    return {
        "of": database.by_id(relation.parent).reference,
        "to": database.by_id(relation.child).reference,
        "transform": transform_text(relation.transform),
        "matrix": relation.matrix.tolist(),
        "description": relation.description,
        "properties": relation.properties,
    }


def _brief(session: Session, thing: Entity | Relation) -> str:
    database = session.database
    if isinstance(thing, Relation):
        child = database.by_id(thing.child)
        words = transform_text(thing.transform, session.units)
        return f"{thing.kind} {database.relation_path(thing)}{_label(thing)} -> {child.kind} {child.name}: {words}"
    parts = len(database.relations(thing))
    facts = [f"{parts} relation{'s' if parts != 1 else ''}" if parts else "", _shape_text(session, thing)]
    facts.append(f"pointed_by {database.pointed_by(thing)}")
    if thing.movable:
        facts.append("movable")
    return f"{thing.kind} {thing.name}{_label(thing)}: {', '.join(fact for fact in facts if fact)}"


def _label(thing: Entity | Relation) -> str:
    """What files call a thing, behind its name; a target's label is the inverse solution that it takes."""
    label = "" if thing.kind == "target" else thing.properties.get("label")
    return f' "{label}"' if label else ""


def _full(session: Session, thing: Entity | Relation) -> str:
    units, database = session.units, session.database
    lines = [_brief(session, thing)]
    if thing.description:
        lines.append(f"  description: {thing.description}")
    if isinstance(thing, Entity) and thing.colour:
        lines.append(f"  colour: {thing.colour}")
    kept: tuple[str, ...] = ()
    if isinstance(thing, Relation) and stands(thing):
        own, kept = thing.properties, KEPT
        lines.append(f"  its face {own[FACE]!r} lies on face {own[BASE_FACE]!r} of {own[BASE]!r}")
    elif isinstance(thing, Relation) and rides(thing):
        kept = (CARRIER, LINK)
        carrier = next((e.name for e in database.entities() if e.key == thing.properties[CARRIER]), "what is gone")
        lines.append(f"  rides on link {thing.properties[LINK]} of {carrier!r}")
    for name, value in thing.properties.items():
        if name not in kept:
            lines.append(f"  {name}: {property_text(units, thing, name, value)}")
    if isinstance(thing, Entity):
        for relation in database.relations(thing):
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


def _shape_text(session: Session, entity: Entity) -> str:
    if entity.kind in PLACES:
        return hangs_text(session, entity)
    if entity.shape is None:
        return ""
    if entity.kind in ("surface", "curve"):
        return surface_summary(entity.shape)
    if is_operation(entity.shape):
        return operation_summary(session.units, entity.shape)
    import msgspec

    shape = msgspec.json.decode(entity.shape)
    kind = shape.get("kind", "shape")
    if kind == "robot":
        return f"model {entity.properties.get('model', '?')}"
    sizes = [
        f"{name} {tidy(session.units.from_si(v, 'length'))}"
        for name, v in shape.items()
        if isinstance(v, int | float) and not isinstance(v, bool)
    ]
    return " ".join([kind, *sizes])


def _beam_lines(session: Session, thing: Entity) -> list[str]:
    """Where the beam of a light barrier begins and ends."""
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


def property_text(units: Units, thing: Entity | Relation, name: str, value: Any) -> str:
    """A property's value for people, in their units."""
    declared = property_of(thing.kind, name) if isinstance(thing, Entity) else None
    quantity = declared.quantity if declared else "text"
    if isinstance(value, dict) and "si" in value:
        quantity, value = value["quantity"], value["si"]
    if isinstance(thing, Entity) and name in ("speed", "joints") and any(slides(thing)):
        kinds = slides(thing)
        if name == "speed":
            return units.show(value, "speed" if all(kinds) else quantity)
        return ", ".join(units.show(v, "length" if one else "angle") for v, one in zip(value, kinds, strict=True))
    if quantity in SCALES and isinstance(value, int | float):
        return units.show(value, quantity)
    if isinstance(thing, Entity) and thing.kind == "target" and name == "joints":
        return ", ".join(f"{one:.6g}" for one in value) + " (rad, or m of joints that slide)"
    scale = {"joints": "angle", "vector": "length", "lengths": "length"}.get(quantity)
    if scale and name not in ("rgb", "approach"):
        return ", ".join(units.show(v, scale) for v in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _tree(session: Session, thing: Entity | Relation) -> Line:
    database = session.database

    def of(entity: Entity, label: str) -> Line:
        shape = _shape_text(session, entity)
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


class Whereabouts(Result, frozen=True):
    """Where something is now: its pose in the world (4×4, SI), the joints it has, and what carries it ('' if nothing).

    The pose of a robot or mechanism is that of its tool: the flange, the carriage, the plate, the belt.
    """

    name: str
    kind: str
    matrix: list[list[float]]
    joints: list[float]
    carrier: str
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "where {thing}",
    help="tell where a robot, mechanism, object, target, frame or sensor is now, and what carries it",
    effect="reads",
    thing=Ref("robot", "mechanism", "object", "target", "frame", "sensor"),
    examples=[
        "> create robot Puma puma560",
        "> add solid Cube box 50 50 50 at 500,0,25",
        "where Puma",
        "where Cube",
    ],
)
def where(session: Session, thing: Entity) -> Whereabouts:
    """In the world, in the units of the cell; of a robot its joint values and its tool."""
    units = session.units
    joints: list[float] = []
    carrier = ""
    if thing.kind in ("robot", "mechanism"):
        from workcell.world.snapshot import WORLD

        one = session.simulator.robot(thing.name)
        pose, joints = one.tool_pose, one.joints.tolist()
        placed = session.snapshot().robot(thing.name)
        carrier = "" if placed.parent == WORLD else placed.parent
        slides = [row.prismatic for row in one.robot.rows]
        shown = ", ".join(_shown(units, v, "length" if s else "angle") for v, s in zip(joints, slides, strict=True))
        lines = [f"{thing.name}: joints {shown}", f"  tool {pose_text(units, pose)}"]
    elif thing.kind == "object":
        snapshot = session.snapshot()
        body = snapshot.object_body(thing.name)
        pose, carrier = snapshot.body_pose(session.state, body), _carrier(session, thing.name)
        lines = [absence(snapshot, session.state, body) or f"{thing.name}: {pose_text(units, pose)}"]
    elif thing.kind == "sensor":
        snapshot = session.snapshot()
        pose, carrier = snapshot.sensor_pose(session.state, thing.name), snapshot.sensor(thing.name).owner
        lines = [f"{thing.name}: {pose_text(units, pose)}"]
    else:
        snapshot = session.snapshot()
        pose = snapshot.place_pose(session.state, thing.name, thing.kind)
        carrier = snapshot.carrier_under(thing.name, thing.kind)
        lines = [f"{thing.name}: {pose_text(units, pose)}"]
    if carrier:
        lines.append(f"  carried by {carrier}")
    return Whereabouts(thing.name, thing.kind, pose.matrix.tolist(), joints, carrier, "\n".join(lines))


def _carrier(session: Session, name: str) -> str:
    """The body that an object goes with now; '' when it stands by itself."""
    snapshot, state = session.snapshot(), session.state
    held = {body.name: body.owner for body in snapshot.bodies if body.link < 0}
    for body, hold in state.attached.items():
        if held.get(body) == name and hold.frame in {one.name for one in snapshot.bodies}:
            return hold.frame
    return ""


def pose_text(units: Units, pose: Pose) -> str:
    """A pose for people: position and fanuc_wpr angles in these units, to a micrometre and a hundredth of a mrad."""
    x, y, z = (_number(units, float(v), "length") for v in pose.xyz)
    a, b, c = (_number(units, float(v), "angle") for v in pose.angles("fanuc_wpr"))
    return f"x {x} y {y} z {z} {units.length}, fanuc_wpr {a} {b} {c} {units.angle}"


def _shown(units: Units, value: float, quantity: str) -> str:
    return f"{_number(units, value, quantity)} {units.default(quantity)}"


def _number(units: Units, value: float, quantity: str) -> str:
    finest = 1e-6 if quantity == "length" else 1e-5
    places = max(0, round(math.log10(units.size(quantity, "") / finest)))
    return f"{round(units.from_si(value, quantity), places) + 0.0:.{places}f}"


@command(
    "list [{kind}]",
    help="list the entities of a kind, or of all kinds",
    effect="reads",
    kind=Choice({kind: value.help for kind, value in KINDS.items()}, "KIND"),
    examples=["> create block cube1", "list block", "list"],
)
def list_entities(session: Session, kind: str | None = None) -> Table:
    """In order of creation."""
    return _entity_table(session, session.database.entities(kind))


def _entity_table(session: Session, entities: list[Entity]) -> Table:
    database = session.database
    rows = tuple(
        (
            entity.kind, entity.name, len(database.relations(entity)), database.pointed_by(entity),
            _shape_text(session, entity), entity.description,
        )
        for entity in entities
    )  # fmt: skip
    caption = f"{len(rows)} {'entity' if len(rows) == 1 else 'entities'}"
    return Table(("kind", "name", "relations", "pointed_by", "shape", "description"), rows, caption)


@command(
    "query {condition}",
    help="list the entities that a condition holds for",
    effect="reads",
    condition=Rest("CONDITION", "a condition such as `kind block and uses cylinder >= 2`", _ENTITY_CONDITIONS),
    examples=[
        "> create block ball sphere 10",
        "> create object part1",
        "> attach ball to part1",
        "query kind block",
        "query uses ball >= 1 and not name x*",
        "query (kind block or kind object) and parts >= 1",
    ],
)
def query(session: Session, condition: str) -> Table:
    """kind, name, uses, made-of, used-by, part-of, parts, pointed_by, properties; and, or, not, brackets."""
    return _entity_table(session, Query(session.database, condition, "entities", session.units).entities())


@command(
    "query-relations {condition}",
    help="list the relations that a condition holds for",
    effect="reads",
    condition=Rest("CONDITION", "a condition such as `of cube1 and to square1`", _RELATION_CONDITIONS),
    examples=[
        "> create block ball sphere 10",
        "> create object part1",
        "> attach ball to part1",
        "query-relations of part1",
        "query-relations kind transform-block and to ball",
    ],
)
def query_relations(session: Session, condition: str) -> Table:
    """kind, name, of, to, properties; and, or, not, brackets."""
    database = session.database
    relations = Query(database, condition, "relations", session.units).relations()
    rows = tuple(
        (
            relation.kind, database.relation_path(relation), database.by_id(relation.child).reference,
            transform_text(relation.transform, session.units),
        )
        for relation in relations
    )  # fmt: skip
    caption = f"{len(rows)} relation{'s' if len(rows) != 1 else ''}"
    return Table(("kind", "relation", "to", "transformation"), rows, caption)
