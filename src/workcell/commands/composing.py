"""Commands on things as they stand: compose, merge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.commands.combining import BOOLEANS, combine
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Choice, NewName
from workcell.commands.model import make
from workcell.commands.removing import remove
from workcell.commands.results import Made
from workcell.errors import InvalidValue, Refused
from workcell.simulation.holding import refuse_held
from workcell.spatial.transform import MatrixStep, Transform
from workcell.world.entities import Entity
from workcell.world.expand import Expander
from workcell.world.operations import Boolean
from workcell.world.placing import put_in_scene
from workcell.world.thing_poses import thing_pose

if TYPE_CHECKING:
    from workcell.commands.session import Session

_PARTS = ("block", "object")


@command(
    "compose {name} [of {parts}]* [--remove-parts]",
    help="make one rigid object of several objects, as they stand now",
    effect="edits",
    name=NewName(),
    parts=Ref("object"),
    param_help={
        "parts": "the objects; at least one",
        "remove_parts": "remove the objects themselves; default: they stay where they are",
    },
    examples=[
        "> add solid plate box 200 100 20 --movable",
        "> add solid pin cylinder 10 60 at 50,0,40 --movable",
        "compose tray of plate of pin",
        "> add solid lid box 200 100 5 at 0,0,300 --movable",
        "compose box1 of lid of pin --remove-parts",
    ],
)
def compose(session: Session, name: str, parts: list[Entity] | None = None, remove_parts: bool = False) -> Made:
    """The origin of the new object is that of the world. It shares the blocks of its parts.

    It is movable if all its parts are.
    """
    if not parts:
        raise InvalidValue(f"Name the objects that {name!r} consists of: `compose {name} of FIRST of SECOND`.")
    if len({part.id for part in parts}) < len(parts):
        raise InvalidValue("Each object can be part of the new one only once.")
    database, snapshot, state = session.database, session.snapshot(), session.state
    placed = [(part, thing_pose(snapshot, state, part.name, "object")) for part in parts]
    movable = all(part.movable for part in parts)
    made = make(session, "object", name, movable=movable)
    whole = database.entity("object", name)
    for part, pose in placed:
        found = [one for one in database.relations(part) if database.by_id(one.child).kind in _PARTS]
        if not found:
            raise Refused(f"{part.name!r} has no shape to be part of {name!r}.")
        for relation in found:
            child = database.by_id(relation.child)
            steps = (*relation.transform.steps, *Transform.exact(pose).steps)
            database.attach(
                session.rows, whole, child, database.free_relation_name(whole, child.name), Transform(steps)
            )
    put_in_scene(session, whole, Transform())
    if remove_parts:
        for part in parts:
            refuse_held(session, part)
            remove(session, database.entity("object", part.name), deep=True)
    return made


@command(
    "merge {name} {operation} [of {things}]* [--keep-parts]",
    help="make one solid object as the union, difference or intersection of objects, as they stand now",
    effect="edits",
    name=NewName(),
    operation=Choice(BOOLEANS, "union|difference|intersection"),
    things=Ref("object"),
    param_help={
        "name": "the name of the new object; its block is called NAME-solid",
        "things": "the objects; the others are taken from the first one in a difference",
        "keep_parts": "the objects stay where they are; default: they are removed, and only their blocks stay",
    },
    examples=[
        "> add solid plate box 200 100 20",
        "> add solid pin cylinder 10 60 at 50,0,0",
        "merge drilled difference of plate of pin",
        "measure drilled",
    ],
)
def merge(
    session: Session, name: str, operation: Boolean, things: list[Entity] | None = None, keep_parts: bool = False
) -> Made:
    """The new object has the origin and the colour of the first one, and is movable if that is.

    It changes when you change the blocks that it is made of, as with `combine`. What stands or hangs on the removed
    objects stays where it is.
    """
    given = things or []
    if len(given) < 2:
        raise InvalidValue(f"Name two objects or more: `merge {name} {operation} of FIRST of SECOND`.")
    if len({one.id for one in given}) < len(given):
        raise InvalidValue("Each object can be part of the new one only once.")
    database, snapshot, state = session.database, session.snapshot(), session.state
    poses = [thing_pose(snapshot, state, one.name, "object") for one in given]
    operands = [
        _operand(session, f"{name}-{one.name}", one, (poses[0].inverse() @ pose).matrix)
        for one, pose in zip(given, poses, strict=True)
    ]
    solid = database.free_name("block", f"{name}-solid")
    colour = operands[0][0].colour or given[0].colour
    combine(session, solid, operation, operands[0], operands[1], operands[2:], colour)
    made = make(session, "object", name, movable=given[0].movable)
    whole = database.entity("object", name)
    database.attach(session.rows, whole, database.entity("block", solid), solid, Transform())
    put_in_scene(session, whole, Transform.exact(poses[0]))
    for one in [] if keep_parts else given:
        refuse_held(session, one)
        remove(session, database.entity("object", one.name), keep_children=True)
    return made


def _operand(session: Session, name: str, thing: Entity, place: NDArray[np.float64]) -> tuple[Entity, Transform]:
    """Return the block of an object and where it is; several blocks are united in a new block first."""
    parts = [
        (part.block, Transform((MatrixStep(tuple(map(float, (place @ part.matrix)[:3].reshape(-1)))),)))
        for part in Expander(session.database).blocks(thing, np.eye(4), None)
    ]
    if not parts:
        raise Refused(f"{thing.name!r} has no shape to be merged.")
    if len(parts) == 1:
        return parts[0]
    united = session.database.free_name("block", name)
    combine(session, united, "union", parts[0], parts[1], parts[2:], thing.colour)
    return session.database.entity("block", united), Transform()
