"""The cell flattened at one revision: what every engine takes, together with a state."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, UnknownName
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.world.body import Body, Piece
from workcell.world.database import Database
from workcell.world.expand import Expander, robot_of
from workcell.world.state import CellState

WORLD = "world"
"""The name of the frame in which everything stands."""


@dataclass(frozen=True)
class PlacedRobot:
    """A robot that stands somewhere.

    Attributes:
        name: its name in the cell.
        robot: its joints and links.
        parent: ``world``, or the name of the body that carries it.
        X_parent_base: its base there.
        bodies: for each link, the base first, its place in ``Snapshot.bodies``; -1 for a link without shape.
        speed: nominal speed of the joint that moves most [rad/s].
    """

    name: str
    robot: Robot
    parent: str
    X_parent_base: Pose
    bodies: tuple[int, ...]
    speed: float


@dataclass(frozen=True)
class Snapshot:
    """An immutable picture of what exists, at one revision."""

    revision: tuple[int, int]
    scene: str
    bodies: tuple[Body, ...]
    robots: tuple[PlacedRobot, ...]
    initial: CellState = field(default_factory=CellState)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {body.name: place for place, body in enumerate(self.bodies)}

    def body(self, name: str) -> Body:
        """The body of that name."""
        if name not in self._index:
            raise UnknownName.among("body", name, self._index)
        return self.bodies[self._index[name]]

    def robot(self, name: str) -> PlacedRobot:
        """The robot of that name."""
        for placed in self.robots:
            if placed.name == name:
                return placed
        raise UnknownName.among("robot", name, [placed.name for placed in self.robots])

    def body_poses(self, state: CellState) -> NDArray[np.float64]:
        """``X_world_body`` of every body (B, 4, 4)."""
        poses = self._poses({name: values[None, :] for name, values in state.joints.items()}, state, 1)
        return np.asarray(poses[0])

    def body_poses_batch(self, joints: dict[str, NDArray[np.float64]], state: CellState) -> NDArray[np.float64]:
        """``X_world_body`` for many joint values by robot (N, n each); the rest as in ``state``: (N, B, 4, 4)."""
        counts = {len(values) for values in joints.values()}
        if len(counts) != 1:
            raise InvalidValue(f"Every robot needs the same number of samples; found {sorted(counts)}.")
        return self._poses(joints, state, counts.pop())

    def _poses(self, joints: dict[str, NDArray[np.float64]], state: CellState, count: int) -> NDArray[np.float64]:
        out = np.broadcast_to(np.eye(4), (count, len(self.bodies), 4, 4)).copy()
        known: set[int] = set()
        for place, body in enumerate(self.bodies):
            if body.link < 0 and body.name in state.poses and body.name not in state.attached:
                out[:, place] = state.poses[body.name].matrix
                known.add(place)
        for placed in self.robots:  # in order of mounting: a carrier stands before what it carries
            values = joints.get(placed.name)
            if values is None:
                values = np.broadcast_to(self._joints_of(placed, state), (count, placed.robot.n))
            if count == 1:
                frames = placed.robot.frames(values[0])[None]
            else:
                frames = placed.robot.frames_batch(np.ascontiguousarray(values))
            base = placed.X_parent_base.matrix
            if placed.parent != WORLD:
                base = out[:, self._index[placed.parent]] @ base
                frames = base[:, None] @ frames
            else:
                frames = base @ frames
            for link, place in enumerate(placed.bodies):
                if place >= 0:
                    out[:, place] = frames[:, link]
                    known.add(place)
        for name, attachment in state.attached.items():
            place = self._index[name]
            carrier = out[:, self._index[attachment.frame]] if attachment.frame != WORLD else np.eye(4)
            out[:, place] = carrier @ attachment.X_frame_body.matrix
        return out

    def _joints_of(self, placed: PlacedRobot, state: CellState) -> NDArray[np.float64]:
        values = state.joints.get(placed.name)
        return placed.robot.home if values is None else values

    def tool_pose(self, state: CellState, robot: str) -> Pose:
        """``X_world_tool`` of a robot."""
        placed = self.robot(robot)
        X_world_base = placed.X_parent_base
        if placed.parent != WORLD:
            X_world_base = Pose(self.body_poses(state)[self._index[placed.parent]]) @ X_world_base
        return X_world_base @ placed.robot.fk(self._joints_of(placed, state))


def current_scene(database: Database) -> str:
    """The scene that is shown and simulated: the one chosen, else the first, else none."""
    chosen = database.setting("scene")
    if chosen and database.find("scene", chosen):
        return chosen
    scenes = database.entities("scene")
    return scenes[0].name if scenes else ""


def snapshot_of(database: Database, scene: str | None = None) -> Snapshot:
    """Flatten a scene of the database."""
    name = current_scene(database) if scene is None else scene
    if not name:
        return Snapshot(database.world_revision, "", (), ())
    expander = Expander(database)
    bodies: list[Body] = []
    robots: list[PlacedRobot] = []
    poses: dict[str, Pose] = {}
    joints: dict[str, NDArray[np.float64]] = {}
    names: set[str] = set()
    for relation, part in expander.parts(database.entity("scene", name)):
        if part.kind == "object":
            label = _free(part.name if part.name not in names else f"{part.name} {relation.name}", names)
            pieces = expander.pieces(part)
            bodies.append(Body(label, part.name, -1, pieces, bool(part.movable)))
            poses[label] = Pose(relation.matrix)
        elif part.kind in ("robot", "mechanism") and part.shape is not None:
            label = _free(part.name, names)
            robot = robot_of(part)
            places = []
            for number, link in enumerate(robot.links):
                if not link.parts:
                    places.append(-1)
                    continue
                places.append(len(bodies))
                pieces = tuple(Piece(p.solid, p.colour) for p in link.parts)
                bodies.append(Body(f"{label}/{link.name}", label, number, pieces))
            speed = float(part.properties.get("speed", robot.speeds.min()))
            robots.append(PlacedRobot(label, robot, WORLD, Pose(relation.matrix), tuple(places), speed))
            values = part.properties.get("joints")
            joints[label] = np.array(values if values is not None else robot.home, dtype=float)
    signals = {s.name: float(s.properties.get("value", 0.0)) for s in database.entities("signal")}
    initial = CellState(0.0, joints, poses, {}, signals)
    return Snapshot(database.world_revision, name, tuple(bodies), tuple(robots), initial)


def _free(wanted: str, names: set[str]) -> str:
    name, count = wanted, 1
    while name in names:
        count += 1
        name = f"{wanted} {count}"
    names.add(name)
    return name
