"""A mechanism: bodies on joints that is not an arm (rail, positioner, conveyor, gripper)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, JointLimit, UnknownName
from workcell.geometry import solids
from workcell.geometry.solid import Solid
from workcell.robots.gripper import FINGER, PALM, Gripper
from workcell.robots.link import Link, Part
from workcell.robots.shape_parts import box, tube
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import unit
from workcell.wording import joint_words

Array = NDArray[np.float64]
KINDS = ("rail", "positioner", "portal", "conveyor", "gripper")
"""The kinds of mechanisms; a robot of one of these kinds carries or holds things and has no hand of its own."""
_FRAME, _TOP = (0.36, 0.38, 0.41), (0.72, 0.74, 0.77)


@dataclass(frozen=True)
class MechanismJoint:
    """A joint between two bodies of a mechanism; the body after joint i (from 1) is body i.

    Attributes:
        name: its name.
        parent: the body that it stands on, 0 for the base.
        X_parent_joint: the joint in the parent's frame; the body's frame coincides with it at zero.
        axis: the direction of motion in that frame.
        prismatic: whether it slides; otherwise it turns.
        limits: lowest and highest value [rad|m]; infinite if it has no end.
        speed: highest speed [rad/s|m/s].
        follows: the joint (from 1) that it is coupled to, or 0 if it moves by itself.
        factor: how much it moves for one unit of the joint that it follows.
    """

    name: str
    parent: int
    X_parent_joint: Pose
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    prismatic: bool = False
    limits: tuple[float, float] = (-math.pi, math.pi)
    speed: float = 1.0
    follows: int = 0
    factor: float = 1.0


@dataclass(frozen=True)
class Mechanism:
    """Bodies joined in a tree, as a frozen value; robots and parts are mounted on its frames.

    Attributes:
        name: its name.
        kind: rail, positioner, conveyor, gripper ….
        joints: the joints, with parents before children.
        bodies: the base and one body after each joint; shapes in the body's frame.
        frames: mounting places by name: (body, X_body_frame).
    """

    name: str
    kind: str
    joints: tuple[MechanismJoint, ...]
    bodies: tuple[Link, ...]
    frames: Mapping[str, tuple[int, Pose]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.bodies) != len(self.joints) + 1:
            raise InvalidValue(
                f"A mechanism of {len(self.joints)} joints has {len(self.joints) + 1} bodies; found {len(self.bodies)}."
            )
        for number, joint in enumerate(self.joints, start=1):
            if not 0 <= joint.parent < number:
                raise InvalidValue(
                    f"Joint {number} of {self.name!r} stands on body {joint.parent}, which must come before it."
                )
            if not joint.limits[0] < joint.limits[1]:
                raise InvalidValue(f"The limits of joint {number} of {self.name!r} are reversed.", joint=number)
            if joint.follows and not (1 <= joint.follows < number and not self.joints[joint.follows - 1].follows):
                raise InvalidValue(
                    f"Joint {number} of {self.name!r} follows joint {joint.follows}, which must move by itself and "
                    "come before it."
                )
            unit(joint.axis, f"the axis of joint {number}")
        for name, (body, _) in self.frames.items():
            if not 0 <= body < len(self.bodies):
                raise InvalidValue(f"The frame {name!r} of {self.name!r} is on body {body}, which does not exist.")

    @property
    def free(self) -> tuple[int, ...]:
        """The joints (from 1) that move by themselves; the joint values of a mechanism are theirs."""
        return tuple(i for i, joint in enumerate(self.joints, start=1) if not joint.follows)

    @property
    def home(self) -> Array:
        """A value inside every range: zero if allowed, otherwise the nearest end."""
        return np.array([min(max(0.0, self.joints[i - 1].limits[0]), self.joints[i - 1].limits[1]) for i in self.free])

    def values(self, q: ArrayLike) -> Array:
        """The values of all joints from those of the free ones, checked against the limits."""
        free = np.atleast_1d(np.asarray(q, dtype=np.float64))
        if free.shape != (len(self.free),) or not np.isfinite(free).all():
            raise InvalidValue(f"{self.name!r} needs {len(self.free)} finite joint values; found {free.tolist()}.")
        given = dict(zip(self.free, free, strict=True))
        every = [given[j.follows] * j.factor if j.follows else given[i] for i, j in enumerate(self.joints, start=1)]
        for number, (joint, value) in enumerate(zip(self.joints, every, strict=True), start=1):
            low, high = joint.limits
            if not low - 1e-9 <= value <= high + 1e-9:
                raise JointLimit(
                    f"{joint_words(number, joint.name)} of {self.name} would be {value:g}, out of {low:g} … {high:g}.",
                    joint=number,
                    excess=value - (low if value < low else high),
                )
        return np.array(every)

    def poses(self, q: ArrayLike) -> tuple[Pose, ...]:
        """Every body in the base frame of the mechanism, the base first."""
        placed = [Pose.identity()]
        for joint, value in zip(self.joints, self.values(q), strict=True):
            axis = unit(joint.axis, "the axis of a joint")
            if joint.prismatic:
                moved = Pose.from_xyz(*(float(v) for v in axis * value))
            else:
                moved = Pose.from_axis_angle(axis, float(value))
            placed.append(placed[joint.parent] @ joint.X_parent_joint @ moved)
        return tuple(placed)

    def frame(self, name: str, q: ArrayLike) -> Pose:
        """A mounting place in the base frame of the mechanism."""
        if name not in self.frames:
            raise UnknownName.among(f"frame of {self.name}", name, self.frames)
        body, X_body_frame = self.frames[name]
        return self.poses(q)[body] @ X_body_frame

    def renamed(self, name: str) -> Mechanism:
        """The same mechanism under another name."""
        return dataclasses.replace(self, name=name)


_RECESS = 0.002
"""The distance by which faces are set back that would otherwise be in one plane with others [m]."""


def rail(length: float, name: str = "rail", height: float = 0.25, width: float = 0.6, speed: float = 1.0) -> Mechanism:
    """A linear track along x for a robot to ride on; its carriage has the frame ``carriage`` [m, m/s]."""
    _positive(length=length, height=height, width=width, speed=speed)
    bed = box((length / 2.0, 0.0, height * 0.35), (length + width, width, height * 0.7))
    carriage = box((0.0, 0.0, -height * 0.15), (width, width * 0.9, height * 0.3))
    joint = MechanismJoint("travel", 0, Pose.from_xyz(0, 0, height), (1, 0, 0), True, (0.0, length), speed)
    bodies = (_body("bed", bed, _FRAME), _body("carriage", carriage, _TOP))
    return Mechanism(name, "rail", (joint,), bodies, {"carriage": (1, Pose.identity())})


def positioner(name: str = "positioner", height: float = 0.8, radius: float = 0.4, speed: float = 1.5) -> Mechanism:
    """A tilting turntable: the first joint tilts about x, the second turns the plate about z; frame ``plate``."""
    _positive(height=height, radius=radius, speed=speed)
    posts = box((-radius * 1.25, 0, height / 2), (radius * 0.3, radius * 0.6, height))
    posts = posts + box((radius * 1.25, 0, height / 2), (radius * 0.3, radius * 0.6, height))
    posts = posts + box((0, 0, radius * 0.06), (radius * 2.9, radius * 0.9, radius * 0.12))
    cradle = tube((-radius * 1.08, 0, 0), (radius * 1.08, 0, 0), radius * 0.16) + solids.cylinder(
        radius * 0.4, radius * 0.3
    )
    plate = solids.cylinder(radius, radius * 0.1).moved(Pose.from_xyz(0, 0, -radius * 0.05))
    joints = (
        MechanismJoint("tilt", 0, Pose.from_xyz(0, 0, height), (1, 0, 0), False, (-math.pi / 2, math.pi / 2), speed),
        MechanismJoint("turn", 1, Pose.from_xyz(0, 0, radius * 0.28), (0, 0, 1), False, (-math.tau, math.tau), speed),
    )
    bodies = (_body("stand", posts, _FRAME), _body("cradle", cradle, _TOP), _body("plate", plate, _TOP))
    return Mechanism(name, "positioner", joints, bodies, {"plate": (2, Pose.identity())})


def gantry(
    length: float,
    width: float,
    height: float,
    name: str = "gantry",
    drop: float = 0.0,
    speed: float = 1.0,
) -> Mechanism:
    """A portal for a hanging arm: x along its beams, y across, then down [m, m/s]; frame ``flange``, z down.

    With the column up, the flange is 0.3 m below the beams.

    Args:
        length: the travel along x [m].
        width: the travel along y [m].
        height: the height of the beams above the floor [m].
        name: its name.
        drop: the travel of the column, downwards [m]; by default half the height.
        speed: the speed of each axis [m/s].
    """
    _positive(length=length, width=width, height=height, speed=speed)
    down = drop or height / 2.0
    _positive(drop=down)
    below = 0.3
    if down + below >= height:
        raise InvalidValue(
            f"The column of a gantry {height:g} m high cannot go down by {down:g} m; it would hit the floor."
        )
    thick = 0.16
    frame = box((length / 2.0, -0.3, height), (length + 0.6, thick, 0.24))
    frame = frame + box((length / 2.0, width + 0.3, height), (length + 0.6, thick, 0.24))
    for x in (-0.2, length + 0.2):
        for y in (-0.3, width + 0.3):
            frame = frame + box((x, y, height / 2.0), (thick, thick, height))
    bridge = box((-0.26, width / 2.0, 0.24), (thick, width + 0.8, 0.24))  # the column goes down between two beams
    bridge = bridge + box((0.26, width / 2.0, 0.24), (thick, width + 0.8, 0.24))
    trolley = box((0.0, 0.0, 0.0), (0.68, 0.4, 0.2))
    reach = down + below + 0.5
    column = box((0.0, 0.0, -reach / 2.0), (0.2, 0.2, reach))
    turned = Pose.from_axis_angle((1, 0, 0), math.pi)
    joints = (
        MechanismJoint("along", 0, Pose.from_xyz(0, 0, height), (1, 0, 0), True, (0.0, length), speed),
        MechanismJoint("across", 1, Pose.from_xyz(0, 0, 0.46), (0, 1, 0), True, (0.0, width), speed),
        MechanismJoint("down", 2, Pose.from_xyz(0, 0, -0.46 - below) @ turned, (0, 0, 1), True, (0.0, down), speed),
    )
    bodies = (
        _body("portal", frame, _FRAME),
        _body("bridge", bridge, _FRAME),
        _body("trolley", trolley, _TOP),
        _body("column", column, _TOP),
    )
    return Mechanism(name, "portal", joints, bodies, {"flange": (3, Pose.identity())})


def conveyor(
    length: float, name: str = "conveyor", width: float = 0.5, height: float = 0.7, speed: float = 0.3
) -> Mechanism:
    """An endless belt along x; anything on its top, at ``height``, moves with the frame ``belt`` [m, m/s]."""
    _positive(length=length, width=width, height=height, speed=speed)
    thick = 0.12
    deep = thick * 0.8
    bed = box((length / 2, 0, height - deep / 2), (length, width, deep))
    for x in (0.1 * length, 0.9 * length):
        bed = bed + box((x, 0, (height - deep) / 2), (0.08, width * 0.8, height - deep))
    # A little narrower than the bed, so that their sides are not in one plane, where either could be drawn.
    side, middle = width / 2 - _RECESS, height - thick / 2
    ends = tube((0, -side, middle), (0, side, middle), thick / 2)
    ends = ends + tube((length, -side, middle), (length, side, middle), thick / 2)
    joint = MechanismJoint("belt", 0, Pose.from_xyz(0, 0, height), (1, 0, 0), True, (-math.inf, math.inf), speed)
    bodies = (Link("bed", (Part(bed, _FRAME), Part(ends, _TOP))), Link("belt"))
    return Mechanism(name, "conveyor", (joint,), bodies, {"belt": (1, Pose.identity())})


def slide(
    length: float, drop: float, name: str = "slide", width: float = 0.5, height: float = 0.7, speed: float = 0.5
) -> Mechanism:
    """A plate down which parts slide along x, from ``height`` by ``drop``, all at one speed [m, m/s].

    It is a belt that goes down: anything on it moves with the frame ``belt``. ``length`` is that of the plate.
    """
    _positive(length=length, drop=drop, width=width, height=height, speed=speed)
    if drop >= length or drop > height:
        raise InvalidValue(
            f"A slide of {length * 1e3:g} mm whose top is {height * 1e3:g} mm high cannot go down by {drop * 1e3:g} mm."
        )
    angle = math.asin(drop / length)
    down = Pose.from_xyz(0, 0, height) @ Pose.from_axis_angle((0, 1, 0), angle)
    thick = 0.02
    plate = box((length / 2, 0, -thick / 2), (length, width, thick)).moved(down)
    axis = (math.cos(angle), 0.0, -math.sin(angle))
    joint = MechanismJoint("belt", 0, Pose.from_xyz(0, 0, height), axis, True, (-math.inf, math.inf), speed)
    bodies = (Link("plate", (Part(plate, _TOP),)), Link("belt"))
    return Mechanism(name, "conveyor", (joint,), bodies, {"belt": (1, Pose.identity())})


def gripper_mechanism(gripper: Gripper, name: str = "") -> Mechanism:
    """A gripper with its fingers as joints: one value, half the opening [m]; frame ``grip`` between the pads."""
    half = gripper.opening / 2.0
    grip = gripper.X_flange_grip
    other = grip @ Pose.from_axis_angle((0, 0, 1), math.pi)
    joints = (
        MechanismJoint("right finger", 0, grip, (1, 0, 0), True, (gripper.least / 2.0, half), 0.1),
        MechanismJoint("left finger", 0, other, (1, 0, 0), True, (gripper.least / 2.0, half), 0.1, follows=1),
    )
    finger = gripper.finger()
    bodies = (
        _body("palm", gripper.palm(), PALM),
        _body("right finger", finger, FINGER),
        _body("left finger", finger, FINGER),
    )
    return Mechanism(name or gripper.name, "gripper", joints, bodies, {"grip": (0, grip)})


def _body(name: str, solid: Solid, paint: Sequence[float]) -> Link:
    r, g, b = paint
    return Link(name, (Part(solid, (r, g, b)),))


def _positive(**sizes: float) -> None:
    for name, value in sizes.items():
        if not math.isfinite(value) or value <= 0.0:
            raise InvalidValue(f"The {name} of a mechanism must be greater than zero; found {value}.")
