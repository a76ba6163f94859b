"""Mounting: a base may stand on the world, on any link of a robot, or on a frame of a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from numpy.typing import ArrayLike

from workcell.errors import CycleRefused, InvalidValue, NameTaken, UnknownName
from workcell.robots.mechanism import Mechanism
from workcell.robots.robot import Robot
from workcell.robots.robot_fields import ReadRobot
from workcell.spatial.pose import Pose
from workcell.wording import an

WORLD = "world"


@dataclass(frozen=True)
class Mounted:
    """A robot or mechanism, and where its base stands.

    Attributes:
        name: its name, which must be unique.
        device: the robot or mechanism.
        parent: the name of the device that it stands on, or ``world``.
        frame: the place on the parent: a link number ("0" … "n"), ``tool`` or ``flange`` of a robot, a frame name or
            a body number of a mechanism; empty for the world and for the base of the parent.
        X_frame_base: its base in that frame.
    """

    name: str
    device: Robot | Mechanism
    parent: str = WORLD
    frame: str = ""
    X_frame_base: Pose = field(default_factory=Pose.identity)


@dataclass(frozen=True)
class Mounting:
    """Robots and mechanisms mounted on the world and on each other, as a frozen value."""

    items: tuple[Mounted, ...] = ()

    def __post_init__(self) -> None:
        names = [item.name for item in self.items]
        for name in names:
            if name == WORLD or names.count(name) > 1:
                raise NameTaken(f"The name {name!r} is taken; every device needs its own.", name=name)
        for item in self.items:
            if item.parent != WORLD and item.parent not in names:
                raise UnknownName.among("device", item.parent, names)
        for item in self.items:
            self._to_world(item.name)
            if item.parent != WORLD:
                _checked_frame(self[item.parent].device, item.frame)

    def __getitem__(self, name: str) -> Mounted:
        for item in self.items:
            if item.name == name:
                return item
        raise UnknownName.among("device", name, [item.name for item in self.items])

    def mounted(self, item: Mounted) -> Mounting:
        """The same mounting with one more device."""
        return Mounting((*self.items, item))

    def bases(self, values: Mapping[str, ArrayLike]) -> dict[str, Pose]:
        """Every base in the world for given joint values; devices without values are at home."""
        done: dict[str, Pose] = {}
        for item in self.items:
            self._place(item.name, values, done)
        return done

    def tool(self, name: str, values: Mapping[str, ArrayLike]) -> Pose:
        """The tool of a robot in the world."""
        item = self[name]
        if not isinstance(item.device, Robot):
            raise InvalidValue(f"{name!r} is {an(item.device.kind)}; only a robot has a tool.")
        return self.bases(values)[name] @ item.device.fk(_values(item, values))

    def _place(self, name: str, values: Mapping[str, ArrayLike], done: dict[str, Pose]) -> Pose:
        if name not in done:
            item = self[name]
            if item.parent == WORLD:
                done[name] = item.X_frame_base
            else:
                parent = self[item.parent]
                base = self._place(item.parent, values, done)
                seat = frame_pose(parent.device, item.frame, _values(parent, values))
                done[name] = base @ seat @ item.X_frame_base
        return done[name]

    def _to_world(self, name: str) -> None:
        seen = [name]
        while (parent := self[seen[-1]].parent) != WORLD:
            if parent in seen:
                raise CycleRefused(f"{name!r} cannot stand on itself: {' → '.join([*seen, parent])}.", names=seen)
            seen.append(parent)


def mounted(robots: Iterable[ReadRobot]) -> Mounting:
    """Make the robots that a file describes, mounted as in the file."""
    return Mounting(
        tuple(
            Mounted(one.name, Robot(**one.fields), one.parent or WORLD, one.frame, one.X_frame_base) for one in robots
        )
    )


def frame_pose(device: Robot | Mechanism, frame: str, q: ArrayLike) -> Pose:
    """A mounting place of a device in its base frame."""
    _checked_frame(device, frame)
    if isinstance(device, Mechanism):
        return device.frame(frame, q) if frame in device.frames else device.poses(q)[int(frame or 0)]
    if frame == "tool":
        return device.fk(q)
    if not frame:
        return Pose.identity()
    return Pose(device.frames(q)[device.n if frame == "flange" else int(frame)])


def _checked_frame(device: Robot | Mechanism, frame: str) -> None:
    if isinstance(device, Mechanism):
        known = [*device.frames, *(str(i) for i in range(len(device.bodies)))]
    else:
        known = [*(str(i) for i in range(device.n + 1)), "flange", "tool"]
    if frame and frame not in known:
        raise UnknownName.among(f"frame of {device.name}", frame, known)


def _values(item: Mounted, values: Mapping[str, ArrayLike]) -> ArrayLike:
    return values.get(item.name, item.device.home)
