"""The pose of a thing of any kind by its name: an object, a robot or mechanism by its base, a frame or a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import UnknownName
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState

KINDS = ("object", "robot", "mechanism", "target", "frame")
"""The kinds of thing with a pose, in the order in which a name without a kind is searched for."""


def thing_pose(snapshot: Snapshot, state: CellState, name: str, kind: str = "") -> Pose:
    """Return ``X_world_thing``; for a robot or mechanism, that of its base.

    Args:
        snapshot: what exists.
        state: the present state.
        name: the name of the thing.
        kind: one of :data:`KINDS`; by default the first with this name.
    """
    if kind in ("", "object") and any(body.link < 0 and body.owner == name for body in snapshot.bodies):
        return snapshot.body_pose(state, snapshot.object_body(name))
    robots = [placed.name for placed in snapshot.robots]
    if kind in ("", "robot", "mechanism") and name in robots:
        return snapshot.base_pose(state, name)
    if kind in ("frame", "target") or (not kind and any(spot == name for _, spot in snapshot.places.spots)):
        return snapshot.place_pose(state, name, kind)
    if kind == "object":
        snapshot.object_body(name)
    known = [*(body.owner for body in snapshot.bodies), *robots, *(spot for _, spot in snapshot.places.spots)]
    raise UnknownName.among(kind or "object, robot, mechanism, frame or target", name, known)
