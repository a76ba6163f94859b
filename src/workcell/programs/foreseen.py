"""What names and functions mean at a step of a run that has not begun, as far as it can be foreseen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from workcell.programs.cell_names import CellNames
from workcell.programs.deciding import Undecided
from workcell.programs.evaluate import Value
from workcell.programs.functions import numbered
from workcell.programs.measures import DIMENSIONS, Measure
from workcell.programs.movers import ANYTHING, PARTS, Movers
from workcell.spatial.pose import Pose
from workcell.spatial.units import Units
from workcell.world.places import WORLD
from workcell.world.thing_poses import thing_pose


class Unknown(msgspec.Struct, frozen=True):
    """A value that only the run decides, with what it depends on."""

    reason: str


Foreseen: TypeAlias = Value | Unknown


class Standing:
    """Where places and things are as long as nothing has moved. Each is computed once.

    Args:
        names: what exists.
        movers: what moves what.
    """

    def __init__(self, names: CellNames, movers: Movers) -> None:
        self.names = names
        self.movers = movers
        self._poses: dict[tuple[str, ...], Any] = {}

    def place(self, name: str, kind: str) -> tuple[Pose, frozenset[str]]:
        """Return where a target or frame is, and what must not move for that."""
        snapshot = self.names.snapshot
        if ("place", name, kind) not in self._poses:
            ways = snapshot.places.spot(name, kind).ways
            needs = self._needs((way.frame, way.link) for way in ways)
            self._poses["place", name, kind] = snapshot.place_pose(self.names.start, name, kind), needs
        found: tuple[Pose, frozenset[str]] = self._poses["place", name, kind]
        return found

    def path(self, name: str) -> tuple[list[Pose], frozenset[str]]:
        """Return where the targets of a path are, and what must not move for that."""
        snapshot = self.names.snapshot
        if ("path", name) not in self._poses:
            path = snapshot.places.path(name)
            needs = self.movers.carriers(path.frame, path.link)
            self._poses["path", name] = snapshot.path_poses(self.names.start, name), needs
        found: tuple[list[Pose], frozenset[str]] = self._poses["path", name]
        return found

    def thing(self, name: str, kind: str) -> tuple[Pose, frozenset[str]]:
        """Return where an object, the base of a robot, a frame or a target is, and what must not move for that."""
        snapshot = self.names.snapshot
        if ("thing", name, kind) not in self._poses:
            pose = thing_pose(snapshot, self.names.start, name, kind)
            is_object = any(body.link < 0 and body.owner == name for body in snapshot.bodies)
            if kind in ("", "object") and is_object:
                needs = self.movers.carriers(snapshot.object_body(name), -1)
            elif kind in ("", "robot", "mechanism") and name in self.names.robots:
                needs = self.movers.carriers(name, 0)
            else:
                needs = self.place(name, kind)[1]
            self._poses["thing", name, kind] = pose, needs
        found: tuple[Pose, frozenset[str]] = self._poses["thing", name, kind]
        return found

    def grasp(self, part: str, grasp: str) -> tuple[Pose, frozenset[str]]:
        """Return where a hand holds a part, and what must not move for that."""
        snapshot = self.names.snapshot
        if ("grasp", part, grasp) not in self._poses:
            needs = self.movers.carriers(snapshot.object_body(part), -1)
            self._poses["grasp", part, grasp] = snapshot.grasp_pose(self.names.start, part, grasp), needs
        found: tuple[Pose, frozenset[str]] = self._poses["grasp", part, grasp]
        return found

    def base(self, robot: str) -> tuple[Pose, frozenset[str]]:
        """Return where the base of a robot is, and what must not move for that."""
        snapshot = self.names.snapshot
        if ("base", robot) not in self._poses:
            needs = self.movers.carriers(robot, 0)
            self._poses["base", robot] = snapshot.base_pose(self.names.start, robot), needs
        found: tuple[Pose, frozenset[str]] = self._poses["base", robot]
        return found

    def _needs(self, ways: Iterable[tuple[str, int]]) -> frozenset[str]:
        return frozenset(one for frame, link in ways if frame != WORLD for one in self.movers.carriers(frame, link))


class ForeseenScope:
    """What names and functions mean at one step.

    Args:
        standing: where everything is as long as nothing has moved.
        units: what a bare number means.
        variables: the variables, as far as they are known.
        moved: what this run may have moved before.
    """

    def __init__(
        self, standing: Standing, units: Units, variables: Mapping[str, Foreseen], moved: frozenset[str]
    ) -> None:
        self.units = units
        self.assumed: set[str] = set()
        """What is assumed not to move, although programs that are not called here may move it."""
        self._standing = standing
        self._variables = variables
        self._moved = moved

    def named(self, name: str, kind: str = "") -> Value:
        """Return a known variable, or the pose of a place that has not moved."""
        if not kind and name in self._variables:
            value = self._variables[name]
            if isinstance(value, Unknown):
                raise Undecided(value.reason)
            return value
        names = self._standing.names
        if kind in ("", "signal") and "signal" in names.kinds_of(name):
            raise Undecided(f"signal {name}")
        return self.still(*self._standing.place(name, kind if kind in ("target", "frame") else ""))

    def asked(self, function: str, arguments: Sequence[Any]) -> Value:
        """Answer the functions that do not depend on the run."""
        standing = self._standing
        if function == "count":
            return Measure(float(len(standing.names.snapshot.places.path(arguments[0]).poses)))
        if function == "target":
            poses, needs = standing.path(arguments[0])
            return self.still(poses[numbered(arguments[1], len(poses), "target")], needs)
        if function == "pose":
            kind, colon, name = arguments[0].partition(":")
            return self.still(*standing.thing(name if colon else arguments[0], kind if colon else ""))
        if function == "grasp":
            return self.still(*standing.grasp(*arguments))
        if function in ("x", "y", "z"):
            return Measure(float(arguments[0].xyz["xyz".index(function)]), DIMENSIONS["length"])
        if function == "distance":
            return Measure(float(arguments[0].distance(arguments[1])[0]), DIMENSIONS["length"])
        raise Undecided(f"{function}({', '.join(str(one) for one in arguments)})")

    def slides(self, robot: str) -> Sequence[bool]:
        """Return for each joint of a robot whether it slides."""
        devices = self._standing.names.devices
        return tuple(row.prismatic for row in devices[robot].robot.rows) if robot in devices else ()

    def still(self, pose: Pose, needs: frozenset[str]) -> Pose:
        """Return a pose that holds while some things do not move; undecided if this run may have moved one of them."""
        gone = needs & self._moved
        if gone:
            raise Undecided(f"where {_listed(needs - {PARTS, ANYTHING} or gone)} is then")
        if needs & self._standing.movers.elsewhere:
            self.assumed |= needs - {PARTS, ANYTHING}
        return pose


def _listed(things: Iterable[str]) -> str:
    return " or ".join(sorted(things))
