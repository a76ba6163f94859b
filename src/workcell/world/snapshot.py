"""The cell flattened at one revision: the input of every engine, together with a state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, Refused
from workcell.robots.gripper import Gripper
from workcell.spatial.pose import Pose
from workcell.world.derived import Derived
from workcell.world.gripper_names import finger_names, opening_signal
from workcell.world.identity import identity
from workcell.world.inventory import Inventory
from workcell.world.placed import PlacedRobot
from workcell.world.places import WORLD, PoseOf
from workcell.world.renaming import Names
from workcell.world.sections import Sections
from workcell.world.state import Attachment, CellState

Some = TypeVar("Some")
_HERE = np.eye(4)
_HERE.flags.writeable = False


@dataclass(frozen=True, eq=False)
class Snapshot(Inventory):
    """An immutable picture of what exists. Two are equal if their content is, whatever their revisions."""

    # ---- being a value --------------------------------------------------------------------------------

    @cached_property
    def sections(self) -> Sections:
        """The identity of every section by its name; a cache depends only on the sections that it reads."""
        return Sections(self)

    @cached_property
    def hash(self) -> str:
        """The identity of the whole content, the same in every process; the revision is not part of it."""
        return identity(self.sections)

    @cached_property
    def derived(self) -> Derived:
        """Results that engines derived from this snapshot and from earlier ones of the cell; see :meth:`keeping`."""
        return Derived()

    @cached_property
    def names(self) -> Names:
        """The names of everything by id; empty for a snapshot that was not made from a database."""
        return Names()

    def keeping(self, what: str, reads: Sequence[str], others: Hashable, make: Callable[[], Some]) -> Some:
        """The result of ``make``, made once for all snapshots of a cell whose sections ``reads`` are the same.

        Args:
            what: the name of the result.
            reads: all sections of the snapshot that it depends on.
            others: its other inputs.
            make: makes it.
        """
        return self.derived.of(what, (self.sections.together(*reads), others), make)

    def called(self, names: Names) -> Snapshot:
        """This snapshot with the names of everything by id."""
        self.__dict__["names"] = names
        return self

    def after(self, before: Snapshot) -> Snapshot:
        """This snapshot with the known results of an earlier one, as far as both share their content."""
        self.sections.adopt(before.sections)
        self.__dict__["derived"] = before.derived
        if self.bodies is before.bodies:
            known = before.__dict__
            self.__dict__.update({name: known[name] for name in ("_index", "movable") if name in known})
        return self

    def __eq__(self, other: object) -> bool:
        return self is other or self.hash == other.hash if isinstance(other, Snapshot) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.hash)

    # ---- in a state ------------------------------------------------------------------------------------

    def fitted(self, state: CellState) -> CellState:
        """The state for what exists now: new things are where they begin, removed things are left out."""
        initial = self.initial
        objects = [body.name for body in self.bodies if body.link < 0]
        joints = {
            placed.name: state.joints[placed.name]
            if len(state.joints.get(placed.name, ())) == placed.robot.n
            else initial.joints[placed.name]
            for placed in self.robots
        }
        attached = {
            name: hold
            for name, hold in {**initial.attached, **state.attached}.items()
            if name in self._index and (hold.frame in self._index or hold.frame == WORLD)
            if name in state.attached or name not in state.poses
        }
        free = {name: state.poses.get(name, initial.poses.get(name)) for name in objects if name not in attached}
        poses = {name: pose for name, pose in free.items() if pose is not None}
        kept = all(values is state.joints.get(name) for name, values in joints.items())
        same = kept and joints.keys() == state.joints.keys() and poses.keys() == state.poses.keys()
        if same and attached.keys() == state.attached.keys() and initial.signals.keys() <= state.signals.keys():
            return state
        return state.with_(joints=joints, poses=poses, attached=attached, signals={**initial.signals, **state.signals})

    @cached_property
    def _hands(self) -> tuple[tuple[str, str, Gripper], ...]:
        """Every robot with fingers: its name, the body that carries them, and the gripper."""
        return tuple(
            (placed.name, self.bodies[placed.bodies[-1]].name, placed.robot.gripper)
            for placed in self.robots
            if isinstance(placed.robot.gripper, Gripper) and finger_names(placed.name)[0] in self._index
        )

    @cached_property
    def _tools(self) -> dict[str, Attachment]:
        """The bodies of tools and of palms, each on the last link of its robot."""
        return {
            placed.held_tool: Attachment(self.bodies[placed.bodies[-1]].name, Pose.identity())
            for placed in self.robots
            if placed.held_tool
        }

    def openings(self, state: CellState) -> tuple[float, ...]:
        """The distance between the pads of every gripper [m], robot by robot; fully open if the state has none."""
        return tuple(state.signals.get(opening_signal(name), hand.opening) for name, _, hand in self._hands)

    def carried(self, state: CellState) -> Mapping[str, Attachment]:
        """What moves with what: parts by the state; tools, palms and fingers with their flanges."""
        if not self._hands and not self._tools:
            return state.attached
        carried = {**state.attached, **self._tools}
        for (name, palm, gripper), opening in zip(self._hands, self.openings(state), strict=True):
            for finger, pose in zip(finger_names(name), _finger_poses(gripper, opening), strict=True):
                carried[finger] = Attachment(palm, pose)
        return carried

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

    def poses_of(
        self, names: Sequence[str], joints: Mapping[str, NDArray[np.float64]], state: CellState, count: int
    ) -> NDArray[np.float64]:
        """``X_world_body`` of some bodies for many joint values by robot (N, n each): (N, names, 4, 4).

        The cost grows with the robots and with ``names``, not with the bodies of the cell.
        """
        known: dict[str, NDArray[np.float64]] = {}
        for placed, frames in self._frames(joints, state, count):
            for link, place in enumerate(placed.bodies):
                if place >= 0:
                    known[self.bodies[place].name] = frames[:, link]
        carried = self.carried(state)

        def where(name: str, waiting: tuple[str, ...] = ()) -> NDArray[np.float64]:
            found = known.get(name)
            if found is None:
                held = carried.get(name)
                if held is None:
                    pose = state.poses.get(name)
                    found = np.eye(4) if pose is None else pose.matrix
                elif held.frame == WORLD or held.frame in waiting:
                    found = held.X_frame_body.matrix
                else:
                    found = where(held.frame, (*waiting, name)) @ held.X_frame_body.matrix
                known[name] = found
            return found

        out = np.empty((count, len(names), 4, 4))
        for column, name in enumerate(names):
            out[:, column] = where(name)
        return out

    def finder(self, state: CellState) -> Callable[[str], NDArray[np.float64]]:
        """A function that returns ``X_world_body`` (4, 4) of a body by its name.

        The cost grows with the robots and with the carried bodies, not with the bodies of the cell.
        """
        riding: dict[str, NDArray[np.float64]] | None = None

        def where(name: str) -> NDArray[np.float64]:
            nonlocal riding
            if riding is None:
                names = self.riding(state)
                riding = dict(zip(names, self.poses_of(names, {}, state, 1)[0], strict=True))
            if name in riding:
                return riding[name]
            pose = state.poses.get(name)
            return _HERE if pose is None else pose.matrix

        return where

    def ordered(self, names: Collection[str]) -> list[str]:
        """Names of bodies in the order of the bodies."""
        return sorted(names, key=self._index.__getitem__)

    def riding(self, state: CellState) -> list[str]:
        """The bodies without a pose of their own: links of robots, fingers, and everything attached to something."""
        links = [self.bodies[place].name for placed in self.robots for place in placed.bodies if place >= 0]
        return list(dict.fromkeys([*links, *self.carried(state)]))

    def followers(self, state: CellState, robot: str) -> dict[str, int]:
        """The bodies of a robot and those that it moves, each with the link that it follows, 0 for the base."""
        self.robot(robot)
        follows: dict[str, int] = {}
        links: dict[str, int] = {}
        for placed in self.robots:
            link = placed.parent_link if placed.parent == robot else links.get(placed.parent, 0)
            if placed.name == robot:
                follows |= {self.bodies[place].name: link for link, place in enumerate(placed.bodies) if place >= 0}
            elif link > 0:
                links[placed.name] = link
                follows |= {self.bodies[place].name: link for place in placed.bodies if place >= 0}
        carried = self.carried(state)
        for name in _carriers_first(carried):
            if link := follows.get(carried[name].frame, 0):
                follows[name] = link
        return {name: follows[name] for name in self.ordered(follows)}

    def _poses(self, joints: Mapping[str, NDArray[np.float64]], state: CellState, count: int) -> NDArray[np.float64]:
        out = np.broadcast_to(np.eye(4), (count, len(self.bodies), 4, 4)).copy()
        for place, body in enumerate(self.bodies):
            if body.link < 0 and body.name in state.poses and body.name not in state.attached:
                out[:, place] = state.poses[body.name].matrix
        for placed, frames in self._frames(joints, state, count):
            for link, place in enumerate(placed.bodies):
                if place >= 0:
                    out[:, place] = frames[:, link]
        carried = self.carried(state)
        for name in _carriers_first(carried):
            attachment = carried[name]
            place = self._index[name]
            carrier = out[:, self._index[attachment.frame]] if attachment.frame != WORLD else np.eye(4)
            out[:, place] = carrier @ attachment.X_frame_body.matrix
        return out

    def _frames(
        self, joints: Mapping[str, NDArray[np.float64]], state: CellState, count: int
    ) -> Iterator[tuple[PlacedRobot, NDArray[np.float64]]]:
        """The link frames of every robot in the world (N, n+1, 4, 4), carriers first."""
        known: dict[str, NDArray[np.float64]] = {}
        for placed in self.robots:
            values = joints.get(placed.name)
            if values is None:
                values = np.broadcast_to(self.joints_of(state, placed.name), (count, placed.robot.n))
            if count == 1:
                frames = placed.robot.frames(values[0])[None]
            else:
                frames = placed.robot.frames_batch(np.ascontiguousarray(values))
            base = placed.X_parent_base.matrix
            if placed.parent == WORLD:
                frames = base @ frames
            else:
                frames = (known[placed.parent][:, placed.parent_link] @ base)[:, None] @ frames
            known[placed.name] = frames
            yield placed, frames

    def link_frames(self, state: CellState, robot: str) -> NDArray[np.float64]:
        """``X_world_link`` of a robot's links (n+1, 4, 4), the base first."""
        self.robot(robot)
        joints = {name: values[None, :] for name, values in state.joints.items()}
        return next(frames[0] for placed, frames in self._frames(joints, state, 1) if placed.name == robot)

    def base_pose(self, state: CellState, robot: str) -> Pose:
        """``X_world_base`` of a robot, wherever it is mounted."""
        placed = self.robot(robot)
        if placed.parent == WORLD:
            return placed.X_parent_base
        return Pose(self.link_frames(state, placed.parent)[placed.parent_link]) @ placed.X_parent_base

    def base_poses(
        self, state: CellState, robot: str, joints: Mapping[str, NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """``X_world_base`` of a robot for many joint values of its carriers (N, n each): (N or 1, 4, 4)."""
        placed = self.robot(robot)
        if placed.parent == WORLD:
            return placed.X_parent_base.matrix[None]
        carrier, below = self.robot(placed.parent), self.base_poses(state, placed.parent, joints)
        values = joints.get(placed.parent)
        if values is None:
            values = self.joints_of(state, carrier.name)[None]
        frames = carrier.robot.frames_batch(np.ascontiguousarray(values))[:, placed.parent_link]
        return np.asarray(below @ frames @ placed.X_parent_base.matrix)

    def joints_of(self, state: CellState, robot: str) -> NDArray[np.float64]:
        """The joint values of a robot [rad or m]; those of its home if the state has none."""
        values = state.joints.get(robot)
        return self.robot(robot).robot.home if values is None else values

    def body_pose(self, state: CellState, name: str) -> Pose:
        """``X_world_body`` of one body."""
        self.body(name)
        return Pose(self.body_poses(state)[self._index[name]])

    def grasp_pose(self, state: CellState, part: str, name: str) -> Pose:
        """The pose in the world of the grip point of a hand that holds a part by one of its grasps."""
        return self.body_pose(state, self.object_body(part)) @ self.grasp(part, name).X_body_hand

    def place_pose(self, state: CellState, name: str, kind: str = "") -> Pose:
        """The pose of a target or frame in the world, with its carriers."""
        return self.places.where(name, self._carriers(state), kind)

    def _carriers(self, state: CellState) -> PoseOf:
        """The poses of bodies and links of robots in a state."""
        return lambda name, link: self.body_pose(state, name) if link < 0 else Pose(self.link_frames(state, name)[link])

    def sensor_pose(self, state: CellState, name: str) -> Pose:
        """``X_world_sensor``, with its carriers; refused if it is nowhere."""
        sensor = self.sensor(name)
        if sensor.problem:
            raise Refused(sensor.problem, sensor=name)
        if sensor.frame == WORLD:
            return sensor.X_frame_sensor
        if sensor.link < 0:
            return self.body_pose(state, sensor.frame) @ sensor.X_frame_sensor
        return Pose(self.link_frames(state, sensor.frame)[sensor.link]) @ sensor.X_frame_sensor

    def path_poses(self, state: CellState, name: str) -> list[Pose]:
        """The poses of the targets of a path in the world, with their carriers."""
        return self.places.along(name, self._carriers(state))

    def path_frame(self, state: CellState, name: str) -> Pose:
        """``X_world_path``: the frame of a path, with its carriers."""
        return self.places.path_frame(name, self._carriers(state))

    def tool_pose(self, state: CellState, robot: str) -> Pose:
        """``X_world_tool`` of a robot."""
        placed = self.robot(robot)
        return self.base_pose(state, robot) @ placed.robot.fk(self.joints_of(state, placed.name))


@lru_cache(maxsize=256)
def _finger_poses(gripper: Gripper, opening: float) -> tuple[Pose, Pose]:
    return gripper.finger_poses(opening)


def _carriers_first(attached: Mapping[str, Attachment]) -> list[str]:
    """The attached bodies, each after its carrier."""
    order: dict[str, None] = {}

    def settle(name: str, waiting: tuple[str, ...] = ()) -> None:
        frame = attached[name].frame
        if frame in attached and frame not in order and frame not in waiting:
            settle(frame, (*waiting, name))
        order[name] = None

    for name in attached:
        settle(name)
    return list(order)
