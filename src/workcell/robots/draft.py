"""A robot that is built from nothing: frames from the orientation table, then lengths, then solids, then a check."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from workcell.errors import InvalidValue, Refused
from workcell.geometry.checks import coordinates
from workcell.geometry.solid import Solid
from workcell.kinematics.dh import Chain, DHRow
from workcell.robots.link import Colour, Link, Part, colour
from workcell.robots.orientation import turn_of
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose

GREY: Colour = (0.7, 0.72, 0.75)


@dataclass(frozen=True)
class DraftJoint:
    """One joint of a draft; None means not chosen yet. ``theta`` is the joint's home value [rad]."""

    theta: float | None = None
    alpha: float | None = None
    d: float | None = None
    a: float | None = None
    prismatic: bool = False
    limits: tuple[float, float] | None = None


@dataclass(frozen=True)
class RobotDraft:
    """An unfinished robot: every step returns a new draft, and ``robot()`` returns the robot.

    Attributes:
        joints: the choices for each joint.
        base: theta and alpha [rad] of the base frame in the world; it places the robot and is not part of it.
        parts: solids assigned to links 0 … n, in their DH frames.
    """

    joints: tuple[DraftJoint, ...]
    base: tuple[float, float] = (0.0, 0.0)
    parts: tuple[tuple[Part, ...], ...] = field(default=())

    @classmethod
    def of(cls, joints: int = 6) -> RobotDraft:
        """An empty draft with this number of joints."""
        if joints < 1:
            raise InvalidValue(f"A robot needs at least one joint; found {joints}.")
        return cls((DraftJoint(),) * joints, parts=((),) * (joints + 1))

    @classmethod
    def like(cls, robot: Robot) -> RobotDraft:
        """The draft of a finished robot, without its shapes and speeds; joint values become DH angles."""
        chain, same = robot.chain, Pose.identity()
        if not (chain.X_base_0.is_close(same) and chain.X_n_tool.is_close(same)):
            raise Refused(
                f"Robot {robot.name!r} has a base or tool frame of its own, which a draft cannot hold; "
                "only robots whose frames are all DH rows can be drafted again."
            )
        joints = []
        for row, home, (low, high) in zip(robot.rows, robot.home, robot.limits, strict=True):
            turn = 0.0 if row.prismatic else row.theta
            angle = row.theta if row.prismatic else row.theta + float(home)
            limits = (float(low) + turn, float(high) + turn)
            joints.append(DraftJoint(angle, row.alpha, row.d, row.a, row.prismatic, limits))
        return cls(tuple(joints), parts=((),) * (len(joints) + 1))

    @classmethod
    def from_selection(cls, codes: tuple[int, ...]) -> RobotDraft:
        """A draft of six joints from the seven codes of Ding's orientation table."""
        if [code // 10 for code in codes] != list(range(1, 8)):
            raise InvalidValue(f"A selection is seven codes for joints 1 to 7 in order; found {list(codes)}.")
        draft = dataclasses.replace(cls.of(6), base=turn_of(codes[0]))
        for joint, code in enumerate(codes[1:], start=1):
            draft = draft.with_frame(joint, code)
        return draft

    def with_frame(self, joint: int, code: int) -> RobotDraft:
        """Choose the frame after a joint (1 … n) from the orientation table."""
        theta, alpha = turn_of(code)
        return self._changed(joint, theta=theta, alpha=alpha)

    def with_turn(self, joint: int, theta: float, alpha: float) -> RobotDraft:
        """Give the frame after a joint by its home angle and twist [rad] instead of a code."""
        return self._changed(joint, theta=_number(theta), alpha=_number(alpha))

    def with_lengths(self, joint: int, d: float, a: float) -> RobotDraft:
        """Give the offset along the axis and the length across it [m]."""
        across, along = coordinates((a, d), 2, "A length of a joint")
        return self._changed(joint, d=along, a=across)

    def with_limits(self, joint: int, low: float, high: float) -> RobotDraft:
        """Give the range of a joint [rad|m]."""
        if not low < high:
            raise InvalidValue(f"The limits of joint {joint} are reversed: {low:g} is not below {high:g}.", joint=joint)
        return self._changed(joint, limits=(_number(low), _number(high)))

    def sliding(self, joint: int) -> RobotDraft:
        """Make a joint prismatic."""
        return self._changed(joint, prismatic=True)

    def turning(self, joint: int) -> RobotDraft:
        """Make a joint revolute."""
        return self._changed(joint, prismatic=False)

    def with_solid(self, link: int, solid: Solid, paint: ArrayLike = GREY, name: str = "") -> RobotDraft:
        """Assign a solid, given in the link's DH frame, to link 0 (base) … n."""
        if not 0 <= link <= len(self.joints):
            raise InvalidValue(f"The links are numbered 0 (base) to {len(self.joints)}; found {link}.", link=link)
        part = Part(solid, colour(paint), name)
        parts = tuple((*have, part) if i == link else have for i, have in enumerate(self.parts))
        return dataclasses.replace(self, parts=parts)

    def check(self) -> tuple[str, ...]:
        """The list of what is missing or wrong; empty if the draft can become a robot."""
        faults = []
        for number, joint in enumerate(self.joints, start=1):
            if joint.theta is None:
                faults.append(f"joint {number} has no frame")
            if joint.d is None:
                faults.append(f"joint {number} has no lengths")
        if not faults:
            rows = [(joint.d or 0.0, joint.a or 0.0) for joint in self.joints]
            if len(self.joints) > 1 and not any(math.hypot(d, a) > 0.0 for d, a in rows):
                faults.append("all lengths are zero")
        return tuple(faults)

    def robot(self, name: str) -> Robot:
        """The finished robot; an unfinished draft is refused with what is missing."""
        faults = self.check()
        if faults:
            raise Refused(f"The robot {name!r} is not finished: {'; '.join(faults)}.", faults=faults)
        rows = [
            DHRow(
                (joint.theta or 0.0) if joint.prismatic else 0.0,
                joint.d or 0.0,
                joint.a or 0.0,
                joint.alpha or 0.0,
                joint.prismatic,
            )
            for joint in self.joints
        ]
        home = [0.0 if joint.prismatic else joint.theta or 0.0 for joint in self.joints]
        links = tuple(Link("base" if i == 0 else f"link {i}", parts) for i, parts in enumerate(self.parts))
        return Robot(name, Chain(rows), limits=self._limits(), home=np.array(home), links=links)

    @property
    def frames(self) -> np.ndarray:
        """The frames of the links in the base at home (n+1, 4, 4); what is not chosen yet counts as zero."""
        found = [np.eye(4)]
        for one in self.joints:
            turn = Pose.from_axis_angle((0, 0, 1), one.theta or 0.0)
            twist = Pose.from_axis_angle((1, 0, 0), one.alpha or 0.0)
            step = Pose.from_xyz(0, 0, one.d or 0.0) @ turn @ Pose.from_xyz(one.a or 0.0, 0, 0) @ twist
            found.append(found[-1] @ step.matrix)
        return np.array(found)

    @property
    def X_world_base(self) -> Pose:
        """The pose of the base frame: turned about z, then about x."""
        return Pose.from_axis_angle((0, 0, 1), self.base[0]) @ Pose.from_axis_angle((1, 0, 0), self.base[1])

    def _limits(self) -> np.ndarray:
        if all(joint.limits is None for joint in self.joints):
            return np.empty((0, 2))
        plain = [(0.0, 1.0) if joint.prismatic else (-math.pi, math.pi) for joint in self.joints]
        return np.array([joint.limits or free for joint, free in zip(self.joints, plain, strict=True)])

    def _changed(self, joint: int, **changes: object) -> RobotDraft:
        if not 1 <= joint <= len(self.joints):
            raise InvalidValue(f"The draft has joints 1 to {len(self.joints)}; found {joint}.", joint=joint)
        new = dataclasses.replace(self.joints[joint - 1], **changes)  # type: ignore[arg-type]
        joints = (*self.joints[: joint - 1], new, *self.joints[joint:])
        return dataclasses.replace(self, joints=joints)


def _number(value: float) -> float:
    if not math.isfinite(value):
        raise InvalidValue(f"Lengths and angles of a draft must be finite; found {value}.")
    return float(value)
