"""Commands that answer questions: show, where, list, query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.references import Ref, Thing
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import transform_text
from workcell.commands.language.values import Choice, Rest
from workcell.commands.results import Result, Table
from workcell.commands.shown_things import (
    Line,
    Shown,
    brief,
    entity_facts,
    full,
    pose_text,
    relation_facts,
    shape_text,
    ties,
    tree,
    value_text,
)
from workcell.errors import Refused
from workcell.simulation.in_scene import simulated
from workcell.spatial.pose import Pose
from workcell.wording import quoted
from workcell.world.absence import absence
from workcell.world.entities import Entity, Relation
from workcell.world.kinds import KINDS
from workcell.world.mounting import mount_frame
from workcell.world.queries import Query
from workcell.world.robot_shape import robot_of

if TYPE_CHECKING:
    from workcell.commands.session import Session


_JOINED = {
    "PROPERTY": "[>= VALUE]: it has the property, or the comparison is true",
    "and": "both conditions are true",
    "or": "at least one condition is true",
    "not": "the condition is false",
}
_ENTITY_CONDITIONS = {
    "kind": "KIND: block, object, robot …",
    "level": "KIND: the same as kind",
    "name": "PATTERN: a name, with * for anything",
    "label": "PATTERN: its label in files, with * for anything",
    "movable": "robots may handle it",
    "colour": "COLOUR",
    "description": "PATTERN",
    "uses": "WHAT [>= COUNT]: contains it at any depth",
    "made-of": "WHAT [>= COUNT]: contains it directly",
    "used-by": "WHAT: part of it at any depth",
    "part-of": "WHAT: part of it directly",
    "parts": ">= COUNT: how many relations it has",
    "pointed_by": ">= COUNT: how many relations point to it",
    **_JOINED,
}
_RELATION_CONDITIONS = {
    "kind": "KIND: transform-block, mount …",
    "name": "PATTERN: a name, with * for anything",
    "label": "PATTERN: its label in files, with * for anything",
    "of": "WHAT: the entity that has the relation",
    "to": "WHAT: the entity that it points to",
    **_JOINED,
}


@command(
    "show {thing} [{detail}]",
    help="show an entity or relation: in one line, with all its facts, or as a tree of its parts",
    effect="reads",
    thing=Thing(),
    detail=Choice({"brief": "one line", "full": "everything", "tree": "with all its parts"}, "brief|full|tree"),
    param_help={"detail": "brief: one line; full: everything, the default; tree: with all its parts"},
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
def show(session: Session, thing: Entity | Relation, detail: str = "full") -> Shown | Line:
    """Lengths and angles are in the units of the cell."""
    if detail == "tree":
        return tree(session, thing)
    tied = ties(session, thing)
    facts = entity_facts(session, thing, tied) if isinstance(thing, Entity) else relation_facts(session, thing)
    text = brief(session, thing, tied) if detail == "brief" else full(session, thing, tied)
    return Shown(thing.kind, thing.name, thing.key, facts, text)


class Whereabouts(Result, frozen=True):
    """Where something is now: its pose in the world (4×4, SI), its joint values, and what carries it ('' if nothing).

    The pose of a robot or mechanism is that of its tool: the flange, the carriage, the plate, the belt; ``base`` is
    the pose of its base, and for anything else the same pose again. If a robot or mechanism carries it, ``link`` is the
    link that does, and ``on`` is the pose of the base there, as `mount` takes it.
    """

    name: str
    kind: str
    matrix: list[list[float]]
    joints: list[float]
    carrier: str
    text: str
    base: list[list[float]]
    link: int | None = None
    on: list[list[float]] | None = None

    def __str__(self) -> str:
        return self.text


@command(
    "where {thing}",
    help="show where something is now, and what carries it",
    effect="reads",
    thing=Ref("robot", "mechanism", "object", "target", "frame", "sensor", "zone"),
    examples=[
        "> create robot Puma puma560",
        "> add solid Cube box 50 50 50 at 500,0,25",
        "> add zone gate box 300 300 300 at 0,-900,500",
        "where Puma",
        "where Cube",
        "where gate",
    ],
)
def where(session: Session, thing: Entity) -> Whereabouts:
    """The pose is in the world, in the units of the cell.

    For a robot or mechanism: its joint values and the pose of its tool; if its gripper grips elsewhere, also that of
    the grip point. `modify ROBOT tool_point grip` puts the tool frame there.
    """
    units = session.units
    joints: list[float] = []
    carrier = ""
    if thing.kind in ("robot", "mechanism"):
        from workcell.world.places import WORLD

        one = simulated(session.simulator, thing)
        pose, joints = one.tool_pose, one.joints.tolist()
        placed = session.snapshot().robot(thing.name)
        carrier = "" if placed.parent == WORLD else placed.parent
        slides = [row.prismatic for row in one.robot.rows]
        shown = ", ".join(value_text(units, v, "length" if s else "angle") for v, s in zip(joints, slides, strict=True))
        lines = [f"{thing.name}: joints {shown}", f"  tool {pose_text(units, pose)}"]
        hand = one.robot.gripper
        if hand is not None and not hand.X_flange_grip.is_close(one.robot.X_flange_tool):
            grip = pose @ one.robot.X_flange_tool.inverse() @ hand.X_flange_grip
            lines.append(f"  grip {pose_text(units, grip)}")
    elif thing.kind == "object":
        snapshot = session.snapshot()
        body = snapshot.object_body(thing.name)
        pose, carrier = snapshot.body_pose(session.state, body), _carrier(session, thing.name)
        lines = [absence(snapshot, session.state, body) or f"{thing.name}: {pose_text(units, pose)}"]
    elif thing.kind == "sensor":
        snapshot = session.snapshot()
        pose, carrier = snapshot.sensor_pose(session.state, thing.name), snapshot.sensor(thing.name).owner
        lines = [f"{thing.name}: {pose_text(units, pose)}"]
    elif thing.kind == "zone":
        found = next((one for one in session.snapshot().zones if one.entity == thing.name), None)
        if found is None:
            raise Refused(f"Zone {thing.name!r} is in no scene; `place zone:{quoted(thing.name)} at …` first.")
        pose = found.X_world_zone
        lines = [f"{thing.name}: {pose_text(units, pose)}"]
    else:
        snapshot = session.snapshot()
        pose = snapshot.place_pose(session.state, thing.name, thing.kind)
        carrier = snapshot.carrier_under(thing.name, thing.kind)
        lines = [f"{thing.name}: {pose_text(units, pose)}"]
    if carrier:
        lines.append(f"  carried by {carrier}")
    base = session.snapshot().base_pose(session.state, thing.name) if joints else pose
    matrix, mounted = pose.matrix.tolist(), _mounted(session, thing)
    return Whereabouts(
        thing.name, thing.kind, matrix, joints, carrier, "\n".join(lines), base.matrix.tolist(), *mounted
    )


def _mounted(session: Session, thing: Entity) -> tuple[int, list[list[float]]] | tuple[None, None]:
    """Return the link that carries a robot or mechanism, and its pose there; nothing if it stands by itself."""
    database = session.database
    for relation in database.pointers(thing):
        if relation.kind == "mount" and thing.kind in ("robot", "mechanism"):
            carrier = database.by_id(relation.parent)
            link = int(relation.properties.get("link", robot_of(carrier).n))
            return link, (mount_frame(carrier, link).inverse() @ Pose(relation.matrix)).matrix.tolist()
    return None, None


def _carrier(session: Session, name: str) -> str:
    """Return the body that carries an object now; '' if it stands by itself."""
    snapshot, state = session.snapshot(), session.state
    held = {body.name: body.owner for body in snapshot.bodies if body.link < 0}
    for body, hold in state.attached.items():
        if held.get(body) == name and hold.frame in {one.name for one in snapshot.bodies}:
            return hold.frame
    return ""


@command(
    "list [{kind}]",
    help="list the entities of one kind, or of all kinds",
    effect="reads",
    kind=Choice({kind: value.help for kind, value in KINDS.items()}, "KIND"),
    param_help={"kind": "a kind of entity, such as block or robot; default: all kinds"},
    examples=["> create block cube1", "list block", "list"],
)
def list_entities(session: Session, kind: str | None = None) -> Table:
    """They are listed in order of creation, each with the number of its relations and of those that point to it."""
    return _entity_table(session, session.database.entities(kind))


def _entity_table(session: Session, entities: list[Entity]) -> Table:
    database = session.database
    rows = tuple(
        (
            entity.kind, entity.name, len(database.relations(entity)), database.pointed_by(entity),
            shape_text(session, entity), entity.description,
        )
        for entity in entities
    )  # fmt: skip
    caption = f"{len(rows)} {'entity' if len(rows) == 1 else 'entities'}"
    return Table(("kind", "name", "relations", "pointed_by", "shape", "description"), rows, caption)


@command(
    "query {condition}",
    help="list the entities for which a condition is true",
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
    """A condition tests kind, name, label, uses, made-of, used-by, part-of, parts, pointed_by or a property.

    Join conditions with and, or, not and brackets. `query ?` explains each word.
    """
    return _entity_table(session, Query(session.database, condition, "entities", session.units).entities())


@command(
    "query-relations {condition}",
    help="list the relations for which a condition is true",
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
    """A condition tests kind, name, label, of, to or a property. Join conditions with and, or, not and brackets."""
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
