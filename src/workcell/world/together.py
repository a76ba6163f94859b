"""What moves together: the bodies, targets, frames and paths that follow a thing when it is placed elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workcell.errors import Refused
from workcell.spatial.pose import Pose
from workcell.world.hanging import hung_on
from workcell.world.places import CARRIERS, WORLD
from workcell.world.places import KINDS as PLACES
from workcell.world.placing import refuse_mounted
from workcell.world.thing_poses import thing_pose

if TYPE_CHECKING:
    from workcell.world.editing import Editing
    from workcell.world.entities import Entity
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState

_DEVICES = ("robot", "mechanism")
_DIGITS = 12  # of a coordinate [m]: sums of decimals stay decimals
PLACEABLE = ("object", *_DEVICES, "target", "frame", "path", "zone", "sensor", "light")
"""The kinds of thing that `place` moves in a scene."""


@dataclass(frozen=True)
class Together:
    """What moves with a thing.

    Attributes:
        X_world_thing: where the thing is now; a robot or mechanism by its base.
        bodies: the names of the bodies that move, in the order of the cell.
        places: the targets, frames and paths that move, as ``kind:name``, the thing included if it is one.
        carrier: the name of what it hangs, stands or is mounted on; '' for the world.
        refusal: why it cannot be placed; '' if it can.
    """

    X_world_thing: Pose
    bodies: tuple[str, ...]
    places: tuple[str, ...]
    carrier: str
    refusal: str


def moves_with(edit: Editing, thing: Entity) -> Together:
    """Return what moves with a thing that is placed elsewhere."""
    snapshot, state = edit.seen()
    bodies = _bodies(snapshot, state, thing)
    places = _places(edit, thing, {snapshot.body(name).owner for name in bodies})
    refusal = ""
    try:
        refuse_mounted(edit, thing)
    except Refused as reason:
        refusal = str(reason)
    if thing.kind == "sensor" and snapshot.sensor(thing.name).frame != WORLD:
        owner = snapshot.sensor(thing.name).owner
        refusal = f"Sensor {thing.name!r} sits on {owner!r} and moves with it."
    here = _pose(edit, snapshot, state, thing)
    return Together(here, bodies, places, _carrier(edit, snapshot, state, thing), refusal)


def movers(edit: Editing, things: Sequence[Entity]) -> tuple[Pose, list[tuple[Entity, Together]]]:
    """Return where the first of several things is, and the things to place so that all of them move together.

    Those that another of them carries are left out: they follow it.
    """
    found = [(thing, moves_with(edit, thing)) for thing in things]
    owner_of = {body.name: body.owner for body in edit.seen()[0].bodies}
    carried: set[str] = set()
    for thing, along in found:
        carried |= {owner_of[body] for body in along.bodies} - {thing.name}
        carried |= set(along.places) - {_called(thing)}
    free = [(thing, along) for thing, along in found if _called(thing) not in carried]
    return found[0][1].X_world_thing, free


def _called(thing: Entity) -> str:
    """How the answer of :func:`moves_with` names a thing: a place with its kind, an owner of bodies without."""
    return thing.name if thing.kind in ("object", *_DEVICES) else f"{thing.kind}:{thing.name}"


def motion_to(first: Pose, there: Pose, other: Pose) -> Pose:
    """Return where another thing comes if the first one goes from a pose to another and both keep their arrangement."""
    if np.array_equal(first.rotation, there.rotation):
        matrix = other.matrix.copy()
        shift = there.matrix[:3, 3] - first.matrix[:3, 3]
    else:
        moved = there @ first.inverse() @ other
        matrix, shift = moved.matrix.copy(), np.zeros(3)
    matrix[:3, 3] = np.round(matrix[:3, 3] + shift, _DIGITS)
    return Pose(matrix)


def _pose(edit: Editing, snapshot: Snapshot, state: CellState, thing: Entity) -> Pose:
    if thing.kind == "light":
        return _light_pose(edit, snapshot, thing)
    if thing.kind == "path":
        return snapshot.path_frame(state, thing.name)
    if thing.kind == "sensor":
        return snapshot.sensor_pose(state, thing.name)
    if thing.kind == "zone":
        for zone in snapshot.zones:
            if zone.entity == thing.name:
                return zone.X_world_zone
        raise Refused(f"Zone {thing.name!r} stands in no scene; `place {thing.reference} at …` first.")
    return thing_pose(snapshot, state, thing.name, thing.kind)


def _light_pose(edit: Editing, snapshot: Snapshot, light: Entity) -> Pose:
    scene = edit.database.find("scene", snapshot.scene)
    for relation in edit.database.relations(scene) if scene else ():
        if relation.child == light.id:
            return Pose(relation.matrix)
    raise Refused(f"Light {light.name!r} stands in no scene; `place {light.reference} at …` first.")


def _bodies(snapshot: Snapshot, state: CellState, thing: Entity) -> tuple[str, ...]:
    """The bodies of an object or robot, and everything that they carry now."""
    if thing.kind not in ("object", *_DEVICES):
        return ()
    robots = {thing.name} if thing.kind in _DEVICES else set()
    for placed in snapshot.robots:  # carriers come first
        if placed.parent in robots:
            robots.add(placed.name)
    own = robots or {thing.name}
    found = {body.name for body in snapshot.bodies if body.owner in own and (body.link >= 0) == bool(robots)}
    carried, before = snapshot.carried(state), -1
    while before < len(found):
        before = len(found)
        found |= {name for name, hold in carried.items() if hold.frame in found}
    return tuple(snapshot.ordered(found))


def _places(edit: Editing, thing: Entity, owners: set[str]) -> tuple[str, ...]:
    """The places that hang on the thing or on what moves with it, and on each other; of a path, its targets."""
    database = edit.database
    waiting = [thing]
    for kind in ("object", *_DEVICES):
        waiting += [one for name in sorted(owners) if (one := database.find(kind, name)) and one.id != thing.id]
    found: dict[str, None] = {}
    while waiting:
        one = waiting.pop(0)
        if one.kind in PLACES:
            if f"{one.kind}:{one.name}" in found:
                continue
            found[f"{one.kind}:{one.name}"] = None
        if one.kind in CARRIERS:
            waiting += hung_on(edit, one)
        if one.kind == "path":
            targets = [database.by_id(relation.child) for relation in database.relations(one)]
            waiting += [target for target in targets if _placed_by_paths(edit, target)]
    return tuple(found)


def _placed_by_paths(edit: Editing, target: Entity) -> bool:
    """Whether only paths place a target; one that also stands or hangs by itself stays there."""
    owners = [edit.database.by_id(relation.parent).kind for relation in edit.database.pointers(target)]
    return all(kind == "path" for kind in owners)


def _carrier(edit: Editing, snapshot: Snapshot, state: CellState, thing: Entity) -> str:
    """The name of what carries a thing now; '' for the world."""
    if thing.kind in _DEVICES:
        parent = snapshot.robot(thing.name).parent
        return "" if parent == WORLD else parent
    if thing.kind == "object":
        hold = snapshot.carried(state).get(snapshot.object_body(thing.name))
        return "" if hold is None or hold.frame == WORLD else hold.frame
    if thing.kind in PLACES:
        owners = [edit.database.by_id(relation.parent) for relation in edit.database.pointers(thing)]
        return next((owner.name for owner in owners if owner.kind in CARRIERS), "")
    return ""
