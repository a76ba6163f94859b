"""Targets, frames and paths that hang on things: attaching them, moving them, and keeping them when a thing goes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from workcell.errors import InvalidValue, Refused, WorkcellError
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform, Translate
from workcell.wording import counted
from workcell.world.conveyors import is_conveyor
from workcell.world.entities import Entity, Relation
from workcell.world.places import CARRIERS, KINDS, LINK, OBJECT
from workcell.world.robot_shape import robot_of

if TYPE_CHECKING:
    from workcell.world.editing import Editing
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState

_DEVICES = ("robot", "mechanism")
_LISTED = 5


_ORIGIN = Transform((Translate((0.0, 0.0, 0.0)),))
"""No shift, as the journal writes it, so that a replay keeps the same form."""


def is_hung(child: Entity, parent: Entity) -> bool:
    """Whether this child hangs as a place on this parent."""
    return child.kind in KINDS and parent.kind in CARRIERS


def hang(
    edit: Editing,
    place: Entity,
    carrier: Entity,
    name: str | None = None,
    pose: Transform | None = None,
    link: int | None = None,
) -> tuple[int, str]:
    """Hang a place on a thing, and take it off whatever it hung on before; without a pose it stays where it is.

    Args:
        edit: the unfinished edit.
        place: a target, frame or path.
        carrier: an object, robot, mechanism or frame.
        name: the name of the relation; by default that of the place.
        pose: its pose on the carrier; None keeps it where it is now, or puts it at the origin.
        link: the link of a robot or mechanism; None for its last one, the frame of a conveyor.

    Returns:
        The id of the relation and its name.
    """
    database = edit.database
    link = checked_link(carrier, link)
    placing = [one for one in database.pointers(place) if database.by_id(one.parent).kind == "path"]
    if placing:
        path = database.by_id(placing[0].parent)
        raise Refused(
            f"Target {place.name!r} is placed by path {path.name!r}; `attach path:{path.name} to {carrier.name}` hangs "
            f"the whole path, `detach {path.reference}/{placing[0].name}` takes the target out of it.",
            path=path.name,
        )
    if pose is None:
        here = pose_now(edit, place)
        on = None if here is None else Transform.from_pose(carrier_pose(edit, carrier, link).inverse() @ here)
        pose = on if on is not None and on.steps else _ORIGIN
        edit.resolve(transform=pose)
    _free_targets(edit, place)
    _take_off(edit, place)
    name = name or database.free_relation_name(carrier, place.name)
    more = None if link is None else {LINK: link}
    return database.attach(edit.rows, carrier, place, name, pose, more), name


def come_down(edit: Editing, place: Entity, pose: Transform | None) -> Transform | None:
    """Take a place off what it hangs on, to stand in a scene; without a pose it stays where it is in the world."""
    database = edit.database
    hung = [one for one in _own_places(edit, place) if is_hung(place, database.by_id(one.parent))]
    if not hung:
        return pose
    if pose is None and (here := pose_now(edit, place)) is not None:
        pose = Transform.from_pose(here)
        pose = pose if pose.steps else _ORIGIN
        edit.resolve(transform=pose)
    for relation in hung:
        database.detach(edit.rows, relation)
    return pose


def checked_link(carrier: Entity, link: int | None) -> int | None:
    """The link: by default the last one of a robot, the frame of a conveyor; None for things without links."""
    if carrier.kind not in _DEVICES:
        if link is not None:
            raise Refused(f"Only robots and mechanisms have links; leave the link out, {carrier.name!r} has none.")
        return None
    robot = robot_of(carrier)
    if link is None:
        return 0 if is_conveyor(robot) else robot.n
    if not 0 <= link <= robot.n:
        raise InvalidValue(f"{carrier.name} has links 0 (base) to {robot.n}; found {link}.")
    return link


def pose_now(edit: Editing, place: Entity) -> Pose | None:
    """The present pose of a target, frame or path in the world; None if it is nowhere."""
    snapshot, state = edit.seen()
    try:
        if place.kind == "path":
            stands = bool(edit.database.pointers(place)) or place.properties.get(OBJECT)
            return snapshot.path_frame(state, place.name) if stands else None
        return snapshot.place_pose(state, place.name, place.kind)
    except WorkcellError:
        return None


def carrier_pose(
    edit: Editing, carrier: Entity, link: int | None, when: tuple[Snapshot, CellState] | None = None
) -> Pose:
    """The pose of a carrier in the world: now, or in a state."""
    snapshot, state = edit.seen() if when is None else when
    if carrier.kind == "frame":
        return snapshot.place_pose(state, carrier.name, "frame")
    if carrier.kind == "object":
        return _object_pose(edit, carrier, snapshot, state)
    if carrier.name not in {placed.name for placed in snapshot.robots}:
        raise Refused(f"{carrier.name!r} stands in no scene; `place {carrier.name} at …` first.")
    assert link is not None
    return Pose(snapshot.link_frames(state, carrier.name)[link])


def _object_pose(edit: Editing, thing: Entity, snapshot: Snapshot, state: CellState) -> Pose:
    """The pose of an object, by itself or as a part of another."""
    database = edit.database
    if thing.name not in {body.owner for body in snapshot.bodies if body.link < 0}:
        for relation in database.pointers(thing):
            whole = database.by_id(relation.parent)
            if whole.kind == "object":
                return _object_pose(edit, whole, snapshot, state) @ Pose(relation.matrix)
    return snapshot.body_pose(state, snapshot.object_body(thing.name))


def _own_places(edit: Editing, place: Entity) -> list[Relation]:
    """The relations that place a target, frame or path, except those of paths to their targets."""
    database = edit.database
    return [one for one in database.pointers(place) if database.by_id(one.parent).kind != "path"]


def _take_off(edit: Editing, place: Entity) -> None:
    """Take a place off its carrier and out of the scenes."""
    for relation in _own_places(edit, place):
        edit.database.detach(edit.rows, relation)
    if place.kind == "path" and place.properties.get(OBJECT):
        edit.database.set_properties(edit.rows, place, {OBJECT: None})


def _free_targets(edit: Editing, path: Entity) -> None:
    """Make the path alone place its targets: those that also stand in the scene would stay behind."""
    if path.kind != "path":
        return
    database = edit.database
    for relation in database.relations(path):
        target = database.by_id(relation.child)
        for own in _own_places(edit, target):
            database.detach(edit.rows, own)


def add_to_path(edit: Editing, path: Entity, target: Entity, pose: Pose) -> None:
    """Put a target at the end of a path, at its pose in the world; a path that hangs on a thing takes it along."""
    database = edit.database
    snapshot, state = edit.seen()
    X_path_target = snapshot.path_frame(state, path.name).inverse() @ pose
    database.attach(
        edit.rows, path, target, database.free_relation_name(path, target.name), Transform.from_pose(X_path_target)
    )
    owners = [database.by_id(one.parent).kind for one in database.pointers(path)]
    if path.properties.get(OBJECT) or set(owners) & set(CARRIERS):
        _take_off(edit, target)


def move_in_paths(edit: Editing, target: Entity, pose: Pose) -> str:
    """Move a target to a pose in the world in all its paths; return the name of one, or ''."""
    database, found = edit.database, ""
    for relation in database.pointers(target):
        path = database.by_id(relation.parent)
        if path.kind == "path":
            snapshot, state = edit.seen()
            X_path_target = snapshot.path_frame(state, path.name).inverse() @ pose
            database.set_transform(edit.rows, relation, Transform.from_pose(X_path_target))
            found = path.name
    return found


def stand_free(edit: Editing, place: Entity, pose: Transform) -> str:
    """Prepare a place for standing in the scene: take it off its carrier, and move it in its paths.

    Returns:
        The name of the path that places it, if one does; the scene need not hold it then.
    """
    database = edit.database
    path = move_in_paths(edit, place, pose.pose()) if place.kind == "target" else ""
    own = _own_places(edit, place)
    if path and not any(database.by_id(one.parent).kind == "scene" for one in own):
        return path
    for relation in own:
        if database.by_id(relation.parent).kind != "scene":
            database.detach(edit.rows, relation)
    if place.kind == "path" and place.properties.get(OBJECT):
        database.set_properties(edit.rows, place, {OBJECT: None})
    return ""


def move_hung(edit: Editing, place: Entity, pose: Pose) -> str:
    """Move a place that hangs on things to a pose in the world; return the name of what carries it, '' for nothing."""
    database, carrier = edit.database, ""
    for relation in _own_places(edit, place):
        owner = database.by_id(relation.parent)
        if is_hung(place, owner):
            keep_still(edit, owner, [(relation, pose)])
            carrier = owner.name
    if carrier and place.kind == "target":
        move_in_paths(edit, place, pose)
    return carrier


def hung_on(edit: Editing, carrier: Entity) -> list[Entity]:
    """The targets, frames and paths that hang on a thing."""
    if carrier.kind not in CARRIERS:
        return []
    database = edit.database
    parts = [database.by_id(number) for number in dict.fromkeys(one.child for one in database.relations(carrier))]
    return [part for part in parts if part.kind in KINDS]


def take_down(edit: Editing, places: Iterable[Entity]) -> list[tuple[Entity, Transform]]:
    """Take places off their carriers; return their poses in the world."""
    found = [(place, pose_now(edit, place)) for place in places]
    for place, _ in found:
        _take_off(edit, place)
    return [(place, Transform.from_pose(here)) for place, here in found if here is not None]


def listed(places: Iterable[Entity]) -> str:
    """Places in words: the first of them by name."""
    names = [f"{place.kind} {place.name!r}" for place in places]
    more = f" and {counted(len(names) - _LISTED, 'other')}" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def poses_on(edit: Editing, carrier: Entity) -> list[tuple[Relation, Pose]]:
    """The relations by which places hang on a thing, each with its present pose in the world."""
    numbers = {place.id for place in hung_on(edit, carrier)}
    hung = [one for one in edit.database.relations(carrier) if one.child in numbers]
    poses = [(one, pose_now(edit, edit.database.by_id(one.child))) for one in hung]
    return [(one, pose) for one, pose in poses if pose is not None]


def keep_still(edit: Editing, carrier: Entity, kept: Iterable[tuple[Relation, Pose]]) -> None:
    """Give places on a thing the poses in the world that they had before it moved."""
    for relation, pose in kept:
        link = relation.properties.get(LINK)
        base = carrier_pose(edit, carrier, None if link is None else int(link))
        edit.database.set_transform(edit.rows, relation, Transform.from_pose(base.inverse() @ pose))


def hangs_text(edit: Editing, place: Entity) -> str:
    """The carriers of a place, from one to the next: ``on path spots on object pallet``; '' in the world."""
    database, passed = edit.database, {place.id}
    texts: list[str] = []
    while place.kind in KINDS:
        above = [one for one in database.pointers(place) if database.by_id(one.parent).kind != "scene"]
        if not above or above[0].parent in passed or len(texts) == _LISTED:
            break
        place = database.by_id(above[0].parent)
        passed.add(place.id)
        link = above[0].properties.get(LINK)
        texts.append(f"on {place.kind} {place.name}" + ("" if link is None else f" link {link}"))
    return " ".join(texts)
