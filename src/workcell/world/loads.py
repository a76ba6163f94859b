"""The load of a robot of a cell in a state, compared with what it may carry."""

from __future__ import annotations

from collections.abc import Iterator

from workcell.robots.payload import Load, PayloadCheck, payload_check
from workcell.spatial.pose import Pose
from workcell.world.placed import PlacedRobot
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState


def load_of(snapshot: Snapshot, state: CellState, robot: str) -> PayloadCheck:
    """Weigh the load of a robot: its tool, the parts that move with its flange, and robots mounted on it.

    Args:
        snapshot: what exists.
        state: the poses and attachments.
        robot: the name of the robot in the cell.
    """
    placed = snapshot.robot(robot)
    return payload_check(placed.robot, tuple(_carried(snapshot, state, placed)), placed.name)


def _carried(snapshot: Snapshot, state: CellState, placed: PlacedRobot) -> Iterator[Load]:
    """The loads on a flange, in its frame."""
    if placed.tool is not None:
        yield placed.tool.load
    frames = dict(zip((body.name for body in snapshot.bodies), snapshot.body_poses(state), strict=True))
    X_flange_world = Pose(snapshot.link_frames(state, placed.name)[-1]).inverse()
    for name in carried_parts(snapshot, state, placed):
        matter = snapshot.body(name).matter
        load = Load(name, None, None, "it is not movable") if matter is None else matter.load
        yield _named(load, name).moved(X_flange_world @ Pose(frames[name]))
    for other in snapshot.robots:
        if other.parent == placed.name and other.parent_link == placed.robot.n:
            weight = other.robot.weight
            yield Load(other.name, weight, None, "stated" if weight is not None else "its file states no weight")
            X_flange_other = X_flange_world @ Pose(snapshot.link_frames(state, other.name)[-1])
            for load in _carried(snapshot, state, other):
                yield load.moved(X_flange_other)


def carried_parts(snapshot: Snapshot, state: CellState, placed: PlacedRobot) -> list[str]:
    """The parts that move with the flange of a robot, and those that move with them; a ghost weighs nothing."""
    own = {body.name for body in snapshot.bodies if body.owner == placed.name and body.link == placed.robot.n}

    def goes(name: str) -> bool:
        held = state.attached.get(name)
        return held is not None and (held.frame in own or goes(held.frame))

    return [name for name in sorted(state.attached) if goes(name) and not snapshot.body(name).ghost]


def _named(load: Load, name: str) -> Load:
    """A load under the name of its body: a second instance of an object has another name."""
    return load if load.name == name else Load(name, load.mass, load.centre, load.source)
