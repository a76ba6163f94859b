"""Commands on the order of a path: targets reorder, targets append, targets leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Number
from workcell.commands.results import Done
from workcell.errors import InvalidValue, Refused
from workcell.spatial.transform import Transform
from workcell.wording import counted
from workcell.world.entities import Entity, Relation
from workcell.world.hanging import add_to_path, pose_now
from workcell.world.placing import put_in_scene

if TYPE_CHECKING:
    from workcell.commands.session import Session

_PATH = (
    "> add solid pallet box 1200 800 144 at 1500,0,72",
    "> targets grid 2x2 to spots pitch 250,250 on pallet at -375,-250,72 rotate 180,0,0",
)


@command(
    "targets reorder {path} {number} to {place}",
    help="move a target to another place in the order of its path",
    effect="edits",
    path=Ref("path"),
    number=Number(positive=True, whole=True),
    place=Number(positive=True, whole=True),
    param_help={
        "number": "which target of the path, counted from 1",
        "place": "the number that it will have",
    },
    examples=[*_PATH, "targets reorder spots 4 to 1", "targets of spots"],
)
def reorder(session: Session, path: Entity, number: int, place: int) -> Done:
    """No target moves in space."""
    relations = list(session.database.relations(path))
    moved = _numbered(relations, path, number)
    _numbered(relations, path, place)
    places = [relation.position for relation in relations]
    relations.insert(place - 1, relations.pop(number - 1))
    for relation, position in zip(relations, places, strict=True):
        if relation.position != position:
            session.database.set_position(session.rows, relation, position)
    target = session.database.by_id(moved.child)
    return Done(f"{target.name} is now number {place} of {counted(len(relations), 'target')} of {path.name}")


@command(
    "targets append {target} to {path}",
    help="make a target the last of a path, where it is",
    effect="edits",
    target=Ref("target"),
    path=Ref("path"),
    examples=[*_PATH, "> add target extra 1500,0,400", "targets append extra to spots"],
)
def append(session: Session, target: Entity, path: Entity) -> Done:
    """If the path hangs on a thing, the target moves with that thing from now on. A path may pass a target twice."""
    pose = pose_now(session, target)
    if pose is None:
        raise Refused(f"Target {target.name!r} is in no scene; `place target:{target.name} at …` first.")
    add_to_path(session, path, target, pose)
    count = len(session.database.relations(path))
    return Done(f"{target.name} is now number {count} of {path.name}")


@command(
    "targets leave {path} {number}",
    help="take a target out of a path; it stays where it is",
    effect="edits",
    path=Ref("path"),
    number=Number(positive=True, whole=True),
    param_help={"number": "which target of the path, counted from 1"},
    examples=[*_PATH, "targets leave spots 2", "where spots-2"],
)
def leave(session: Session, path: Entity, number: int) -> Done:
    """A target that only this path places stands in the world afterwards."""
    database = session.database
    relation = _numbered(list(database.relations(path)), path, number)
    target = database.by_id(relation.child)
    pose = pose_now(session, target)
    alone = len(database.pointers(target)) == 1
    database.detach(session.rows, relation)
    if alone and pose is not None:
        put_in_scene(session, target, Transform.from_pose(pose))
    return Done(f"{target.name} is no longer in {path.name}")


def _numbered(relations: list[Relation], path: Entity, number: int) -> Relation:
    """Return the relation of a path to its target with a number, counted from 1."""
    if not 1 <= number <= len(relations):
        raise InvalidValue(f"Path {path.name!r} has {counted(len(relations), 'target')}; found number {number}.")
    return relations[number - 1]
