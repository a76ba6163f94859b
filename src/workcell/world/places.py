"""Targets, frames and paths of a scene as data: their carriers, and their poses in a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused, UnknownName
from workcell.spatial.pose import Pose
from workcell.world.identity import Value

KINDS = ("target", "frame", "path")
"""The kinds of entity that are places."""
WORLD = "world"
"""The name of the world frame."""
OBJECT, RING = "object", "ring"
"""The properties of a path: its carrier in cells of an older Workcell, and whether it is closed."""
UP = "up"
"""The property of a target with the direction away from the work, in the frame of the path."""
CARRIERS = ("object", "robot", "mechanism", "frame")
"""The kinds of entity that carry places; a path also carries its targets."""
LINK = "link"
"""The property of the relation from a robot or mechanism to a place with the number of the link."""
PoseOf: TypeAlias = Callable[[str, int], Pose]
"""Returns X_world_carrier of a body, or of a link of a robot; the number of the link is -1 for a body."""


@dataclass(frozen=True)
class Way:
    """One way in which a target or frame is placed: by whom, on which body or link, and where on it.

    Attributes:
        owner: the object, robot or path that places it, or ``world``.
        frame: ``world``, or the name of the body or robot that carries it.
        X_frame_place: its pose there.
        link: the link of the robot that carries it, 0 for its base; -1 if the frame is a body or the world.
    """

    owner: str
    frame: str
    X_frame_place: Pose
    link: int = -1


@dataclass(frozen=True)
class Learned(Value):
    """The state of a robot when a target was learned.

    Attributes:
        robot: its name.
        joints: its joint values [rad or m]; none if another arm has replaced it.
        branch: the inverse solution, as Ding's signs or the Agent's index; '' if its solutions have no names.
    """

    robot: str
    joints: tuple[float, ...] = ()
    branch: str = ""


@dataclass(frozen=True)
class Spot(Value):
    """A target or a frame.

    Attributes:
        kind: ``target`` or ``frame``.
        name: its name.
        ways: how it is placed; several must agree; none means that it is nowhere.
        missing: its carrier, if that is in no scene.
        axes: the request for external axes when a hand goes there, its own or its path's; '' if they are held.
        learned: the state of a robot when the target was learned; None if none was used.
    """

    kind: str
    name: str
    ways: tuple[Way, ...]
    missing: str = ""
    axes: str = ""
    learned: Learned | None = None

    def learned_by(self, robot: str) -> Learned | None:
        """The state of this robot when the target was learned; None if it was not learned with this robot."""
        return self.learned if self.learned is not None and self.learned.robot == robot else None


@dataclass(frozen=True)
class PathPlaces(Value):
    """A path: its carrier, the poses of its targets on it, and the directions away from the work.

    Attributes:
        name: its name.
        frame: the body or robot that carries it, or ``world``.
        X_frame_path: its own frame on that body.
        targets: the names of its targets, in order.
        poses: X_path_target of each.
        ups: the directions away from the work (K, 3).
        ring: whether the first target follows the last one.
        missing: its carrier, if that is in no scene.
        axes: the request for external axes along it; '' if they are held.
        link: the link of the robot that carries it; -1 if the frame is a body or the world.
    """

    name: str
    frame: str
    X_frame_path: Pose
    targets: tuple[str, ...]
    poses: tuple[Pose, ...]
    ups: NDArray[np.float64]
    ring: bool
    missing: str = ""
    axes: str = ""
    link: int = -1


@dataclass(frozen=True)
class Places(Value):
    """All targets, frames and paths of a cell, by name."""

    spots: Mapping[tuple[str, str], Spot] = field(default_factory=dict)
    paths: Mapping[str, PathPlaces] = field(default_factory=dict)

    def spot(self, name: str, kind: str = "") -> Spot:
        """The target, otherwise the frame, with that name."""
        for one in (kind,) if kind else ("target", "frame"):
            found = self.spots.get((one, name))
            if found is not None:
                return found
        known = [known for of, known in self.spots if not kind or of == kind]
        raise UnknownName.among(kind or "target or frame", name, known)

    def path(self, name: str) -> PathPlaces:
        """The path with that name."""
        if name not in self.paths:
            raise UnknownName.among("path", name, self.paths)
        return self.paths[name]

    def where(self, name: str, pose_of: PoseOf, kind: str = "") -> Pose:
        """The pose of a target or frame in the world."""
        spot = self.spot(name, kind)
        what = f"{spot.kind.capitalize()} {spot.name!r}"
        if not spot.ways:
            if spot.missing:
                raise Refused(f"{spot.missing!r} stands in no scene; `place {spot.missing} at …` first.")
            raise Refused(f"{what} stands in no scene; `place {spot.name} at …` first.")
        first, *others = (_placed(way, pose_of) for way in spot.ways)
        for way, other in zip(spot.ways[1:], others, strict=True):
            if not first.is_close(other, 1e-9, 1e-9):
                raise Refused(
                    f"{what} has one pose by {spot.ways[0].owner!r} and another by {way.owner!r}; detach it from one "
                    f"of them, or give the pose itself."
                )
        return first

    def path_frame(self, name: str, pose_of: PoseOf) -> Pose:
        """X_world_path: the frame of a path, in which its targets are given."""
        path = self.path(name)
        if path.missing:
            raise Refused(
                f"The targets of {name!r} are on {path.missing!r}, which stands in no scene; "
                f"`place {path.missing} at …` first."
            )
        return _placed(Way(name, path.frame, path.X_frame_path, path.link), pose_of)

    def along(self, name: str, pose_of: PoseOf) -> list[Pose]:
        """The poses of the targets of a path in the world."""
        path, carrier = self.path(name), self.path_frame(name, pose_of)
        if not path.poses:
            raise Refused(f"Path {name!r} has no targets; `targets along-edge …` makes some, or attach your own.")
        return [carrier @ pose for pose in path.poses]


def _placed(way: Way, pose_of: PoseOf) -> Pose:
    return way.X_frame_place if way.frame == WORLD else pose_of(way.frame, way.link) @ way.X_frame_place
