"""Robots from arms of generalised links: every length, twist and rotation that is free is a joint."""

from __future__ import annotations

import numpy as np

from workcell.errors import Refused
from workcell.planning.guidance.links import LinkArm
from workcell.robots.link import Link, Part
from workcell.robots.mechanism import Mechanism, MechanismJoint
from workcell.robots.robot import Robot
from workcell.robots.serial import as_robot
from workcell.robots.shape_parts import tube
from workcell.spatial.pose import Pose

_X, _Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
_TURNS, _SLIDES = np.radians(90.0), 0.25
"""The speeds of joints that turn [rad/s] and that slide [m/s]; the thesis states none."""
_THIN = 0.04
"""How thick links are drawn that have no thickness of their own, as a part of the longest one."""
_COLOUR = (0.72, 0.74, 0.78)


def described_robot(arm: LinkArm, name: str) -> Robot:
    """Return an arm of generalised links as a robot, whose joint values are the parameters of the arm.

    Base translations come first, then link by link its length, its twist and its rotation, as far as they are free.

    Raises:
        Refused: nothing of the arm moves.
    """
    build = _Build(arm)
    n = arm.n
    build.part("a_y", (0.0, 1.0, 0.0), slides=True)
    build.part("a_z", _Z, slides=True)
    for link in range(1, n + 2):
        build.part(f"a_{link}", _X, slides=True, thickness=build.thickness[link - 1])
        if link <= n:
            build.part(f"α_{link}", _X)
            build.part(f"θ_{link}", _Z)
    if not build.joints:
        raise Refused("Everything of this arm is fixed; a robot needs a joint that moves.")
    bodies = tuple(Link(f"link {k}", tuple(parts)) for k, parts in enumerate(build.bodies))
    last = len(build.joints)
    found = as_robot(Mechanism(name, "arm", tuple(build.joints), bodies, {"tool": (last, build.X)}))
    return found.replace(home=np.clip(0.0, found.limits[:, 0], found.limits[:, 1]))


class _Build:
    """The joints and bodies so far; ``X`` is where the next part begins, in the frame of the last body."""

    def __init__(self, arm: LinkArm) -> None:
        self.bounds = dict(zip(arm.names, zip(arm.low.tolist(), arm.high.tolist(), strict=True), strict=True))
        lengths = [high for name, (_, high) in self.bounds.items() if name[0] == "a" and np.isfinite(high)]
        longest = max(lengths, default=1.0) or 1.0
        self.thickness = [float(one) or _THIN * longest for one in arm.half_thickness]
        self.joints: list[MechanismJoint] = []
        self.bodies: list[list[Part]] = [[]]
        self.X = Pose.identity()

    def part(self, name: str, axis: tuple[float, float, float], slides: bool = False, thickness: float = 0.0) -> None:
        """Add a parameter: a joint where it is free, else a fixed step."""
        low, high = self.bounds[name]
        if low < high:
            speed = _SLIDES if slides else float(_TURNS)
            self.joints.append(
                MechanismJoint(name.replace("_", ""), len(self.joints), self.X, axis, slides, (low, high), speed)
            )
            self.bodies.append([])
            self.X = Pose.identity()
            if thickness and low > 0.0:  # the part that is always drawn out
                self._bar(Pose.from_xyz(-low, 0.0, 0.0), Pose.identity(), thickness)
            return
        step = Pose.from_xyz(*(low * v for v in axis)) if slides else Pose.from_axis_angle(axis, low)
        if thickness and low > 0.0:
            self._bar(self.X, self.X @ step, thickness)
        self.X = self.X @ step

    def _bar(self, start: Pose, end: Pose, thickness: float) -> None:
        self.bodies[-1].append(Part(tube(start.xyz, end.xyz, thickness), _COLOUR))
